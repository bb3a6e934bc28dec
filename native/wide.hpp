// The recursions in numbers whose exponents never run out, value · 2^(256 exponent): `wide.py` compiled.
// Compiled once per instruction set, hence everything is local to the file that includes it.
//
// A value is 0, with the exponent `nothing`, or lies in [2^-128, 2^128). Rounding does not depend on a power of two, so
// sums and products give the bits of floats without bounds to their exponents. Each term of a sum is a rounded product
// times a power of two; a compiler that fuses the two last operations changes nothing, and all instruction sets agree.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "tiles.hpp"

namespace cutpoint {
namespace {

template <int W>
struct Integers {
    typedef std::int64_t type __attribute__((vector_size(8 * W)));
};
template <int W>
using Ints = typename Integers<W>::type;

template <int W>
inline Ints<W> load(const std::int64_t* p) {
    return *reinterpret_cast<const Ints<W>*>(p);
}
template <int W>
inline void store(std::int64_t* p, Ints<W> v) {
    *reinterpret_cast<Ints<W>*>(p) = v;
}

// 2 · 2^(256 q) for q = -3 … 2, and 0 for less: a term four exponents below the largest is less than 2^-500 of it.
template <int W>
inline Vec<W> twice_power(Ints<W> q) {
    return reinterpret_cast<Vec<W>>((q > -4 ? q + 4 : Ints<W>{}) << 60);
}

// Bring values out of [2^-384, 2^384) back into their range.
template <int W>
inline void normalize(Vec<W>& values, Ints<W>& exponents) {
    const Ints<W> large = values >= 0x1p128, small = values < 0x1p-128;  // -1 where true
    const Vec<W> one = Vec<W>{} + 1.0;
    values *= large ? one * 0x1p-256 : (small ? one * 0x1p256 : one);
    exponents += small - large;
    exponents = values > 0.0 ? exponents : Ints<W>{} + nothing;
}

// One number of a row.
struct WideNumber {
    double value = 0.0;
    std::int64_t exponent = nothing;

    WideNumber normal() const {
        Vec<2> v = {value, value};
        Ints<2> k = {exponent, exponent};
        normalize<2>(v, k);
        return {v[0], k[0]};
    }
    WideNumber over(WideNumber other) const {
        return WideNumber{value / other.value, exponent - other.exponent}.normal();
    }
    double rounded() const {  // to a float, which it should be in the range of, or smaller
        return std::ldexp(value, static_cast<int>(std::clamp<std::int64_t>(exponent, -8, 8)) * 256);
    }
};

// A row or column of numbers.
struct WideRow {
    double* values;
    std::int64_t* exponents;

    WideNumber operator[](size_t s) const { return {values[s], exponents[s]}; }
    void set(size_t s, WideNumber number) const { values[s] = number.value, exponents[s] = number.exponent; }
    void copy(WideRow from, size_t stride) const {
        std::memcpy(values, from.values, stride * sizeof(double));
        std::memcpy(exponents, from.exponents, stride * sizeof(std::int64_t));
    }
};

// Σ_s row[s] · column[s], over the states in their order.
inline WideNumber wide_dot(WideRow row, const WideArray& column, size_t states) {
    std::int64_t top = 4 * nothing;
    for (size_t s = 0; s < states; ++s) top = std::max(top, row.exponents[s] + column.exponents[s]);
    double sum = 0.0;
    for (size_t s = 0; s < states; ++s) {
        const std::int64_t q = row.exponents[s] + column.exponents[s] - top;
        sum += row.values[s] * column.values[s] * twice_power<2>(Ints<2>{q, q})[0];
    }
    return WideNumber{0.5 * sum, top}.normal();
}

// Recursions of one word. `Single`: a row is one vector, and its padding is multiplied along, as zeros.
template <int W, bool Single>
struct WideWord {
    const WideMachine& machine;
    const std::int32_t* const word;
    const std::int32_t* const marks;
    const bool* const masks;
    const std::int32_t end;
    const size_t length, states = machine.states, stride = Single ? W : machine.stride, size = stride * stride;
    const size_t count = Single ? W : states;  // terms of a sum

