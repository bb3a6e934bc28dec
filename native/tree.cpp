#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
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
    std::int64_t step(size_t r, size_t i) const {
        return i == 0 ? mark(r, 0) : symbols[offsets[r] + i - 1] * n_marks + mark(r, i);
    }
    // Number of steps with which two words begin alike.
    size_t shared(size_t r, size_t q) const {
        const size_t most = std::min(length(r), length(q));
        const std::int32_t *x = symbols + offsets[r], *y = symbols + offsets[q];
        if (!positions) return static_cast<size_t>(std::mismatch(x, x + most, y).first - x) + 1;
        size_t i = 0;
        while (i <= most && mark(r, i) == mark(q, i) && (i == 0 || x[i - 1] == y[i - 1])) ++i;
        return i;
    }
    // Whether word r, which shares its first i steps with word q, may stand before it.
    bool in_order(size_t r, size_t q, size_t i) const {
        return i > length(r) || (i <= length(q) && step(r, i) < step(q, i));
    }
};

// Lexicographic order of words by their steps, so that those which begin alike are neighbours.
void sort(const Words& words, size_t n_symbols, std::vector<std::int64_t>& order) {
    const std::uint64_t steps = std::max<std::uint64_t>(n_symbols, 1) * static_cast<std::uint64_t>(words.n_marks) + 1;
    const int bits = std::bit_width(steps);
    const size_t in_key = static_cast<size_t>(64 / bits);  // steps of a word that fit into one integer
    std::vector<std::pair<std::uint64_t, std::int64_t>> keyed;
    keyed.reserve(order.size());
    for (const std::int64_t word : order) {
        const size_t r = static_cast<size_t>(word), length = words.length(r);
        std::uint64_t key = 0;
        for (size_t i = 0; i < in_key; ++i)
            key = key << bits | (i <= length ? static_cast<std::uint64_t>(words.step(r, i)) + 1 : 0);
        keyed.emplace_back(key, word);
    }
    std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first < b.first;
        const size_t r = static_cast<size_t>(a.second), q = static_cast<size_t>(b.second);
        const size_t n = words.length(r), m = words.length(q);
        for (size_t i = in_key; i <= std::min(n, m); ++i) {
            const std::int64_t x = words.step(r, i), y = words.step(q, i);
            if (x != y) return x < y;
        }
        return n != m ? n < m : r < q;
    });
    for (size_t k = 0; k < order.size(); ++k) order[k] = keyed[k].second;
}

// Stable order of items by a key in [0, range): by counting, unless the range is much larger than the items are many.
template <class Key>
std::vector<std::int32_t> counting_order(std::vector<std::int32_t> items, size_t range, Key key) {
    if (range > 16 * items.size() + (1 << 16)) {
        std::stable_sort(items.begin(), items.end(), [&](std::int32_t k, std::int32_t j) { return key(k) < key(j); });
        return items;
    }
    std::vector<std::int32_t> place(range + 1, 0), order(items.size());
    for (const std::int32_t item : items) ++place[key(item) + 1];
    for (size_t k = 0; k < range; ++k) place[k + 1] += place[k];
    for (const std::int32_t item : items) order[place[key(item)]++] = item;
    return order;
}

// One block of front-coded words on its way into a tree.
template <class Code>
struct BlockMaker {
    const CodedWords<Code>& words;
    BlockMemory& memory;
    TreeArrays& tree;
    const size_t first_word, last_word, nodes, width = words.n_symbols + 1;
    const Code* const codes;
    size_t n_depths = 1;

    BlockMaker(const CodedWords<Code>& w, size_t block, BlockMemory& m, TreeArrays& t)
        : words(w), memory(m), tree(t), first_word(static_cast<size_t>(w.block_words[block])),
          last_word(static_cast<size_t>(w.block_words[block + 1])),
          nodes(static_cast<size_t>(w.block_nodes[block + 1] - w.block_nodes[block])),
          codes(w.codes + w.block_nodes[block]) {
        w.shared.copy(first_word, last_word, m.shared);
        w.lengths.copy(first_word, last_word, m.lengths);
    }

    size_t n_words() const { return last_word - first_word; }
    size_t own_steps(size_t r) const { return static_cast<size_t>(memory.lengths[r] + 1 - memory.shared[r]); }

