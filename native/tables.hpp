// Tables of one word: rows are states, unpadded, as Python keeps them.

#pragma once

#include <cstddef>
#include <cstdint>

namespace cutpoint {

// An acceptor or generator and a word, as Python has them: steps[a][s][t], and what was seen, seen[i][s], or null.
struct Reading {
    const double* steps;
    std::size_t states;
    const std::int32_t* word;
    std::size_t length;
    const bool* seen;
    double negligible;
    bool generator;  // rows sum to less than 1: scaled at every step
};

// table[0] = row, table[i] = table[i-1] · P(x_i).
void forward_table(const Reading&, const double* row, double* table);

// table[n] = column, table[i-1] = P(x_i) · table[i].
void backward_table(const Reading&, const double* column, double* table);

// Last row of the forward table; `work` holds two rows, the result is in the first.
void last_row(const Reading&, const double* row, double* work);

// Posterior of the states at each position. Returns the log-probability of what was seen; NaN if plain floats do not
// reach. Throws std::bad_alloc.
double occupancy_table(const Reading&, const double* initial, double* table);

// Most likely path that agrees with what was seen, from logarithms of the steps; returns its log-probability.
double best_path(const Reading& with_log_steps, const double* log_initial, std::int64_t* path);

// What was seen, as masks[mark][s] of ones and zeros, and for each mark whether it says nothing.
struct SeenMasks {
    const double* masks;
    const char* full;
};

// The filter along a word: at each position P(final) before what was seen there, and the logarithm of the probability of
// what was seen; the word's marks, if any, and its end say what. Returns how much was lost to the smallest floats. `work`
// holds three rows.
double filter_word(const Reading&, const double* initial, const double* final, const SeenMasks&,
                   const std::int32_t* marks, std::int32_t end, double* acceptances, double* logs, double* work);

}  // namespace cutpoint
