// Compiled once per instruction set; CUTPOINT_TABLE names the table of functions that results.

#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <cstdlib>
#include <new>
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

// out[m] = rows[m] · matrix, columns j … j + W·J - 1: M·J sums in registers while the matrix streams by once.
template <int W, int J, int M>
inline void tile(const double* const* rows, const double* matrix, size_t states, size_t stride, size_t column,
                 double* const* out) {
    Vec<W> sums[M][J];
    const double* from = matrix + column;
#pragma GCC unroll 8
    for (int j = 0; j < J; ++j) {
        const Vec<W> p = load<W>(from + W * j);
#pragma GCC unroll 8
        for (int m = 0; m < M; ++m) sums[m][j] = rows[m][0] * p;
    }
    for (size_t s = 1; s < states; ++s) {
        from += stride;
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
        for (int j = 0; j < J; ++j) store<W>(out[m] + column + W * j, sums[m][j]);
}

template <int W, int M>
inline void row_tiles(const double* const* rows, const double* matrix, size_t states, size_t stride,
                      double* const* out) {
    size_t column = 0;
    for (; column + 4 * W <= stride; column += 4 * W) tile<W, 4, M>(rows, matrix, states, stride, column, out);
    switch ((stride - column) / W) {
        case 3: tile<W, 3, M>(rows, matrix, states, stride, column, out); break;
        case 2: tile<W, 2, M>(rows, matrix, states, stride, column, out); break;
        case 1: tile<W, 1, M>(rows, matrix, states, stride, column, out); break;
        default: break;
    }
}

// out(i) = in(i) · matrix for i in [0, count): rows are reached through functions of their number.
template <int W, int M, class In, class Out>
inline void products(size_t count, const double* matrix, size_t states, size_t stride, In in, Out out) {
    const double* rows[M];
    double* results[M];
    size_t i = 0;
    for (; i + M <= count; i += M) {
        for (int m = 0; m < M; ++m) rows[m] = in(i + m), results[m] = out(i + m);
        row_tiles<W, M>(rows, matrix, states, stride, results);
    }
    for (; i + 2 <= count; i += 2) {
        for (int m = 0; m < 2; ++m) rows[m] = in(i + m), results[m] = out(i + m);
        row_tiles<W, 2>(rows, matrix, states, stride, results);
    }
    if (i < count) {
        rows[0] = in(i), results[0] = out(i);
        row_tiles<W, 1>(rows, matrix, states, stride, results);
    }
}

// counts[s][t] += Σ_i before(i)[s] · after(i)[t], S rows of the counts in registers at a time.
template <int W, int J, int S, class Before, class After>
inline void outer_tile(size_t count, double* counts, size_t stride, size_t row, size_t column, Before before,
                       After after) {
    Vec<W> sums[S][J];
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) sums[s][j] = load<W>(counts + (row + s) * stride + column + W * j);
    for (size_t i = 0; i < count; ++i) {
        const double* a = before(i) + row;
        const double* b = after(i) + column;
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) {
            const Vec<W> v = load<W>(b + W * j);
#pragma GCC unroll 8
            for (int s = 0; s < S; ++s) sums[s][j] += a[s] * v;
        }
    }
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s)
#pragma GCC unroll 8
        for (int j = 0; j < J; ++j) store<W>(counts + (row + s) * stride + column + W * j, sums[s][j]);
}

template <int W, int J, class Before, class After>
inline void outer_rows(size_t count, double* counts, size_t states, size_t stride, size_t column, Before before,
                       After after) {
    constexpr int S = J >= 4 ? 4 : (J == 3 ? 6 : 8);
    size_t row = 0;
    for (; row + S <= states; row += S) outer_tile<W, J, S>(count, counts, stride, row, column, before, after);
    for (; row + 2 <= states; row += 2) outer_tile<W, J, 2>(count, counts, stride, row, column, before, after);
    if (row < states) outer_tile<W, J, 1>(count, counts, stride, row, column, before, after);
}

template <int W, class Before, class After>
inline void outer(size_t count, double* counts, size_t states, size_t stride, Before before, After after) {
    size_t column = 0;
    for (; column + 4 * W <= stride; column += 4 * W)
        outer_rows<W, 4>(count, counts, states, stride, column, before, after);
    switch ((stride - column) / W) {
        case 3: outer_rows<W, 3>(count, counts, states, stride, column, before, after); break;
        case 2: outer_rows<W, 2>(count, counts, states, stride, column, before, after); break;
        case 1: outer_rows<W, 1>(count, counts, states, stride, column, before, after); break;
        default: break;
    }
}

