// Python bindings of the kernels for sparse matrices; what they are given comes in through door.hpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bound_tree.hpp"
#include "machine.hpp"
#include "parallel.hpp"
#include "sparse.hpp"

namespace cutpoint {
namespace {

using std::size_t;

constexpr const char* pattern_name = "cutpoint.pattern";
constexpr size_t large_machine = 1 << 14;  // states from which a block of words is worth several tasks
constexpr size_t least_tasks = 16;         // into how many the few blocks of a large machine are dealt out

// Which entries are stored: checked once, and kept with the arrays by Python.
struct Pattern {
    size_t symbols, states;
    Offsets starts;
    Codes columns;
};

nb::capsule sparse_pattern(size_t n_symbols, size_t n_states, nb::handle starts, nb::handle columns) {
    const Codes at = array<const std::int32_t, 1>("columns", columns, {any});
    if (n_states == 0 || n_states > most_codes) refuse("states", "transitions");
    const Offsets first = array<const std::int64_t, 1>("starts", starts, {Matrices::size(n_symbols * n_states + 1)});
    const std::int64_t *rows = first.data(), count = Matrices::size(at.size());
    bool fits = rows[0] == 0 && rows[n_symbols * n_states] == count;
    for (size_t r = 0; fits && r < n_symbols * n_states; ++r) {
        fits = rows[r] <= rows[r + 1] && rows[r + 1] <= count;
        for (std::int64_t e = rows[r]; fits && e < rows[r + 1]; ++e)
            fits = at.data()[e] >= 0 && static_cast<size_t>(at.data()[e]) < n_states &&
                   (e == rows[r] || at.data()[e - 1] < at.data()[e]);
    }
    if (!fits) refuse("compressed_rows", "transitions", n_symbols, n_states, starts, columns);
    auto made = std::make_unique<Pattern>(Pattern{n_symbols, n_states, first, at});
    return nb::capsule(made.release(), pattern_name, [](void* p) noexcept { delete static_cast<Pattern*>(p); });
}

// Matrices, and what belongs to them.
struct Stored {
    const Pattern& pattern;
    Floats values;

    Stored(nb::handle which, nb::handle numbers)
        : pattern(found(which)), values(array<const double, 1>("values", numbers, {Matrices::size(pattern.columns.size())})) {}

