#include "sparse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "rows.hpp"

namespace cutpoint {
namespace {

using std::size_t;

constexpr size_t list_share = 8;                        // a list holds at most this part of the states
constexpr size_t kept_bytes = size_t{1} << 28;          // rows of a path beyond this are dropped, and made again
constexpr size_t spacing_in_tree = 128;                 // every so many rows of a path are kept even then

// A number value · 2^(256 exponent) that is not negative: see wide.hpp.
struct WideScalar {
    double value = 0.0;
    std::int64_t exponent = nothing;

    WideScalar() = default;
    explicit WideScalar(double number) { split(number, value, exponent); }
    WideScalar(double v, std::int64_t k) : value(v), exponent(k) { normalize(); }

    void normalize() {
        if (value >= 0x1p128) value *= 0x1p-256, ++exponent;
        else if (value > 0.0 && value < 0x1p-128) value *= 0x1p256, --exponent;
        if (value == 0.0) exponent = nothing;
    }
    WideScalar& operator+=(WideScalar other) {
        if (exponent < other.exponent) std::swap(*this, other);
        const std::int64_t apart = exponent - other.exponent;
        if (apart < 4) value += apart ? std::ldexp(other.value, static_cast<int>(-256 * apart)) : other.value;
        normalize();
        return *this;
    }
    friend WideScalar operator*(WideScalar a, WideScalar b) { return {a.value * b.value, a.exponent + b.exponent}; }
    friend WideScalar operator*(WideScalar a, double b) { return a * WideScalar(b); }
    friend WideScalar operator/(WideScalar a, WideScalar b) { return {a.value / b.value, a.exponent - b.exponent}; }
    bool operator==(double) const = delete;
};

inline bool positive(double x) { return x > 0.0; }
inline bool positive(WideScalar x) { return x.value > 0.0; }
inline bool zero(double x) { return x == 0.0; }
inline bool zero(WideScalar x) { return x.value == 0.0; }
inline double rounded(double x) { return x; }
inline double rounded(WideScalar x) {
    return std::ldexp(x.value, static_cast<int>(std::clamp<std::int64_t>(x.exponent, -8, 8)) * 256);
}
inline double logarithm(double x) { return std::log(x); }
inline double logarithm(WideScalar x) {
    return x.value > 0.0 ? std::log(x.value) + static_cast<double>(x.exponent) * 256.0 * std::log(2.0) : -HUGE_VAL;
}

// A row over the states: a list of those that it reaches, or one number for each.
template <class Number>
struct SparseRow {
    bool dense = false;
    std::vector<std::int32_t> at;  // empty if dense
    std::vector<Number> values;

    size_t bytes() const { return at.capacity() * sizeof(std::int32_t) + values.capacity() * sizeof(Number); }
    size_t state(size_t k) const { return dense ? k : static_cast<size_t>(at[k]); }

    // A row of numbers, in the form that is smaller.
    template <class Given>
    void set(const Given* numbers, size_t states) {
        size_t reached = 0;
        for (size_t s = 0; s < states; ++s) reached += !zero(numbers[s]);
        at.clear(), values.clear();
        dense = reached * list_share > states;
        if (!dense) at.reserve(reached), values.reserve(reached);
        for (size_t s = 0; s < states; ++s) {
            if (!dense && zero(numbers[s])) continue;
            if (!dense) at.push_back(static_cast<std::int32_t>(s));
            values.push_back(Number(numbers[s]));
        }
    }
    // Drop the entries that are 0 from a list.
    void close_up() {
        if (dense) return;
        size_t kept = 0;
        for (size_t k = 0; k < at.size(); ++k) {
            if (zero(values[k])) continue;
            at[kept] = at[k], values[kept] = values[k], ++kept;
        }
        at.resize(kept), values.resize(kept);
    }
    Number times(const double* column) const {
        Number total{};
        each([&](size_t, size_t s, Number x) { total += x * column[s]; });
        return total;
    }
    template <class Visit>
    void each(Visit visit) const {  // visit(place, state, number) for all that is not 0, states in their order
        for (size_t k = 0; k < values.size(); ++k)
            if (!zero(values[k])) visit(k, state(k), values[k]);
    }
};

// Steps of rows, with the memory that they need.
template <class Number>
class SparseSteps {
  public:
    explicit SparseSteps(const SparseMatrices& m)
        : matrices(m), sums(m.states), reached_(m.states / 64 + 1) {}