    // Depth of each node. As many as a short word may have are copied at once, and overwritten by the next word.
    void find_depths() {
        constexpr size_t at_once = 16;
        n_depths = static_cast<size_t>(*std::max_element(memory.lengths.begin(), memory.lengths.end())) + 1;
        while (memory.counted.size() < n_depths + at_once)
            memory.counted.push_back(static_cast<std::int32_t>(memory.counted.size()));
        memory.depths.resize(nodes + at_once);
        std::int32_t* depth = memory.depths.data();
        for (size_t r = 0; r < n_words(); ++r) {
            const std::int32_t* from = memory.counted.data() + memory.shared[r];
            const size_t count = own_steps(r);
            std::memcpy(depth, from, at_once * sizeof(std::int32_t));
            if (count > at_once) std::memcpy(depth, from, count * sizeof(std::int32_t));
            depth += count;
        }
    }

    // Nodes go where they belong when they are sorted by depth and symbol; equal ones make a group. By a table of all
    // depths and symbols, or by sorting twice where such a table would be much larger than the block.
    void add_nodes() {
        const size_t base = tree.parents.size();
        tree.parents.resize(base + nodes), memory.places.resize(nodes), memory.groups.clear();
        std::int32_t* parents = tree.parents.data() + base;
        if (n_depths * width <= 16 * nodes + 1024) by_table(parents);
        else by_sorting(parents);
        if (words.marks) {
            const std::int32_t* marks = words.marks + (codes - words.codes);
            tree.marks.resize(base + nodes);
            for (size_t k = 0; k < nodes; ++k) tree.marks[base + static_cast<size_t>(memory.places[k])] = marks[k];
        }
        tree.node_offsets.push_back(static_cast<std::int64_t>(tree.parents.size()));
    }

    void by_table(std::int32_t* parents) {
        Array<std::int32_t>& table = memory.table;
        table.assign(n_depths * width, 0);
        const std::int32_t* depth = memory.depths.data();
        const std::int32_t columns = static_cast<std::int32_t>(width);
        for (size_t k = 0; k < nodes; ++k) ++table[static_cast<size_t>(depth[k] * columns + codes[k])];
        std::int32_t start = 0, key = 0;
        for (std::int32_t& entry : table) {
            const std::int32_t count = std::exchange(entry, start);
            if (count) memory.groups.push_back({key / columns, key % columns, start, count});
            start += count, ++key;
        }
        std::int32_t* next = table.data();
        link(parents, [=, this](size_t k) { return next[depth[k] * columns + codes[k]]++; });
    }

    void by_sorting(std::int32_t* parents) {
        std::vector<std::int32_t> order(nodes), sorted(nodes);
        std::iota(order.begin(), order.end(), 0);
        const auto depth = [&](std::int32_t k) { return static_cast<size_t>(memory.depths[static_cast<size_t>(k)]); };
        const auto code = [&](std::int32_t k) { return static_cast<size_t>(codes[k]); };
        order = counting_order(counting_order(order, width, code), n_depths, depth);
        for (size_t k = 0; k < nodes; ++k) {
            const std::int32_t node = order[k], d = memory.depths[static_cast<size_t>(node)];
            const std::int32_t c = static_cast<std::int32_t>(codes[node]);
            sorted[static_cast<size_t>(node)] = static_cast<std::int32_t>(k);
            if (memory.groups.empty() || memory.groups.back().depth != d || memory.groups.back().code != c)
                memory.groups.push_back({d, c, static_cast<std::int32_t>(k), 0});
            ++memory.groups.back().count;
        }
        link(parents, [&](size_t k) { return sorted[k]; });
    }

    // Parents of all nodes: the node of the depth above that was met last.
    template <class Place>
    void link(std::int32_t* parents, Place place_of) {
        memory.path.resize(n_depths + 1);
        memory.path[0] = -1;  // before the beginning
        std::int32_t *path = memory.path.data() + 1, *places = memory.places.data();
        const std::int32_t* depth = memory.depths.data();
        for (size_t k = 0; k < nodes; ++k) {
            const std::int32_t d = depth[k], place = place_of(k);
            parents[place] = path[d - 1];
            path[d] = places[k] = place;
        }
    }

    // A word ends at its last node; one of which all is shared is the word before, and ends where that one does.
    void add_ends() {
        const size_t base = tree.end_nodes.size(), count = n_words();
        tree.end_nodes.resize(base + count), tree.end_words.resize(base + count);
        std::int32_t* at = tree.end_nodes.data() + base;
        const std::int32_t* place = memory.places.data() - 1;
        for (size_t r = 0; r < count; ++r) *at++ = *(place += own_steps(r));
        std::int64_t* word = tree.end_words.data() + base;
        if (words.words) std::copy(words.words + first_word, words.words + last_word, word);
        else std::iota(word, word + count, static_cast<std::int64_t>(first_word));
        tree.end_offsets.push_back(static_cast<std::int64_t>(base + count));
    }

