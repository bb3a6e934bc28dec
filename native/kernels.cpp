// Compiled once per instruction set; CUTPOINT_TABLE names the table of functions that results.

#include "kernels.hpp"
#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

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

// Size of a machine's rows. S > 0 fixes the padded size when compiling, so that all loops over states unroll; the
// padding is then multiplied along, as zeros. S = 0 leaves it open.
template <int W, int S>
struct Shape {
    size_t states_, stride_;
    explicit Shape(const Machine& machine) : states_(machine.states), stride_(machine.stride) {}
    size_t states() const { return S ? S : states_; }
    size_t stride() const { return S ? S : stride_; }
    size_t size() const { return S ? static_cast<size_t>(S) * S : stride_ * stride_; }
    static constexpr int columns = S ? S / W : 4;                       // vectors side by side in registers
    static constexpr int rows = columns >= 4 ? 6 : (columns == 3 ? 7 : 8);  // rows in flight
};

// emit(m, column, vector) for rows[m] · matrix, J vectors from `column` on: M·J sums in registers while the matrix
// streams by once. Each sum runs over the states in their order.
template <int J, int M, int W, int S, class Emit>
inline void tile(Shape<W, S> shape, const double* const* rows, const double* matrix, size_t column, Emit emit) {
    // From zero on, every term is added by the same operation: the compiler then has no choice of what to fuse, and a
    // row gives the same bits whatever the number of rows beside it.
    Vec<W> sums[M][J] = {};
    const double* from = matrix + column;
    for (size_t s = 0; s < shape.states(); ++s, from += shape.stride()) {
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) {
            const Vec<W> p = load<W>(from + W * j);
#pragma GCC unroll 8
            for (int m = 0; m < M; ++m) sums[m][j] += rows[m][s] * p;
        }
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) emit(m, column + W * j, sums[m][j]);
}

template <int M, int W, int S, class Emit>
inline void rows_times(Shape<W, S> shape, const double* const* rows, const double* matrix, Emit emit) {
    if constexpr (S > 0) {
        tile<Shape<W, S>::columns, M>(shape, rows, matrix, 0, emit);
    } else {
        size_t column = 0;
        for (; column + 4 * W <= shape.stride(); column += 4 * W) tile<4, M>(shape, rows, matrix, column, emit);
        switch ((shape.stride() - column) / W) {
            case 3: tile<3, M>(shape, rows, matrix, column, emit); break;
            case 2: tile<2, M>(shape, rows, matrix, column, emit); break;
            case 1: tile<1, M>(shape, rows, matrix, column, emit); break;
            default: break;
        }
    }
}

// emit(i, column, vector) for row(i) · matrix, i in [0, count).
template <int W, int S, class Row, class Emit>
inline void products(Shape<W, S> shape, size_t count, const double* matrix, Row row, Emit emit) {
    constexpr int M = Shape<W, S>::rows;
    const double* rows[M];
    for (size_t i = 0; i < count; i += M) {
        const size_t left = count - i;
#pragma GCC unroll 8
        for (int m = 0; m < M; ++m) rows[m] = row(static_cast<size_t>(m) < left ? i + m : i);
        const auto emit_here = [&](int m, size_t column, Vec<W> v) { emit(i + m, column, v); };
        if (left >= static_cast<size_t>(M)) {
            rows_times<M>(shape, rows, matrix, emit_here);
            continue;
        }
        switch (left) {
            case 7: if constexpr (M > 7) rows_times<7>(shape, rows, matrix, emit_here); break;
            case 6: if constexpr (M > 6) rows_times<6>(shape, rows, matrix, emit_here); break;
            case 5: rows_times<5>(shape, rows, matrix, emit_here); break;
            case 4: rows_times<4>(shape, rows, matrix, emit_here); break;
            case 3: rows_times<3>(shape, rows, matrix, emit_here); break;
            case 2: rows_times<2>(shape, rows, matrix, emit_here); break;
            default: rows_times<1>(shape, rows, matrix, emit_here); break;
        }
    }
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
    constexpr int R = S && S <= 8 ? S : (J >= 4 ? 6 : 8);
    size_t row = 0;
    for (; row + R <= shape.states(); row += R) outer_tile<J, R>(shape, count, counts, row, column, before, after);
    for (; row + 2 <= shape.states(); row += 2) outer_tile<J, 2>(shape, count, counts, row, column, before, after);
    if (row < shape.states()) outer_tile<J, 1>(shape, count, counts, row, column, before, after);
}

