// The E-step: forward and backward over the blocks of a prefix tree, and over long words.
// Compiled once per instruction set, hence everything is local to the file that includes it.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "tiles.hpp"

namespace cutpoint {
namespace {

// Probability of observation r from its last row: 0 if it is impossible, NaN if plain floats do not reach.
inline double chance(const double* row, const Evidence& evidence, std::int64_t r, const RowState& state, size_t states,
                     size_t stride) {
    const std::int32_t end = evidence.ends[r];
    const bool possible = state.log > -HUGE_VAL;
    const double p = evidence.certain[end] && possible ? 1.0 : dot(row, evidence.columns + end * stride, states);
    const bool unsure = p > 0.0 ? state.lost > loss_allowed * p : state.lost > 0.0;
    if (unsure) return std::numeric_limits<double>::quiet_NaN();
    return possible ? p : 0.0;
}

template <int W>
inline bool any(decltype(Vec<W>{} > Vec<W>{}) mask) {
    bool found = false;
    for (int k = 0; k < W; ++k) found |= mask[k] != 0;
    return found;
}

// The E-step on one block of the tree: its arrays, and the rows and columns of its nodes.
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
    std::vector<RowState>& row_states;
    // As long as nothing was seen on the way and nothing dropped, this is the state of every row.
    static constexpr RowState untouched{1.0, 0.0, 0.0};
    bool touched = marks != nullptr;

    BlockPass(const Machine& m, const Tree& t, const Evidence& e, size_t b, Memory& memory)
        : machine(m), tree(t), evidence(e), block(b), row_states(memory.row_states) {
        alpha = memory.rows.doubles(2 * nodes * shape.stride());
        if (!alpha) throw std::bad_alloc();
        beta = alpha + nodes * shape.stride();
        if (touched) row_states.assign(nodes, untouched);
    }

    size_t group_end(size_t g) const { return g + 1 < groups ? static_cast<size_t>(group_starts[g + 1]) : nodes; }
    double* row(size_t c) const { return alpha + c * shape.stride(); }
    double* column(size_t c) const { return beta + c * shape.stride(); }
    size_t parent(size_t c) const { return static_cast<size_t>(parents[c]); }
    const double* mask(std::int32_t mark) const { return evidence.masks + static_cast<size_t>(mark) * shape.stride(); }

    // One matrix at a time over the nodes of equal depth that read it.
    void down() {
        const Vec<W> least = Vec<W>{} + std::max(machine.negligible, machine.watched);
        for (size_t g = 0; g < groups; ++g) {
            const size_t start = static_cast<size_t>(group_starts[g]), end = group_end(g);
            auto small = Vec<W>{} > least;
            const auto arrive = [&](size_t i, size_t s, Vec<W> v) {
                store<W>(row(start + i) + s, v);
                small |= (v < least) & (v > 0.0);
            };
            if (group_symbols[g] < 0) {
                for (size_t i = 0; i < end - start; ++i)
                    for (size_t s = 0; s < shape.stride(); s += W) arrive(i, s, load<W>(machine.initial + s));
            } else {
                products(
                    shape, end - start, machine.steps + static_cast<size_t>(group_symbols[g]) * shape.size(),
                    [&](size_t i) { return row(parent(start + i)); }, arrive);
            }
            const bool changed = marks || any<W>(small);
            if (!touched && changed) {
                touched = true;
                row_states.assign(nodes, untouched);
            }
            for (size_t c = start; touched && c < end; ++c) {
                const RowState before = parents[c] < 0 ? untouched : row_states[parent(c)];
                const std::int32_t mark = marks ? marks[c] : 0;
                row_states[c] = changed ? condition_and_scale(row(c), mask(mark), evidence.full[mark], states,
                                                              machine.negligible, machine.watched, before)
                                        : RowState{1.0, before.lost, before.log};
            }
        }
    }

