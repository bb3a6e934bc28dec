// Compiled once per instruction set; CUTPOINT_TABLE names the table of functions that results.

#include "kernels.hpp"

#include <algorithm>
#include <new>

#include "expect.hpp"
#include "score.hpp"
#include "wide.hpp"

namespace cutpoint {
namespace {

bool within(const std::int32_t* codes, std::size_t count, std::int32_t least, std::size_t size) {
    const std::uint32_t first = static_cast<std::uint32_t>(least);
    const std::uint32_t span = static_cast<std::uint32_t>(std::min<std::size_t>(size, INT32_MAX)) - first;
    std::uint32_t most = 0;  // of the distances from the least, where what is smaller is far away
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, static_cast<std::uint32_t>(codes[i]) - first);
    return count == 0 || most < span;
}

void* make_memory() { return new (std::nothrow) Memory; }
void shrink_memory(void* memory) { static_cast<Memory*>(memory)->shrink(); }
void drop_memory(void* memory) { delete static_cast<Memory*>(memory); }

}  // namespace

extern const Kernels CUTPOINT_TABLE;
const Kernels CUTPOINT_TABLE = {CUTPOINT_NAME, within,      score,         expect,      expect_long,
                                expect_wide,   make_memory, shrink_memory, drop_memory};

}  // namespace cutpoint
