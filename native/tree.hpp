// Building the prefix tree of a sample.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace cutpoint {

// The arrays of Tree (see kernels.hpp), owned; and the words too long for a block.
struct TreeArrays {
    std::vector<std::int64_t> node_offsets{0}, group_offsets{0}, run_offsets{0}, end_offsets{0};
    std::vector<std::int32_t> parents, marks, group_symbols, group_starts, edges, run_symbols, run_starts, end_nodes;
    std::vector<std::int64_t> end_words, long_words;

    Tree view() const;
};

// positions: marks at every position of every word, or null. Throws std::bad_alloc when memory runs out.
TreeArrays build_tree(const std::int32_t* symbols, const std::int64_t* offsets, const std::int32_t* positions,
                      std::size_t words, std::size_t n_symbols, std::size_t n_marks);

}  // namespace cutpoint
