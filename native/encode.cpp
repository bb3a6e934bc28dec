#include "encode.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "door.hpp"

namespace cutpoint {
namespace {

template <class T>
nb::object as_array(std::unique_ptr<T[]> values, size_t size) {
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

template <class Char>
bool encode(const Char* text, Py_ssize_t length, const std::int32_t* table, size_t size, std::int32_t* out) {
    std::int32_t worst = 0;
    for (Py_ssize_t i = 0; i < length; ++i) {
        const size_t point = text[i];
        const std::int32_t code = point < size ? table[point] : -1;
        out[i] = code;
        worst |= code;  // negative as soon as one is
    }
    return worst >= 0;
}

}  // namespace

nb::object encode_texts(nb::list words, nb::handle code_points) {
    const Codes table = array<const std::int32_t, 1>("table", code_points, {any});
    PyObject* list = words.ptr();
    const Py_ssize_t count = PyList_GET_SIZE(list);
    auto offsets = std::make_unique<std::int64_t[]>(static_cast<size_t>(count) + 1);
    for (Py_ssize_t r = 0; r < count; ++r) {
        PyObject* word = PyList_GET_ITEM(list, r);
        if (!PyUnicode_CheckExact(word)) return nb::none();
        offsets[r + 1] = offsets[r] + PyUnicode_GET_LENGTH(word);
    }
    const size_t total = static_cast<size_t>(offsets[count]), size = table.shape(0);
    std::unique_ptr<std::int32_t[]> symbols(new std::int32_t[total]);
    for (Py_ssize_t r = 0; r < count; ++r) {
        PyObject* word = PyList_GET_ITEM(list, r);
        const Py_ssize_t length = PyUnicode_GET_LENGTH(word);
        std::int32_t* out = symbols.get() + offsets[r];
        bool known = true;
        switch (PyUnicode_KIND(word)) {
            case PyUnicode_1BYTE_KIND: known = encode(PyUnicode_1BYTE_DATA(word), length, table.data(), size, out); break;
            case PyUnicode_2BYTE_KIND: known = encode(PyUnicode_2BYTE_DATA(word), length, table.data(), size, out); break;
            default: known = encode(PyUnicode_4BYTE_DATA(word), length, table.data(), size, out); break;
        }
        if (!known) return nb::none();
    }
    return nb::make_tuple(as_array(std::move(symbols), total), as_array(std::move(offsets), static_cast<size_t>(count) + 1));
}

nb::object encode_lists(nb::list words, nb::dict codes) {
    PyObject* list = words.ptr();
    const Py_ssize_t count = PyList_GET_SIZE(list);
    auto offsets = std::make_unique<std::int64_t[]>(static_cast<size_t>(count) + 1);
    for (Py_ssize_t r = 0; r < count; ++r) {
        PyObject* word = PyList_GET_ITEM(list, r);
        if (!PyList_CheckExact(word) && !PyTuple_CheckExact(word)) return nb::none();
        offsets[r + 1] = offsets[r] + PySequence_Fast_GET_SIZE(word);
    }
    const size_t total = static_cast<size_t>(offsets[count]);
    std::unique_ptr<std::int32_t[]> symbols(new std::int32_t[total]);
    for (Py_ssize_t r = 0; r < count; ++r) {
        // Hashing a symbol may run Python code that changes the lists: sizes are looked at anew, symbols are held.
        PyObject* word = r < PyList_GET_SIZE(list) ? PyList_GET_ITEM(list, r) : nullptr;
        if (!word || (!PyList_CheckExact(word) && !PyTuple_CheckExact(word))) return nb::none();
        const nb::object held = nb::borrow(word);
        const Py_ssize_t length = static_cast<Py_ssize_t>(offsets[r + 1] - offsets[r]);
        for (Py_ssize_t i = 0; i < length; ++i) {
            if (i >= PySequence_Fast_GET_SIZE(word)) return nb::none();
            const nb::object symbol = nb::borrow(PySequence_Fast_GET_ITEM(word, i));
            PyObject* code = PyDict_GetItemWithError(codes.ptr(), symbol.ptr());
            if (!code) {
                // Not a symbol, or nothing that could be one; anything else, an interrupt say, goes on its way.
                if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                PyErr_Clear();
                return nb::none();
            }
            const long value = PyLong_AsLong(code);
            if (value == -1 && PyErr_Occurred()) throw nb::python_error();
            if (value < 0 || value > most_codes) throw std::invalid_argument("codes must be from 0 to 2147483645.");
            symbols[offsets[r] + i] = static_cast<std::int32_t>(value);
        }
    }
    return nb::make_tuple(as_array(std::move(symbols), total), as_array(std::move(offsets), static_cast<size_t>(count) + 1));
}

}  // namespace cutpoint