    // Columns are kept only where the forward row is positive; there alone they are needed, and bounded.
    void add_to_column(size_t c, size_t s, Vec<W> v) const {
        double* to = column(c) + s;
        store<W>(to, load<W>(to) + (load<W>(row(c) + s) > 0.0 ? v : Vec<W>{}));
    }

    // Log-probabilities of the observations, and the columns w/(α·g) g with which their backward passes begin.
    void ends(double* logs, const Lane& lane) {
        std::memset(beta, 0, nodes * shape.stride() * sizeof(double));
        constexpr std::int64_t batch = 64;
        alignas(64) double chances[batch];
        const std::int64_t last = tree.end_offsets[block + 1];
        const auto state = [&](size_t c) { return touched ? row_states[c] : untouched; };
        for (std::int64_t first = tree.end_offsets[block]; first < last; first += batch) {
            const std::int64_t count = std::min(batch, last - first);
            const std::int32_t* at = tree.end_nodes + first;
            const std::int64_t* words = tree.end_words + first;
            for (std::int64_t e = 0; e < count; ++e) {
                const size_t c = static_cast<size_t>(at[e]);
                chances[e] = chance(row(c), evidence, words[e], state(c), shape.states(), shape.stride());
                if (!(chances[e] > 0.0)) continue;
                const double share = evidence.weights[words[e]] * evidence.unit / chances[e];
                const double* verdict = evidence.columns + static_cast<size_t>(evidence.ends[words[e]]) * shape.stride();
                for (size_t s = 0; s < shape.stride(); s += W) {
                    const Vec<W> ending = share * load<W>(verdict + s);
                    add_to_column(c, s, ending);
                    if (lane.stops) store<W>(lane.stops + s, load<W>(lane.stops + s) + ending * load<W>(row(c) + s));
                }
            }
            std::fill(chances + count, chances + batch, 1.0);  // what the last vector reads beyond them
            for (std::int64_t e = 0; e < count; e += 8) store<8>(chances + e, logarithm(load<8>(chances + e)));
            for (std::int64_t e = 0; e < count; ++e)
                logs[words[e]] = state(static_cast<size_t>(at[e])).log + chances[e];
        }
    }