template <int W, int S, class Before, class After>
inline void outer(Shape<W, S> shape, size_t count, double* counts, Before before, After after) {
    if constexpr (S > 0) {
        outer_columns<Shape<W, S>::columns>(shape, count, counts, 0, before, after);
    } else {
        size_t column = 0;
        for (; column + 4 * W <= shape.stride(); column += 4 * W)
            outer_columns<4>(shape, count, counts, column, before, after);
        switch ((shape.stride() - column) / W) {
            case 3: outer_columns<3>(shape, count, counts, column, before, after); break;
            case 2: outer_columns<2>(shape, count, counts, column, before, after); break;
            case 1: outer_columns<1>(shape, count, counts, column, before, after); break;
            default: break;
        }
    }
}

// Scratch memory that grows to what is asked for, aligned for the widest vectors.
class Scratch {
  public:
    double* doubles(size_t count) {
        if (count > size_) {
            std::free(data_);
            size_ = count + count / 4;
            data_ = static_cast<double*>(std::aligned_alloc(64, (size_ * sizeof(double) + 63) / 64 * 64));
            if (!data_) size_ = 0;
        }
        return data_;
    }
    ~Scratch() { std::free(data_); }

  private:
    double* data_ = nullptr;
    size_t size_ = 0;
};

// Memory of one thread.
struct Memory {
    Scratch rows;
    std::vector<Fate> fates;
};

// ---------------------------------------------------------------------------------------------- scoring

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
    while (active == M) {
        std::int64_t together = left[0];
        for (int m = 1; m < M; ++m) together = std::min(together, left[m]);
        for (std::int64_t i = 0; i < together; ++i) {
#pragma GCC unroll 8
            for (int m = 0; m < M; ++m)
                rows[m] = step<W>(rows[m], steps + static_cast<size_t>(at[m][i]) * (W * W), states);
        }
        int kept = 0;  // words that end make room; when none is left to begin, slots close up
        for (int m = 0; m < M; ++m) {
            left[m] -= together, at[m] += together;
            if (left[m] == 0) {
                end(m);
                if (!begin(m)) continue;
            }
            if (kept != m) rows[kept] = rows[m], word[kept] = word[m], at[kept] = at[m], left[kept] = left[m];
            ++kept;
        }
        active = kept;
    }
    for (int m = 0; m < active; ++m) {
        for (std::int64_t i = 0; i < left[m]; ++i)
            rows[m] = step<W>(rows[m], steps + static_cast<size_t>(at[m][i]) * (W * W), states);
        end(m);
    }
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
                case 16: score_grouped<8, 16>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                case 24: score_grouped<8, 24>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                case 32: score_grouped<8, 32>(machine, column, symbols, offsets, first, last, scores, scratch); break;
                default: score_grouped<8, 0>(machine, column, symbols, offsets, first, last, scores, scratch); break;
            }
    }
}

// ---------------------------------------------------------------------------------------------- E-step

// Begin the backward pass of observation r at its last row: adds w/(α·g) g, writes the log-probability.
inline void finish(const double* row, const Evidence& evidence, std::int64_t r, Fate fate, size_t states, size_t stride,
                   double* column, double* logs) {
    const std::int32_t end = evidence.ends[r];
    const double* verdict = evidence.masks + end * stride;
    const double p = evidence.full[end] && fate.log > -HUGE_VAL ? 1.0 : dot(row, verdict, states);
    const bool unsure = p > 0.0 ? fate.lost > loss_allowed * p : fate.lost > 0.0;
    if (unsure) {
        logs[r] = std::numeric_limits<double>::quiet_NaN();
    } else if (p > 0.0 && fate.log > -HUGE_VAL) {
        logs[r] = fate.log + std::log(p);
        const double share = evidence.weights[r] / p;
        for (size_t s = 0; s < states; ++s) column[s] += share * verdict[s];
    } else {
        logs[r] = -HUGE_VAL;
    }
}

