// The prefix tree of a sample as Python holds it.

#pragma once

#include <functional>

#include "door.hpp"
#include "tree.hpp"

namespace cutpoint {

using Floats = View<const double, 1>;
using Masks = View<const bool, 2>;

constexpr std::size_t words_per_task = 512;

// A prefix tree for the kernels: whole, or made of front-coded words block by block whenever it is visited.
struct PrefixTree {
    TreeArrays whole;
    std::function<void(std::size_t block, BlockMemory&, TreeArrays&)> make_block;  // empty if the tree is whole
    std::size_t blocks = 0, nodes = 0;
    std::size_t words = 0, symbols = 0, marks = 0;  // how many it was made of: all its codes are smaller
    Array<std::int64_t> block_nodes;
    nb::object coded;  // the words that blocks are made of

    void visit_blocks(std::size_t first, std::size_t last, const std::function<void(const Tree&, std::size_t, std::size_t)>& visit) const {
        if (!make_block) return visit(whole.view(), first, last);
        thread_local BlockMemory memory;
        thread_local TreeArrays block;
        for (std::size_t k = first; k < last; ++k) {
            block.clear();
            make_block(k, memory, block);
            visit(block.view(), 0, 1);
        }
    }
};

constexpr const char* tree_name = "cutpoint.tree";

inline const PrefixTree& tree_of(const nb::tuple& arrays) {
    PyObject* last = arrays.size() ? nb::object(arrays[arrays.size() - 1]).ptr() : nullptr;
    if (!last || !PyCapsule_IsValid(last, tree_name)) refuse("tree", "tree");
    return *static_cast<const PrefixTree*>(PyCapsule_GetPointer(last, tree_name));
}

// The kernels for sparse matrices: sparse_module.cpp.
void bind_sparse(nb::module_& module);

}  // namespace cutpoint
