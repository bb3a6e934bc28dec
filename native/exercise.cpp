// The kernels without Python, for sanitizers (`make sanitize`): several callers at once, each on several threads, on one
// machine, one tree and one pool of memory, and every answer the bits of a call on one thread.
//
//     exercise          says how much it has compared; ends with 1 if anything differs
//     exercise race     writes one number from two threads: the thread sanitizer must find it
//     exercise leak     forgets memory: the leak sanitizer must find it

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "machine.hpp"
#include "merging.hpp"
#include "parallel.hpp"
#include "sparse.hpp"
#include "tables.hpp"
#include "tree.hpp"

namespace cutpoint {

const Kernels& best_kernels() { return kernels_baseline; }

}  // namespace cutpoint

namespace {

using namespace cutpoint;
using std::size_t;

constexpr size_t n_symbols = 3, n_words = 600, n_masks = 3, callers = 4, rounds = 2;
using Answers = std::vector<double>;  // of one call, one after another

// A generator, words with marks, and all that the kernels make of them; a third of its entries is that of a sparse one.
struct Problem {
    size_t states;
    std::vector<double> transitions, initial, stop, weights, values;
    std::vector<std::int32_t> symbols, marks, ends, labels, columns;
    std::vector<std::int64_t> offsets{0}, starts{0};
    std::unique_ptr<bool[]> masks;
    TreeArrays tree;

    explicit Problem(size_t n) : states(n), masks(new bool[n_masks * n]) {
        std::mt19937_64 random(n);
        const auto below = [&](size_t most) { return static_cast<std::int32_t>(random() % most); };
        for (size_t k = 0; k < n_symbols * n * n; ++k) transitions.push_back((1 + below(99)) / (100.0 * n_symbols * n));
        for (size_t s = 0; s < n; ++s) initial.push_back(1.0 / n), stop.push_back((1 + below(9)) * 1e-2);
        for (size_t k = 0; k < n_masks * n; ++k) masks[k] = k < n || below(4) > 0;
        for (size_t r = 0; r < n_words; ++r) {
            const size_t length = r == n_words - 1 ? long_word + 100 : static_cast<size_t>(below(40));
            for (size_t i = 0; i < length; ++i) symbols.push_back(below(n_symbols));
            for (size_t i = 0; i <= length; ++i) marks.push_back(below(20) ? 0 : below(n_masks)), labels.push_back(below(3) - 1);
            offsets.push_back(static_cast<std::int64_t>(symbols.size()));
            ends.push_back(below(n_masks)), weights.push_back(1.0 / n_words);
        }
        for (size_t row = 0; row < n_symbols * n; ++row) {
            for (size_t t = 0; t < n; ++t)
                if (below(3) == 0) columns.push_back(static_cast<std::int32_t>(t)), values.push_back(transitions[row * n + t]);
            starts.push_back(static_cast<std::int64_t>(values.size()));
        }
        tree = build_tree(symbols.data(), offsets.data(), marks.data(), n_words, n_symbols, n_masks);
    }

    // Sums of lanes that `work` fills, added in their order.
    template <class Work>
    void lanes(size_t tasks, size_t threads, size_t lane_size, Answers& answers, Work work) const {
        const size_t count = lanes_for(tasks, lane_size);
        Aligned sums = zeros(count * lane_size);
        in_parallel(count, threads, [&](size_t k, void* memory) {
            work(sums.get() + k * lane_size, k * tasks / count, (k + 1) * tasks / count, memory);
        });
        add_lanes(sums.get(), count, lane_size);
        answers.insert(answers.end(), sums.get(), sums.get() + lane_size);
    }

    Answers answers(size_t threads) const {
        const Kernels& kernels = best_kernels();
        const double least = negligible(transitions.data(), n_symbols * states, states);
        const PaddedMachine machine(transitions.data(), initial.data(), n_symbols, states, least, true, watched_below);
        const PaddedMasks seen(masks.get(), n_masks, machine.view);
        const PaddedMasks columns(masks.get(), n_masks, machine.view, stop.data());
        const Evidence evidence{seen.masks.get(), seen.full.data(), columns.masks.get(), columns.full.data(),
                                ends.data(),      weights.data(),   1.0,                 symbols.data(),
                                offsets.data(),   marks.data()};
        Answers found(3 * n_words);
        double *scores = found.data(), *logs = scores + n_words, *fractions = logs + n_words;
        in_parallel(n_words / 100, threads, [&](size_t k, void* memory) {
            kernels.score(machine.view, columns.masks.get(), symbols.data(), offsets.data(), 100 * k, 100 * (k + 1),
                          scores, memory);
        });
        Answers more;
        const Tree view = tree.view();
        const size_t stride = padded(states), size = n_symbols * stride * stride, lane_size = size + 2 * stride;
        lanes(view.blocks + tree.long_words.size(), threads, lane_size, more, [&](double* at, size_t first, size_t last, void* memory) {
            const Lane lane{at, at + size, at + size + stride};
            for (size_t k = first; k < last; ++k) {
                if (k < view.blocks) kernels.expect(machine.view, view, evidence, k, k + 1, lane, logs, memory);
                else kernels.expect_long(machine.view, evidence, tree.long_words[k - view.blocks], lane, logs, memory);
            }
        });
        const PaddedWideMachine wide(transitions.data(), initial.data(), stop.data(), n_symbols, states, true);
        const WideWords words{symbols.data(), offsets.data(), marks.data(), ends.data(), masks.get(), weights.data()};
        std::vector<std::int64_t> exponents(n_words);
        lanes(n_words, threads, lane_size, more, [&](double* at, size_t first, size_t last, void* memory) {
            const Lane lane{at, at + size, at + size + stride};
            for (size_t r = first; r < last; ++r)
                kernels.expect_wide(wide.view, words, static_cast<std::int64_t>(r), {fractions, exponents.data(), lane, nullptr}, memory);
        });
        found.insert(found.end(), more.begin(), more.end());
        found.insert(found.end(), exponents.begin(), exponents.end());
        one_word(found);
        sparse(threads, found);
        const LabelledWords labelled{symbols.data(), offsets.data(), labels.data(), weights.data(), 60, n_symbols};
        const MergedMachine merged = merged_machine(labelled, {0.1, 0.1}, 8, 4, 80, -HUGE_VAL, 1 << 20);
        found.insert(found.end(), merged.counts.begin(), merged.counts.end());
        return found;
    }