template <int W>
inline bool any(decltype(Vec<W>{} > Vec<W>{}) mask) {
    bool found = false;
    for (int k = 0; k < W; ++k) found |= mask[k] != 0;
    return found;
}

// One block of the tree at work: its arrays, and the rows and columns of its nodes.
template <int W, int S>
struct BlockPass {
    const Machine& machine;
    const Tree& tree;
    const Evidence& evidence;
    const size_t block;
    const Shape<W, S> shape{machine};
    const size_t states = machine.states;
    const size_t first = static_cast<size_t>(tree.node_offsets[block]);
    const size_t nodes = static_cast<size_t>(tree.node_offsets[block + 1]) - first;
    const std::int32_t* const parents = tree.parents + first;
    const std::int32_t* const marks = tree.marks ? tree.marks + first : nullptr;
    const size_t group_first = static_cast<size_t>(tree.group_offsets[block]);
    const size_t groups = static_cast<size_t>(tree.group_offsets[block + 1]) - group_first;
    const std::int32_t* const group_symbols = tree.group_symbols + group_first;
    const std::int32_t* const group_starts = tree.group_starts + group_first;
    double *alpha, *beta;
    std::vector<Fate>& fates;
    // As long as nothing was seen along the way and nothing dropped, every row's fate is this one.
    static constexpr Fate untouched{1.0, 0.0, 0.0};
    bool touched = marks != nullptr;

    BlockPass(const Machine& m, const Tree& t, const Evidence& e, size_t b, Memory& memory)
        : machine(m), tree(t), evidence(e), block(b), fates(memory.fates) {
        alpha = memory.rows.doubles(2 * nodes * shape.stride());
        if (!alpha) throw std::bad_alloc();
        beta = alpha + nodes * shape.stride();
        if (touched) fates.assign(nodes, untouched);
    }

    size_t group_end(size_t g) const { return g + 1 < groups ? static_cast<size_t>(group_starts[g + 1]) : nodes; }
    double* row(size_t c) const { return alpha + c * shape.stride(); }
    double* column(size_t c) const { return beta + c * shape.stride(); }
    size_t parent(size_t c) const { return static_cast<size_t>(parents[c]); }
    const double* mask(std::int32_t mark) const { return evidence.masks + static_cast<size_t>(mark) * shape.stride(); }

    // One matrix at a time over the nodes of equal depth that read it.
    void down() {
        const Vec<W> negligible = Vec<W>{} + machine.negligible;
        for (size_t g = 0; g < groups; ++g) {
            const size_t start = static_cast<size_t>(group_starts[g]), end = group_end(g);
            auto small = Vec<W>{} > negligible;
            if (group_symbols[g] < 0) {
                for (size_t c = start; c < end; ++c)
                    std::memcpy(row(c), machine.initial, shape.stride() * sizeof(double));
                for (size_t s = 0; s < shape.stride(); s += W) {
                    const Vec<W> v = load<W>(machine.initial + s);
                    small |= (v < negligible) & (v > 0.0);
                }
            } else {
                products(
                    shape, end - start, machine.steps + static_cast<size_t>(group_symbols[g]) * shape.size(),
                    [&](size_t i) { return row(parent(start + i)); },
                    [&](size_t i, size_t s, Vec<W> v) {
                        store<W>(row(start + i) + s, v);
                        small |= (v < negligible) & (v > 0.0);
                    });
            }
            if (!touched && any<W>(small)) {
                touched = true;
                fates.assign(nodes, untouched);
            }
            for (size_t c = start; touched && c < end; ++c) {
                const std::int32_t mark = marks ? marks[c] : 0;
                fates[c] = settle(row(c), mask(mark), evidence.full[mark], states, machine.negligible,
                                  parents[c] < 0 ? untouched : fates[parent(c)]);
            }
        }
    }

    void ends(double* logs) {
        std::memset(beta, 0, nodes * shape.stride() * sizeof(double));
        for (std::int64_t e = tree.end_offsets[block]; e < tree.end_offsets[block + 1]; ++e) {
            const size_t c = static_cast<size_t>(tree.end_nodes[e]);
            finish(row(c), evidence, tree.end_words[e], touched ? fates[c] : untouched, states, shape.stride(),
                   column(c), logs);
        }
    }