inline double dot(const double* a, const double* b, size_t states) {
    double total = a[0] * b[0];
    for (size_t s = 1; s < states; ++s) total += a[s] * b[s];
    return total;
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

// What is known of a forward row beside its entries.
struct Fate {
    double scale;  // sum of the row before it was scaled to 1, where something was seen; otherwise 1
    double lost;   // probability of all that was dropped on the way, in units of this row
    double log;    // logarithm of the product of the scales
};

// Memory of one thread.
struct Memory {
    Scratch rows;
    std::vector<Fate> fates;
};

// ---------------------------------------------------------------------------------------------- scoring

// Small machines: each of M words in flight multiplies its row by its own symbol's matrix; a word that ends makes
// room for the next.
template <int K>
void score_in_flight(const Machine& machine, const double* column, const std::int32_t* symbols,
                     const std::int64_t* offsets, size_t first, size_t last, double* scores) {
    constexpr int W = K <= 2 ? 2 : (K <= 4 ? 4 : 8), M = W == 2 ? 12 : 8;
    constexpr size_t states = K, stride = W, size = states * stride;
    alignas(64) double rows[M][W];
    size_t word[M];
    const std::int32_t* at[M];
    std::int64_t left[M];
    size_t next = first;
    int active = 0;

    const auto step = [&](int m) {
        const double* p = machine.steps + static_cast<size_t>(*at[m]++) * size;
        Vec<W> even = rows[m][0] * load<W>(p);
        if constexpr (K > 1) {
            Vec<W> odd = rows[m][1] * load<W>(p + stride);
#pragma GCC unroll 8
            for (int s = 2; s < K; s += 2) even += rows[m][s] * load<W>(p + s * stride);
#pragma GCC unroll 8
            for (int s = 3; s < K; s += 2) odd += rows[m][s] * load<W>(p + s * stride);
            even += odd;
        }
        return even;
    };
    const auto begin = [&](int m) {  // next word that is not empty, into slot m
        while (next < last) {
            const size_t r = next++;
            if (offsets[r] == offsets[r + 1]) {
                scores[r] = dot(machine.initial, column, states);
                continue;
            }
            word[m] = r, at[m] = symbols + offsets[r], left[m] = offsets[r + 1] - offsets[r];
            store<W>(rows[m], load<W>(machine.initial));
            return true;
        }
        return false;
    };
    while (active < M && begin(active)) ++active;
    while (active == M) {
        std::int64_t steps = left[0];
        for (int m = 1; m < M; ++m) steps = std::min(steps, left[m]);
        for (std::int64_t i = 0; i < steps; ++i) {
            Vec<W> after[M];
#pragma GCC unroll 16
            for (int m = 0; m < M; ++m) after[m] = step(m);
#pragma GCC unroll 16
            for (int m = 0; m < M; ++m) store<W>(rows[m], after[m]);
        }
        int kept = 0;  // words that end make room; when none is left to begin, slots close up
        for (int m = 0; m < M; ++m) {
            left[m] -= steps;
            if (left[m] == 0) {
                scores[word[m]] = dot(rows[m], column, states);
                if (!begin(m)) continue;
            }
            if (kept != m) {
                std::memcpy(rows[kept], rows[m], sizeof rows[kept]);
                word[kept] = word[m], at[kept] = at[m], left[kept] = left[m];
            }
            ++kept;
        }
        active = kept;
    }
    for (int m = 0; m < active; ++m) {
        for (; left[m] > 0; --left[m]) store<W>(rows[m], step(m));
        scores[word[m]] = dot(rows[m], column, states);
    }
}

// Larger machines: a block of words advances symbol by symbol, grouped by what they read, so that each matrix is
// loaded once for the whole group.
constexpr size_t score_block = 256;

template <int W, int M>
void score_grouped(const Machine& machine, const double* column, const std::int32_t* symbols,
                   const std::int64_t* offsets, size_t first, size_t last, double* scores, Scratch& scratch) {
    const size_t states = machine.states, stride = machine.stride, size = states * stride;
    double* memory = scratch.doubles(2 * score_block * stride);
    if (!memory) return;
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
                products<W, M>(
                    end - k, machine.steps + static_cast<size_t>(symbol) * size, states, stride,
                    [&](size_t m) { return rows + members[m] * stride; },
                    [&](size_t m) { return after + members[m] * stride; });
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
            if (machine.stride <= 24) {
                score_grouped<8, 8>(machine, column, symbols, offsets, first, last, scores, scratch);
            } else {
                score_grouped<8, 6>(machine, column, symbols, offsets, first, last, scores, scratch);
            }
    }
}

// ---------------------------------------------------------------------------------------------- E-step