    void sparse(size_t threads, Answers& found) const {
        constexpr size_t parts = 3;
        const SparseMatrices steps{n_symbols, states, starts.data(), columns.data(), values.data()};
        const SparseMachine machine{steps, initial.data(), stop.data(), negligible(values.data(), 1, values.size())};
        const SparseMachine acceptor{steps, initial.data(), nullptr, machine.negligible};
        std::vector<unsigned char> full(n_masks, 1);
        for (size_t k = 0; k < n_masks * states; ++k) full[k / states] &= masks[k];
        const SparseEvidence evidence{masks.get(),    full.data(),    ends.data(), weights.data(), 1.0,
                                      symbols.data(), offsets.data(), marks.data()};
        const Tree view = tree.view();
        const size_t units = view.blocks * parts, n_long = tree.long_words.size(), places = symbols.size() + n_words;
        Answers scores(n_words), logs(2 * n_words), filtered(2 * places), lost(n_words), more;
        in_parallel(units, threads, [&](size_t k, void*) {
            sparse_score(machine, stop.data(), view, {k / parts, k % parts, parts}, scores.data());
        });
        in_parallel(n_words / 100, threads, [&](size_t k, void*) {
            sparse_filter(acceptor, evidence, 100 * k, 100 * (k + 1), stop.data(), filtered.data(), filtered.data() + places,
                          lost.data());
        });
        const size_t size = values.size();
        lanes(units + n_long + n_words, threads, size + 2 * states, more, [&](double* at, size_t first, size_t last, void*) {
            const SparseSums to{at, at + size, at + size + states, nullptr};
            for (size_t k = first; k < last; ++k) {
                if (k < units) sparse_expect(machine, evidence, view, {k / parts, k % parts, parts}, to, logs.data());
                else if (k < units + n_long) sparse_expect_word(machine, evidence, tree.long_words[k - units], to, logs.data(), false);
                else sparse_expect_word(machine, evidence, static_cast<std::int64_t>(k - units - n_long), to, logs.data() + n_words, true);
            }
        });
        constexpr size_t length = 300;
        std::unique_ptr<bool[]> seen(new bool[(length + 1) * states]);
        std::fill_n(seen.get(), (length + 1) * states, true);
        std::vector<std::int64_t> path(length + 1);
        Answers table((length + 1) * states);
        found.push_back(sparse_best_path(machine, symbols.data(), length, seen.get(), path.data()));
        sparse_backward(steps, stop.data(), symbols.data(), length, table.data());
        for (const Answers* each : {&scores, &logs, &filtered, &lost, &more, &table}) found.insert(found.end(), each->begin(), each->end());
        sparse_forward(machine, symbols.data(), length, table.data());
        found.insert(found.end(), table.begin(), table.end());
    }

    void one_word(Answers& found) const {
        constexpr size_t length = 300;
        std::unique_ptr<bool[]> seen(new bool[(length + 1) * states]);
        std::fill_n(seen.get(), (length + 1) * states, true);
        const Reading reading{transitions.data(), states, symbols.data(), length, seen.get(), 1e-290, true};
        std::vector<double> table((length + 1) * states);
        std::vector<std::int64_t> path(length + 1);
        const auto keep = [&] { found.insert(found.end(), table.begin(), table.end()); };
        forward_table(reading, initial.data(), table.data()), keep();
        backward_table(reading, stop.data(), table.data()), keep();
        found.push_back(occupancy_table(reading, initial.data(), table.data())), keep();
        found.push_back(best_path(reading, initial.data(), path.data()));
    }
};

bool same(const Answers& a, const Answers& b) {
    return a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size() * sizeof(double));
}

int plant(const std::string& what) {
    if (what == "leak") {
        for (int k = 0; k < 100; ++k) {
            volatile double* forgotten = zeros(64).release();
            forgotten = nullptr;
            (void)forgotten;
        }
        return 0;
    }
    double sum = 0.0;
    in_parallel(2, 2, [&](size_t, void*) {
        for (int k = 0; k < 1'000'000; ++k) sum += 1e-6;
    });
    std::printf("%g\n", sum);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) return plant(arguments[1]);
    size_t compared = 0;
    for (const size_t states : {1, 8, 13}) {
        const Problem problem(states);
        const Answers expected = problem.answers(1);
        std::atomic<size_t> equal{0};
        std::vector<std::thread> others;
        for (size_t caller = 0; caller < callers; ++caller)
            others.emplace_back([&] {
                for (size_t k = 0; k < rounds; ++k) equal += same(problem.answers(2 + k), expected);
            });
        for (std::thread& other : others) other.join();
        if (equal != callers * rounds) return std::printf("%zu states: an answer differs\n", states), 1;
        compared += expected.size() * callers * rounds;
    }
    std::printf("%zu numbers equal those of one thread\n", compared);
    return 0;
}
