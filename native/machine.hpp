// Memory for the kernels, and an acceptor padded for them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "kernels.hpp"
#include "rows.hpp"

namespace cutpoint {

struct Free {
    void operator()(double* p) const { free_aligned(p); }
};
using Aligned = std::unique_ptr<double[], Free>;

inline Aligned zeros(std::size_t count) {
    Aligned values(allocate_aligned(count));
    if (!values) throw std::bad_alloc();
    std::memset(values.get(), 0, count * sizeof(double));
    return values;
}

inline std::size_t padded(std::size_t states) { return states <= 2 ? 2 : (states <= 4 ? 4 : (states + 7) / 8 * 8); }

// Forward entries below this are dropped: above it, no product with a transition leaves the range of floats.
inline double negligible(const double* transitions, std::size_t rows, std::size_t states) {
    double least = 1.0;
    for (std::size_t r = 0; r < rows; ++r, transitions += states) {
        double in_row = 1.0;  // one row need not wait for the one before
        for (std::size_t t = 0; t < states; ++t)
            in_row = transitions[t] > 0.0 && transitions[t] < in_row ? transitions[t] : in_row;
        least = std::min(least, in_row);
    }
    return smallest / least;
}

struct PaddedMachine {
    Aligned steps, transposed, initial;
    Machine view;

    PaddedMachine(const double* transitions, const double* start, std::size_t symbols, std::size_t states,
                  double negligible, bool with_transposed, double watched) {
        const std::size_t stride = padded(states);
        initial = zeros(stride);
        std::memcpy(initial.get(), start, states * sizeof(double));
        steps = zeros(symbols * stride * stride);
        transposed = zeros(with_transposed ? symbols * stride * stride : 0);
        const double* p = transitions;
        for (std::size_t a = 0; a < symbols; ++a)
            for (std::size_t s = 0; s < states; ++s)
                for (std::size_t t = 0; t < states; ++t, ++p) {
                    steps[(a * stride + s) * stride + t] = *p;
                    if (with_transposed) transposed[(a * stride + t) * stride + s] = *p;
                }
        view = {states, stride, symbols, steps.get(), transposed.get(), initial.get(), negligible, watched};
    }
};

// Floats in the form of wide.hpp.
struct WideNumbers {
    Aligned values, bits;

    explicit WideNumbers(std::size_t count) : values(zeros(count)), bits(zeros(count)) {
        std::fill_n(exponents(), count, nothing);
    }
    std::int64_t* exponents() const { return reinterpret_cast<std::int64_t*>(bits.get()); }
    void set(std::size_t i, double number, double factor = 1.0) {
        split(number, values[i], exponents()[i]);
        values[i] *= factor;
    }
    WideArray view() const { return {values.get(), exponents()}; }
};

struct PaddedWideMachine {
    WideNumbers steps, transposed, initial, stop;
    WideMachine view;

    PaddedWideMachine(const double* transitions, const double* start, const double* stops, std::size_t symbols,
                      std::size_t states, bool with_transposed)
        : PaddedWideMachine(symbols, padded(states), with_transposed) {
        const std::size_t stride = padded(states);
        for (std::size_t s = 0; s < states; ++s) initial.set(s, start[s]), stop.set(s, stops ? stops[s] : 1.0);
        for (std::size_t a = 0; a < symbols; ++a)
            for (std::size_t s = 0; s < states; ++s)
                for (std::size_t t = 0; t < states; ++t, ++transitions) {
                    steps.set((a * stride + s) * stride + t, *transitions, 0.5);
                    if (with_transposed) transposed.set((a * stride + t) * stride + s, *transitions, 0.5);
                }
        view = {states, stride, steps.view(), transposed.view(), initial.view(), stop.view()};
    }

  private:
    PaddedWideMachine(std::size_t symbols, std::size_t stride, bool with_transposed)
        : steps(symbols * stride * stride), transposed(with_transposed ? symbols * stride * stride : 0), initial(stride),
          stop(stride), view{} {}
};

// What was seen, padded: masks as doubles, times a column if there is one; without one, which of them are all ones.
struct PaddedMasks {
    Aligned masks;
    std::vector<unsigned char> full;

    PaddedMasks(const bool* seen, std::size_t count, const Machine& machine, const double* column = nullptr)
        : masks(zeros(count * machine.stride)), full(count, 1) {
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t s = 0; s < machine.states; ++s, ++seen) {
                const double value = *seen ? (column ? column[s] : 1.0) : 0.0;
                masks[k * machine.stride + s] = value;
                full[k] &= *seen && !column ? 1 : 0;
            }
    }
};

}  // namespace cutpoint
