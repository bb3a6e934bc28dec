// Python bindings: arrays in, arrays out, the GIL released while the kernels run. Shapes, symbol codes and masks are
// right by construction: they come from Acceptor, Alphabet and Sample, which have checked them.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "encode.hpp"
#include "kernels.hpp"
#include "machine.hpp"
#include "merging.hpp"
#include "parallel.hpp"
#include "tables.hpp"
#include "tree.hpp"

namespace nb = nanobind;

namespace cutpoint {

const Kernels& best_kernels() {
#ifdef CUTPOINT_X86
    static const Kernels& best = [&]() -> const Kernels& {
        const char* limit = std::getenv("CUTPOINT_ISA");  // for tests: the most that may be used
        const std::string most = limit ? limit : "x86-64-v4";
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

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

PaddedMachine machine_of(const Floats& transitions, const Floats& initial, double negligible, bool with_transposed,
                         double watched = 0.0) {
    return {transitions.data(), initial.data(), transitions.shape(0), initial.shape(0), negligible, with_transposed,
            watched};
}

constexpr size_t words_per_task = 512;

void acceptances(Floats transitions, Floats initial, Floats column, Codes symbols, Offsets offsets, Output out,
                 size_t threads) {
    const PaddedMachine machine = machine_of(transitions, initial, 0.0, false);
    const size_t states = machine.view.states, words = offsets.shape(0) - 1;
    Aligned padded_column = zeros(machine.view.stride);
    std::memcpy(padded_column.get(), column.data(), states * sizeof(double));
    nb::gil_scoped_release release;
    const size_t tasks = (words + words_per_task - 1) / words_per_task;
    const size_t operations = symbols.shape(0) * (2 * states * states + 32);
    in_parallel(tasks, useful_threads(threads, operations), [&](size_t task, void* memory) {
        const size_t first = task * words_per_task, last = std::min(first + words_per_task, words);
        best_kernels().score(machine.view, padded_column.get(), symbols.data(), offsets.data(), first, last, out.data(),
                             memory);
    });
}

// A prefix tree for the kernels: whole, or made of front-coded words block by block whenever it is visited.
struct PrefixTree {
    TreeArrays whole;
    std::function<void(size_t block, BlockMemory&, TreeArrays&)> make_block;  // empty if the tree is whole
    size_t blocks = 0, nodes = 0;
    nb::object coded;  // the words that blocks are made of

    void visit_blocks(size_t first, size_t last, const std::function<void(const Tree&, size_t, size_t)>& visit) const {
        if (!make_block) return visit(whole.view(), first, last);
        thread_local BlockMemory memory;
        thread_local TreeArrays block;
        for (size_t k = first; k < last; ++k) {
            block.clear();
            make_block(k, memory, block);
            visit(block.view(), 0, 1);
        }
    }
};

constexpr const char* tree_name = "cutpoint.tree";

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

nb::tuple prefix_tree(Codes symbols, Offsets offsets, nb::object marks, size_t n_symbols, size_t n_marks) {
    const bool marked = !marks.is_none();
    const Codes positions = marked ? nb::cast<Codes>(marks) : symbols;
    auto made = std::make_unique<PrefixTree>();
    {
        nb::gil_scoped_release release;
        made->whole = build_tree(symbols.data(), offsets.data(), marked ? positions.data() : nullptr,
                                 offsets.shape(0) - 1, n_symbols, n_marks);
    }
    made->blocks = made->whole.node_offsets.size() - 1, made->nodes = made->whole.parents.size();
    return python_tree(std::move(made));
}

// Integers of one, two or four bytes.
using AnyCodes = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Code>
void set_blocks(PrefixTree& tree, const AnyCodes& codes, const std::int32_t* marks, const AnyCodes& shared,
                const AnyCodes& lengths, const Offsets& block_words, const Offsets& block_nodes, size_t n_symbols) {
    const auto narrow = [](const AnyCodes& values) { return NarrowArray{values.data(), values.itemsize()}; };
    const CodedWords<Code> words{static_cast<const Code*>(codes.data()), marks, narrow(shared), narrow(lengths),
                                 nullptr, block_words.data(), block_nodes.data(), n_symbols};
    tree.make_block = [words](size_t k, BlockMemory& memory, TreeArrays& block) { add_block(words, k, memory, block); };
}

nb::tuple coded_tree(AnyCodes codes, nb::object marks, AnyCodes shared, AnyCodes lengths, Offsets block_words,
                     Offsets block_nodes, size_t n_symbols, bool whole) {
    auto made = std::make_unique<PrefixTree>();
    made->blocks = block_words.shape(0) - 1, made->nodes = codes.shape(0);
    const Codes node_marks = marks.is_none() ? Codes() : nb::cast<Codes>(marks);
    const auto set = codes.itemsize() == 1   ? set_blocks<std::uint8_t>
                     : codes.itemsize() == 2 ? set_blocks<std::uint16_t>
                                             : set_blocks<std::int32_t>;
    set(*made, codes, marks.is_none() ? nullptr : node_marks.data(), shared, lengths, block_words, block_nodes,
        n_symbols);
    if (whole) {
        nb::gil_scoped_release release;
        BlockMemory memory;
        made->whole.reserve(made->nodes, lengths.shape(0));
        for (size_t k = 0; k < made->blocks; ++k) made->make_block(k, memory, made->whole);
        made->make_block = nullptr;
    } else {
        made->coded = nb::make_tuple(codes, marks, shared, lengths, block_words, block_nodes);
    }
    return python_tree(std::move(made));
}

const PrefixTree& tree_of(const nb::tuple& arrays) {
    void* tree = PyCapsule_GetPointer(nb::object(arrays[arrays.size() - 1]).ptr(), tree_name);
    if (!tree) throw nb::python_error();
    return *static_cast<const PrefixTree*>(tree);
}

// A vector as an array that owns it.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> owned(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

nb::tuple merged(Codes symbols, Offsets offsets, Codes labels, Floats weights, size_t n_symbols, Floats pseudo,
                 size_t n_states, size_t width, size_t most_rounds, double least) {
    MergedMachine machine;
    {
        nb::gil_scoped_release release;
        const size_t count = offsets.shape(0) - 1;
        const LabelledWords words{symbols.data(), offsets.data(), labels.data(), weights.data(), count, n_symbols};
        machine =
            merged_machine(words, {pseudo.data(), pseudo.data() + pseudo.size()}, n_states, width, most_rounds, least);
    }
    return nb::make_tuple(owned(std::move(machine.table)), owned(std::move(machine.counts)));
}

// Sums are kept per lane, a share of the blocks and long words that depends on the data alone, and added pairwise.
size_t lanes_for(size_t tasks, size_t counts) {
    size_t most = 32;
    while (most > 2 && most * counts > (size_t{1} << 24)) most /= 2;
    return std::max<size_t>(1, std::min(most, tasks));
}

// Power of two by which the weights add up to at most 1: that keeps every number in range, exactly.
double power_above(const Floats& weights) {
    double sum = 0.0;
    for (size_t r = 0; r < weights.size(); ++r) sum += weights.data()[r];
    int exponent = 0;
    std::frexp(sum, &exponent);
    return std::ldexp(1.0, exponent);
}

// Returns the number of observations that plain floats do not reach: their logarithm is NaN, and they are not counted.
// A generator has a probability to stop in each state; of an acceptor `stop` and `stop_out` are empty.
size_t expected_counts(Floats transitions, Floats initial, Floats stop, Masks masks, Codes symbols, Offsets offsets,
                       nb::object marks, Codes ends, Floats weights, nb::tuple arrays, Output counts_out,
                       Output initial_out, Output stop_out, Output logs_out, size_t threads) {
    const bool generator = stop.size() > 0;
    double least = negligible(transitions.data(), transitions.shape(0) * initial.size(), initial.size());
    if (generator) least = std::max(least, negligible(stop.data(), 1, stop.size()));
    if (least >= largest_negligible) {
        std::fill_n(counts_out.data(), counts_out.size(), 0.0);
        std::fill_n(initial_out.data(), initial_out.size(), 0.0);
        std::fill_n(stop_out.data(), stop_out.size(), 0.0);
        std::fill_n(logs_out.data(), logs_out.size(), std::numeric_limits<double>::quiet_NaN());
        return logs_out.size();
    }
    const bool counted = counts_out.size() > 0, marked = !marks.is_none();
    const PaddedMachine machine = machine_of(transitions, initial, least, counted, generator ? watched_below : 0.0);
    const size_t states = machine.view.states, stride = machine.view.stride;
    const PaddedMasks seen(masks.data(), masks.shape(0), machine.view);
    const PaddedMasks columns(masks.data(), generator ? masks.shape(0) : 0, machine.view, stop.data());
    const PaddedMasks& endings = generator ? columns : seen;
    const Codes positions = marked ? nb::cast<Codes>(marks) : symbols;
    const double scale = power_above(weights);
    const Evidence evidence{seen.masks.get(), seen.full.data(), endings.masks.get(), endings.full.data(),
                            ends.data(),      weights.data(),   1.0 / scale,         symbols.data(),
                            offsets.data(),   marked ? positions.data() : nullptr};
    const PrefixTree& tree = tree_of(arrays);
    const Array<std::int64_t>& long_words = tree.whole.long_words;

    const size_t size = counted ? machine.view.symbols * stride * stride : 0, n_long = long_words.size();
    const size_t lanes = lanes_for(tree.blocks + n_long, size);
    const size_t lane_size = size + 2 * stride;
    Aligned sums = zeros(lanes * lane_size);
    const auto lane_sums = [&](size_t lane) { return sums.get() + lane * lane_size; };
    nb::gil_scoped_release release;
    const size_t steps = n_long ? symbols.size() : tree.nodes;
    in_parallel(lanes, useful_threads(threads, steps * (6 * states * states + 64)), [&](size_t k, void* memory) {
        const Kernels& kernels = best_kernels();
        const Lane lane{counted ? lane_sums(k) : nullptr, lane_sums(k) + size,
                        generator ? lane_sums(k) + size + stride : nullptr};
        tree.visit_blocks(k * tree.blocks / lanes, (k + 1) * tree.blocks / lanes,
                        [&](const Tree& blocks, size_t first, size_t last) {
                            kernels.expect(machine.view, blocks, evidence, first, last, lane, logs_out.data(), memory);
                        });
        for (size_t w = k * n_long / lanes; w < (k + 1) * n_long / lanes; ++w)
            kernels.expect_long(machine.view, evidence, long_words[w], lane, logs_out.data(), memory);
    });
    const double* logs = logs_out.data();
    const auto left_out = std::count_if(logs, logs + logs_out.size(), [](double log) { return std::isnan(log); });
    if (!counted) return static_cast<size_t>(left_out);
    for (size_t apart = 1; apart < lanes; apart *= 2)
        for (size_t k = 0; k + apart < lanes; k += 2 * apart)
            for (size_t i = 0; i < lane_size; ++i) lane_sums(k)[i] += lane_sums(k + apart)[i];
    const double* p = transitions.data();
    double* out = counts_out.data();
    for (size_t a = 0; a < machine.view.symbols; ++a)
        for (size_t s = 0; s < states; ++s)
            for (size_t t = 0; t < states; ++t, ++p)  // what cannot happen is 0, whatever its sum has grown to
                *out++ = *p > 0.0 ? *p * sums[(a * stride + s) * stride + t] * scale : 0.0;
    for (size_t s = 0; s < states; ++s) initial_out.data()[s] = sums[size + s] * scale;
    for (size_t s = 0; s < stop_out.size(); ++s) stop_out.data()[s] = sums[size + stride + s] * scale;
    return static_cast<size_t>(left_out);
}

Reading reading_of(const Floats& transitions, const Codes& word, const bool* seen = nullptr, double negligible = 0.0,
                   bool generator = false) {
    return {transitions.data(), transitions.shape(1), word.data(), word.shape(0), seen, negligible, generator};
}

void forward(Floats transitions, Floats initial, Codes word, Output table) {
    nb::gil_scoped_release release;
    forward_table(reading_of(transitions, word), initial.data(), table.data());
}

void backward(Floats transitions, Floats column, Codes word, Output table) {
    nb::gil_scoped_release release;
    backward_table(reading_of(transitions, word), column.data(), table.data());
}

void distribution(Floats transitions, Floats initial, Codes word, Output work) {
    nb::gil_scoped_release release;
    last_row(reading_of(transitions, word), initial.data(), work.data());
}

double occupancy(Floats transitions, Floats initial, double negligible, Codes word, Masks seen, Output table,
                 bool generator) {
    nb::gil_scoped_release release;
    const Reading reading = reading_of(transitions, word, seen.data(), negligible, generator);
    return occupancy_table(reading, initial.data(), table.data());
}

double most_likely_path(Floats log_transitions, Floats log_initial, Codes word, Masks seen,
                        nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> path) {
    nb::gil_scoped_release release;
    return best_path(reading_of(log_transitions, word, seen.data()), log_initial.data(), path.data());
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "Compiled kernels of cutpoint; use them through cutpoint.kernels.";
    module.def("instruction_set", [] { return std::string(best_kernels().name); });
    module.def("acceptances", &acceptances, nb::arg("transitions"), nb::arg("initial"), nb::arg("column"),
               nb::arg("symbols"), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("threads"));
    module.def("prefix_tree", &prefix_tree, nb::arg("symbols"), nb::arg("offsets"), nb::arg("marks").none(),
               nb::arg("n_symbols"), nb::arg("n_marks"));
    module.def("coded_tree", &coded_tree, nb::arg("codes"), nb::arg("marks").none(), nb::arg("shared"),
               nb::arg("lengths"), nb::arg("block_words"), nb::arg("block_nodes"), nb::arg("n_symbols"),
               nb::arg("whole"));
    module.def("expected_counts", &expected_counts, nb::arg("transitions"), nb::arg("initial"), nb::arg("stop"),
               nb::arg("masks"),
               nb::arg("symbols"), nb::arg("offsets"), nb::arg("marks").none(), nb::arg("ends"), nb::arg("weights"),
               nb::arg("tree"), nb::arg("counts_out").noconvert(), nb::arg("initial_out").noconvert(),
               nb::arg("stop_out").noconvert(), nb::arg("logs_out").noconvert(), nb::arg("threads"));
    module.def("merged_machine", &merged, nb::arg("symbols"), nb::arg("offsets"), nb::arg("labels"),
               nb::arg("weights"), nb::arg("n_symbols"), nb::arg("pseudo"), nb::arg("n_states"), nb::arg("width"),
               nb::arg("most_rounds"), nb::arg("least"));
    module.def("forward", &forward, nb::arg("transitions"), nb::arg("initial"), nb::arg("word"),
               nb::arg("table").noconvert());
    module.def("backward", &backward, nb::arg("transitions"), nb::arg("column"), nb::arg("word"),
               nb::arg("table").noconvert());
    module.def("distribution", &distribution, nb::arg("transitions"), nb::arg("initial"), nb::arg("word"),
               nb::arg("work").noconvert());
    module.def("occupancy", &occupancy, nb::arg("transitions"), nb::arg("initial"), nb::arg("negligible"),
               nb::arg("word"), nb::arg("seen"), nb::arg("table").noconvert(), nb::arg("generator"));
    module.def("most_likely_path", &most_likely_path, nb::arg("log_transitions"), nb::arg("log_initial"),
               nb::arg("word"), nb::arg("seen"), nb::arg("path").noconvert());
    module.def("encode_texts", &encode_texts, nb::arg("words"), nb::arg("table"));
    module.def("encode_lists", &encode_lists, nb::arg("words"), nb::arg("codes"));
}
