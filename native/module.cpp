// Python bindings: arrays in, arrays out, the GIL released while the kernels run. All arrays come in through door.hpp.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "climb.hpp"
#include "door.hpp"
#include "encode.hpp"
#include "kernels.hpp"
#include "machine.hpp"
#include "merging.hpp"
#include "bound_tree.hpp"
#include "parallel.hpp"
#include "tables.hpp"
#include "tree.hpp"

namespace cutpoint {

const Kernels& best_kernels() {
#ifdef CUTPOINT_X86
    static const Kernels& best = [&]() -> const Kernels& {
        const char* limit = std::getenv("CUTPOINT_ISA");  // for tests: the most that may be used
        const std::string most = limit && *limit ? limit : "x86-64-v4";
        const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512cd");
        if (v4 && most == kernels_v4.name) return kernels_v4;
        if (v3 && (most == kernels_v4.name || most == kernels_v3.name)) return kernels_v3;
        return kernels_baseline;
    }();
    return best;
#else
    return kernels_baseline;
#endif
}

}  // namespace cutpoint

namespace {

using namespace cutpoint;
using std::size_t;

// Acceptance of each word. A task looks at the offsets and symbols of its words just before it scores them, while they are
// in the cache; where one is out of range, nothing more is scored, and the answer is false.
bool score(const Matrices& transitions, nb::handle initial, nb::handle column, const Codes& symbols,
           const std::int64_t* offsets, size_t words, double* out, size_t threads) {
    const Floats row = transitions.column("initial", initial), end = transitions.column("column", column);
    const size_t states = transitions.states;
    const PaddedMachine machine(transitions.data(), row.data(), transitions.symbols, states, 0.0, false, 0.0);
    Aligned padded_column = zeros(machine.view.stride);
    std::memcpy(padded_column.get(), end.data(), states * sizeof(double));
    nb::gil_scoped_release release;
    const size_t tasks = (words + words_per_task - 1) / words_per_task;
    const size_t operations = symbols.size() * (2 * states * states + 32);
    std::atomic<bool> known{true};
    in_parallel(tasks, useful_threads(threads, operations), [&](size_t task, void* memory) {
        const Kernels& kernels = best_kernels();
        const size_t first = task * words_per_task, last = std::min(first + words_per_task, words);
        const bool ordered = ascend(offsets, first, last) && static_cast<size_t>(offsets[last]) <= symbols.size();
        const size_t count = ordered ? static_cast<size_t>(offsets[last] - offsets[first]) : 0;
        if (!ordered || !kernels.within(symbols.data() + offsets[first], count, 0, transitions.symbols)) known = false;
        if (known) kernels.score(machine.view, padded_column.get(), symbols.data(), offsets, first, last, out, memory);
    });
    return known;
}

void acceptances(nb::handle transitions, nb::handle initial, nb::handle column, nb::handle symbols, nb::handle offsets,
                 nb::handle out, size_t threads) {
    const Matrices matrices(transitions);
    const Codes word = array<const std::int32_t, 1>("symbols", symbols, {any});
    const Offsets at = offsets_to_check(offsets, word.size());
    const size_t words = at.size() - 1;
    const auto scores = array<double, 1>("out", out, {Matrices::size(words)});
    apart("out", scores, word, at);
    if (score(matrices, initial, column, word, at.data(), words, scores.data(), threads)) return;
    cutpoint::offsets(offsets, word.size());
    refuse("codes", "symbols", symbols, matrices.symbols, 0);
}

double acceptance(nb::handle transitions, nb::handle initial, nb::handle column, nb::handle symbols) {
    const Matrices matrices(transitions);
    const Codes word = array<const std::int32_t, 1>("symbols", symbols, {any});
    const std::int64_t at[] = {0, Matrices::size(word.size())};
    double result = 0.0;
    if (!score(matrices, initial, column, word, at, 1, &result, 1))
        refuse("codes", "symbols", symbols, matrices.symbols, 0);
    return result;
}

// The arrays of a whole tree for Python to look at, and last the tree itself, for the kernels: to ask NumPy for
// fourteen arrays takes longer than a small E-step.
nb::tuple python_tree(std::unique_ptr<PrefixTree> made) {
    const TreeArrays& tree = made->whole;
    const bool whole = !made->make_block;
    const nb::capsule owner(made.release(), tree_name, [](void* p) noexcept { delete static_cast<PrefixTree*>(p); });
    if (!whole) return nb::make_tuple(owner);
    const auto shown = [&]<class T>(const Array<T>& values) {
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner);
    };
    return nb::make_tuple(shown(tree.node_offsets), shown(tree.parents), shown(tree.marks), shown(tree.group_offsets),
                          shown(tree.group_symbols), shown(tree.group_starts), shown(tree.edges),
                          shown(tree.run_offsets), shown(tree.run_symbols), shown(tree.run_starts),
                          shown(tree.end_offsets), shown(tree.end_nodes), shown(tree.end_words), shown(tree.long_words),
                          owner);
}