    const SparseMatrices& matrices;
    std::vector<Number> sums;  // one number for each state, 0 between any two uses

    void step(const SparseRow<Number>& from, size_t symbol, SparseRow<Number>& to) {
        const size_t states = matrices.states;
        const std::int64_t* starts = matrices.starts + symbol * states;
        if (from.dense) {
            to.values.assign(states, Number());
            Number* out = to.values.data();
            size_t used = 0;
            for (size_t s = 0; s < states; ++s) {
                const Number x = from.values[s];
                if (zero(x)) continue;
                used += static_cast<size_t>(starts[s + 1] - starts[s]);
                for (std::int64_t e = starts[s]; e < starts[s + 1]; ++e)
                    out[matrices.columns[e]] += x * matrices.values[e];
            }
            to.dense = true, to.at.clear();
            if (used * list_share < states) {  // so few were reached that a list will do
                std::vector<Number> row;
                row.swap(to.values);
                to.set(row.data(), states);
            }
            return;
        }
        reached_list_.clear();
        size_t low = reached_.size(), high = 0;
        for (size_t k = 0; k < from.at.size(); ++k) {
            const Number x = from.values[k];
            const size_t s = static_cast<size_t>(from.at[k]);
            for (std::int64_t e = starts[s]; e < starts[s + 1]; ++e) {
                const std::int32_t t = matrices.columns[e];
                const size_t word = static_cast<size_t>(t) / 64;
                const std::uint64_t bit = std::uint64_t{1} << (t % 64);
                if (!(reached_[word] & bit)) {
                    reached_[word] |= bit;
                    reached_list_.push_back(t);
                    low = std::min(low, word), high = std::max(high, word);
                }
                sums[static_cast<size_t>(t)] += x * matrices.values[e];
            }
        }
        to.dense = reached_list_.size() * list_share > states;
        if (to.dense) {
            to.at.clear();
            to.values.assign(sums.begin(), sums.end());
        } else {
            if (high < low + 4 * reached_list_.size()) {  // the bits are in order: no need to sort
                reached_list_.clear();
                for (size_t word = low; word <= high && low < reached_.size(); ++word)
                    for (std::uint64_t bits = reached_[word]; bits; bits &= bits - 1)
                        reached_list_.push_back(static_cast<std::int32_t>(word * 64) + std::countr_zero(bits));
            } else {
                std::sort(reached_list_.begin(), reached_list_.end());
            }
            to.at.assign(reached_list_.begin(), reached_list_.end());
            to.values.resize(to.at.size());
            for (size_t k = 0; k < to.at.size(); ++k) to.values[k] = sums[static_cast<size_t>(to.at[k])];
        }
        for (const std::int32_t t : reached_list_) {
            sums[static_cast<size_t>(t)] = Number();
            reached_[static_cast<size_t>(t) / 64] = 0;
        }
    }

  private:
    std::vector<std::uint64_t> reached_;  // one bit for each state
    std::vector<std::int32_t> reached_list_;
};

// A position on the way down: the forward row there, and on the way up the sum of the columns from below.
template <class Number>
struct Place {
    std::int32_t symbol = -1, mark = 0;
    SparseRow<Number> row;
    RowState state{1.0, 0.0, 0.0};
    std::vector<Number> column;  // beside row.values; empty: nothing came from below
    bool kept = false;           // whether the row is in memory
};

// Places 0 … count-1 of keys by their key, and where those of each key begin.
void sort_by(const std::int32_t* keys, size_t count, std::int32_t least, size_t n_keys,
             std::vector<std::int32_t>& places, std::vector<std::int32_t>& firsts) {
    places.resize(count), firsts.assign(n_keys + 1, 0);
    for (size_t k = 0; k < count; ++k) ++firsts[static_cast<size_t>(keys[k] - least)];
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    for (size_t k = count; k-- > 0;)
        places[static_cast<size_t>(--firsts[static_cast<size_t>(keys[k] - least)])] = static_cast<std::int32_t>(k);
}

// The E-step along the path of one word, or of the words below a node.
template <class Number>
class SparsePass {
  public:
    SparsePass(const SparseMachine& machine, const SparseEvidence& evidence, const SparseSums& sums, double* logs)
        : machine_(machine), evidence_(evidence), sums_(sums), logs_(logs), steps_(machine.steps) {}

