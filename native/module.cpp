// The door to Python: arrays in, arrays out, the GIL released while the kernels run. Shapes, symbol codes and masks are
// right by construction: they come from Acceptor, Alphabet and Sample, which have checked them.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "encode.hpp"
#include "kernels.hpp"
#include "merging.hpp"
#include "tables.hpp"
#include "tree.hpp"

namespace nb = nanobind;

namespace {

using namespace cutpoint;
using std::size_t;

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

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

struct Free {
    void operator()(double* p) const { std::free(p); }
};
using Aligned = std::unique_ptr<double[], Free>;

Aligned zeros(size_t count) {
    const size_t bytes = (std::max<size_t>(count, 1) * sizeof(double) + 63) / 64 * 64;
    auto* p = static_cast<double*>(std::aligned_alloc(64, bytes));
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes);
    return Aligned(p);
}

size_t padded(size_t states) { return states <= 2 ? 2 : (states <= 4 ? 4 : (states + 7) / 8 * 8); }

// An acceptor with the padding that the kernels want.
struct PaddedMachine {
    Aligned steps, transposed, initial;
    Machine view;

    PaddedMachine(const Floats& transitions, const Floats& start, double negligible, bool with_transposed) {
        const size_t symbols = transitions.shape(0), states = start.shape(0), stride = padded(states);
        initial = zeros(stride);
        std::memcpy(initial.get(), start.data(), states * sizeof(double));
        steps = zeros(symbols * stride * stride);
        transposed = zeros(with_transposed ? symbols * stride * stride : 0);
        const double* p = transitions.data();
        for (size_t a = 0; a < symbols; ++a)
            for (size_t s = 0; s < states; ++s)
                for (size_t t = 0; t < states; ++t, ++p) {
                    steps[(a * stride + s) * stride + t] = *p;
                    if (with_transposed) transposed[(a * stride + t) * stride + s] = *p;
                }
        view = {states, stride, symbols, steps.get(), transposed.get(), initial.get(), negligible};
    }
};

// Run task(k, memory) for k = 0 … tasks-1 on some threads; which thread takes which task does not matter.
template <class Task>
void in_parallel(size_t tasks, size_t threads, Task task) {
    const Kernels& kernels = best_kernels();
    std::atomic<size_t> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
        void* memory = kernels.make_memory();
        try {
            if (!memory) throw std::bad_alloc();
            for (size_t k; (k = next.fetch_add(1)) < tasks;) task(k, memory);
        } catch (...) {  // only memory can run out; nothing may leave a thread
            failed = true;
        }
        if (memory) kernels.drop_memory(memory);
    };
    std::vector<std::thread> others;
    try {
        for (size_t t = 1; t < std::min(threads, tasks); ++t) others.emplace_back(work);
    } catch (...) {  // fewer threads than wished for do the same work
    }
    work();
    for (std::thread& other : others) other.join();
    if (failed) throw std::bad_alloc();
}

constexpr size_t words_per_task = 1024;

void acceptances(Floats transitions, Floats initial, Floats column, Codes symbols, Offsets offsets, Output out,
                 size_t threads) {
    const PaddedMachine machine(transitions, initial, 0.0, false);
    Aligned padded_column = zeros(machine.view.stride);
    std::memcpy(padded_column.get(), column.data(), machine.view.states * sizeof(double));
    const size_t words = offsets.shape(0) - 1;
    nb::gil_scoped_release release;
    in_parallel((words + words_per_task - 1) / words_per_task, threads, [&](size_t task, void* memory) {
        const size_t first = task * words_per_task, last = std::min(first + words_per_task, words);
        best_kernels().score(machine.view, padded_column.get(), symbols.data(), offsets.data(), first, last, out.data(),
                             memory);
    });
}