// Number of codes, if the largest is the last.
template <class Code>
size_t size_of(const Code* codes, size_t count) {
    return count ? static_cast<size_t>(*std::max_element(codes, codes + count)) + 1 : 0;
}

nb::tuple prefix_tree(nb::handle symbols, nb::handle offsets, nb::handle marks) {
    const Codes word = codes("symbols", symbols, any, most_codes);
    const Offsets at = cutpoint::offsets(offsets, word.size());
    auto made = std::make_unique<PrefixTree>();
    made->words = at.size() - 1;
    const Codes positions = marks.is_none() ? Codes() : codes("marks", marks, Matrices::size(word.size() + made->words), most_codes);
    {
        nb::gil_scoped_release release;
        made->symbols = size_of(word.data(), word.size());
        made->marks = marks.is_none() ? 1 : size_of(positions.data(), positions.size());
        made->whole = build_tree(word.data(), at.data(), marks.is_none() ? nullptr : positions.data(), made->words,
                                 made->symbols, made->marks);
    }
    made->blocks = made->whole.node_offsets.size() - 1, made->nodes = made->whole.parents.size();
    return python_tree(std::move(made));
}

// Integers of one, two or four bytes; the first two kinds have no sign.
using AnyCodes = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

AnyCodes narrow_codes(const char* name, nb::handle value) {
    AnyCodes found;
    const bool fits = nb::try_cast(value, found, false) &&
                      (found.dtype() == nb::dtype<std::uint8_t>() || found.dtype() == nb::dtype<std::uint16_t>() ||
                       found.dtype() == nb::dtype<std::int32_t>()) &&
                      reinterpret_cast<std::uintptr_t>(found.data()) % found.itemsize() == 0;
    if (!fits) refuse("array", name, value, "uint8, uint16, int32", nb::make_tuple(any));
    return found;
}

// Front-coded words as the blocks of a tree; false if they are not well formed.
template <class Code>
bool set_blocks(PrefixTree& tree, const AnyCodes& codes, const std::int32_t* marks, const AnyCodes& shared,
                const AnyCodes& lengths, const Offsets& block_words) {
    const auto narrow = [](const AnyCodes& values) { return NarrowArray{values.data(), values.itemsize()}; };
    CodedWords<Code> words{static_cast<const Code*>(codes.data()), marks, narrow(shared), narrow(lengths),
                           nullptr, block_words.data(), nullptr, 0};
    if (!well_formed(words, tree.words, tree.blocks, tree.nodes, tree.block_nodes)) return false;
    if (tree.nodes && *std::min_element(words.codes, words.codes + tree.nodes) < Code{0}) return false;
    const size_t size = size_of(words.codes, tree.nodes);
    if (size > most_codes) return false;
    words.block_nodes = tree.block_nodes.data(), words.n_symbols = tree.symbols = size ? size - 1 : 0;
    tree.make_block = [words](size_t k, BlockMemory& memory, TreeArrays& block) { add_block(words, k, memory, block); };
    return true;
}

nb::tuple coded_tree(nb::handle nodes, nb::handle marks, nb::handle shares, nb::handle sizes, nb::handle blocks,
                     bool whole) {
    const AnyCodes codes = narrow_codes("codes", nodes), shared = narrow_codes("shared", shares);
    const AnyCodes lengths = narrow_codes("lengths", sizes);
    const Offsets block_words = array<const std::int64_t, 1>("block_words", blocks, {any});
    auto made = std::make_unique<PrefixTree>();
    made->words = lengths.size(), made->nodes = codes.size(), made->blocks = block_words.size() - 1;
    const Codes node_marks = marks.is_none() ? Codes() : cutpoint::codes("marks", marks, Matrices::size(made->nodes), most_codes);
    made->marks = marks.is_none() ? 1 : size_of(node_marks.data(), node_marks.size());
    const auto set = codes.itemsize() == 1   ? set_blocks<std::uint8_t>
                     : codes.itemsize() == 2 ? set_blocks<std::uint16_t>
                                             : set_blocks<std::int32_t>;
    if (block_words.size() == 0 || shared.size() != lengths.size() ||
        !set(*made, codes, marks.is_none() ? nullptr : node_marks.data(), shared, lengths, block_words))
        refuse("front_coded", "words");
    if (whole) {
        nb::gil_scoped_release release;
        BlockMemory memory;
        made->whole.reserve(made->nodes, lengths.shape(0));
        for (size_t k = 0; k < made->blocks; ++k) made->make_block(k, memory, made->whole);
        made->make_block = nullptr;
    } else {
        made->coded = nb::make_tuple(codes, node_marks, shared, lengths, block_words);
    }
    return python_tree(std::move(made));
}

