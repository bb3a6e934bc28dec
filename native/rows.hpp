// Memory for rows of probabilities, and what the kernels do with a single row. Included by files that are compiled for different instruction
// sets, hence everything is local to each of them.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>

#include "kernels.hpp"

namespace cutpoint {
namespace {

// Aligned for the widest vectors, in whole ones of them; no memory: a null pointer.
inline double* allocate_aligned(std::size_t count) {
    const std::size_t bytes = (count * sizeof(double) + 63) / 64 * 64;
    return static_cast<double*>(::operator new(bytes, std::align_val_t(64), std::nothrow));
}
inline void free_aligned(double* p) { ::operator delete(p, std::align_val_t(64)); }

inline double dot(const double* a, const double* b, std::size_t states) {
    double total = a[0] * b[0];
    for (std::size_t s = 1; s < states; ++s) total += a[s] * b[s];
    return total;
}

// A float as value · 2^(256 exponent), the value in [2^-128, 2^128) or 0; infinity stays what it is.
inline void split(double number, double& value, std::int64_t& exponent) {
    value = number, exponent = number > 0.0 ? 0 : nothing;
    for (; value > 0.0 && value < 0x1p-128; value *= 0x1p256) --exponent;
    for (; value >= 0x1p128 && value < HUGE_VAL; value *= 0x1p-256) ++exponent;
}

// What is known of a forward row beside its entries.
struct RowState {
    double scale;  // sum of the row before it was scaled to 1, where something was seen; otherwise 1
    double lost;   // probability of all that was dropped on the way, in units of this row
    double log;    // logarithm of the product of the scales
};

// Condition a forward row on what was seen, scale it to sum 1, drop negligible entries. Where nothing was seen it is
// scaled only if an entry is smaller than `watched`.
inline RowState condition_and_scale(double* row, const double* mask, bool nothing_seen, std::size_t states,
                                    double negligible, double watched, RowState before) {
    RowState state{1.0, before.lost, before.log};
    for (std::size_t s = 0; nothing_seen && s < states; ++s) nothing_seen = !(row[s] < watched && row[s] > 0.0);
    if (!nothing_seen) {
        double sum = 0.0;
        for (std::size_t s = 0; s < states; ++s) sum += row[s] *= mask[s];
        state.scale = sum;
        if (sum > 0.0) {
            for (std::size_t s = 0; s < states; ++s) row[s] /= sum;
            state.lost /= sum;
            state.log += std::log(sum);
        } else {
            state.scale = 1.0;
            state.lost = state.lost > 0.0 ? 1.0 : 0.0;
            state.log = -HUGE_VAL;
        }
    }
    for (std::size_t s = 0; s < states; ++s) {
        if (row[s] < negligible) state.lost += row[s], row[s] = 0.0;
    }
    return state;
}

}  // namespace
}  // namespace cutpoint
