// The compiled kernels: arrays in, arrays out, the GIL released, nothing thrown.
// Sizes and symbol codes have been checked by the Python side; sums run in the order of kernels/reference.py.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace nb = nanobind;

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Symbols = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

// next = row · matrix, summed over the states in their order.
void step(const double* row, const double* matrix, double* next, std::size_t states) {
    for (std::size_t t = 0; t < states; ++t) next[t] = row[0] * matrix[t];
    for (std::size_t s = 1; s < states; ++s) {
        const double weight = row[s];
        const double* from = matrix + s * states;
        for (std::size_t t = 0; t < states; ++t) next[t] += weight * from[t];
    }
}

// out[r] = initial · P(x_r) · column for every word r; `work` holds two rows.
void score(const double* transitions, const double* initial, const double* column, std::size_t states,
           const std::int32_t* symbols, const std::int64_t* offsets, std::size_t words, double* work, double* out) {
    for (std::size_t r = 0; r < words; ++r) {
        double* row = work;
        double* next = work + states;
        for (std::size_t s = 0; s < states; ++s) row[s] = initial[s];
        for (std::int64_t i = offsets[r]; i < offsets[r + 1]; ++i) {
            step(row, transitions + static_cast<std::size_t>(symbols[i]) * states * states, next, states);
            std::swap(row, next);
        }
        double total = row[0] * column[0];
        for (std::size_t s = 1; s < states; ++s) total += row[s] * column[s];
        out[r] = total;
    }
}

void acceptances(Floats transitions, Floats initial, Floats column, Symbols symbols, Offsets offsets, Output out) {
    const std::size_t states = initial.shape(0);
    const auto work = std::make_unique<double[]>(2 * states);
    nb::gil_scoped_release release;
    score(transitions.data(), initial.data(), column.data(), states, symbols.data(), offsets.data(),
          out.shape(0), work.get(), out.data());
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "Compiled kernels of cutpoint; use them through cutpoint.kernels.";
    module.def("acceptances", &acceptances, nb::arg("transitions"), nb::arg("initial"), nb::arg("column"),
               nb::arg("symbols"), nb::arg("offsets"), nb::arg("out").noconvert());
}