    void up(const Lane& lane) {
        for (size_t g = groups; g-- > 0;) {
            const size_t start = static_cast<size_t>(group_starts[g]), end = group_end(g);
            if (group_symbols[g] < 0) {
                for (size_t c = start; c < end; ++c)
                    for (size_t s = 0; s < states; ++s) lane.initial[s] += row(c)[s] * column(c)[s];
                continue;
            }
            for (size_t c = start; touched && c < end; ++c) {
                const std::int32_t mark = marks ? marks[c] : 0;
                if (mark == 0 && row_states[c].scale == 1.0) continue;
                for (size_t s = 0; s < states; ++s) column(c)[s] *= mask(mark)[s] / row_states[c].scale;
            }
            products(
                shape, end - start, machine.transposed + static_cast<size_t>(group_symbols[g]) * shape.size(),
                [&](size_t i) { return column(start + i); },
                [&](size_t i, size_t s, Vec<W> v) { add_to_column(parent(start + i), s, v); });
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
    pass.ends(logs, lane);
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
            case 4: expect_block<width<4>, 4>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 8: expect_block<width<8>, 8>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 16: expect_block<lanes, 16>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 24: expect_block<lanes, 24>(machine, tree, evidence, block, lane, logs, scratch); break;
            case 32: expect_block<lanes, 32>(machine, tree, evidence, block, lane, logs, scratch); break;
            default: expect_block<lanes, 0>(machine, tree, evidence, block, lane, logs, scratch); break;
        }
    }
}

// One row after another; every `spacing`-th forward row is kept, the others are made again on the way back.
template <int W>
void expect_long_word(const Machine& machine, const Evidence& evidence, std::int64_t r, const Lane& lane, double* logs,
                      Memory& memory) {
    const Shape<W, 0> shape(machine);
    const size_t states = machine.states, stride = machine.stride, size = shape.size();
    const std::int32_t* word = evidence.symbols + evidence.offsets[r];
    const size_t length = static_cast<size_t>(evidence.offsets[r + 1] - evidence.offsets[r]);
    const std::int32_t* marks = evidence.positions ? evidence.positions + evidence.offsets[r] + r : nullptr;
    const size_t spacing = static_cast<size_t>(std::sqrt(static_cast<double>(length))) + 1;
    const size_t kept = length / spacing + 1;
    double* checkpoints = memory.rows.doubles((kept + spacing + 4) * stride);
    if (!checkpoints) throw std::bad_alloc();
    double* segment = checkpoints + kept * stride;  // rows from one checkpoint to the next, both included
    double* column = segment + (spacing + 1) * stride;
    double* result = column + stride;
    std::vector<RowState>& row_states = memory.row_states;
    row_states.assign(kept + spacing + 1, RowState{1.0, 0.0, 0.0});
    RowState* segment_states = row_states.data() + kept;

    const auto seen = [&](double* row, size_t i, RowState before) {
        const std::int32_t mark = marks ? marks[i] : 0;
        return condition_and_scale(row, evidence.masks + mark * stride, evidence.full[mark], states, machine.negligible,
                                   machine.watched, before);
    };
    // Rows of the positions after checkpoint k, up to the next one or the end; returns the last position.
    const auto advance = [&](size_t k) {
        const size_t start = k * spacing, end = std::min(start + spacing, length);
        std::memcpy(segment, checkpoints + k * stride, stride * sizeof(double));
        segment_states[0] = row_states[k];
        for (size_t i = start + 1; i <= end; ++i) {
            const double* from = segment + (i - 1 - start) * stride;
            double* to = segment + (i - start) * stride;
            rows_times<1>(shape, &from, machine.steps + static_cast<size_t>(word[i - 1]) * size,
                          [&](int, size_t s, Vec<W> v) { store<W>(to + s, v); });
            segment_states[i - start] = seen(to, i, segment_states[i - 1 - start]);
        }
        return end;
    };

    std::memcpy(checkpoints, machine.initial, stride * sizeof(double));
    row_states[0] = seen(checkpoints, 0, RowState{1.0, 0.0, 0.0});
    for (size_t k = 0; k + 1 < kept; ++k) {
        advance(k);
        std::memcpy(checkpoints + (k + 1) * stride, segment + spacing * stride, stride * sizeof(double));
        row_states[k + 1] = segment_states[spacing];
    }
    for (size_t k = kept; k-- > 0;) {
        const size_t start = k * spacing, end = advance(k);
        if (k + 1 == kept) {
            std::memset(column, 0, stride * sizeof(double));
            const RowState& state = segment_states[end - start];
            const double p = chance(segment + (end - start) * stride, evidence, r, state, states, stride);
            logs[r] = state.log + std::log(p);
            if (!lane.counts || !(logs[r] > -HUGE_VAL)) return;
            const double* verdict = evidence.columns + evidence.ends[r] * stride;
            const double* last = segment + (end - start) * stride;
            for (size_t s = 0; s < states; ++s) {
                column[s] = evidence.weights[r] * evidence.unit / p * verdict[s];
                if (lane.stops) lane.stops[s] += column[s] * last[s];
            }
        }
        for (size_t i = end; i > start; --i) {
            const double* here = segment + (i - start) * stride;
            const double* before = here - stride;
            const double* mask = evidence.masks + (marks ? marks[i] : 0) * stride;
            for (size_t s = 0; s < states; ++s)
                column[s] = here[s] > 0.0 ? column[s] * (mask[s] / segment_states[i - start].scale) : 0.0;
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
        case 4: expect_long_word<width<4>>(machine, evidence, word, lane, logs, scratch); break;
        default: expect_long_word<lanes>(machine, evidence, word, lane, logs, scratch); break;
    }
}

}  // namespace
}  // namespace cutpoint