template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> owned(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

nb::tuple prefix_tree(Codes symbols, Offsets offsets, nb::object marks, size_t n_symbols, size_t n_marks) {
    const bool marked = !marks.is_none();
    const Codes positions = marked ? nb::cast<Codes>(marks) : symbols;
    TreeArrays tree;
    {
        nb::gil_scoped_release release;
        tree = build_tree(symbols.data(), offsets.data(), marked ? positions.data() : nullptr, offsets.shape(0) - 1,
                          n_symbols, n_marks);
    }
    return nb::make_tuple(owned(std::move(tree.node_offsets)), owned(std::move(tree.parents)),
                          owned(std::move(tree.marks)), owned(std::move(tree.group_offsets)),
                          owned(std::move(tree.group_symbols)), owned(std::move(tree.group_starts)),
                          owned(std::move(tree.edges)), owned(std::move(tree.run_offsets)),
                          owned(std::move(tree.run_symbols)), owned(std::move(tree.run_starts)),
                          owned(std::move(tree.end_offsets)), owned(std::move(tree.end_nodes)),
                          owned(std::move(tree.end_words)), owned(std::move(tree.long_words)));
}

nb::tuple merged(Codes symbols, Offsets offsets, Codes labels, Floats weights, size_t n_symbols, Floats pseudo,
                 size_t n_states, size_t width, size_t most_rounds) {
    MergedMachine machine;
    {
        nb::gil_scoped_release release;
        const LabelledWords words{symbols.data(), offsets.data(),   labels.data(), weights.data(), offsets.shape(0) - 1,
                                  n_symbols};
        machine = merged_machine(words, {pseudo.data(), pseudo.data() + pseudo.size()}, n_states, width, most_rounds);
    }
    return nb::make_tuple(owned(std::move(machine.table)), owned(std::move(machine.counts)));
}

// Sums are kept per lane, a share of the blocks and long words that depends on the data alone, and added pairwise.
size_t lanes_for(size_t tasks, size_t counts) {
    size_t most = 32;
    while (most > 2 && most * counts > (size_t{1} << 24)) most /= 2;
    return std::max<size_t>(1, std::min(most, tasks));
}

void expected_counts(Floats transitions, Floats initial, double negligible, Masks masks, Codes symbols, Offsets offsets,
                     nb::object marks, Codes ends, Floats weights, nb::tuple arrays, Output counts_out,
                     Output initial_out, Output logs_out, size_t threads) {
    const bool counted = counts_out.size() > 0;
    const PaddedMachine machine(transitions, initial, negligible, counted);
    const size_t states = machine.view.states, stride = machine.view.stride;
    const bool marked = !marks.is_none();
    const Codes positions = marked ? nb::cast<Codes>(marks) : symbols;
    Aligned padded_masks = zeros(masks.shape(0) * stride);
    std::vector<unsigned char> full(masks.shape(0), 1);
    for (size_t k = 0; k < masks.shape(0); ++k)
        for (size_t s = 0; s < states; ++s) {
            padded_masks[k * stride + s] = masks.data()[k * states + s] ? 1.0 : 0.0;
            full[k] &= masks.data()[k * states + s] ? 1 : 0;
        }
    std::vector<Codes> codes;
    std::vector<Offsets> longs;
    const auto as_codes = [&](size_t k) { return (codes.push_back(nb::cast<Codes>(arrays[k])), codes.back().data()); };
    const auto as_longs = [&](size_t k) {
        return (longs.push_back(nb::cast<Offsets>(arrays[k])), longs.back().data());
    };
    const Offsets node_offsets = nb::cast<Offsets>(arrays[0]), long_words = nb::cast<Offsets>(arrays[13]);
    Tree tree{};
    tree.blocks = node_offsets.shape(0) - 1;
    tree.node_offsets = node_offsets.data();
    tree.parents = as_codes(1);
    const std::int32_t* node_marks = as_codes(2);
    tree.marks = marked ? node_marks : nullptr;
    tree.group_offsets = as_longs(3), tree.group_symbols = as_codes(4), tree.group_starts = as_codes(5);
    tree.edges = as_codes(6);
    tree.run_offsets = as_longs(7), tree.run_symbols = as_codes(8), tree.run_starts = as_codes(9);
    tree.end_offsets = as_longs(10), tree.end_nodes = as_codes(11), tree.end_words = as_longs(12);
    const Evidence evidence{padded_masks.get(), full.data(), ends.data(), weights.data(), symbols.data(), offsets.data(),
                            marked ? positions.data() : nullptr};

    const size_t size = counted ? machine.view.symbols * stride * stride : 0, n_long = long_words.shape(0);
    const size_t lanes = lanes_for(tree.blocks + n_long, size);
    Aligned sums = zeros(lanes * (size + stride));
    const auto lane_sums = [&](size_t lane) { return sums.get() + lane * (size + stride); };
    nb::gil_scoped_release release;
    in_parallel(lanes, threads, [&](size_t k, void* memory) {
        const Kernels& kernels = best_kernels();
        const Lane lane{counted ? lane_sums(k) : nullptr, lane_sums(k) + size};
        kernels.expect(machine.view, tree, evidence, k * tree.blocks / lanes, (k + 1) * tree.blocks / lanes, lane,
                       logs_out.data(), memory);
        for (size_t w = k * n_long / lanes; w < (k + 1) * n_long / lanes; ++w)
            kernels.expect_long(machine.view, evidence, long_words.data()[w], lane, logs_out.data(), memory);
    });
    if (!counted) return;
    for (size_t apart = 1; apart < lanes; apart *= 2)
        for (size_t k = 0; k + apart < lanes; k += 2 * apart)
            for (size_t i = 0; i < size + stride; ++i) lane_sums(k)[i] += lane_sums(k + apart)[i];
    const double* p = transitions.data();
    double* out = counts_out.data();
    for (size_t a = 0; a < machine.view.symbols; ++a)
        for (size_t s = 0; s < states; ++s)
            for (size_t t = 0; t < states; ++t, ++p)  // what cannot happen is 0, whatever its sum has grown to
                *out++ = *p > 0.0 ? *p * sums[(a * stride + s) * stride + t] : 0.0;
    std::memcpy(initial_out.data(), sums.get() + size, states * sizeof(double));
}

Reading reading_of(const Floats& transitions, const Codes& word, const bool* seen = nullptr, double negligible = 0.0) {
    return {transitions.data(), transitions.shape(1), word.data(), word.shape(0), seen, negligible};
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

double occupancy(Floats transitions, Floats initial, double negligible, Codes word, Masks seen, Output table) {
    nb::gil_scoped_release release;
    return occupancy_table(reading_of(transitions, word, seen.data(), negligible), initial.data(), table.data());
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
    module.def("expected_counts", &expected_counts, nb::arg("transitions"), nb::arg("initial"), nb::arg("negligible"),
               nb::arg("masks"), nb::arg("symbols"), nb::arg("offsets"), nb::arg("marks").none(), nb::arg("ends"),
               nb::arg("weights"), nb::arg("tree"), nb::arg("counts_out").noconvert(),
               nb::arg("initial_out").noconvert(), nb::arg("logs_out").noconvert(), nb::arg("threads"));
    module.def("merged_machine", &merged, nb::arg("symbols"), nb::arg("offsets"), nb::arg("labels"),
               nb::arg("weights"), nb::arg("n_symbols"), nb::arg("pseudo"), nb::arg("n_states"), nb::arg("width"),
               nb::arg("most_rounds"));
    module.def("forward", &forward, nb::arg("transitions"), nb::arg("initial"), nb::arg("word"),
               nb::arg("table").noconvert());
    module.def("backward", &backward, nb::arg("transitions"), nb::arg("column"), nb::arg("word"),
               nb::arg("table").noconvert());
    module.def("distribution", &distribution, nb::arg("transitions"), nb::arg("initial"), nb::arg("word"),
               nb::arg("work").noconvert());
    module.def("occupancy", &occupancy, nb::arg("transitions"), nb::arg("initial"), nb::arg("negligible"),
               nb::arg("word"), nb::arg("seen"), nb::arg("table").noconvert());
    module.def("most_likely_path", &most_likely_path, nb::arg("log_transitions"), nb::arg("log_initial"),
               nb::arg("word"), nb::arg("seen"), nb::arg("path").noconvert());
    module.def("encode_texts", &encode_texts, nb::arg("words"), nb::arg("table"));
    module.def("encode_lists", &encode_lists, nb::arg("words"), nb::arg("codes"));
}