    static const Pattern& found(nb::handle which) {
        if (!PyCapsule_IsValid(which.ptr(), pattern_name)) refuse("pattern", "pattern");
        return *static_cast<const Pattern*>(PyCapsule_GetPointer(which.ptr(), pattern_name));
    }
    std::int64_t states() const { return Matrices::size(pattern.states); }
    Floats column(const char* name, nb::handle value) const { return array<const double, 1>(name, value, {states()}); }
    Codes word(nb::handle symbols) const { return codes("symbols", symbols, any, pattern.symbols); }
    SparseMatrices view() const {
        return {pattern.symbols, pattern.states, pattern.starts.data(), pattern.columns.data(), values.data()};
    }
    // Operations of one step, about.
    size_t cost() const { return 64 + 4 * values.size() / std::max<size_t>(pattern.symbols, 1); }
};

// Parts of the blocks of a tree that tasks are made of: they depend on the data and the machine alone. There are no more of
// them than words, or than first steps that a word can take.
size_t parts_of(const PrefixTree& tree, size_t states) {
    if (states < large_machine || tree.blocks >= least_tasks) return 1;
    const size_t marks = std::max<size_t>(tree.marks, 1), most = std::min(tree.words, tree.symbols * marks * marks);
    return std::clamp<size_t>(most, 1, least_tasks / std::max<size_t>(tree.blocks, 1));
}

// Acceptance of every word. The words themselves are read only where there are long ones.
void sparse_acceptances(nb::handle pattern, nb::handle values, nb::handle initial, nb::handle column, nb::tuple arrays,
                        nb::handle symbols, nb::handle offsets, nb::handle out, size_t threads) {
    const Stored stored(pattern, values);
    const PrefixTree& tree = tree_of(arrays);
    if (tree.symbols > stored.pattern.symbols) refuse("code_of", "symbols", tree.symbols - 1, stored.pattern.symbols);
    const Floats row = stored.column("initial", initial), end = stored.column("column", column);
    const Codes word = stored.word(symbols);
    const Offsets at = cutpoint::offsets(offsets, word.size());
    if (at.size() != tree.words + 1) refuse("tree", "tree");
    const auto scores = array<double, 1>("out", out, {Matrices::size(tree.words)});
    apart("out", scores, word, at, stored.values, row, end);
    const SparseMachine machine{stored.view(), row.data(), nullptr, 0.0};
    const Array<std::int64_t>& long_words = tree.whole.long_words;
    nb::gil_scoped_release release;
    const size_t parts = parts_of(tree, stored.pattern.states), tasks = tree.blocks * parts;
    const size_t steps = tree.nodes + (long_words.empty() ? 0 : word.size());
    in_parallel(tasks + long_words.size(), useful_threads(threads, steps * stored.cost()), [&](size_t k, void*) {
        if (k < tasks) {
            tree.visit_blocks(k / parts, k / parts + 1, [&](const Tree& blocks, size_t block, size_t) {
                sparse_score(machine, end.data(), blocks, {block, k % parts, parts}, scores.data());
            });
            return;
        }
        const std::int64_t r = long_words[k - tasks];
        std::vector<double> last(stored.pattern.states);
        const size_t length = static_cast<size_t>(at.data()[r + 1] - at.data()[r]);
        sparse_last_row(machine, word.data() + at.data()[r], length, last.data());
        double total = 0.0;
        for (size_t s = 0; s < last.size(); ++s) total += last[s] * end.data()[s];
        scores.data()[r] = total;
    });
}

void sparse_distribution(nb::handle pattern, nb::handle values, nb::handle initial, nb::handle symbols, nb::handle out) {
    const Stored stored(pattern, values);
    const Floats row = stored.column("initial", initial);
    const Codes word = stored.word(symbols);
    const auto last = array<double, 1>("out", out, {stored.states()});
    apart("out", last, word, row, stored.values);
    nb::gil_scoped_release release;
    sparse_last_row({stored.view(), row.data(), nullptr, 0.0}, word.data(), word.size(), last.data());
}

// A table of n + 1 rows, forward from a row or backward from a column.
void sparse_table(nb::handle pattern, nb::handle values, nb::handle vector, nb::handle symbols, nb::handle table,
                  bool backward) {
    const Stored stored(pattern, values);
    const Floats begin = stored.column(backward ? "column" : "initial", vector);
    const Codes word = stored.word(symbols);
    const auto rows = array<double, 2>("table", table, {Matrices::size(word.size()) + 1, stored.states()});
    apart("table", rows, word, begin, stored.values);
    nb::gil_scoped_release release;
    if (backward) return cutpoint::sparse_backward(stored.view(), begin.data(), word.data(), word.size(), rows.data());
    sparse_forward({stored.view(), begin.data(), nullptr, 0.0}, word.data(), word.size(), rows.data());
}

double least_kept(const Stored& stored, const Floats& stop) {
    const double least = negligible(stored.values.data(), 1, stored.values.size());
    return stop.size() ? std::max(least, negligible(stop.data(), 1, stop.size())) : least;
}

std::vector<unsigned char> full_masks(const Masks& masks) {
    std::vector<unsigned char> full(masks.shape(0), 1);
    for (size_t k = 0; k < masks.size(); ++k) full[k / masks.shape(1)] &= masks.data()[k];
    return full;
}

// See expected_counts in module.cpp; counts are those of the stored entries. `wide`: the words one by one, in numbers
// whose exponents never run out; then `table_out`, if it has a size, gets the posterior of the states of the one word.
size_t sparse_expected_counts(nb::handle pattern, nb::handle numbers, nb::handle first, nb::handle ending,
                              nb::handle seen_by_mark, nb::handle word, nb::handle starts, nb::handle seen_at,
                              nb::handle word_ends, nb::handle counted_as, nb::object arrays, nb::handle counts_to,
                              nb::handle initial_to, nb::handle stop_to, nb::handle logs_to, nb::handle table_to,
                              size_t threads, bool wide) {
    const Stored stored(pattern, numbers);
    const size_t states = stored.pattern.states;
    if (!arrays.is_none() && !nb::isinstance<nb::tuple>(arrays)) refuse("tree", "tree");
    const PrefixTree* tree = arrays.is_none() ? nullptr : &tree_of(nb::borrow<nb::tuple>(arrays));
    const Floats initial = stored.column("initial", first);
    const Floats stop = array<const double, 1>("stop", ending, {any});
    if (stop.size() > 0) stored.column("stop", ending);
    const Masks masks = array<const bool, 2>("masks", seen_by_mark, {any, stored.states()});
    const Codes symbols = stored.word(word);
    const Offsets offsets = cutpoint::offsets(starts, symbols.size());
    const bool marked = !seen_at.is_none();
    const size_t words = tree ? tree->words : offsets.size() - 1;
    const std::int64_t count = Matrices::size(words);
    const Codes ends = codes("ends", word_ends, count, masks.shape(0));
    const Floats weights = array<const double, 1>("weights", counted_as, {count});
    const size_t n_long = tree ? tree->whole.long_words.size() : words;
    if (tree && tree->symbols > stored.pattern.symbols)
        refuse("code_of", "symbols", tree->symbols - 1, stored.pattern.symbols);
    if (tree && tree->marks > masks.shape(0)) refuse("code_of", "marks", tree->marks - 1, masks.shape(0));
    if (n_long && offsets.size() != words + 1) refuse("tree", "tree");
    const Codes positions =
        n_long && marked ? codes("marks", seen_at, Matrices::size(symbols.size()) + count, masks.shape(0)) : Codes();
    const auto counts_out = array<double, 1>("counts_out", counts_to, {any});
    const bool counted = counts_out.size() > 0;
    if (counted) array<double, 1>("counts_out", counts_to, {Matrices::size(stored.values.size())});
    const auto initial_out = array<double, 1>("initial_out", initial_to, {stored.states()});
    const auto stop_out = array<double, 1>("stop_out", stop_to, {Matrices::size(stop.size())});
    const auto logs_out = array<double, 1>("logs_out", logs_to, {count});
    const auto table_out = array<double, 2>("table_out", table_to, {any, any});
    double* table = table_out.size() ? table_out.data() : nullptr;
    if (table) array<double, 2>("table_out", table_to, {words == 1 ? Matrices::size(symbols.size()) + 1 : -2, stored.states()});
    const auto alone = [&](const char* name, const auto& out) {
        apart(name, out, symbols, offsets, ends, weights, stored.values, initial);
        if (n_long && marked) apart(name, out, positions);
    };
    alone("counts_out", counts_out), alone("initial_out", initial_out), alone("stop_out", stop_out);
    alone("logs_out", logs_out), alone("table_out", table_out);
    std::fill_n(initial_out.data(), initial_out.size(), 0.0);
    std::fill_n(stop_out.data(), stop_out.size(), 0.0);
    std::fill_n(counts_out.data(), counts_out.size(), 0.0);
    const double least = wide ? 0.0 : least_kept(stored, stop);
    if (least >= largest_negligible) {
        std::fill_n(logs_out.data(), words, std::numeric_limits<double>::quiet_NaN());
        return words;
    }
    const SparseMachine machine{stored.view(), initial.data(), stop.size() ? stop.data() : nullptr, least};
    const std::vector<unsigned char> full = full_masks(masks);
    const double scale = counted ? power_above(weights.data(), words) : 1.0;
    const SparseEvidence evidence{masks.data(),   full.data(),    ends.data(),    weights.data(), 1.0 / scale,
                                  symbols.data(), offsets.data(), n_long && marked ? positions.data() : nullptr};
    nb::gil_scoped_release release;
    const size_t parts = tree ? parts_of(*tree, states) : 1, units = tree ? tree->blocks * parts : 0;
    const size_t size = counts_out.size(), lane_size = size + 2 * states;
    const size_t lanes = lanes_for(units + n_long, lane_size);
    Aligned sums = zeros(lanes * lane_size);
    const size_t steps = (tree ? tree->nodes : 0) + (n_long ? symbols.size() : 0);
    in_parallel(lanes, useful_threads(threads, 3 * steps * stored.cost()), [&](size_t lane, void*) {
        double* at = sums.get() + lane * lane_size;
        const SparseSums to{counted ? at : nullptr, at + size, stop.size() ? at + size + states : nullptr, table};
        for (size_t k = lane * units / lanes; k < (lane + 1) * units / lanes; ++k)
            tree->visit_blocks(k / parts, k / parts + 1, [&](const Tree& blocks, size_t block, size_t) {
                sparse_expect(machine, evidence, blocks, {block, k % parts, parts}, to, logs_out.data());
            });
        for (size_t w = lane * n_long / lanes; w < (lane + 1) * n_long / lanes; ++w) {
            const std::int64_t r = tree ? tree->whole.long_words[w] : Matrices::size(w);
            sparse_expect_word(machine, evidence, r, to, logs_out.data(), wide);
        }
    });
    add_lanes(sums.get(), lanes, lane_size);
    for (size_t e = 0; e < size; ++e) counts_out.data()[e] = sums[e] * scale * (wide ? 1.0 : stored.values.data()[e]);
    for (size_t s = 0; s < states; ++s) initial_out.data()[s] = sums[size + s] * scale;
    for (size_t s = 0; s < stop_out.size(); ++s) stop_out.data()[s] = sums[size + states + s] * scale;
    const double* logs = logs_out.data();
    return static_cast<size_t>(std::count_if(logs, logs + words, [](double log) { return std::isnan(log); }));
}

void sparse_filtered(nb::handle pattern, nb::handle numbers, nb::handle first, nb::handle column, nb::handle seen_by_mark,
                     nb::handle word, nb::handle starts, nb::handle seen_at, nb::handle word_ends,
                     nb::handle acceptances_to, nb::handle logs_to, nb::handle lost_to, size_t threads) {
    const Stored stored(pattern, numbers);
    const Floats initial = stored.column("initial", first), final = stored.column("final", column);
    const Masks masks = array<const bool, 2>("masks", seen_by_mark, {any, stored.states()});
    const Codes symbols = stored.word(word);
    const Offsets offsets = cutpoint::offsets(starts, symbols.size());
    const size_t words = offsets.size() - 1;
    const std::int64_t places = Matrices::size(symbols.size() + words);
    const bool marked = !seen_at.is_none();
    const Codes marks = marked ? codes("marks", seen_at, places, masks.shape(0)) : Codes();
    const Codes ends = codes("ends", word_ends, Matrices::size(words), masks.shape(0));
    const auto acceptances = array<double, 1>("acceptances", acceptances_to, {places});
    const auto logs = array<double, 1>("logs", logs_to, {places});
    const auto lost = array<double, 1>("lost", lost_to, {Matrices::size(words)});
    apart("acceptances", acceptances, logs, lost, symbols, offsets, ends), apart("logs", logs, lost, symbols, offsets, ends);
    apart("lost", lost, symbols, offsets, ends);
    if (marked) apart("acceptances", acceptances, marks), apart("logs", logs, marks), apart("lost", lost, marks);
    const std::vector<unsigned char> full = full_masks(masks);
    const SparseMachine machine{stored.view(), initial.data(), nullptr, least_kept(stored, Floats())};
    const SparseEvidence evidence{masks.data(),   full.data(),    ends.data(), nullptr, 1.0,
                                  symbols.data(), offsets.data(), marked ? marks.data() : nullptr};
    nb::gil_scoped_release release;
    const size_t tasks = (words + words_per_task - 1) / words_per_task;
    in_parallel(tasks, useful_threads(threads, static_cast<size_t>(places) * stored.cost()), [&](size_t task, void*) {
        sparse_filter(machine, evidence, task * words_per_task, std::min((task + 1) * words_per_task, words), final.data(),
                      acceptances.data(), logs.data(), lost.data());
    });
}

double sparse_most_likely_path(nb::handle pattern, nb::handle numbers, nb::handle first, nb::handle ending,
                               nb::handle symbols, nb::handle seen, nb::handle path) {
    const Stored stored(pattern, numbers);
    const Floats initial = stored.column("initial", first);
    const Floats stop = array<const double, 1>("stop", ending, {any});
    if (stop.size() > 0) stored.column("stop", ending);
    const Codes word = stored.word(symbols);
    const std::int64_t positions = Matrices::size(word.size()) + 1;
    const Masks masks = array<const bool, 2>("seen", seen, {positions, stored.states()});
    const auto states = array<std::int64_t, 1>("path", path, {positions});
    apart("path", states, word);
    const SparseMachine machine{stored.view(), initial.data(), stop.size() ? stop.data() : nullptr, 0.0};
    nb::gil_scoped_release release;
    return sparse_best_path(machine, word.data(), word.size(), masks.data(), states.data());
}

}  // namespace

void bind_sparse(nb::module_& module) {
    using namespace nb::literals;
    module.def("sparse_pattern", &sparse_pattern);
    module.def("sparse_acceptances", &sparse_acceptances);
    module.def("sparse_distribution", &sparse_distribution);
    module.def("sparse_table", &sparse_table);
    module.def("sparse_expected_counts", &sparse_expected_counts, "pattern"_a, "values"_a, "initial"_a, "stop"_a,
               "masks"_a, "symbols"_a, "offsets"_a, "marks"_a.none(), "ends"_a, "weights"_a, "tree"_a.none(),
               "counts_out"_a, "initial_out"_a, "stop_out"_a, "logs_out"_a, "table_out"_a, "threads"_a, "wide"_a);
    module.def("sparse_filtered", &sparse_filtered, "pattern"_a, "values"_a, "initial"_a, "final"_a, "masks"_a,
               "symbols"_a, "offsets"_a, "marks"_a.none(), "ends"_a, "acceptances"_a, "logs"_a, "lost"_a, "threads"_a);
    module.def("sparse_most_likely_path", &sparse_most_likely_path);
}

}  // namespace cutpoint