// A vector as an array that owns it.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> owned(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

nb::tuple merged(nb::handle symbols, nb::handle offsets, nb::handle labels, nb::handle weights, size_t n_symbols,
                 nb::handle pseudo, size_t n_states, size_t width, size_t most_rounds, double least, size_t most_nodes) {
    if (n_symbols > most_codes) refuse("alphabet", "n_symbols", n_symbols);
    const Codes word = codes("symbols", symbols, any, n_symbols);
    const Offsets at = cutpoint::offsets(offsets, word.size());
    const size_t count = at.size() - 1;
    const Floats prior = array<const double, 1>("pseudo", pseudo, {any});
    const Codes seen = codes("labels", labels, Matrices::size(word.size() + count), prior.size(), -1);
    const Floats counted = array<const double, 1>("weights", weights, {Matrices::size(count)});
    MergedMachine machine;
    try {
        nb::gil_scoped_release release;
        const LabelledWords words{word.data(), at.data(), seen.data(), counted.data(), count, n_symbols};
        machine = merged_machine(words, {prior.data(), prior.data() + prior.size()}, n_states, width, most_rounds, least,
                                 std::min<size_t>(most_nodes, INT32_MAX));
    } catch (const std::length_error&) {
        refuse("prefixes", "words", most_nodes);
    }
    return nb::make_tuple(owned(std::move(machine.table)), owned(std::move(machine.counts)));
}

// What was seen of a sample, as an E-step reads it.
struct SeenWords {
    const PrefixTree& tree;
    const Matrices& shape;
    const Masks masks;
    const Codes ends;
    const Floats weights;
    // The words themselves are read only where there are long ones: they must be those that the tree was made of.
    const bool read, marked;
    const Codes symbols;
    const Offsets offsets;
    const Codes positions;
    const double scale;

    SeenWords(const Matrices& transitions, nb::handle seen_by_mark, nb::handle word, nb::handle starts,
              nb::handle seen_at, nb::handle word_ends, nb::handle counted_as, const nb::tuple& arrays)
        : tree(tree_of(arrays)), shape(transitions),
          masks(array<const bool, 2>("masks", seen_by_mark, {any, Matrices::size(shape.states)})),
          ends(codes("ends", word_ends, Matrices::size(tree.words), masks.shape(0))),
          weights(array<const double, 1>("weights", counted_as, {Matrices::size(tree.words)})),
          read(!tree.whole.long_words.empty()), marked(read && !seen_at.is_none()),
          symbols(read ? codes("symbols", word, any, shape.symbols) : Codes()),
          offsets(read ? cutpoint::offsets(starts, symbols.size()) : Offsets()),
          positions(marked ? codes("marks", seen_at, Matrices::size(symbols.size() + tree.words), masks.shape(0)) : Codes()),
          scale(power_above(weights.data(), weights.size())) {
        if (tree.symbols > shape.symbols) refuse("code_of", "symbols", tree.symbols - 1, shape.symbols);
        if (tree.marks > masks.shape(0)) refuse("code_of", "marks", tree.marks - 1, masks.shape(0));
        if (read && offsets.size() != tree.words + 1) refuse("tree", "tree");
    }

    void alone(const char* name, const auto& out) const {
        apart(name, out, ends, weights);
        if (read) apart(name, out, symbols, offsets);
        if (marked) apart(name, out, positions);
    }