    void add_groups() {
        for (const BlockMemory::Group& group : memory.groups)
            tree.group_symbols.push_back(group.code - 1), tree.group_starts.push_back(group.start);
        tree.group_offsets.push_back(static_cast<std::int64_t>(tree.group_symbols.size()));
    }

    void add_runs() {
        const size_t base = tree.edges.size();
        tree.edges.resize(base + nodes);
        std::int32_t* edge = tree.edges.data() + base;
        std::vector<std::int32_t> all(memory.groups.size());
        std::iota(all.begin(), all.end(), 0);
        const auto group = [&](std::int32_t g) -> const auto& { return memory.groups[static_cast<size_t>(g)]; };
        std::int32_t last = -1;
        for (const std::int32_t g :
             counting_order(all, width, [&](std::int32_t k) { return static_cast<size_t>(group(k).code); })) {
            if (group(g).code != std::exchange(last, group(g).code)) {
                tree.run_symbols.push_back(group(g).code - 1);
                tree.run_starts.push_back(static_cast<std::int32_t>(edge - tree.edges.data() - base));
            }
            std::iota(edge, edge + group(g).count, group(g).start);
            edge += group(g).count;
        }
        tree.run_offsets.push_back(static_cast<std::int64_t>(tree.run_symbols.size()));
    }
};

// Front-coded words that own what they are made of.
struct OwnedCoding {
    std::vector<std::int32_t> codes, marks, shared, lengths;
    std::vector<std::int64_t> order, block_words, block_nodes;

    OwnedCoding(const Words& words, size_t n_symbols, std::vector<std::int64_t> sorted) : order(std::move(sorted)) {
        if (!compare(words)) sort(words, n_symbols, order), compare(words);
        size_t steps = order.size();
        for (size_t k = 0; k < order.size(); ++k)
            steps += words.length(static_cast<size_t>(order[k])) - static_cast<size_t>(shared[k]);
        codes.reserve(steps + steps / 8), lengths.reserve(order.size());  // beginnings of blocks are not shared
        size_t in_block = cutpoint::block_nodes;
        for (size_t k = 0; k < order.size(); ++k) {
            const size_t r = static_cast<size_t>(order[k]), length = words.length(r);
            if (in_block >= cutpoint::block_nodes) begin_block(k), in_block = 0;
            const size_t first = static_cast<size_t>(shared[k]);
            const std::int32_t* symbols = words.symbols + words.offsets[r];
            if (first == 0) codes.push_back(0);
            for (size_t i = std::max<size_t>(first, 1); i <= length; ++i) codes.push_back(symbols[i - 1] + 1);
            for (size_t i = first; words.positions && i <= length; ++i) marks.push_back(words.mark(r, i));
            lengths.push_back(static_cast<std::int32_t>(length));
            in_block += length + 1 - first;
        }
        block_words.push_back(static_cast<std::int64_t>(order.size()));
        block_nodes.push_back(static_cast<std::int64_t>(codes.size()));
    }

    void begin_block(size_t k) {
        block_words.push_back(static_cast<std::int64_t>(k));
        block_nodes.push_back(static_cast<std::int64_t>(codes.size()));
        shared[k] = 0;
    }

    // Steps that neighbours share, and whether the words are in order.
    bool compare(const Words& words) {
        shared.assign(order.size(), 0);
        bool sorted = true;
        for (size_t k = 1; k < order.size(); ++k) {
            const size_t r = static_cast<size_t>(order[k - 1]), q = static_cast<size_t>(order[k]);
            const size_t same = words.shared(r, q);
            shared[k] = static_cast<std::int32_t>(same);
            sorted = sorted && words.in_order(r, q, same);
        }
        return sorted;
    }
};

}  // namespace

void NarrowArray::copy(size_t first, size_t last, Array<std::int32_t>& out) const {
    out.resize(last - first);
    const auto from = [&]<class Kind>(const Kind* values) { std::copy(values + first, values + last, out.begin()); };
    if (width == 1) from(static_cast<const std::uint8_t*>(data));
    else if (width == 2) from(static_cast<const std::uint16_t*>(data));
    else from(static_cast<const std::int32_t*>(data));
}

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

void TreeArrays::clear() {
    for (auto* offsets : {&node_offsets, &group_offsets, &run_offsets, &end_offsets}) offsets->resize(1);
    for (auto* values : {&parents, &marks, &group_symbols, &group_starts, &edges, &run_symbols, &run_starts, &end_nodes})
        values->clear();
    end_words.clear(), long_words.clear();
}

