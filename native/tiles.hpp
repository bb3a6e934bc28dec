// Vectors, and products of rows and matrices that keep their sums in registers.
// Compiled once per instruction set, hence everything is local to the file that includes it.

#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels.hpp"
#include "rows.hpp"

namespace cutpoint {
namespace {

using std::size_t;

template <int W>
struct Vector;
template <>
struct Vector<2> {
    typedef double type __attribute__((vector_size(16)));
};
template <>
struct Vector<4> {
    typedef double type __attribute__((vector_size(32)));
};
template <>
struct Vector<8> {
    typedef double type __attribute__((vector_size(64)));
};

template <int W>
using Vec = typename Vector<W>::type;

template <int W>
inline Vec<W> load(const double* p) {
    return *reinterpret_cast<const Vec<W>*>(p);
}
template <int W>
inline void store(double* p, Vec<W> v) {
    *reinterpret_cast<Vec<W>*>(p) = v;
}

// Natural logarithms of eight numbers that are 0, normal and positive, or NaN, to about two roundings: with p = m 2^e, m
// near 1, and s = (m - 1) / (m + 1), log p = e log 2 + 2 (s + s³/3 + s⁵/5 + …), where |s| < 0.172 and the terms end
// below 2^-54.
inline Vec<8> logarithm(Vec<8> p) {
    typedef std::int64_t Bits __attribute__((vector_size(64)));
    constexpr std::int64_t root_half = std::bit_cast<std::int64_t>(0x1.6a09e667f3bcdp-1);
    constexpr double log_2_high = 0x1.62e42fefa38p-1;  // few digits: its products with e are exact
    constexpr double log_2_low = 0x1.ef35793c7673p-45;
    const Bits bits = reinterpret_cast<Bits>(p);
    const Bits exponent = (bits - root_half) >> 52;
    const Vec<8> m = reinterpret_cast<Vec<8>>(bits - (exponent << 52)), e = __builtin_convertvector(exponent, Vec<8>);
    const Vec<8> s = (m - 1.0) / (m + 1.0), square = s * s;
    Vec<8> series = Vec<8>{} + 1.0 / 19.0;
    for (int k = 17; k >= 3; k -= 2) series = series * square + 1.0 / k;
    const Vec<8> log = e * log_2_high + (2.0 * s + (2.0 * s * square * series + e * log_2_low));
    return p > 0.0 ? log : (p == 0.0 ? Vec<8>{} - HUGE_VAL : p);
}

// Floats in a vector register. Vectors of more than one register would be taken apart in memory, float by float.
#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif
constexpr bool many_registers = lanes == 8;  // 32 of them, elsewhere 16

// Width of the vectors for rows of S entries.
template <int S>
constexpr int width = S < lanes ? S : lanes;

// Size of a machine's rows. S > 0 fixes the padded size when compiling, so that all loops over states unroll; the
// padding is then multiplied along, as zeros. S = 0 leaves it open.
template <int W, int S>
struct Shape {
    size_t states_, stride_;
    explicit Shape(const Machine& machine) : states_(machine.states), stride_(machine.stride) {}
    size_t states() const { return S ? S : states_; }
    size_t stride() const { return S ? S : stride_; }
    size_t size() const { return S ? static_cast<size_t>(S) * S : stride_ * stride_; }
    static constexpr int columns = many_registers ? (S ? S / W : 4) : (S == W ? 1 : 2);  // vectors side by side
    static constexpr int rows = columns >= 4 ? 6 : (columns == 3 ? 7 : (many_registers || columns == 1 ? 8 : 6));
    static constexpr int chains = S == 8 && many_registers ? 2 : 1;     // sums per entry: few rows wait for them less
};

// emit(m, column, vector) for rows[m] · matrix, J vectors from `column` on: M·J sums in registers while the matrix
// streams by once. Each sum runs over the states in their order; with two chains, over the even and the odd ones apart.
template <int J, int M, int W, int S, class Emit>
inline void tile(Shape<W, S> shape, const double* const* rows, const double* matrix, size_t column, Emit emit) {
    // From zero on, every term is added by the same operation: the compiler then has no choice of what to fuse, and a
    // row gives the same bits whatever the number of rows beside it.
    constexpr int chains = Shape<W, S>::chains;
    Vec<W> sums[chains][M][J] = {};
    const double* from = matrix + column;
    for (size_t s = 0; s < shape.states(); s += chains) {
#pragma GCC unroll 2
        for (int c = 0; c < chains; ++c, from += shape.stride()) {
#pragma GCC unroll 8
            for (int j = 0; j < J; ++j) {
                const Vec<W> p = load<W>(from + W * j);
#pragma GCC unroll 8
                for (int m = 0; m < M; ++m) sums[c][m][j] += rows[m][s + c] * p;
            }
        }
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j)
            emit(m, column + W * j, chains == 1 ? sums[0][m][j] : sums[0][m][j] + sums[chains - 1][m][j]);
}

// visit(J, column): J vectors from `column` on, so many as fit into registers, and all together once through a row.
template <int W, int S, class Visit>
inline void each_tile(Shape<W, S> shape, Visit visit) {
    constexpr int columns = Shape<W, S>::columns;
    size_t column = 0;
    for (; column + columns * W <= shape.stride(); column += columns * W)
        visit(std::integral_constant<int, columns>(), column);
    if constexpr (S == 0) {  // otherwise nothing is left
        if constexpr (columns > 2)
            if (column + 2 * W <= shape.stride()) visit(std::integral_constant<int, 2>(), column), column += 2 * W;
        if (column < shape.stride()) visit(std::integral_constant<int, 1>(), column);
    }
}

template <int M, int W, int S, class Emit>
inline void rows_times(Shape<W, S> shape, const double* const* rows, const double* matrix, Emit emit) {
    each_tile(shape, [&]<int J>(std::integral_constant<int, J>, size_t column) {
        tile<J, M>(shape, rows, matrix, column, emit);
    });
}

// The same for M rows from row(first) on.
template <int M, int W, int S, class Row, class Emit>
inline void some_products(Shape<W, S> shape, size_t first, const double* matrix, Row row, Emit emit) {
    const double* rows[M];
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) rows[m] = row(first + m);
    rows_times<M>(shape, rows, matrix, [&](int m, size_t column, Vec<W> v) { emit(first + m, column, v); });
}

// emit(i, column, vector) for row(i) · matrix, i in [0, count).
template <int W, int S, class Row, class Emit>
inline void products(Shape<W, S> shape, size_t count, const double* matrix, Row row, Emit emit) {
    constexpr int M = Shape<W, S>::rows;
    size_t i = 0;
    for (; i + M <= count; i += M) some_products<M>(shape, i, matrix, row, emit);
    // In powers of two: one jump by the number of rows left would be guessed wrong more often than not.
    if (count - i >= 4) some_products<4>(shape, i, matrix, row, emit), i += 4;
    if (count - i >= 2) some_products<2>(shape, i, matrix, row, emit), i += 2;
    if (count - i >= 1) some_products<1>(shape, i, matrix, row, emit);
}

// counts[s][t] += Σ_i before(i)[s] · after(i)[t] for R rows of the counts and J vectors of columns, in registers.
template <int J, int R, int W, int S, class Before, class After>
inline void outer_tile(Shape<W, S> shape, size_t count, double* counts, size_t row, size_t column, Before before,
                       After after) {
    Vec<W> sums[R][J];
    double* at = counts + row * shape.stride() + column;
#pragma GCC unroll 8
    for (int s = 0; s < R; ++s)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) sums[s][j] = load<W>(at + s * shape.stride() + W * j);
    for (size_t i = 0; i < count; ++i) {
        const double* a = before(i) + row;
        const double* b = after(i) + column;
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) {
            const Vec<W> v = load<W>(b + W * j);
#pragma GCC unroll 8
            for (int s = 0; s < R; ++s) sums[s][j] += a[s] * v;
        }
    }
