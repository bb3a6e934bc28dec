// The prefix tree of a sample, made of front-coded words: each by the steps that it does not share with the word before.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace cutpoint {

// Memory that is not set to zero first: what is made of a block is written once.
template <class T>
struct Unset : std::allocator<T> {
    template <class Other>
    struct rebind {
        using other = Unset<Other>;
    };
    template <class Other>
    void construct(Other* place) {
        ::new (static_cast<void*>(place)) Other;
    }
    template <class Other, class... Values>
    void construct(Other* place, Values&&... values) {
        ::new (static_cast<void*>(place)) Other(std::forward<Values>(values)...);
    }
};

template <class T>
using Array = std::vector<T, Unset<T>>;

// The arrays of Tree (see kernels.hpp), owned; and the words too long for a block.
struct TreeArrays {
    Array<std::int64_t> node_offsets{0}, group_offsets{0}, run_offsets{0}, end_offsets{0};
    Array<std::int32_t> parents, marks, group_symbols, group_starts, edges, run_symbols, run_starts, end_nodes;
    Array<std::int64_t> end_words, long_words;

    Tree view() const;
    void clear();  // keeps the memory
    void reserve(std::size_t nodes, std::size_t words);
};

// Integers of one, two or four bytes; the first two kinds have no sign.
struct NarrowArray {
    const void* data;
    std::size_t width;

    void copy(std::size_t first, std::size_t last, Array<std::int32_t>& out) const;
};

// Words in lexicographic order of their steps. The steps of a word are its beginning and its symbols, each with what
// was seen there; each step that a word does not share with the word before is a node of the tree.
template <class Code>
struct CodedWords {
    const Code* codes;             // of the nodes: 0 for the beginning of a word, otherwise symbol + 1
    const std::int32_t* marks;     // of the nodes, or null
    NarrowArray shared;            // [words] number of steps shared with the word before, 0 at the beginning of a block
    NarrowArray lengths;           // [words]
    const std::int64_t* words;     // [words] which observation this is, or null if it is the word's own place
    const std::int64_t* block_words;  // [blocks + 1] first word of each block
    const std::int64_t* block_nodes;  // [blocks + 1] first node of each block
    std::size_t n_symbols;
};

// Whether these are front-coded words with so many nodes, as kernels/words.py says in FrontCodedWords.fits; fills
// `block_nodes`, which the words themselves need not have yet.
template <class Code>
bool well_formed(const CodedWords<Code>& words, std::size_t n_words, std::size_t n_blocks, std::size_t n_nodes,
                 Array<std::int64_t>& block_nodes);

// What the making of blocks needs, kept from block to block.
struct BlockMemory {
    struct Group {
        std::int32_t depth, code, start, count;
    };
    Array<std::int32_t> counted;  // 0, 1, 2, …
    Array<std::int32_t> shared, lengths, depths, places, path, table;
    std::vector<Group> groups;
};

// Append a block to a tree: nodes sorted by depth and symbol, groups, runs, ends. Like all of these it throws
// std::bad_alloc when memory runs out.
template <class Code>
void add_block(const CodedWords<Code>& words, std::size_t block, BlockMemory& memory, TreeArrays& tree);

// The whole tree of words in any order. positions: marks at every position of every word, or null.
TreeArrays build_tree(const std::int32_t* symbols, const std::int64_t* offsets, const std::int32_t* positions,
                      std::size_t words, std::size_t n_symbols, std::size_t n_marks);

}  // namespace cutpoint
