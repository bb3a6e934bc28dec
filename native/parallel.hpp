// Tasks on threads, and the memory that threads work in.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include "kernels.hpp"

namespace cutpoint {

// Best kernels that this processor can run.
const Kernels& best_kernels();

// Memory that is kept from call to call: learning makes thousands of short calls, and new memory costs a fault of the
// system for every page. Each place is taken and filled by one atomic exchange, so that no lock can be left closed in a
// forked process.
class ScratchPool {
  public:
    void* take() {
        for (std::atomic<void*>& place : places_)
            if (void* memory = place.exchange(nullptr)) return memory;
        return best_kernels().make_memory();
    }
    void put_back(void* memory) {
        if (!memory) return;
        best_kernels().shrink_memory(memory);
        for (std::atomic<void*>& place : places_) {
            void* empty = nullptr;
            if (place.compare_exchange_strong(empty, memory)) return;
        }
        best_kernels().drop_memory(memory);
    }

  private:
    std::array<std::atomic<void*>, 4> places_{};
};

inline ScratchPool scratch_pool;

// Number of threads worth starting: to start one takes about as long as a million operations.
inline std::size_t useful_threads(std::size_t threads, std::size_t operations) {
    return std::clamp<std::size_t>(operations >> 20, 1, std::max<std::size_t>(threads, 1));
}

// Run task(k, memory) for k = 0 … tasks-1 on some threads; which thread takes which task does not matter.
template <class Task>
void in_parallel(std::size_t tasks, std::size_t threads, Task task) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    const auto work = [&] {
        void* memory = scratch_pool.take();
        try {
            if (!memory) throw std::bad_alloc();
            for (std::size_t k; (k = next.fetch_add(1)) < tasks;) task(k, memory);
        } catch (...) {  // only memory can run out; nothing may leave a thread
            failed = true;
        }
        scratch_pool.put_back(memory);
    };
    std::vector<std::thread> others;
    try {
        for (std::size_t t = 1; t < std::min(threads, tasks); ++t) others.emplace_back(work);
    } catch (...) {  // fewer threads than wished for do the same work
    }
    work();
    for (std::thread& other : others) other.join();
    if (failed) throw std::bad_alloc();
}

// Power of two by which weights add up to at most 1: that keeps every number in range, exactly.
inline double power_above(const double* weights, std::size_t count) {
    double sum = 0.0;
    for (std::size_t r = 0; r < count; ++r) sum += weights[r];
    int exponent = 0;
    std::frexp(sum, &exponent);
    return std::ldexp(1.0, exponent);
}

// Sums are kept per lane, a share of the tasks that depends on the data alone, and added pairwise: one thread and many give
// the same bits. Number of lanes for tasks that add to `counts` numbers.
inline std::size_t lanes_for(std::size_t tasks, std::size_t counts) {
    std::size_t most = 32;
    while (most > 2 && most * counts > (std::size_t{1} << 24)) most /= 2;
    return std::max<std::size_t>(1, std::min(most, tasks));
}

// Add all lanes to the first.
inline void add_lanes(double* sums, std::size_t lanes, std::size_t lane_size) {
    for (std::size_t apart = 1; apart < lanes; apart *= 2)
        for (std::size_t k = 0; k + apart < lanes; k += 2 * apart)
            for (std::size_t i = 0; i < lane_size; ++i) sums[k * lane_size + i] += sums[(k + apart) * lane_size + i];
}

}  // namespace cutpoint
