// Scoring: the acceptance of each word.
// Compiled once per instruction set, hence everything is local to the file that includes it.

#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "tiles.hpp"

namespace cutpoint {
namespace {

template <int W, int S>
inline Vec<W> broadcast(Vec<W> v) {  // entry S in every lane
    if constexpr (W == 2) {
        return __builtin_shufflevector(v, v, S, S);
    } else if constexpr (W == 4) {
        return __builtin_shufflevector(v, v, S, S, S, S);
    } else {
        return __builtin_shufflevector(v, v, S, S, S, S, S, S, S, S);
    }
}

// row · matrix for a row in one register: even and odd states are summed apart, which halves the wait for results.
template <int W, int... S>
inline Vec<W> step(Vec<W> row, const double* matrix, std::integer_sequence<int, S...>) {
    Vec<W> even{}, odd{};
    ((S % 2 ? odd += broadcast<W, S>(row) * load<W>(matrix + S * W)
            : even += broadcast<W, S>(row) * load<W>(matrix + S * W)),
     ...);
    return even + odd;
}

// Small machines: each of M words in flight multiplies its row by its own symbol's matrix; a word that ends makes
// room for the next.
template <int K>
void score_in_flight(const Machine& machine, const double* column, const std::int32_t* symbols,
                     const std::int64_t* offsets, size_t first, size_t last, double* scores) {
    constexpr int W = K <= 2 ? 2 : (K <= 4 ? 4 : 8), M = 8;
    constexpr std::make_integer_sequence<int, K> states{};
    const double* const steps = machine.steps;
    const Vec<W> initial = load<W>(machine.initial);
    Vec<W> rows[M];
    size_t word[M];
    const std::int32_t* at[M];
    std::int64_t left[M];
    size_t next = first;
    int active = 0;

    const auto end = [&](int m) {
        alignas(64) double row[W];
        store<W>(row, rows[m]);
        scores[word[m]] = dot(row, column, K);
    };
    const auto begin = [&](int m) {  // next word that is not empty, into slot m
        for (; next < last; ++next) {
            word[m] = next, at[m] = symbols + offsets[next], left[m] = offsets[next + 1] - offsets[next];
            rows[m] = initial;
            if (left[m] == 0) {
                end(m);
                continue;
            }
            ++next;
            return true;
        }
        return false;
    };
    while (active < M && begin(active)) ++active;
    // The first N of the words in flight advance until one of them ends; it makes room for the next, and when none is
    // left to begin, slots close up.
    const auto advance = [&]<int N>(std::integral_constant<int, N>) {
        std::int64_t together = left[0];
        for (int m = 1; m < N; ++m) together = std::min(together, left[m]);
        for (std::int64_t i = 0; i < together; ++i) {
#pragma GCC unroll 8
            for (int m = 0; m < N; ++m)
                rows[m] = step<W>(rows[m], steps + static_cast<size_t>(at[m][i]) * (W * W), states);
        }
        int kept = 0;
        for (int m = 0; m < active; ++m) {
            if (m < N) left[m] -= together, at[m] += together;
            if (left[m] == 0) {
                end(m);
                if (!begin(m)) continue;
            }
            if (kept != m) rows[kept] = rows[m], word[kept] = word[m], at[kept] = at[m], left[kept] = left[m];
            ++kept;
        }
        active = kept;
    };
    while (active == M) advance(std::integral_constant<int, M>());
    while (active >= 4) advance(std::integral_constant<int, 4>());
    while (active >= 2) advance(std::integral_constant<int, 2>());
    while (active >= 1) advance(std::integral_constant<int, 1>());
}

// Larger machines: a block of words advances symbol by symbol, grouped by what they read, so that each matrix is
// loaded once for the whole group.
constexpr size_t score_block = 256;

template <int W, int S>
void score_grouped(const Machine& machine, const double* column, const std::int32_t* symbols,
                   const std::int64_t* offsets, size_t first, size_t last, double* scores, Scratch& scratch) {
    const Shape<W, S> shape(machine);
    const size_t states = machine.states, stride = shape.stride();
    double* memory = scratch.doubles(2 * score_block * stride);
    if (!memory) throw std::bad_alloc();
    std::vector<std::int32_t> order(score_block), sorted(score_block), place(machine.symbols + 1);
    for (size_t begin = first; begin < last; begin += score_block) {
        const size_t count = std::min(score_block, last - begin);
        double* rows = memory;
        double* after = memory + score_block * stride;
        std::vector<std::int32_t>& active = order;
        size_t n_active = 0;
        for (size_t r = 0; r < count; ++r) {
            std::memcpy(rows + r * stride, machine.initial, stride * sizeof(double));
            if (offsets[begin + r] < offsets[begin + r + 1]) {
                active[n_active++] = static_cast<std::int32_t>(r);
            } else {
                scores[begin + r] = dot(rows + r * stride, column, states);
            }
        }
        for (std::int64_t i = 0; n_active > 0; ++i) {
            std::fill(place.begin(), place.end(), 0);
            for (size_t k = 0; k < n_active; ++k) ++place[symbols[offsets[begin + active[k]] + i] + 1];
            for (size_t a = 0; a < machine.symbols; ++a) place[a + 1] += place[a];
            for (size_t k = 0; k < n_active; ++k)
                sorted[place[symbols[offsets[begin + active[k]] + i]]++] = active[k];
            for (size_t k = 0; k < n_active;) {
                const std::int32_t symbol = symbols[offsets[begin + sorted[k]] + i];
                size_t end = k + 1;
                while (end < n_active && symbols[offsets[begin + sorted[end]] + i] == symbol) ++end;
                const std::int32_t* members = sorted.data() + k;
                products(
                    shape, end - k, machine.steps + static_cast<size_t>(symbol) * shape.size(),
                    [&](size_t m) { return rows + static_cast<size_t>(members[m]) * stride; },
                    [&](size_t m, size_t column_, Vec<W> v) {
                        store<W>(after + static_cast<size_t>(members[m]) * stride + column_, v);
                    });
                k = end;
            }
            std::swap(rows, after);
            size_t kept = 0;
            for (size_t k = 0; k < n_active; ++k) {
                const size_t r = begin + active[k];
                if (offsets[r] + i + 1 < offsets[r + 1]) {
                    active[kept++] = active[k];
                } else {
                    scores[r] = dot(rows + active[k] * stride, column, states);
                }
            }
            n_active = kept;
        }
    }
}

void score(const Machine& machine, const double* column, const std::int32_t* symbols, const std::int64_t* offsets,
           size_t first, size_t last, double* scores, void* memory) {
    Scratch& scratch = static_cast<Memory*>(memory)->rows;
    switch (machine.states) {
        case 1: score_in_flight<1>(machine, column, symbols, offsets, first, last, scores); break;
        case 2: score_in_flight<2>(machine, column, symbols, offsets, first, last, scores); break;
        case 3: score_in_flight<3>(machine, column, symbols, offsets, first, last, scores); break;
        case 4: score_in_flight<4>(machine, column, symbols, offsets, first, last, scores); break;
        case 5: score_in_flight<5>(machine, column, symbols, offsets, first, last, scores); break;
        case 6: score_in_flight<6>(machine, column, symbols, offsets, first, last, scores); break;
        case 7: score_in_flight<7>(machine, column, symbols, offsets, first, last, scores); break;
        case 8: score_in_flight<8>(machine, column, symbols, offsets, first, last, scores); break;
        default:
            switch (machine.stride) {
                case 16: score_grouped<lanes, 16>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                case 24: score_grouped<lanes, 24>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                case 32: score_grouped<lanes, 32>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                default: score_grouped<lanes, 0>(machine, column, symbols, offsets, first, last, scores, scratch); break;
            }
    }
}

}  // namespace
}  // namespace cutpoint
