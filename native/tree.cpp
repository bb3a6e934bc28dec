#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels.hpp"

namespace cutpoint {
namespace {

using std::size_t;

// Words as sequences of steps: the mark before the first symbol, then pairs of symbol and mark.
struct Words {
    const std::int32_t* symbols;
    const std::int64_t* offsets;
    const std::int32_t* positions;
    std::int64_t n_marks;

    size_t length(size_t r) const { return static_cast<size_t>(offsets[r + 1] - offsets[r]); }
    std::int32_t mark(size_t r, size_t i) const { return positions ? positions[offsets[r] + r + i] : 0; }
    std::int32_t symbol(size_t r, size_t i) const { return i == 0 ? -1 : symbols[offsets[r] + i - 1]; }
    std::int64_t step(size_t r, size_t i) const {
        return i == 0 ? mark(r, 0) : symbols[offsets[r] + i - 1] * n_marks + mark(r, i);
    }
};

// Short words in lexicographic order of their steps, so that those which begin alike are neighbours.
std::vector<std::pair<std::uint64_t, std::int64_t>> sorted_words(const Words& words, size_t count, size_t n_symbols,
                                                                 std::vector<std::int64_t>& long_words) {
    const std::uint64_t steps = std::max<std::uint64_t>(n_symbols, 1) * static_cast<std::uint64_t>(words.n_marks) + 1;
    const int bits = std::bit_width(steps);
    const size_t in_key = static_cast<size_t>(64 / bits);  // steps of a word that fit into one integer
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    order.reserve(count);
    for (size_t r = 0; r < count; ++r) {
        const size_t length = words.length(r);
        if (length >= long_word) {
            long_words.push_back(static_cast<std::int64_t>(r));
            continue;
        }
        std::uint64_t key = 0;
        for (size_t i = 0; i < in_key; ++i)
            key = key << bits | (i <= length ? static_cast<std::uint64_t>(words.step(r, i)) + 1 : 0);
        order.emplace_back(key, static_cast<std::int64_t>(r));
    }
    std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const size_t r = static_cast<size_t>(a.second), q = static_cast<size_t>(b.second);
        const size_t n = words.length(r), m = words.length(q);
        for (size_t i = in_key; i <= std::min(n, m); ++i) {
            const std::int64_t x = words.step(r, i), y = words.step(q, i);
            if (x != y) return x < y;
        }
        return n != m ? n < m : r < q;
    });
    return order;
}

// Nodes of the block under construction, in the order in which they were met.
struct Block {
    std::vector<std::int32_t> parents, marks, symbols, depths;
    std::vector<std::pair<std::int32_t, std::int64_t>> ends;

    std::int32_t add(std::int32_t parent, std::int32_t symbol, std::int32_t mark, std::int32_t depth) {
        parents.push_back(parent), symbols.push_back(symbol), marks.push_back(mark), depths.push_back(depth);
        return static_cast<std::int32_t>(parents.size()) - 1;
    }
    void clear() { parents.clear(), marks.clear(), symbols.clear(), depths.clear(), ends.clear(); }
};

// Stable order of nodes by a key in [0, range).
template <class Key>
std::vector<std::int32_t> counting_order(const std::vector<std::int32_t>& nodes, size_t range, Key key) {
    std::vector<std::int32_t> place(range + 1, 0), order(nodes.size());
    for (const std::int32_t node : nodes) ++place[key(node) + 1];
    for (size_t k = 0; k < range; ++k) place[k + 1] += place[k];
    for (const std::int32_t node : nodes) order[place[key(node)]++] = node;
    return order;
}