    void resize(size_t depth) {
        if (path_.size() < depth) path_.resize(depth);
    }
    Place<Number>& place(size_t depth) { return path_[depth]; }

    // The row after one more symbol, or at the beginning of a word.
    void enter(size_t depth, std::int32_t symbol, std::int32_t mark) {
        Place<Number>& here = path_[depth];
        if (symbol >= 0) remember(depth - 1);
        here.symbol = symbol, here.mark = mark;
        here.column.clear();
        arrive(depth);
        // Where memory runs short rows are dropped, all but a few.
        if (held_ > kept_bytes && depth > 0 && (depth - 1) % spacing_in_tree) drop(path_[depth - 1]);
    }

    // An observation ends here: its log-probability, and the column with which its backward pass begins.
    void end(size_t depth, std::int64_t r) {
        Place<Number>& here = path_[depth];
        const bool* mask = evidence_.masks + static_cast<size_t>(evidence_.ends[r]) * machine_.steps.states;
        const bool certain = !machine_.stop && evidence_.full[evidence_.ends[r]];
        const auto ending = [&](size_t s) { return mask[s] ? (machine_.stop ? machine_.stop[s] : 1.0) : 0.0; };
        Number p{};
        here.row.each([&](size_t, size_t s, Number x) { p += x * ending(s); });
        if constexpr (std::is_same_v<Number, double>) {
            const bool possible = here.state.log > -HUGE_VAL;
            if (certain && possible) p = 1.0;
            const bool unsure = p > 0.0 ? here.state.lost > loss_allowed * p : here.state.lost > 0.0;
            if (unsure) p = std::numeric_limits<double>::quiet_NaN();
            else if (!possible) p = 0.0;
            logs_[r] = here.state.log + std::log(p);
        } else {
            logs_[r] = logarithm(p);
        }
        if (!positive(p) || !counts()) return;
        const Number share = Number(evidence_.weights[r] * evidence_.unit) / p;
        open(here);
        here.row.each([&](size_t k, size_t s, Number x) {
            const Number from_below = share * ending(s);
            here.column[k] += from_below;
            if (sums_.stops) sums_.stops[s] += rounded(from_below * x);
        });
    }

    // Back to the place above: counts of the entries that were used, and their column.
    void leave(size_t depth, size_t position) {
        Place<Number>& here = path_[depth];
        if (here.column.empty()) return;
        remember(depth);
        if (sums_.table)
            here.row.each([&](size_t k, size_t s, Number x) {
                sums_.table[position * machine_.steps.states + s] = rounded(x * here.column[k]);
            });
        if (here.symbol < 0) {
            here.row.each([&](size_t k, size_t s, Number x) { sums_.initial[s] += rounded(x * here.column[k]); });
            here.column.clear();
            return;
        }
        remember(depth - 1);
        Place<Number>& above = path_[depth - 1];
        open(above);
        // The column is 0 where the row is: elsewhere alone it is needed, and bounded.
        if (here.state.scale != 1.0)
            for (Number& value : here.column) value = scaled(value, here.state.scale);
        if (!here.row.dense)
            for (size_t k = 0; k < here.column.size(); ++k) steps_.sums[static_cast<size_t>(here.row.at[k])] = here.column[k];
        const Number* after = here.row.dense ? here.column.data() : steps_.sums.data();
        const SparseMatrices& m = machine_.steps;
        const std::int64_t* starts = m.starts + static_cast<size_t>(here.symbol) * m.states;
        above.row.each([&](size_t k, size_t s, Number x) {
            Number total{};
            for (std::int64_t e = starts[s]; e < starts[s + 1]; ++e) {
                const Number onward = after[m.columns[e]];
                total += onward * m.values[e];
                if (sums_.counts) sums_.counts[e] += counted(x, onward, e);
            }
            above.column[k] += total;
        });
        if (!here.row.dense)
            for (const std::int32_t t : here.row.at) steps_.sums[static_cast<size_t>(t)] = Number();
        here.column.clear();
    }