    // The E-step, without the GIL. Returns the number of observations that plain floats do not reach: their logarithm
    // is NaN, and they are not counted. `stop` and `stop_out` are null unless the machine is a generator, `counts_out`
    // if only the logarithms are wanted.
    size_t e_step(const double* transitions, const double* initial, const double* stop, double* counts_out,
                  double* initial_out, double* stop_out, double* logs, size_t threads) const {
        const size_t states = shape.states, n_long = tree.whole.long_words.size();
        double least = negligible(transitions, shape.symbols * states, states);
        if (stop) least = std::max(least, negligible(stop, 1, states));
        if (least >= largest_negligible) {
            if (counts_out) std::fill_n(counts_out, shape.values.size(), 0.0);
            std::fill_n(initial_out, states, 0.0);
            if (stop) std::fill_n(stop_out, states, 0.0);
            std::fill_n(logs, tree.words, std::numeric_limits<double>::quiet_NaN());
            return tree.words;
        }
        const PaddedMachine machine(transitions, initial, shape.symbols, states, least, counts_out,
                                    stop ? watched_below : 0.0);
        const size_t stride = machine.view.stride;
        const PaddedMasks seen(masks.data(), masks.shape(0), machine.view);
        const PaddedMasks columns(masks.data(), stop ? masks.shape(0) : 0, machine.view, stop);
        const PaddedMasks& endings = stop ? columns : seen;
        const Evidence evidence{seen.masks.get(), seen.full.data(), endings.masks.get(), endings.full.data(),
                                ends.data(),      weights.data(),   1.0 / scale,         symbols.data(),
                                offsets.data(),   marked ? positions.data() : nullptr};
        const size_t size = counts_out ? shape.symbols * stride * stride : 0;
        const size_t lanes = lanes_for(tree.blocks + n_long, size), lane_size = size + 2 * stride;
        Aligned sums = zeros(lanes * lane_size);
        const size_t steps = n_long ? symbols.size() : tree.nodes;
        in_parallel(lanes, useful_threads(threads, steps * (6 * states * states + 64)), [&](size_t k, void* memory) {
            const Kernels& kernels = best_kernels();
            double* at = sums.get() + k * lane_size;
            const Lane lane{counts_out ? at : nullptr, at + size, stop ? at + size + stride : nullptr};
            tree.visit_blocks(k * tree.blocks / lanes, (k + 1) * tree.blocks / lanes,
                              [&](const Tree& blocks, size_t first, size_t last) {
                                  kernels.expect(machine.view, blocks, evidence, first, last, lane, logs, memory);
                              });
            for (size_t w = k * n_long / lanes; w < (k + 1) * n_long / lanes; ++w)
                kernels.expect_long(machine.view, evidence, tree.whole.long_words[w], lane, logs, memory);
        });
        const auto left_out = std::count_if(logs, logs + tree.words, [](double log) { return std::isnan(log); });
        if (!counts_out) return static_cast<size_t>(left_out);
        add_lanes(sums.get(), lanes, lane_size);
        for (size_t a = 0; a < shape.symbols; ++a)
            for (size_t s = 0; s < states; ++s)
                for (size_t t = 0; t < states; ++t, ++transitions)  // what cannot happen is 0, whatever its sum has grown to
                    *counts_out++ = *transitions > 0.0 ? *transitions * sums[(a * stride + s) * stride + t] * scale : 0.0;
        for (size_t s = 0; s < states; ++s) initial_out[s] = sums[size + s] * scale;
        for (size_t s = 0; stop && s < states; ++s) stop_out[s] = sums[size + stride + s] * scale;
        return static_cast<size_t>(left_out);
    }
};

// A generator has a probability to stop in each state; of an acceptor `stop` and `stop_out` are empty.
size_t expected_counts(nb::handle matrices, nb::handle first, nb::handle ending, nb::handle seen_by_mark, nb::handle word,
                       nb::handle starts, nb::handle seen_at, nb::handle word_ends, nb::handle counted_as,
                       nb::tuple arrays, nb::handle counts_to, nb::handle initial_to, nb::handle stop_to,
                       nb::handle logs_to, size_t threads) {
    const Matrices transitions(matrices);
    const SeenWords words(transitions, seen_by_mark, word, starts, seen_at, word_ends, counted_as, arrays);
    const std::int64_t n = Matrices::size(transitions.states);
    const Floats initial = transitions.column("initial", first);
    const Floats stop = array<const double, 1>("stop", ending, {any});
    const bool generator = stop.size() > 0;
    if (generator && stop.size() != transitions.states) transitions.column("stop", ending);
    auto counts_out = array<double, 3>("counts_out", counts_to, {any, any, any});
    const bool counted = counts_out.size() > 0 || transitions.symbols == 0;
    if (counted) array<double, 3>("counts_out", counts_to, {Matrices::size(transitions.symbols), n, n});
    auto initial_out = array<double, 1>("initial_out", initial_to, {n});
    auto stop_out = array<double, 1>("stop_out", stop_to, {Matrices::size(stop.size())});
    auto logs_out = array<double, 1>("logs_out", logs_to, {Matrices::size(words.tree.words)});
    words.alone("counts_out", counts_out), words.alone("initial_out", initial_out), words.alone("stop_out", stop_out);
    words.alone("logs_out", logs_out);
    double none = 0.0;  // where there are no symbols, counts have no place of their own
    double* counts = transitions.symbols ? counts_out.data() : &none;
    nb::gil_scoped_release release;
    return words.e_step(transitions.data(), initial.data(), generator ? stop.data() : nullptr, counted ? counts : nullptr,
                        initial_out.data(), stop_out.data(), logs_out.data(), threads);
}