void TreeArrays::reserve(size_t nodes, size_t words) {
    parents.reserve(nodes), edges.reserve(nodes), end_nodes.reserve(words), end_words.reserve(words);
}

template <class Code>
void add_block(const CodedWords<Code>& words, size_t block, BlockMemory& memory, TreeArrays& tree) {
    BlockMaker<Code> maker(words, block, memory, tree);
    maker.find_depths();
    maker.add_nodes();
    maker.add_ends();
    maker.add_groups();
    maker.add_runs();
}

template <class Code>
bool well_formed(const CodedWords<Code>& words, size_t n_words, size_t n_blocks, size_t n_nodes,
                 Array<std::int64_t>& block_nodes) {
    const auto same = [](std::int64_t found, size_t expected) { return found == static_cast<std::int64_t>(expected); };
    if (!same(words.block_words[0], 0) || !same(words.block_words[n_blocks], n_words)) return false;
    for (size_t k = 0; k < n_blocks; ++k)
        if (words.block_words[k] >= words.block_words[k + 1]) return false;
    Array<std::int32_t> shared, lengths;
    size_t node = 0, begins = 0;
    block_nodes.assign(1, 0);
    for (size_t k = 0; k < n_blocks; ++k) {
        const size_t first = static_cast<size_t>(words.block_words[k]), last = static_cast<size_t>(words.block_words[k + 1]);
        words.shared.copy(first, last, shared), words.lengths.copy(first, last, lengths);
        std::int32_t before = 0;
        for (size_t r = 0; r < lengths.size(); ++r) {
            const std::int32_t n = lengths[r], s = shared[r];
            if (n < 0 || n >= static_cast<std::int32_t>(long_word) || s < 0 || s > n + 1 || s > before + 1) return false;
            if (s == n + 1 && n != before) return false;  // all of it is shared: it is the word before
            if (r == 0 && s > 0) return false;
            if (s == 0 && (node >= n_nodes || words.codes[node] != 0)) return false;
            begins += s == 0;
            node += static_cast<size_t>(n + 1 - s), before = n;
        }
        block_nodes.push_back(static_cast<std::int64_t>(node));
        if (node > n_nodes || node - static_cast<size_t>(block_nodes[k]) > cutpoint::block_nodes + long_word - 1)
            return false;
    }
    return node == n_nodes && static_cast<size_t>(std::count(words.codes, words.codes + n_nodes, Code{0})) == begins;
}

template void add_block(const CodedWords<std::uint8_t>&, size_t, BlockMemory&, TreeArrays&);
template void add_block(const CodedWords<std::uint16_t>&, size_t, BlockMemory&, TreeArrays&);
template void add_block(const CodedWords<std::int32_t>&, size_t, BlockMemory&, TreeArrays&);
template bool well_formed(const CodedWords<std::uint8_t>&, size_t, size_t, size_t, Array<std::int64_t>&);
template bool well_formed(const CodedWords<std::uint16_t>&, size_t, size_t, size_t, Array<std::int64_t>&);
template bool well_formed(const CodedWords<std::int32_t>&, size_t, size_t, size_t, Array<std::int64_t>&);

TreeArrays build_tree(const std::int32_t* symbols, const std::int64_t* offsets, const std::int32_t* positions,
                      size_t count, size_t n_symbols, size_t n_marks) {
    const Words words{symbols, offsets, positions, static_cast<std::int64_t>(n_marks)};
    TreeArrays tree;
    std::vector<std::int64_t> short_words;
    short_words.reserve(count);
    for (size_t r = 0; r < count; ++r) {
        if (words.length(r) < long_word) short_words.push_back(static_cast<std::int64_t>(r));
        else tree.long_words.push_back(static_cast<std::int64_t>(r));
    }
    const OwnedCoding coding(words, n_symbols, std::move(short_words));
    const auto wide = [](const std::vector<std::int32_t>& values) { return NarrowArray{values.data(), 4}; };
    const CodedWords<std::int32_t> coded{
        coding.codes.data(),  positions ? coding.marks.data() : nullptr, wide(coding.shared), wide(coding.lengths),
        coding.order.data(),  coding.block_words.data(),                 coding.block_nodes.data(), n_symbols};
    tree.reserve(coding.codes.size(), coding.order.size());
    BlockMemory memory;
    for (size_t block = 0; block + 1 < coding.block_words.size(); ++block) add_block(coded, block, memory, tree);
    return tree;
}

}  // namespace cutpoint