    // Columns are kept only where the forward row is positive; there alone they are needed, and bounded.
    void up(const Lane& lane) {
        for (size_t g = groups; g-- > 0;) {
            const size_t start = static_cast<size_t>(group_starts[g]), end = group_end(g);
            for (size_t k = start * shape.stride(); k < end * shape.stride(); k += W)
                store<W>(beta + k, load<W>(alpha + k) > 0.0 ? load<W>(beta + k) : Vec<W>{});
            if (group_symbols[g] < 0) {
                for (size_t c = start; c < end; ++c)
                    for (size_t s = 0; s < states; ++s) lane.initial[s] += row(c)[s] * column(c)[s];
                continue;
            }
            for (size_t c = start; marks && c < end; ++c)
                for (size_t s = 0; marks[c] && s < states; ++s) column(c)[s] *= mask(marks[c])[s] / fates[c].scale;
            products(
                shape, end - start, machine.transposed + static_cast<size_t>(group_symbols[g]) * shape.size(),
                [&](size_t i) { return column(start + i); },
                [&](size_t i, size_t s, Vec<W> v) {
                    double* above = column(parent(start + i)) + s;
                    store<W>(above, load<W>(above) + v);
                });
        }
    }

    // All edges of the block that read one symbol, together.
    void count(const Lane& lane) {
        const std::int32_t* edges = tree.edges + first;
        const size_t run_first = static_cast<size_t>(tree.run_offsets[block]);
        const size_t runs = static_cast<size_t>(tree.run_offsets[block + 1]) - run_first;
        const std::int32_t* starts = tree.run_starts + run_first;
        const size_t in_cache = std::max<size_t>(64, (1 << 14) / shape.stride());  // edges whose rows a cache holds
        for (size_t k = 0; k < runs; ++k) {
            const std::int32_t symbol = tree.run_symbols[run_first + k];
            if (symbol < 0) continue;
            const size_t end = k + 1 < runs ? static_cast<size_t>(starts[k + 1]) : nodes;
            for (size_t at = static_cast<size_t>(starts[k]); at < end; at += in_cache) {
                const std::int32_t* run = edges + at;
                outer(
                    shape, std::min(in_cache, end - at), lane.counts + static_cast<size_t>(symbol) * shape.size(),
                    [&](size_t i) { return row(parent(static_cast<size_t>(run[i]))); },
                    [&](size_t i) { return column(static_cast<size_t>(run[i])); });
            }
        }
    }
};

template <int W, int S>
void expect_block(const Machine& machine, const Tree& tree, const Evidence& evidence, size_t block, const Lane& lane,
                  double* logs, Memory& memory) {
    BlockPass<W, S> pass(machine, tree, evidence, block, memory);
    pass.down();
    pass.ends(logs);
    if (!lane.counts) return;
    pass.up(lane);
    pass.count(lane);
}

void expect(const Machine& machine, const Tree& tree, const Evidence& evidence, size_t first, size_t last,
            const Lane& lane, double* logs, void* memory) {
    Memory& scratch = *static_cast<Memory*>(memory);
    for (size_t block = first; block < last; ++block) {
        switch (machine.stride) {
            case 2: expect_block<2, 2>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 4: expect_block<4, 4>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 8: expect_block<8, 8>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 16: expect_block<8, 16>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 24: expect_block<8, 24>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 32: expect_block<8, 32>(machine, tree, evidence, block, lane, logs, scratch); break;
            default: expect_block<8, 0>(machine, tree, evidence, block, lane, logs, scratch); break;
        }
    }
}