// Accelerated steps of Baum-Welch, until so many E-steps are done, an EM step gains no more than `least_gain`, or plain
// floats do not do. In and out: parameters and their counts, `numbers` (log-likelihood, objective, cap and gain). Where
// the objective is NaN, the E-step at the place itself comes first, and it stays NaN if that cannot be done.
// Returns the number of E-steps; `history` has the best objective after each.
size_t climb(nb::handle matrices, nb::handle first, nb::handle counts, nb::handle first_counts, nb::handle pseudo,
             nb::handle first_pseudo, nb::handle numbers_in_out, nb::handle history_to, bool learn_initial,
             double least_gain, nb::handle seen_by_mark, nb::handle word, nb::handle starts, nb::handle seen_at,
             nb::handle word_ends, nb::handle counted_as, nb::tuple arrays, size_t threads) {
    const Matrices transitions(matrices);
    const SeenWords words(transitions, seen_by_mark, word, starts, seen_at, word_ends, counted_as, arrays);
    const std::int64_t n = Matrices::size(transitions.states), symbols = Matrices::size(transitions.symbols);
    const auto rows = array<double, 3>("transitions", matrices, {symbols, n, n});
    const auto initial = array<double, 1>("initial", first, {n});
    const auto expected = array<double, 3>("counts", counts, {symbols, n, n});
    const auto expected_first = array<double, 1>("initial_counts", first_counts, {n});
    const auto prior = array<const double, 3>("pseudo", pseudo, {symbols, n, n});
    const Floats prior_first = transitions.column("initial_pseudo", first_pseudo);
    const auto numbers = array<double, 1>("numbers", numbers_in_out, {4});
    const auto history = array<double, 1>("history", history_to, {any});
    words.alone("transitions", rows), words.alone("initial", initial), words.alone("counts", expected);
    words.alone("initial_counts", expected_first), words.alone("numbers", numbers), words.alone("history", history);
    nb::gil_scoped_release release;
    const auto joined = [](const auto& of_rows, const auto& of_initial) {
        std::vector<double> all(of_rows.data(), of_rows.data() + of_rows.size());
        all.insert(all.end(), of_initial.data(), of_initial.data() + of_initial.size());
        return all;
    };
    const size_t size = rows.size();
    std::vector<double> logs(words.tree.words);
    auto e_step = [&](const double* at, double* to, double& log_likelihood) {
        if (words.e_step(at, at + size, nullptr, to, to + size, nullptr, logs.data(), threads)) return false;
        log_likelihood = 0.0;
        for (size_t r = 0; r < logs.size(); ++r) log_likelihood += words.weights.data()[r] * logs[r];
        return true;
    };
    const std::vector<double> all_pseudo = joined(prior, prior_first);
    Place here{joined(rows, initial), joined(expected, expected_first), numbers.data()[0], numbers.data()[1]};
    Climb climb(transitions.states, all_pseudo.data(), learn_initial, here, e_step);
    climb.cap = numbers.data()[2], climb.gain = numbers.data()[3];
    const size_t most = history.size();
    const bool begun = !std::isnan(here.objective) || climb.begin();
    if (!begun) here.objective = std::numeric_limits<double>::quiet_NaN();
    while (begun && climb.history.size() + climb.most_steps <= most && climb.step() && climb.gain > least_gain) {}
    std::copy(climb.history.begin(), climb.history.end(), history.data());
    const auto part = [&](const std::vector<double>& all, const auto& of_rows, const auto& of_initial) {
        std::copy_n(all.data(), size, of_rows.data()), std::copy_n(all.data() + size, of_initial.size(), of_initial.data());
    };
    part(here.rows, rows, initial), part(here.counts, expected, expected_first);
    numbers.data()[0] = here.log_likelihood, numbers.data()[1] = here.objective;
    numbers.data()[2] = climb.cap, numbers.data()[3] = climb.gain;
    return climb.history.size();
}