#pragma GCC unroll 8
    for (int s = 0; s < R; ++s)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) store<W>(at + s * shape.stride() + W * j, sums[s][j]);
}

template <int J, int W, int S, class Before, class After>
inline void outer_columns(Shape<W, S> shape, size_t count, double* counts, size_t column, Before before, After after) {
    constexpr int R = S && S <= 8 && (many_registers || J == 1) ? S : (J >= 4 || (J == 2 && !many_registers) ? 6 : 8);
    size_t row = 0;
    for (; row + R <= shape.states(); row += R) outer_tile<J, R>(shape, count, counts, row, column, before, after);
    for (; row + 2 <= shape.states(); row += 2) outer_tile<J, 2>(shape, count, counts, row, column, before, after);
    if (row < shape.states()) outer_tile<J, 1>(shape, count, counts, row, column, before, after);
}

template <int W, int S, class Before, class After>
inline void outer(Shape<W, S> shape, size_t count, double* counts, Before before, After after) {
    each_tile(shape, [&]<int J>(std::integral_constant<int, J>, size_t column) {
        outer_columns<J>(shape, count, counts, column, before, after);
    });
}

// Scratch memory that grows to what is asked for, aligned for the widest vectors.
class Scratch {
  public:
    double* doubles(size_t count) {
        if (count > size_) {
            free_aligned(data_);
            size_ = count + count / 4;
            data_ = allocate_aligned(size_);
            if (!data_) size_ = 0;
        }
        return data_;
    }
    void shrink(size_t most) {
        if (size_ <= most) return;
        free_aligned(data_);
        data_ = nullptr, size_ = 0;
    }
    ~Scratch() { free_aligned(data_); }

  private:
    double* data_ = nullptr;
    size_t size_ = 0;
};

// Memory of one thread.
struct Memory {
    Scratch rows;
    std::vector<RowState> row_states;

    // Keep no more than a block of 32 states needs.
    void shrink() {
        constexpr size_t most = 2 * 32 * block_nodes;
        rows.shrink(most + most / 4);
        if (row_states.capacity() > 4 * block_nodes) std::vector<RowState>().swap(row_states);
    }
};

}  // namespace
}  // namespace cutpoint