// One row after another; every `pace`-th forward row is kept, the others are made again on the way back.
template <int W>
void expect_long_word(const Machine& machine, const Evidence& evidence, std::int64_t r, const Lane& lane, double* logs,
                      Memory& memory) {
    const Shape<W, 0> shape(machine);
    const size_t states = machine.states, stride = machine.stride, size = shape.size();
    const std::int32_t* word = evidence.symbols + evidence.offsets[r];
    const size_t length = static_cast<size_t>(evidence.offsets[r + 1] - evidence.offsets[r]);
    const std::int32_t* marks = evidence.positions ? evidence.positions + evidence.offsets[r] + r : nullptr;
    const size_t pace = static_cast<size_t>(std::sqrt(static_cast<double>(length))) + 1;
    const size_t kept = length / pace + 1;
    double* checkpoints = memory.rows.doubles((kept + pace + 4) * stride);
    if (!checkpoints) throw std::bad_alloc();
    double* segment = checkpoints + kept * stride;  // rows from one checkpoint to the next, both included
    double* column = segment + (pace + 1) * stride;
    double* result = column + stride;
    std::vector<Fate>& fates = memory.fates;
    fates.assign(kept + pace + 1, Fate{1.0, 0.0, 0.0});
    Fate* segment_fates = fates.data() + kept;

    const auto seen = [&](double* row, size_t i, Fate before) {
        const std::int32_t mark = marks ? marks[i] : 0;
        return settle(row, evidence.masks + mark * stride, evidence.full[mark], states, machine.negligible, before);
    };
    // Rows of the positions after checkpoint k, up to the next one or the end; returns the last position.
    const auto advance = [&](size_t k) {
        const size_t start = k * pace, end = std::min(start + pace, length);
        std::memcpy(segment, checkpoints + k * stride, stride * sizeof(double));
        segment_fates[0] = fates[k];
        for (size_t i = start + 1; i <= end; ++i) {
            const double* from = segment + (i - 1 - start) * stride;
            double* to = segment + (i - start) * stride;
            rows_times<1>(shape, &from, machine.steps + static_cast<size_t>(word[i - 1]) * size,
                          [&](int, size_t s, Vec<W> v) { store<W>(to + s, v); });
            segment_fates[i - start] = seen(to, i, segment_fates[i - 1 - start]);
        }
        return end;
    };

    std::memcpy(checkpoints, machine.initial, stride * sizeof(double));
    fates[0] = seen(checkpoints, 0, Fate{1.0, 0.0, 0.0});
    for (size_t k = 0; k + 1 < kept; ++k) {
        advance(k);
        std::memcpy(checkpoints + (k + 1) * stride, segment + pace * stride, stride * sizeof(double));
        fates[k + 1] = segment_fates[pace];
    }
    for (size_t k = kept; k-- > 0;) {
        const size_t start = k * pace, end = advance(k);
        if (k + 1 == kept) {
            std::memset(column, 0, stride * sizeof(double));
            finish(segment + (end - start) * stride, evidence, r, segment_fates[end - start], states, stride, column,
                   logs);
            if (!lane.counts || !(logs[r] > -HUGE_VAL)) return;
        }
        for (size_t i = end; i > start; --i) {
            const double* here = segment + (i - start) * stride;
            const double* before = here - stride;
            const double* mask = evidence.masks + (marks ? marks[i] : 0) * stride;
            for (size_t s = 0; s < states; ++s)
                column[s] = here[s] > 0.0 ? column[s] * (mask[s] / segment_fates[i - start].scale) : 0.0;
            const size_t symbol = static_cast<size_t>(word[i - 1]);
            outer(shape, 1, lane.counts + symbol * size, [&](size_t) { return before; },
                  [&](size_t) { return column; });
            const double* in = column;
            rows_times<1>(shape, &in, machine.transposed + symbol * size,
                          [&](int, size_t s, Vec<W> v) { store<W>(result + s, v); });
            std::swap(column, result);
        }
    }
    for (size_t s = 0; s < states; ++s) lane.initial[s] += checkpoints[s] * column[s];
}

void expect_long(const Machine& machine, const Evidence& evidence, std::int64_t word, const Lane& lane, double* logs,
                 void* memory) {
    Memory& scratch = *static_cast<Memory*>(memory);
    switch (machine.stride) {
        case 2: expect_long_word<2>(machine, evidence, word, lane, logs, scratch); break;
        case 4: expect_long_word<4>(machine, evidence, word, lane, logs, scratch); break;
        default: expect_long_word<8>(machine, evidence, word, lane, logs, scratch); break;
    }
}

void* make_memory() { return new (std::nothrow) Memory; }
void drop_memory(void* memory) { delete static_cast<Memory*>(memory); }

}  // namespace

extern const Kernels CUTPOINT_TABLE;
const Kernels CUTPOINT_TABLE = {CUTPOINT_NAME, score, expect, expect_long, make_memory, drop_memory};

}  // namespace cutpoint