// The E-step in numbers of any size, word by word: counts, or of one word the posterior of its states in `table_to`.
// What is not wanted has size 0.
void expect_wide(nb::handle matrices, nb::handle first, nb::handle ending, nb::handle seen_by_mark, nb::handle word,
                 nb::handle starts, nb::handle seen_at, nb::handle word_ends, nb::handle counted_as,
                 nb::handle counts_to, nb::handle initial_to, nb::handle stop_to, nb::handle table_to,
                 nb::handle fractions_to, nb::handle exponents_to, size_t threads) {
    const Matrices transitions(matrices);
    const size_t states = transitions.states, n_symbols = transitions.symbols;
    const std::int64_t n = Matrices::size(states);
    const Floats initial = transitions.column("initial", first);
    const Floats stop = array<const double, 1>("stop", ending, {any});
    const bool generator = stop.size() > 0;
    if (generator) transitions.column("stop", ending);
    const Codes symbols = codes("symbols", word, any, n_symbols);
    const Offsets offsets = cutpoint::offsets(starts, symbols.size());
    const size_t count = offsets.size() - 1;
    const std::int64_t words = Matrices::size(count), n_positions = Matrices::size(symbols.size() + count);
    const Masks masks = array<const bool, 2>("masks", seen_by_mark, {any, n});
    const bool marked = !seen_at.is_none();
    const Codes marks = marked ? codes("marks", seen_at, n_positions, masks.shape(0)) : Codes();
    const Codes ends = codes("ends", word_ends, words, masks.shape(0));
    const Floats weights = array<const double, 1>("weights", counted_as, {words});
    const auto counts_out = array<double, 3>("counts_out", counts_to, {any, any, any});
    const bool counted = counts_out.size() > 0;
    if (counted) array<double, 3>("counts_out", counts_to, {Matrices::size(n_symbols), n, n});
    const auto initial_out = array<double, 1>("initial_out", initial_to, {n});
    const auto stop_out = array<double, 1>("stop_out", stop_to, {Matrices::size(stop.size())});
    const auto table_out = array<double, 2>("table_out", table_to, {any, any});
    double* table = table_out.size() ? table_out.data() : nullptr;
    if (table) array<double, 2>("table_out", table_to, {count == 1 ? n_positions : -2, n});
    const auto fractions_out = array<double, 1>("fractions_out", fractions_to, {words});
    const auto exponents_out = array<std::int64_t, 1>("exponents_out", exponents_to, {words});
    const auto alone = [&](const char* name, const auto& out) {
        apart(name, out, symbols, offsets, ends, masks);
        if (marked) apart(name, out, marks);
    };
    alone("counts_out", counts_out), alone("initial_out", initial_out), alone("stop_out", stop_out);
    alone("table_out", table_out), alone("fractions_out", fractions_out), alone("exponents_out", exponents_out);

    const PaddedWideMachine machine(transitions.data(), initial.data(), generator ? stop.data() : nullptr, n_symbols,
                                    states, counted || table);
    const double scale = counted ? power_above(weights.data(), weights.size()) : 1.0;
    std::vector<double> shares(weights.data(), weights.data() + count);
    for (double& share : shares) share /= scale;
    const WideWords seen{symbols.data(), offsets.data(), marked ? marks.data() : nullptr, ends.data(),
                         masks.data(),   shares.data()};
    const size_t stride = machine.view.stride, size = counted ? n_symbols * stride * stride : 0;
    const size_t lanes = lanes_for(count, size), lane_size = size + 2 * stride;
    Aligned sums = zeros(lanes * lane_size);
    nb::gil_scoped_release release;
    in_parallel(lanes, useful_threads(threads, symbols.size() * 16 * states * states), [&](size_t k, void* memory) {
        double* at = sums.get() + k * lane_size;
        const Lane lane{counted ? at : nullptr, at + size, generator ? at + size + stride : nullptr};
        for (size_t r = k * count / lanes; r < (k + 1) * count / lanes; ++r)
            best_kernels().expect_wide(machine.view, seen, Matrices::size(r),
                                       {fractions_out.data(), exponents_out.data(), lane, table}, memory);
    });
    add_lanes(sums.get(), lanes, lane_size);
    double* out = counts_out.data();
    for (size_t a = 0; counted && a < n_symbols; ++a)
        for (size_t s = 0; s < states; ++s)
            for (size_t t = 0; t < states; ++t) *out++ = sums[(a * stride + t) * stride + s] * scale;
    for (size_t s = 0; s < states; ++s) initial_out.data()[s] = sums[size + s] * scale;
    for (size_t s = 0; s < stop_out.size(); ++s) stop_out.data()[s] = sums[size + stride + s] * scale;
}

