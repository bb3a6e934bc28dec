// By the stable ABI of Python alone, so that one wheel serves many versions.

#include "encode.hpp"

#include <array>
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

// Code points to codes; `text` and `out` may be one array.
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

bool is_word(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }
Py_ssize_t size_of(PyObject* word) { return PyList_CheckExact(word) ? PyList_Size(word) : PyTuple_Size(word); }
PyObject* item_of(PyObject* word, Py_ssize_t i) {
    return PyList_CheckExact(word) ? PyList_GetItem(word, i) : PyTuple_GetItem(word, i);
}

}  // namespace

nb::object encode_texts(nb::list words, nb::handle code_points) {
    const Codes table = array<const std::int32_t, 1>("table", code_points, {any});
    PyObject* list = words.ptr();
    const Py_ssize_t count = PyList_Size(list);
    auto offsets = std::make_unique<std::int64_t[]>(static_cast<size_t>(count) + 1);
    for (Py_ssize_t r = 0; r < count; ++r) {
        PyObject* word = PyList_GetItem(list, r);
        if (!PyUnicode_CheckExact(word)) return nb::none();
        offsets[r + 1] = offsets[r] + PyUnicode_GetLength(word);
    }
    const size_t total = static_cast<size_t>(offsets[count]), size = table.shape(0);
    std::unique_ptr<std::int32_t[]> symbols(new std::int32_t[total]);
    for (Py_ssize_t r = 0; r < count; ++r) {
        const Py_ssize_t length = static_cast<Py_ssize_t>(offsets[r + 1] - offsets[r]);
        std::int32_t* out = symbols.get() + offsets[r];
        PyObject* word = PyList_GetItem(list, r);
        bool known = false;
        if (size <= 128) {  // all symbols are in ASCII, as which a word is there already
            Py_ssize_t bytes = 0;
            const char* text = PyUnicode_AsUTF8AndSize(word, &bytes);
            if (!text) PyErr_Clear();
            known = text && bytes == length &&
                    encode(reinterpret_cast<const unsigned char*>(text), length, table.data(), size, out);
        } else {
            auto* text = reinterpret_cast<Py_UCS4*>(out);
            if (!PyUnicode_AsUCS4(word, text, length, 0)) throw nb::python_error();
            known = encode(text, length, table.data(), size, out);
        }
        if (!known) return nb::none();
    }
    return nb::make_tuple(as_array(std::move(symbols), total), as_array(std::move(offsets), static_cast<size_t>(count) + 1));
}

nb::object encode_lists(nb::list words, nb::dict codes) {
    PyObject* list = words.ptr();
    const Py_ssize_t count = PyList_Size(list);
    auto offsets = std::make_unique<std::int64_t[]>(static_cast<size_t>(count) + 1);
    for (Py_ssize_t r = 0; r < count; ++r) {
        PyObject* word = PyList_GetItem(list, r);
        if (!is_word(word)) return nb::none();
        offsets[r + 1] = offsets[r] + size_of(word);
    }
    const size_t total = static_cast<size_t>(offsets[count]);
    std::unique_ptr<std::int32_t[]> symbols(new std::int32_t[total]);
    // Codes by the address of a symbol, since words often hold the same objects. Each is held, so that no other object gets its
    // address, and so that it lives while its hash runs Python code.
    struct Known {
        nb::object symbol;
        std::int32_t code = 0;
    };
    std::array<Known, 256> known;
    for (Py_ssize_t r = 0; r < count; ++r) {
        // That code may also change the lists: sizes are looked at anew.
        PyObject* word = r < PyList_Size(list) ? PyList_GetItem(list, r) : nullptr;
        if (!word || !is_word(word)) return nb::none();
        const nb::object held = nb::borrow(word);
        const Py_ssize_t length = static_cast<Py_ssize_t>(offsets[r + 1] - offsets[r]);
        for (Py_ssize_t i = 0; i < length; ++i) {
            PyObject* symbol = item_of(word, i);
            if (!symbol) PyErr_Clear();
            if (!symbol) return nb::none();
            Known& place = known[(reinterpret_cast<std::uintptr_t>(symbol) >> 4) % known.size()];
            if (place.symbol.ptr() != symbol) {
                place.symbol = nb::borrow(symbol);
                PyObject* code = PyDict_GetItemWithError(codes.ptr(), symbol);
                if (!code) {
                    // Not a symbol, or nothing that could be one; anything else, an interrupt say, goes on its way.
                    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                    PyErr_Clear();
                    return nb::none();
                }
                const long value = PyLong_AsLong(code);
                if (value == -1 && PyErr_Occurred()) throw nb::python_error();
                if (value < 0 || value > most_codes) throw std::invalid_argument("codes must be from 0 to 2147483645.");
                place.code = static_cast<std::int32_t>(value);
            }
            symbols[offsets[r] + i] = place.code;
        }
    }
    return nb::make_tuple(as_array(std::move(symbols), total), as_array(std::move(offsets), static_cast<size_t>(count) + 1));
}

}  // namespace cutpoint