    WideWord(const WideMachine& m, const WideWords& words, std::int64_t r)
        : machine(m), word(words.symbols + words.offsets[r]),
          marks(words.marks ? words.marks + words.offsets[r] + r : nullptr), masks(words.masks), end(words.ends[r]),
          length(static_cast<size_t>(words.offsets[r + 1] - words.offsets[r])) {}

    void keep(WideRow row, std::int32_t mark) const {
        const bool* mask = masks + static_cast<size_t>(mark) * states;
        for (size_t s = 0; s < states; ++s)
            if (!mask[s]) row.set(s, {});
    }
    void condition(WideRow row, size_t i) const {
        if (marks) keep(row, marks[i]);
        if (i == length && end) keep(row, end);
    }

    size_t symbol(size_t i) const { return static_cast<size_t>(word[i - 1]); }  // the i-th, from 1

    // next = row · P(x_i), each sum over the states in their order.
    void step(WideRow row, size_t i, WideRow next) const {
        const double* values = machine.steps.values + symbol(i) * size;
        const std::int64_t* exponents = machine.steps.exponents + symbol(i) * size;
        for (size_t t = 0; t < stride; t += W) {
            Ints<W> top = Ints<W>{} + 4 * nothing;
#pragma GCC unroll 8
            for (size_t s = 0; s < count; ++s) {
                const Ints<W> q = row.exponents[s] + load<W>(exponents + s * stride + t);
                top = q > top ? q : top;
            }
            Vec<W> sum = {};
#pragma GCC unroll 8
            for (size_t s = 0; s < count; ++s) {
                const Ints<W> q = row.exponents[s] + load<W>(exponents + s * stride + t) - top;
                sum += row.values[s] * load<W>(values + s * stride + t) * twice_power<W>(q);
            }
            normalize<W>(sum, top);
            store<W>(next.values + t, sum);
            store<W>(next.exponents + t, top);
        }
    }

