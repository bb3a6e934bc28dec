#include "tables.hpp"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "rows.hpp"

namespace cutpoint {
namespace {

using std::size_t;

const double* matrix(const Reading& reading, size_t i) {  // of the i-th symbol, from 1
    return reading.steps + static_cast<size_t>(reading.word[i - 1]) * reading.states * reading.states;
}

void step(const double* row, const double* matrix, size_t states, double* next) {
    std::memset(next, 0, states * sizeof(double));
    for (size_t s = 0; s < states; ++s)
        for (size_t t = 0; t < states; ++t) next[t] += row[s] * matrix[s * states + t];
}

}  // namespace

void forward_table(const Reading& reading, const double* row, double* table) {
    std::memcpy(table, row, reading.states * sizeof(double));
    for (size_t i = 1; i <= reading.length; ++i)
        step(table + (i - 1) * reading.states, matrix(reading, i), reading.states, table + i * reading.states);
}

void last_row(const Reading& reading, const double* row, double* work) {
    double *here = work, *next = work + reading.states;
    std::memcpy(here, row, reading.states * sizeof(double));
    for (size_t i = 1; i <= reading.length; ++i) {
        step(here, matrix(reading, i), reading.states, next);
        std::swap(here, next);
    }
    if (here != work) std::memcpy(work, here, reading.states * sizeof(double));
}

void backward_table(const Reading& reading, const double* column, double* table) {
    const size_t states = reading.states;
    std::memcpy(table + reading.length * states, column, states * sizeof(double));
    for (size_t i = reading.length; i > 0; --i)
        for (size_t s = 0; s < states; ++s)
            table[(i - 1) * states + s] = dot(matrix(reading, i) + s * states, table + i * states, states);
}

double occupancy_table(const Reading& reading, const double* initial, double* table) {
    const size_t states = reading.states, length = reading.length;
    std::vector<double> scales(length + 1), mask(states), column(states, 1.0), after(states);
    RowState state{1.0, 0.0, 0.0};
    for (size_t i = 0; i <= length; ++i) {
        double* row = table + i * states;
        if (i == 0) {
            std::memcpy(row, initial, states * sizeof(double));
        } else {
            step(row - states, matrix(reading, i), states, row);
        }
        bool full = !reading.generator;
        for (size_t s = 0; s < states; ++s) mask[s] = reading.seen[i * states + s], full &= reading.seen[i * states + s];
        state = condition_and_scale(row, mask.data(), full, states, reading.negligible, 0.0, state);
        scales[i] = state.scale;
    }
    if (state.lost > loss_allowed) return std::numeric_limits<double>::quiet_NaN();
    if (state.log == -HUGE_VAL) return state.log;
    for (size_t i = length;; --i) {
        double* row = table + i * states;
        for (size_t s = 0; s < states; ++s) {
            if (!(row[s] > 0.0)) column[s] = 0.0;
            after[s] = reading.seen[i * states + s] ? column[s] / scales[i] : 0.0;
            row[s] *= column[s];
        }
        if (i == 0) return state.log;
        for (size_t s = 0; s < states; ++s) column[s] = dot(matrix(reading, i) + s * states, after.data(), states);
    }
}

double filter_word(const Reading& reading, const double* initial, const double* final, const SeenMasks& seen,
                   const std::int32_t* marks, std::int32_t end, double* acceptances, double* logs, double* work) {
    const size_t states = reading.states;
    double *row = work, *next = work + states, *last = work + 2 * states;
    std::memcpy(row, initial, states * sizeof(double));
    RowState state{1.0, 0.0, 0.0};
    for (size_t i = 0; i <= reading.length; ++i) {
        if (i > 0) {
            step(row, matrix(reading, i), states, next);
            std::swap(row, next);
        }
        acceptances[i] = state.log > -HUGE_VAL ? dot(row, final, states) : std::numeric_limits<double>::quiet_NaN();
        const auto mark = static_cast<size_t>(marks ? marks[i] : 0);
        const double* mask = seen.masks + mark * states;
        bool full = marks ? seen.full[mark] : true;
        if (i == reading.length && !seen.full[end]) {
            const double* at_end = seen.masks + static_cast<size_t>(end) * states;
            for (size_t s = 0; s < states; ++s) last[s] = full ? at_end[s] : mask[s] * at_end[s];
            mask = last, full = false;
        }
        logs[i] = 0.0;
        if (full && !(state.lost > 0.0)) {  // most positions of most words: nothing to scale, at most something to drop
            for (size_t s = 0; s < states; ++s)
                if (row[s] < reading.negligible) state.lost += row[s], row[s] = 0.0;
            continue;
        }
        const bool possible = state.log > -HUGE_VAL;
        state.log = 0.0;
        state = condition_and_scale(row, mask, full, states, reading.negligible, 0.0, state);
        logs[i] = state.log;
        if (!possible) state.log = -HUGE_VAL;
    }
    return state.lost;
}

double best_path(const Reading& reading, const double* log_initial, std::int64_t* path) {
    const size_t states = reading.states, length = reading.length;
    std::vector<std::int32_t> came_from(length * states);
    std::vector<double> score(states), next(states);
    for (size_t s = 0; s < states; ++s) score[s] = reading.seen[s] ? log_initial[s] : -HUGE_VAL;
    for (size_t i = 1; i <= length; ++i) {
        const double* steps = matrix(reading, i);
        std::int32_t* from = came_from.data() + (i - 1) * states;
        for (size_t t = 0; t < states; ++t) next[t] = score[0] + steps[t], from[t] = 0;
        for (size_t s = 1; s < states; ++s)
            for (size_t t = 0; t < states; ++t) {
                const double reach = score[s] + steps[s * states + t];
                if (reach > next[t]) next[t] = reach, from[t] = static_cast<std::int32_t>(s);
            }
        for (size_t t = 0; t < states; ++t) score[t] = reading.seen[i * states + t] ? next[t] : -HUGE_VAL;
    }
    size_t best = 0;
    for (size_t s = 1; s < states; ++s)
        if (score[s] > score[best]) best = s;
    path[length] = static_cast<std::int64_t>(best);
    for (size_t i = length; i > 0; --i)
        path[i - 1] = came_from[(i - 1) * states + static_cast<size_t>(path[i])];
    return score[best];
}

}  // namespace cutpoint