    // A whole word, in stretches of about the square root of its length.
    void word(const std::int32_t* symbols, const std::int32_t* marks, size_t length, std::int64_t r) {
        const size_t spacing = static_cast<size_t>(std::sqrt(static_cast<double>(length))) + 1;
        const auto mark = [&](size_t i) { return marks ? marks[i] : 0; };
        const auto local = [&](size_t i) { return i == 0 ? 0 : (i - 1) % spacing + 1; };
        resize(spacing + 1);
        std::vector<Place<Number>> checkpoints(1);
        enter(0, -1, mark(0));
        checkpoints[0] = path_[0];
        for (size_t i = 1; i <= length; ++i) {
            if (i > 1 && local(i) == 1) {
                path_[0].row = path_[spacing].row, path_[0].state = path_[spacing].state;
                if (counts()) checkpoints.push_back(path_[0]);
            }
            enter(local(i), symbols[i - 1], mark(i));
        }
        end(local(length), r);
        if (!counts() || path_[local(length)].column.empty()) return;
        for (size_t i = length; i > 0; --i) {
            leave(local(i), i);
            if (local(i) > 1 || i == 1) continue;
            std::vector<Number> column = std::move(path_[0].column);
            checkpoints.pop_back();
            path_[0] = checkpoints.back();
            for (size_t j = 1; j <= spacing; ++j) enter(j, symbols[i - 1 - spacing + j - 1], mark(i - 1 - spacing + j));
            path_[spacing].column = std::move(column);
        }
        path_[0].symbol = -1;
        leave(0, 0);
    }

    // A block of the prefix tree, depth first; `visit_end` does with each observation what is to be done at its end.
    template <class VisitEnd>
    void block(const Tree& tree, BlockPart which, VisitEnd visit_end) {
        const size_t b = which.block, first = static_cast<size_t>(tree.node_offsets[b]);
        const size_t nodes = static_cast<size_t>(tree.node_offsets[b + 1]) - first;
        std::vector<std::int32_t> symbols(nodes);
        const std::int64_t groups = tree.group_offsets[b + 1];
        for (std::int64_t g = tree.group_offsets[b]; g < groups; ++g) {
            const size_t stop = g + 1 < groups ? static_cast<size_t>(tree.group_starts[g + 1]) : nodes;
            for (size_t c = static_cast<size_t>(tree.group_starts[g]); c < stop; ++c) symbols[c] = tree.group_symbols[g];
        }
        // Children by their parent, and first those that have none; ends of observations by their node.
        std::vector<std::int32_t> children, first_child, ends, first_ends;
        sort_by(tree.parents + first, nodes, -1, nodes + 1, children, first_child);
        const size_t n_ends = static_cast<size_t>(tree.end_offsets[b + 1] - tree.end_offsets[b]);
        sort_by(tree.end_nodes + tree.end_offsets[b], n_ends, 0, nodes, ends, first_ends);
        std::vector<std::int32_t> next_child(first_child.begin(), first_child.end() - 1);
        std::vector<std::int32_t> way;  // nodes from a root to where the walk is
        const auto descend = [&](size_t c) {
            resize(way.size() + 1);
            enter(way.size(), symbols[c], tree.marks ? tree.marks[first + c] : 0);
            for (std::int32_t e = first_ends[c]; (which.part == 0 || !way.empty()) && e < first_ends[c + 1]; ++e)
                visit_end(way.size(), tree.end_words[tree.end_offsets[b] + ends[static_cast<size_t>(e)]]);
            way.push_back(static_cast<std::int32_t>(c));
        };
        size_t dealt = 0;  // children of the roots
        for (std::int32_t k = 0; k < first_child[1]; ++k) {
            descend(static_cast<size_t>(children[static_cast<size_t>(k)]));
            while (!way.empty()) {
                const size_t p = static_cast<size_t>(way.back()) + 1;
                if (next_child[p] == first_child[p + 1]) {
                    leave(way.size() - 1, 0);
                    way.pop_back();
                    continue;
                }
                const size_t c = static_cast<size_t>(children[static_cast<size_t>(next_child[p]++)]);
                if (way.size() > 1 || dealt++ % which.parts == which.part) descend(c);
            }
        }
    }