// Apply what was seen to a forward row, scale it, drop what is negligible.
inline Fate settle(double* row, const double* mask, bool nothing_seen, size_t states, double negligible, Fate before) {
    Fate fate{1.0, before.lost, before.log};
    if (!nothing_seen) {
        double sum = 0.0;
        for (size_t s = 0; s < states; ++s) sum += row[s] *= mask[s];
        fate.scale = sum;
        if (sum > 0.0) {
            for (size_t s = 0; s < states; ++s) row[s] /= sum;
            fate.lost /= sum;
            fate.log += std::log(sum);
        } else {
            fate.scale = 1.0;
            fate.lost = fate.lost > 0.0 ? 1.0 : 0.0;
            fate.log = -HUGE_VAL;
        }
    }
    for (size_t s = 0; s < states; ++s) {
        if (row[s] < negligible) fate.lost += row[s], row[s] = 0.0;
    }
    return fate;
}

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

// Whether any entry of rows first … last-1 is positive and negligible.
template <int W>
inline bool any_negligible(const double* rows, size_t first, size_t last, size_t stride, double negligible) {
    auto any = Vec<W>{} > 1.0;
    for (const double* p = rows + first * stride; p != rows + last * stride; p += W) {
        const Vec<W> v = load<W>(p);
        any |= (v < negligible) & (v > 0.0);
    }
    bool found = false;
    for (int k = 0; k < W; ++k) found |= any[k] != 0;
    return found;
}

template <int W, int M>
void expect_block(const Machine& machine, const Tree& tree, const Evidence& evidence, size_t block, const Lane& lane,
                  double* logs, Memory& memory) {
    const size_t states = machine.states, stride = machine.stride, size = states * stride;
    const std::int64_t first = tree.node_offsets[block];
    const size_t nodes = static_cast<size_t>(tree.node_offsets[block + 1] - first);
    const std::int32_t* parents = tree.parents + first;
    const std::int32_t* marks = tree.marks ? tree.marks + first : nullptr;
    const size_t group_first = static_cast<size_t>(tree.group_offsets[block]);
    const size_t groups = static_cast<size_t>(tree.group_offsets[block + 1]) - group_first;
    const std::int32_t* group_symbols = tree.group_symbols + group_first;
    const std::int32_t* group_starts = tree.group_starts + group_first;
    const auto group_end = [&](size_t g) {
        return g + 1 < groups ? static_cast<size_t>(group_starts[g + 1]) : nodes;
    };

    double* alpha = memory.rows.doubles((2 * nodes + M) * stride);
    if (!alpha) return;
    double* beta = alpha + nodes * stride;
    double* spare = beta + nodes * stride;  // rows on their way to a parent
    std::memset(beta, 0, nodes * stride * sizeof(double));
    // As long as nothing was seen along the way and nothing dropped, every row's fate is this one.
    const Fate untouched{1.0, 0.0, 0.0};
    std::vector<Fate>& fates = memory.fates;
    bool touched = marks != nullptr;
    if (touched) fates.assign(nodes, untouched);

    // Down: one matrix at a time over the nodes of equal depth that read it.
    for (size_t g = 0; g < groups; ++g) {
        const size_t start = group_starts[g], end = group_end(g);
        if (group_symbols[g] < 0) {
            for (size_t c = start; c < end; ++c)
                std::memcpy(alpha + c * stride, machine.initial, stride * sizeof(double));
        } else {
            products<W, M>(
                end - start, machine.steps + static_cast<size_t>(group_symbols[g]) * size, states, stride,
                [&](size_t i) { return alpha + parents[start + i] * stride; },
                [&](size_t i) { return alpha + (start + i) * stride; });
        }
        if (!touched && any_negligible<W>(alpha, start, end, stride, machine.negligible)) {
            touched = true;
            fates.assign(nodes, untouched);
        }
        for (size_t c = start; touched && c < end; ++c) {
            const std::int32_t mark = marks ? marks[c] : 0;
            fates[c] = settle(alpha + c * stride, evidence.masks + mark * stride, evidence.full[mark], states,
                              machine.negligible, parents[c] < 0 ? untouched : fates[parents[c]]);
        }
    }

    for (std::int64_t e = tree.end_offsets[block]; e < tree.end_offsets[block + 1]; ++e) {
        const size_t c = tree.end_nodes[e];
        const std::int64_t r = tree.end_words[e];
        finish(alpha + c * stride, evidence, r, touched ? fates[c] : untouched, states, stride, beta + c * stride, logs);
    }

    if (!lane.counts) return;

    // Up: columns are kept only where the forward row is positive; there alone they are needed, and bounded.
    for (size_t g = groups; g-- > 0;) {
        const size_t start = group_starts[g], end = group_end(g);
        for (size_t c = start; c < end; ++c) {
            double* column = beta + c * stride;
            const double* row = alpha + c * stride;
            for (size_t s = 0; s < stride; s += W) {
                const Vec<W> b = load<W>(column + s);
                store<W>(column + s, load<W>(row + s) > 0.0 ? b : Vec<W>{});
            }
        }
        if (group_symbols[g] < 0) {
            for (size_t c = start; c < end; ++c)
                for (size_t s = 0; s < states; ++s) lane.initial[s] += alpha[c * stride + s] * beta[c * stride + s];
            continue;
        }
        if (marks) {
            for (size_t c = start; c < end; ++c) {
                if (!marks[c]) continue;
                const double* mask = evidence.masks + marks[c] * stride;
                for (size_t s = 0; s < states; ++s) beta[c * stride + s] *= mask[s] / fates[c].scale;
            }
        }
        const double* transposed = machine.transposed + static_cast<size_t>(group_symbols[g]) * size;
        const double* in[M];
        double* out[M];
        for (int m = 0; m < M; ++m) out[m] = spare + m * stride;
        const auto add = [&](size_t c, const double* result) {
            double* parent = beta + parents[c] * stride;
            for (size_t s = 0; s < stride; s += W) store<W>(parent + s, load<W>(parent + s) + load<W>(result + s));
        };
        size_t c = start;
        for (; c + M <= end; c += M) {
            for (int m = 0; m < M; ++m) in[m] = beta + (c + m) * stride;
            row_tiles<W, M>(in, transposed, states, stride, out);
            for (int m = 0; m < M; ++m) add(c + m, out[m]);
        }
        for (; c < end; ++c) {
            in[0] = beta + c * stride;
            row_tiles<W, 1>(in, transposed, states, stride, out);
            add(c, out[0]);
        }
    }

    // Counts: all edges of the block that read one symbol, together.
    const std::int32_t* edges = tree.edges + first;
    const size_t run_first = static_cast<size_t>(tree.run_offsets[block]);
    const size_t runs = static_cast<size_t>(tree.run_offsets[block + 1]) - run_first;
    for (size_t k = 0; k < runs; ++k) {
        const std::int32_t* run = edges + tree.run_starts[run_first + k];
        const size_t end = k + 1 < runs ? static_cast<size_t>(tree.run_starts[run_first + k + 1]) : nodes;
        const std::int32_t symbol = tree.run_symbols[run_first + k];
        if (symbol < 0) continue;
        outer<W>(
            end - static_cast<size_t>(tree.run_starts[run_first + k]),
            lane.counts + static_cast<size_t>(symbol) * size, states, stride,
            [&](size_t i) { return alpha + parents[run[i]] * stride; },
            [&](size_t i) { return beta + run[i] * stride; });
    }
}

