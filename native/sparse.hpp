// Sparse matrices: compressed rows of stored entries, and the recursions over them.
//
// A row of probabilities is followed as a short list of the states that it reaches, in their order, or as one number for each
// state, whichever is smaller. Sums run over the states in their order in both forms, so that the form does not show in any
// bit. Words that begin alike share a path of the prefix tree, which is walked depth first: only the rows of one path are in
// memory.

#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

namespace cutpoint {

// One matrix per symbol: row (a, s) has the entries starts[a * states + s] …, with columns that increase.
struct SparseMatrices {
    std::size_t symbols;
    std::size_t states;
    const std::int64_t* starts;
    const std::int32_t* columns;
    const double* values;
};

// An acceptor or a generator; `stop` of an acceptor is null.
struct SparseMachine {
    SparseMatrices steps;
    const double* initial;
    const double* stop;
    double negligible;  // forward entries below this are dropped, and what is dropped is accounted for
};

// What was seen, as in Evidence, with masks as Python has them: masks[k][s], row 0 all ones.
struct SparseEvidence {
    const bool* masks;
    const unsigned char* full;  // whether a mask is all ones
    const std::int32_t* ends;
    const double* weights;
    double unit;
    const std::int32_t* symbols;
    const std::int64_t* offsets;
    const std::int32_t* positions;
};

// Where an E-step adds to: counts of the stored entries, not yet multiplied by them unless it is `wide`. What is not wanted
// is null.
struct SparseSums {
    double* counts;
    double* initial;
    double* stops;
    double* table;  // posterior of the states at each position of the one word, [i][s]
};

// One of several parts of a block of a tree: the children of its roots are dealt out to the parts.
struct BlockPart {
    std::size_t block, part, parts;
};

// Log-probabilities of the observations of a block (NaN where plain floats do not reach), and their counts.
void sparse_expect(const SparseMachine&, const SparseEvidence&, const Tree&, BlockPart, const SparseSums&, double* logs);

// The same for one word of any length, in memory of the order of the square root of its length; `wide`: in numbers whose
// exponents never run out.
void sparse_expect_word(const SparseMachine&, const SparseEvidence&, std::int64_t word, const SparseSums&, double* logs,
                        bool wide);

// scores[r] = initial · P(x_r) · column for the words of a block, entries of any sign.
void sparse_score(const SparseMachine&, const double* column, const Tree&, BlockPart, double* scores);

// The row initial · P(x) after a word.
void sparse_last_row(const SparseMachine&, const std::int32_t* word, std::size_t length, double* row);

// table[0] = initial, table[i] = table[i-1] · P(x_i).
void sparse_forward(const SparseMachine&, const std::int32_t* word, std::size_t length, double* table);

// table[n] = column, table[i-1] = P(x_i) · table[i].
void sparse_backward(const SparseMatrices&, const double* column, const std::int32_t* word, std::size_t length,
                     double* table);

// The filter along words first … last-1, as filter_word does it; lost[r] is how much was lost to the smallest floats.
void sparse_filter(const SparseMachine&, const SparseEvidence&, std::size_t first, std::size_t last, const double* final,
                   double* acceptances, double* logs, double* lost);

// Most likely path of n + 1 states that agrees with seen[i][s]; returns its log-probability.
double sparse_best_path(const SparseMachine&, const std::int32_t* word, std::size_t length, const bool* seen,
                        std::int64_t* path);

}  // namespace cutpoint