    bool conditioned = true;  // whether what was seen counts, and rows are scaled

  private:
    const SparseMachine& machine_;
    const SparseEvidence& evidence_;
    const SparseSums& sums_;
    double* logs_;
    SparseSteps<Number> steps_;
    std::vector<Place<Number>> path_;
    size_t held_ = 0;  // bytes of the rows of the path

    bool counts() const { return sums_.counts || sums_.table; }

    static double scaled(double x, double scale) { return x / scale; }
    static WideScalar scaled(WideScalar x, double) { return x; }
    static double counted(double x, double onward, std::int64_t) { return x * onward; }
    double counted(WideScalar x, WideScalar onward, std::int64_t e) const {
        return rounded(x * onward * machine_.steps.values[e]);
    }

    void open(Place<Number>& place) {
        if (place.column.empty()) place.column.assign(place.row.values.size(), Number());
    }
    void drop(Place<Number>& place) {
        held_ -= std::min(held_, place.row.bytes());
        place.row = SparseRow<Number>();
        place.kept = false;
    }
    // Make the row of a place again if it was dropped, and all on the way to it.
    void remember(size_t depth) {
        size_t from = depth;
        while (!path_[from].kept) --from;
        for (; from < depth; ++from) arrive(from + 1);
    }
    void arrive(size_t depth) {
        Place<Number>& here = path_[depth];
        held_ -= std::min(held_, here.row.bytes());
        if (here.symbol < 0) {
            here.row.set(machine_.initial, machine_.steps.states);
        } else {
            steps_.step(path_[depth - 1].row, static_cast<size_t>(here.symbol), here.row);
        }
        if (conditioned) condition(here, here.symbol < 0 ? RowState{1.0, 0.0, 0.0} : path_[depth - 1].state);
        held_ += here.row.bytes();
        here.kept = true;
    }
    void condition(Place<Number>& here, const RowState& before) const {
        const bool seen = !evidence_.full[here.mark];
        const bool* mask = evidence_.masks + static_cast<size_t>(here.mark) * machine_.steps.states;
        SparseRow<Number>& row = here.row;
        if constexpr (std::is_same_v<Number, double>) {
            RowState state{1.0, before.lost, before.log};
            bool gaps = false;
            if (seen || machine_.stop) {
                double sum = 0.0;
                for (size_t k = 0; k < row.values.size(); ++k) {
                    if (seen && !mask[row.state(k)]) row.values[k] = 0.0, gaps = true;
                    sum += row.values[k];
                }
                if (sum > 0.0) {
                    state.scale = sum;
                    for (double& value : row.values) value /= sum;
                    state.lost /= sum;
                    state.log += std::log(sum);
                } else {
                    state.lost = state.lost > 0.0 ? 1.0 : 0.0;
                    state.log = -HUGE_VAL;
                }
            }
            for (double& value : row.values)
                if (value < machine_.negligible) {
                    gaps |= value == 0.0;
                    if (value > 0.0) state.lost += value, value = 0.0, gaps = true;
                }
            if (gaps) row.close_up();
            here.state = state;
        } else if (seen) {
            for (size_t k = 0; k < row.values.size(); ++k)
                if (!mask[row.state(k)]) row.values[k] = Number();
            row.close_up();
        }
    }
};

template <class Number>
void expect_word(const SparseMachine& machine, const SparseEvidence& evidence, std::int64_t r, const SparseSums& sums,
                 double* logs) {
    SparsePass<Number> pass(machine, evidence, sums, logs);
    const std::int64_t start = evidence.offsets[r];
    pass.word(evidence.symbols + start, evidence.positions ? evidence.positions + start + r : nullptr,
              static_cast<size_t>(evidence.offsets[r + 1] - start), r);
}

}  // namespace

void sparse_expect(const SparseMachine& machine, const SparseEvidence& evidence, const Tree& tree, BlockPart block,
                   const SparseSums& sums, double* logs) {
    SparsePass<double> pass(machine, evidence, sums, logs);
    pass.block(tree, block, [&](size_t depth, std::int64_t r) { pass.end(depth, r); });
}

void sparse_expect_word(const SparseMachine& machine, const SparseEvidence& evidence, std::int64_t word,
                        const SparseSums& sums, double* logs, bool wide) {
    if (wide) expect_word<WideScalar>(machine, evidence, word, sums, logs);
    else expect_word<double>(machine, evidence, word, sums, logs);
}

void sparse_score(const SparseMachine& machine, const double* column, const Tree& tree, BlockPart block,
                  double* scores) {
    const SparseEvidence nothing_seen{};
    const SparseSums none{};
    SparsePass<double> pass(machine, nothing_seen, none, scores);
    pass.conditioned = false;
    pass.block(tree, block,
               [&](size_t depth, std::int64_t r) { scores[r] = pass.place(depth).row.times(column); });
}

void sparse_last_row(const SparseMachine& machine, const std::int32_t* word, size_t length, double* row) {
    SparseSteps<double> steps(machine.steps);
    SparseRow<double> here, next;
    here.set(machine.initial, machine.steps.states);
    for (size_t i = 0; i < length; ++i) {
        steps.step(here, static_cast<size_t>(word[i]), next);
        std::swap(here, next);
    }
    std::fill_n(row, machine.steps.states, 0.0);
    here.each([&](size_t, size_t s, double x) { row[s] = x; });
}

void sparse_forward(const SparseMachine& machine, const std::int32_t* word, size_t length, double* table) {
    const size_t states = machine.steps.states;
    SparseSteps<double> steps(machine.steps);
    SparseRow<double> here, next;
    here.set(machine.initial, states);
    std::fill_n(table, (length + 1) * states, 0.0);
    for (size_t i = 0; i <= length; ++i) {
        if (i > 0) {
            steps.step(here, static_cast<size_t>(word[i - 1]), next);
            std::swap(here, next);
        }
        here.each([&](size_t, size_t s, double x) { table[i * states + s] = x; });
    }
}

void sparse_backward(const SparseMatrices& m, const double* column, const std::int32_t* word, size_t length,
                     double* table) {
    std::copy_n(column, m.states, table + length * m.states);
    for (size_t i = length; i > 0; --i) {
        const std::int64_t* starts = m.starts + static_cast<size_t>(word[i - 1]) * m.states;
        const double* after = table + i * m.states;
        double* before = table + (i - 1) * m.states;
        for (size_t s = 0; s < m.states; ++s) {
            double total = 0.0;
            for (std::int64_t e = starts[s]; e < starts[s + 1]; ++e) total += m.values[e] * after[m.columns[e]];
            before[s] = total;
        }
    }
}

void sparse_filter(const SparseMachine& machine, const SparseEvidence& evidence, size_t first_word, size_t last_word,
                   const double* final, double* acceptances, double* logs, double* lost_out) {
    const size_t states = machine.steps.states;
    SparseSteps<double> steps(machine.steps);
    SparseRow<double> row, next;
    for (size_t r = first_word; r < last_word; ++r) {
        const size_t start = static_cast<size_t>(evidence.offsets[r]), first = start + r;
        const size_t length = static_cast<size_t>(evidence.offsets[r + 1]) - start;
        row.set(machine.initial, states);
        double lost = 0.0;
        bool possible = true;
        for (size_t i = 0; i <= length; ++i) {
            if (i > 0) {
                steps.step(row, static_cast<size_t>(evidence.symbols[start + i - 1]), next);
                std::swap(row, next);
            }
            acceptances[first + i] = possible ? row.times(final) : std::numeric_limits<double>::quiet_NaN();
            logs[first + i] = 0.0;
            const size_t mark = static_cast<size_t>(evidence.positions ? evidence.positions[first + i] : 0);
            const size_t last = i == length ? static_cast<size_t>(evidence.ends[r]) : 0;
            if (!evidence.full[mark] || !evidence.full[last]) {
                double sum = 0.0;
                for (size_t k = 0; k < row.values.size(); ++k) {
                    const size_t s = row.state(k);
                    if (!evidence.masks[mark * states + s] || !evidence.masks[last * states + s]) row.values[k] = 0.0;
                    sum += row.values[k];
                }
                logs[first + i] = std::log(sum);
                if (sum > 0.0) {
                    for (double& value : row.values) value /= sum;
                    lost /= sum;
                } else {
                    possible = false, lost = lost > 0.0 ? 1.0 : 0.0;
                }
            }
            for (double& value : row.values)
                if (value < machine.negligible) lost += value, value = 0.0;
            row.close_up();
        }
        lost_out[r] = lost;
    }
}

double sparse_best_path(const SparseMachine& machine, const std::int32_t* word, size_t length, const bool* seen,
                        std::int64_t* path) {
    const SparseMatrices& m = machine.steps;
    struct Reached {
        std::int32_t state, from;
    };
    std::vector<std::vector<Reached>> reached(length + 1);
    std::vector<double> score(m.states, -HUGE_VAL), next(m.states, -HUGE_VAL);
    std::vector<std::int32_t> from(m.states, -1);
    for (size_t s = 0; s < m.states; ++s)
        if (seen[s] && machine.initial[s] > 0.0)
            reached[0].push_back({static_cast<std::int32_t>(s), -1}), score[s] = std::log(machine.initial[s]);
    for (size_t i = 1; i <= length; ++i) {
        const std::int64_t* starts = m.starts + static_cast<size_t>(word[i - 1]) * m.states;
        std::vector<std::int32_t> found;
        for (const Reached& here : reached[i - 1]) {
            const size_t s = static_cast<size_t>(here.state);
            for (std::int64_t e = starts[s]; e < starts[s + 1]; ++e) {
                const size_t t = static_cast<size_t>(m.columns[e]);
                if (!seen[i * m.states + t] || !(m.values[e] > 0.0)) continue;
                const double reach = score[s] + std::log(m.values[e]);
                if (from[t] < 0) found.push_back(m.columns[e]);
                if (from[t] < 0 || reach > next[t]) next[t] = reach, from[t] = here.state;
            }
        }
        std::sort(found.begin(), found.end());
        for (const Reached& here : reached[i - 1]) score[static_cast<size_t>(here.state)] = -HUGE_VAL;
        for (const std::int32_t t : found) {
            const size_t at = static_cast<size_t>(t);
            reached[i].push_back({t, from[at]});
            score[at] = next[at], from[at] = -1;
        }
    }
    double best = -HUGE_VAL;
    std::int32_t last = 0;
    for (const Reached& here : reached[length]) {
        double total = score[static_cast<size_t>(here.state)];
        if (machine.stop) total += std::log(machine.stop[here.state]);
        if (total > best) best = total, last = here.state;
    }
    std::fill_n(path, length + 1, 0);
    for (size_t i = length + 1; best > -HUGE_VAL && i-- > 0;) {
        path[i] = last;
        const auto at = std::lower_bound(reached[i].begin(), reached[i].end(), last,
                                         [](const Reached& here, std::int32_t state) { return here.state < state; });
        last = at->from;
    }
    return best;
}

}  // namespace cutpoint