    // next = P(x_i) · column, and pairs[t][s] += weight · before[s] P(x_i)[s][t] column[t].
    void step_back(WideRow column, size_t i, WideRow before, WideNumber weight, double* pairs, WideRow next) const {
        const double* values = machine.transposed.values + symbol(i) * size;
        const std::int64_t* exponents = machine.transposed.exponents + symbol(i) * size;
        for (size_t s = 0; s < stride; s += W) {
            Ints<W> top = Ints<W>{} + 4 * nothing;
#pragma GCC unroll 8
            for (size_t t = 0; t < count; ++t) {
                const Ints<W> q = column.exponents[t] + load<W>(exponents + t * stride + s);
                top = q > top ? q : top;
            }
            Vec<W> sum = {};
            const Vec<W> row = load<W>(before.values + s);
            const Ints<W> shift = load<W>(before.exponents + s) + weight.exponent;
            const Ints<W> least = Ints<W>{} - 3;
#pragma GCC unroll 8
            for (size_t t = 0; t < count; ++t) {
                const Vec<W> onward = column.values[t] * load<W>(values + t * stride + s);
                const Ints<W> q = column.exponents[t] + load<W>(exponents + t * stride + s);
                sum += onward * twice_power<W>(q - top);
                // A pair is a float, down to the smallest: the first factor is exact where the second does not give 0.
                const Ints<W> all = q + shift, most = all > least ? all : least;
                const Vec<W> pair = row * onward * weight.value * (0.5 * twice_power<W>(all - most));
                double* to = pairs + t * stride + s;
                store<W>(to, load<W>(to) + pair * twice_power<W>(most));
            }
            normalize<W>(sum, top);
            store<W>(next.values + s, sum);
            store<W>(next.exponents + s, top);
        }
    }
};

template <int W, bool Single>
void expect_wide_word(const WideMachine& machine, const WideWords& words, std::int64_t r, const WideOutput& out,
                      Memory& memory) {
    const WideWord<W, Single> reading(machine, words, r);
    const size_t states = reading.states, stride = reading.stride, size = reading.size, length = reading.length;
    const bool backward = out.lane.counts || out.table;
    // Every `spacing`-th forward row is kept, the others are made again on the way back.
    const size_t spacing = backward ? static_cast<size_t>(std::sqrt(static_cast<double>(length))) + 1 : length + 1;
    const size_t kept = length / spacing + 1, rows = kept + (backward ? spacing + 1 : 2) + 2;
    double* values = memory.rows.doubles(2 * rows * stride + size);
    if (!values) throw std::bad_alloc();
    auto* exponents = reinterpret_cast<std::int64_t*>(values + rows * stride);
    double* pairs = values + 2 * rows * stride;
    const auto row = [&](size_t k) { return WideRow{values + k * stride, exponents + k * stride}; };
    // Rows from one checkpoint to the next, both included; where there is no way back, two that take turns.
    const auto segment = [&](size_t i) { return row(kept + (backward ? i : i % 2)); };
    const auto advance = [&](size_t k) {
        const size_t start = k * spacing, end = std::min(start + spacing, length);
        segment(0).copy(row(k), stride);
        for (size_t i = start + 1; i <= end; ++i) {
            reading.step(segment(i - 1 - start), i, segment(i - start));
            reading.condition(segment(i - start), i);
        }
        return end;
    };

    std::memcpy(row(0).values, machine.initial.values, stride * sizeof(double));
    std::memcpy(row(0).exponents, machine.initial.exponents, stride * sizeof(std::int64_t));
    reading.condition(row(0), 0);
    for (size_t k = 0; k + 1 < kept; ++k) {
        advance(k);
        row(k + 1).copy(segment(spacing), stride);
    }
    WideNumber weight;
    split(words.weights[r], weight.value, weight.exponent);
    WideRow column = row(rows - 2), next = row(rows - 1);
    for (size_t k = kept; k-- > 0;) {
        const size_t start = k * spacing, end = advance(k);
        if (k + 1 == kept) {
            const WideNumber chance = wide_dot(segment(end - start), machine.stop, states);
            int shift = 0;
            out.fractions[r] = std::frexp(chance.value, &shift);
            out.exponents[r] = shift + 256 * chance.exponent;
            if (!backward || chance.value == 0.0) return;
            for (size_t s = 0; s < stride; ++s)
                column.set(s, WideNumber{machine.stop.values[s], machine.stop.exponents[s]}.over(chance));
        }
        for (size_t i = end; i > start; --i) {
            reading.condition(column, i);
            const bool ends = out.lane.stops && i == length;
            const bool apart = out.table || ends;  // sums over the states of the pairs of this position
            double* counts = apart ? pairs : out.lane.counts + reading.symbol(i) * size;
            if (apart) std::memset(pairs, 0, size * sizeof(double));
            reading.step_back(column, i, segment(i - 1 - start), weight, counts, next);
            std::swap(column, next);
            for (size_t t = 0; apart && t < states; ++t) {
                double sum = 0.0;
                for (size_t s = 0; s < states; ++s) sum += pairs[t * stride + s];
                if (out.table) out.table[i * states + t] = sum;
                if (ends) out.lane.stops[t] += sum;
            }
            double* sums = out.lane.counts ? out.lane.counts + reading.symbol(i) * size : nullptr;
            for (size_t e = 0; apart && sums && e < size; ++e) sums[e] += pairs[e];
        }
    }
    for (size_t s = 0; s < states; ++s) {
        const WideNumber first = row(0)[s], then = column[s];
        const WideNumber both =
            WideNumber{first.value * then.value * weight.value, first.exponent + then.exponent + weight.exponent};
        const double share = both.normal().rounded();
        if (out.table) out.table[s] = share;
        if (out.lane.initial) out.lane.initial[s] += share;
        if (out.lane.stops && length == 0) out.lane.stops[s] += share;
    }
}

void expect_wide(const WideMachine& machine, const WideWords& words, std::int64_t r, const WideOutput& out,
                 void* memory) {
    Memory& scratch = *static_cast<Memory*>(memory);
    switch (machine.stride) {
        case 2: expect_wide_word<2, true>(machine, words, r, out, scratch); break;
        case 4: expect_wide_word<width<4>, width<4> == 4>(machine, words, r, out, scratch); break;
        case 8: expect_wide_word<lanes, lanes == 8>(machine, words, r, out, scratch); break;
        default: expect_wide_word<lanes, false>(machine, words, r, out, scratch); break;
    }
}

}  // namespace
}  // namespace cutpoint