// A machine and a word.
struct ReadWord {
    Matrices matrices;
    Codes word;

    ReadWord(nb::handle transitions, nb::handle symbols)
        : matrices(transitions), word(codes("symbols", symbols, any, matrices.symbols)) {}

    std::int64_t states() const { return Matrices::size(matrices.states); }
    std::int64_t positions() const { return Matrices::size(word.size()) + 1; }
    View<double, 2> table(const char* name, nb::handle value, std::int64_t rows) const {
        const auto found = array<double, 2>(name, value, {rows, states()});
        apart(name, found, word, matrices.values);
        return found;
    }
    Masks seen(nb::handle value) const { return array<const bool, 2>("seen", value, {positions(), states()}); }
    Reading reading(const bool* seen = nullptr, double negligible = 0.0, bool generator = false) const {
        return {matrices.data(), matrices.states, word.data(), word.size(), seen, negligible, generator};
    }
};

void forward(nb::handle transitions, nb::handle initial, nb::handle symbols, nb::handle table) {
    const ReadWord given(transitions, symbols);
    const Floats row = given.matrices.column("initial", initial);
    const auto rows = given.table("table", table, given.positions());
    nb::gil_scoped_release release;
    forward_table(given.reading(), row.data(), rows.data());
}

void backward(nb::handle transitions, nb::handle column, nb::handle symbols, nb::handle table) {
    const ReadWord given(transitions, symbols);
    const Floats end = given.matrices.column("column", column);
    const auto rows = given.table("table", table, given.positions());
    nb::gil_scoped_release release;
    backward_table(given.reading(), end.data(), rows.data());
}

void distribution(nb::handle transitions, nb::handle initial, nb::handle symbols, nb::handle work) {
    const ReadWord given(transitions, symbols);
    const Floats row = given.matrices.column("initial", initial);
    const auto rows = given.table("work", work, 2);
    nb::gil_scoped_release release;
    last_row(given.reading(), row.data(), rows.data());
}

double occupancy(nb::handle transitions, nb::handle initial, double negligible, nb::handle symbols, nb::handle seen,
                 nb::handle table, bool generator) {
    const ReadWord given(transitions, symbols);
    const Floats row = given.matrices.column("initial", initial);
    const Masks masks = given.seen(seen);
    const auto rows = given.table("table", table, given.positions());
    nb::gil_scoped_release release;
    return occupancy_table(given.reading(masks.data(), negligible, generator), row.data(), rows.data());
}

// lost[r] is how much of word r was lost to the smallest floats.
void filtered(nb::handle transitions, nb::handle first, nb::handle column, nb::handle seen_by_mark, nb::handle word,
              nb::handle starts, nb::handle seen_at, nb::handle word_ends, nb::handle acceptances_to,
              nb::handle logs_to, nb::handle lost_to, double negligible, size_t threads) {
    const Matrices matrices(transitions);
    const size_t states = matrices.states;
    const Floats initial = matrices.column("initial", first), final = matrices.column("final", column);
    const Masks masks = array<const bool, 2>("masks", seen_by_mark, {any, Matrices::size(states)});
    const Codes symbols = codes("symbols", word, any, matrices.symbols);
    const Offsets offsets = cutpoint::offsets(starts, symbols.size());
    const size_t words = offsets.size() - 1;
    const std::int64_t positions = Matrices::size(symbols.size() + words);
    const bool marked = !seen_at.is_none();
    const Codes marks = marked ? codes("marks", seen_at, positions, masks.shape(0)) : Codes();
    const Codes ends = codes("ends", word_ends, Matrices::size(words), masks.shape(0));
    const auto acceptances = array<double, 1>("acceptances", acceptances_to, {positions});
    const auto logs = array<double, 1>("logs", logs_to, {positions});
    const auto lost = array<double, 1>("lost", lost_to, {Matrices::size(words)});
    apart("acceptances", acceptances, logs, lost, symbols, offsets, ends), apart("logs", logs, lost, symbols, offsets, ends);
    apart("lost", lost, symbols, offsets, ends);
    if (marked) apart("acceptances", acceptances, marks), apart("logs", logs, marks), apart("lost", lost, marks);
    const std::vector<double> ones(masks.data(), masks.data() + masks.size());
    std::vector<char> full(masks.shape(0), 1);
    for (size_t k = 0; k < masks.size(); ++k) full[k / states] &= static_cast<char>(masks.data()[k]);
    const SeenMasks seen{ones.data(), full.data()};
    nb::gil_scoped_release release;
    const size_t tasks = (words + words_per_task - 1) / words_per_task;
    const size_t operations = static_cast<size_t>(positions) * (2 * states * states + 64);
    in_parallel(tasks, useful_threads(threads, operations), [&](size_t task, void*) {
        std::vector<double> work(3 * states);
        for (size_t r = task * words_per_task; r < std::min((task + 1) * words_per_task, words); ++r) {
            const auto start = static_cast<size_t>(offsets.data()[r]), at = start + r;
            const auto length = static_cast<size_t>(offsets.data()[r + 1]) - start;
            const Reading reading{matrices.data(), states, symbols.data() + start, length, nullptr, negligible, false};
            lost.data()[r] = filter_word(reading, initial.data(), final.data(), seen,
                                         marked ? marks.data() + at : nullptr, ends.data()[r],
                                         acceptances.data() + at, logs.data() + at, work.data());
        }
    });
}

