// Compiled once per instruction set; CUTPOINT_TABLE names the table of functions that results.

#include "kernels.hpp"

#include <new>

#include "expect.hpp"
#include "score.hpp"

namespace cutpoint {
namespace {

void* make_memory() { return new (std::nothrow) Memory; }
void shrink_memory(void* memory) { static_cast<Memory*>(memory)->shrink(); }
void drop_memory(void* memory) { delete static_cast<Memory*>(memory); }

}  // namespace

extern const Kernels CUTPOINT_TABLE;
const Kernels CUTPOINT_TABLE = {CUTPOINT_NAME, score, expect, expect_long, make_memory, shrink_memory, drop_memory};

}  // namespace cutpoint
