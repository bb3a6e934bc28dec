// Words as Python has them to codes and offsets.

#pragma once

#include <nanobind/nanobind.h>

namespace cutpoint {

// A list of str by a table from code points to codes (-1: not a symbol). Returns (symbols, offsets), or None where a
// word is not a str or holds an unknown symbol: the caller then finds out which, and says so.
nanobind::object encode_texts(nanobind::list words, nanobind::handle table);

// The same for a list of lists or tuples, by a dictionary from symbols to codes.
nanobind::object encode_lists(nanobind::list words, nanobind::dict codes);

}  // namespace cutpoint