void expect(const Machine& machine, const Tree& tree, const Evidence& evidence, size_t first, size_t last,
            const Lane& lane, double* logs, void* memory) {
    Memory& scratch = *static_cast<Memory*>(memory);
    for (size_t block = first; block < last; ++block) {
        switch (machine.stride) {
            case 2: expect_block<2, 8>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 4: expect_block<4, 8>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 8:
            case 16:
            case 24: expect_block<8, 8>(machine, tree, evidence, block, lane, logs, scratch); break;
            default: expect_block<8, 6>(machine, tree, evidence, block, lane, logs, scratch); break;
        }
    }
}

// One row after another; every `pace`-th forward row is kept, the others are made again on the way back.
template <int W>
void expect_long_word(const Machine& machine, const Evidence& evidence, std::int64_t r, const Lane& lane, double* logs,
                      Memory& memory) {
    const size_t states = machine.states, stride = machine.stride, size = states * stride;
    const std::int32_t* word = evidence.symbols + evidence.offsets[r];
    const size_t length = static_cast<size_t>(evidence.offsets[r + 1] - evidence.offsets[r]);
    const std::int32_t* marks = evidence.positions ? evidence.positions + evidence.offsets[r] + r : nullptr;
    const size_t pace = static_cast<size_t>(std::sqrt(static_cast<double>(length))) + 1;
    const size_t kept = length / pace + 1;
    double* checkpoints = memory.rows.doubles((kept + pace + 4) * stride);
    if (!checkpoints) return;
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
            row_tiles<W, 1>(&from, machine.steps + static_cast<size_t>(word[i - 1]) * size, states, stride, &to);
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
            outer<W>(1, lane.counts + symbol * size, states, stride, [&](size_t) { return before; },
                     [&](size_t) { return column; });
            const double* in = column;
            row_tiles<W, 1>(&in, machine.transposed + symbol * size, states, stride, &result);
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
