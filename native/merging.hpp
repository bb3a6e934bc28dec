// Red-blue merging of the labelled prefix tree of a sample into a small deterministic machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutpoint {

// Words with a label (-1: none) at each of their positions, and how much each word counts.
struct LabelledWords {
    const std::int32_t* symbols;
    const std::int64_t* offsets;
    const std::int32_t* labels;
    const double* weights;
    std::size_t count, n_symbols;
};

// The machine: next state by state and symbol (-1: never seen), and what was seen in each state by label.
struct MergedMachine {
    std::vector<std::int32_t> table;
    std::vector<double> counts;
};

// pseudo: pseudo-counts of the labels. The definition is kernels/merging.py. Throws std::bad_alloc, and
// std::length_error where the prefix tree has more than most_nodes nodes, at most INT32_MAX.
MergedMachine merged_machine(const LabelledWords& words, const std::vector<double>& pseudo, std::size_t n_states,
                             std::size_t width, std::size_t most_rounds, double least, std::size_t most_nodes);

}  // namespace cutpoint