// Append a block to the tree: nodes sorted by depth and symbol, groups, runs, ends.
void close(Block& block, size_t n_symbols, bool with_marks, TreeArrays& tree) {
    const size_t nodes = block.parents.size();
    if (nodes == 0) return;
    std::vector<std::int32_t> all(nodes);
    for (size_t k = 0; k < nodes; ++k) all[k] = static_cast<std::int32_t>(k);
    const auto symbol_key = [&](std::int32_t node) { return static_cast<size_t>(block.symbols[node] + 1); };
    const auto depth_key = [&](std::int32_t node) { return static_cast<size_t>(block.depths[node]); };
    const size_t depths = static_cast<size_t>(*std::max_element(block.depths.begin(), block.depths.end())) + 1;
    const auto order = counting_order(counting_order(all, n_symbols + 1, symbol_key), depths, depth_key);
    std::vector<std::int32_t> number(nodes);
    for (size_t k = 0; k < nodes; ++k) number[order[k]] = static_cast<std::int32_t>(k);

    const std::int32_t* before = nullptr;
    for (size_t k = 0; k < nodes; ++k) {
        const std::int32_t node = order[k];
        tree.parents.push_back(block.parents[node] < 0 ? -1 : number[block.parents[node]]);
        if (with_marks) tree.marks.push_back(block.marks[node]);
        if (!before || block.depths[*before] != block.depths[node] || block.symbols[*before] != block.symbols[node]) {
            tree.group_symbols.push_back(block.symbols[node]);
            tree.group_starts.push_back(static_cast<std::int32_t>(k));
        }
        before = &order[k];
    }
    const auto by_symbol =
        counting_order(all, n_symbols + 1, [&](std::int32_t k) { return symbol_key(order[k]); });
    for (size_t k = 0; k < nodes; ++k) {
        const std::int32_t symbol = block.symbols[order[by_symbol[k]]];
        if (k == 0 || symbol != block.symbols[order[by_symbol[k - 1]]]) {
            tree.run_symbols.push_back(symbol);
            tree.run_starts.push_back(static_cast<std::int32_t>(k));
        }
        tree.edges.push_back(by_symbol[k]);
    }
    for (const auto& [node, word] : block.ends) tree.end_nodes.push_back(number[node]), tree.end_words.push_back(word);
    tree.node_offsets.push_back(static_cast<std::int64_t>(tree.parents.size()));
    tree.group_offsets.push_back(static_cast<std::int64_t>(tree.group_symbols.size()));
    tree.run_offsets.push_back(static_cast<std::int64_t>(tree.run_symbols.size()));
    tree.end_offsets.push_back(static_cast<std::int64_t>(tree.end_nodes.size()));
    block.clear();
}

}  // namespace

Tree TreeArrays::view() const {
    Tree tree{};
    tree.blocks = node_offsets.size() - 1;
    tree.node_offsets = node_offsets.data(), tree.parents = parents.data();
    tree.marks = marks.empty() ? nullptr : marks.data();
    tree.group_offsets = group_offsets.data(), tree.group_symbols = group_symbols.data();
    tree.group_starts = group_starts.data();
    tree.edges = edges.data();
    tree.run_offsets = run_offsets.data(), tree.run_symbols = run_symbols.data(), tree.run_starts = run_starts.data();
    tree.end_offsets = end_offsets.data(), tree.end_nodes = end_nodes.data(), tree.end_words = end_words.data();
    return tree;
}

TreeArrays build_tree(const std::int32_t* symbols, const std::int64_t* offsets, const std::int32_t* positions,
                      size_t count, size_t n_symbols, size_t n_marks) {
    const Words words{symbols, offsets, positions, static_cast<std::int64_t>(n_marks)};
    TreeArrays tree;
    const auto order = sorted_words(words, count, n_symbols, tree.long_words);
    Block block;
    std::vector<std::int32_t> path;  // nodes of the word before, from its root
    size_t previous = 0;
    for (const auto& [key, word] : order) {
        const size_t r = static_cast<size_t>(word), length = words.length(r);
        size_t shared = 0;
        if (!path.empty())
            while (shared <= length && shared < path.size() && words.step(r, shared) == words.step(previous, shared))
                ++shared;
        path.resize(shared);
        for (size_t i = shared; i <= length; ++i)
            path.push_back(block.add(i == 0 ? -1 : path.back(), words.symbol(r, i), words.mark(r, i),
                                     static_cast<std::int32_t>(i)));
        block.ends.emplace_back(path.back(), word);
        previous = r;
        if (block.parents.size() >= block_nodes) {
            close(block, n_symbols, positions != nullptr, tree);
            path.clear();
        }
    }
    close(block, n_symbols, positions != nullptr, tree);
    return tree;
}

}  // namespace cutpoint