double most_likely_path(nb::handle log_transitions, nb::handle log_initial, nb::handle symbols, nb::handle seen,
                        nb::handle path) {
    const ReadWord given(log_transitions, symbols);
    const Floats row = given.matrices.column("initial", log_initial);
    const Masks masks = given.seen(seen);
    const auto states = array<std::int64_t, 1>("path", path, {given.positions()});
    apart("path", states, given.word);
    nb::gil_scoped_release release;
    return best_path(given.reading(masks.data()), row.data(), states.data());
}

}  // namespace

NB_MODULE(_native, module) {
    using namespace nb::literals;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)  // nanobind would wait for the main one's lock for ever
        throw nb::import_error("they run in the main interpreter of a process, not in a sub-interpreter");
    module.doc() = "Compiled kernels of cutpoint; use them through cutpoint.kernels.";
    module.def("instruction_set", [] { return std::string(best_kernels().name); });
#ifdef CUTPOINT_X86
    module.attr("instruction_sets") = nb::make_tuple(kernels_baseline.name, kernels_v3.name, kernels_v4.name);
#else
    module.attr("instruction_sets") = nb::make_tuple(kernels_baseline.name);
#endif
    module.def("acceptance", &acceptance);
    module.def("acceptances", &acceptances);
    module.def("prefix_tree", &prefix_tree, "symbols"_a, "offsets"_a, "marks"_a.none());
    module.def("coded_tree", &coded_tree, "codes"_a, "marks"_a.none(), "shared"_a, "lengths"_a, "block_words"_a,
               "whole"_a);
    module.def("expected_counts", &expected_counts, "transitions"_a, "initial"_a, "stop"_a, "masks"_a, "symbols"_a,
               "offsets"_a, "marks"_a.none(), "ends"_a, "weights"_a, "tree"_a, "counts_out"_a, "initial_out"_a,
               "stop_out"_a, "logs_out"_a, "threads"_a);
    module.def("climb", &climb, "transitions"_a, "initial"_a, "counts"_a, "initial_counts"_a, "pseudo"_a,
               "initial_pseudo"_a, "numbers"_a, "history"_a, "learn_initial"_a, "least_gain"_a, "masks"_a, "symbols"_a,
               "offsets"_a, "marks"_a.none(), "ends"_a, "weights"_a, "tree"_a, "threads"_a);
    module.def("expect_wide", &expect_wide, "transitions"_a, "initial"_a, "stop"_a, "masks"_a, "symbols"_a, "offsets"_a,
               "marks"_a.none(), "ends"_a, "weights"_a, "counts_out"_a, "initial_out"_a, "stop_out"_a, "table_out"_a,
               "fractions_out"_a, "exponents_out"_a, "threads"_a);
    module.def("merged_machine", &merged);
    module.def("forward", &forward);
    module.def("backward", &backward);
    module.def("distribution", &distribution);
    module.def("occupancy", &occupancy);
    module.def("filtered", &filtered, "transitions"_a, "initial"_a, "final"_a, "masks"_a, "symbols"_a, "offsets"_a,
               "marks"_a.none(), "ends"_a, "acceptances"_a, "logs"_a, "lost"_a, "negligible"_a, "threads"_a);
    module.def("most_likely_path", &most_likely_path);
    bind_sparse(module);
    module.def("encode_texts", &encode_texts);
    module.def("encode_lists", &encode_lists);
}
