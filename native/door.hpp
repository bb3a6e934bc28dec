// The door to the kernels: every array that Python passes is checked here before a kernel reads it. Nothing is converted.
// What does not hold is said by kernels/door.py, which has the same checks for the reference kernels.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "parallel.hpp"

namespace cutpoint {

namespace nb = nanobind;

template <class T, std::size_t Axes>
using View = nb::ndarray<T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;
using Codes = View<const std::int32_t, 1>;
using Offsets = View<const std::int64_t, 1>;

constexpr std::int64_t any = -1;  // a size that nothing is known of
constexpr std::int32_t most_codes = INT32_MAX - 1;  // so that a code and 1 is a code

// Raise the error of a check that was seen to fail: `check` is its name in kernels/door.py.
template <class... Arguments>
[[noreturn]] void refuse(const char* check, const char* name, const Arguments&... arguments) {
    nb::module_::import_("cutpoint.kernels.door").attr(check)(name, arguments...);
    throw std::invalid_argument(std::string(name) + " is not what the kernels can read.");
}

template <class T>
constexpr const char* kind() {
    using Value = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Value, double>) return "float64";
    else if constexpr (std::is_same_v<Value, bool>) return "bool";
    else if constexpr (std::is_same_v<Value, std::int32_t>) return "int32";
    else return "int64";
}

// The array that a value is: of this kind, contiguous, aligned, writable unless T is const, and of this shape.
template <class T, std::size_t Axes>
View<T, Axes> array(const char* name, nb::handle value, const std::array<std::int64_t, Axes>& shape) {
    View<T, Axes> view;
    bool fits = nb::try_cast(value, view, false) && reinterpret_cast<std::uintptr_t>(view.data()) % alignof(T) == 0;
    for (std::size_t k = 0; fits && k < Axes; ++k)
        fits = shape[k] == any || static_cast<std::size_t>(shape[k]) == view.shape(k);
    if (fits) return view;
    nb::list sizes;
    for (const std::int64_t size : shape) sizes.append(size);
    refuse("array", name, value, kind<T>(), sizes, !std::is_const_v<T>);
}

// Codes from `least` to size-1, as many as `count`.
inline Codes codes(const char* name, nb::handle value, std::int64_t count, std::size_t size, std::int32_t least = 0) {
    const Codes found = array<const std::int32_t, 1>(name, value, {count});
    if (!best_kernels().within(found.data(), found.size(), least, size)) refuse("codes", name, value, size, least);
    return found;
}

// Whether offsets first … last are not negative and never decrease.
inline bool ascend(const std::int64_t* offsets, std::size_t first, std::size_t last) {
    const auto entry = [offsets](std::size_t r) { return static_cast<std::uint64_t>(offsets[r]); };
    std::uint64_t signs = entry(first);  // of all offsets and of what lies between them
    for (std::size_t r = first + 1; r <= last; ++r) signs |= entry(r) | (entry(r) - entry(r - 1));
    return signs >> 63 == 0;
}

// Where words begin: from 0 to the number of symbols. Whether they ascend is left to the caller.
inline Offsets offsets_to_check(nb::handle value, std::size_t n_symbols) {
    const Offsets found = array<const std::int64_t, 1>("offsets", value, {any});
    const std::size_t size = found.size();
    if (size == 0 || found.data()[0] != 0 || found.data()[size - 1] != static_cast<std::int64_t>(n_symbols))
        refuse("offsets", "offsets", value, n_symbols);
    return found;
}

inline Offsets offsets(nb::handle value, std::size_t n_symbols) {
    const Offsets found = offsets_to_check(value, n_symbols);
    if (!ascend(found.data(), 0, found.size() - 1)) refuse("offsets", "offsets", value, n_symbols);
    return found;
}

// Matrices of one size, at least 1, and how many states that is.
struct Matrices {
    View<const double, 3> values;
    std::size_t symbols, states;
    const double* data() const { return values.data(); }

    explicit Matrices(nb::handle value) : values(array<const double, 3>("transitions", value, {any, any, any})) {
        symbols = values.shape(0), states = values.shape(1);
        if (states == 0) refuse("states", "transitions");
        if (values.shape(2) != states) array<const double, 3>("transitions", value, {any, size(states), size(states)});
    }
    View<const double, 1> column(const char* name, nb::handle value) const {
        return array<const double, 1>(name, value, {size(states)});
    }
    static std::int64_t size(std::size_t count) { return static_cast<std::int64_t>(count); }
};

// An output must not lie in the memory of what is read while it is written.
template <class Output, class... Inputs>
void apart(const char* name, const Output& output, const Inputs&... inputs) {
    const auto begin = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
    const auto end = [&](const auto& view) { return begin(view) + view.nbytes(); };
    const bool overlap = ((begin(inputs) < end(output) && begin(output) < end(inputs)) || ...);
    if (overlap) refuse("apart", name);
}

}  // namespace cutpoint
