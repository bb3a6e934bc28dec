// What the compiled kernels compute, without Python: plain pointers in, plain pointers out, nothing thrown.
//
// Matrices are padded to `stride` rows of `stride` doubles, a multiple of the vector width, and what lies beyond the
// last state is zero. Sums over states run in one fixed order, so a row gives the same bits alone and among others.

#pragma once

#include <cstddef>
#include <cstdint>

namespace cutpoint {

// An acceptor or a generator, padded: steps[a][s][t] and transposed[a][t][s], aligned to 64 bytes.
struct Machine {
    std::size_t states;
    std::size_t stride;
    std::size_t symbols;
    const double* steps;
    const double* transposed;
    const double* initial;
    double negligible;  // forward entries below this are dropped, and what is dropped is accounted for
    double watched;     // a forward row with a smaller entry is scaled even where nothing was seen; 0 for acceptors
};

// The prefix tree of a sample, cut into blocks that are trees of their own. Nodes of a block are sorted by depth, then
// by symbol; a group is a run of nodes of equal depth and symbol. Indices of nodes are local to their block.
struct Tree {
    std::size_t blocks;
    const std::int64_t* node_offsets;   // [blocks + 1] into parents and marks
    const std::int32_t* parents;        // node of the prefix without the last symbol; -1 for a root
    const std::int32_t* marks;          // what was seen there, an index into masks; null if nothing was along any word
    const std::int64_t* group_offsets;  // [blocks + 1] into group_symbols and group_starts
    const std::int32_t* group_symbols;  // -1 for the roots
    const std::int32_t* group_starts;   // first node of each group; the next group's start, or the block's size, ends it
    const std::int32_t* edges;          // nodes sorted by symbol
    const std::int64_t* run_offsets;    // [blocks + 1] into run_symbols and run_starts
    const std::int32_t* run_symbols;    // a run is the nodes of a block that read one symbol
    const std::int32_t* run_starts;     // first edge of each run
    const std::int64_t* end_offsets;    // [blocks + 1] into end_nodes and end_words
    const std::int32_t* end_nodes;      // node at which an observation ends
    const std::int64_t* end_words;      // the observation
};

// What was seen: masks[k][s] as doubles 0 or 1, padded; row 0 is all ones. Words end with columns[k][s]: the masks, of a
// generator times the probability to stop.
struct Evidence {
    const double* masks;
    const unsigned char* full;     // whether a mask is all ones: nothing was seen
    const double* columns;
    const unsigned char* certain;  // whether a column is all ones: then the probability is exactly 1
    const std::int32_t* ends;      // [words] verdict on the word
    const double* weights;         // [words]
    double unit;                   // power of two that brings their sum to at most 1
    const std::int32_t* symbols;   // ragged words, for the long ones
    const std::int64_t* offsets;
    const std::int32_t* positions; // marks at every position, or null
};

// Sums of one lane; lanes are fixed by the data and added in a fixed order, whatever the number of threads.
struct Lane {
    double* counts;   // [symbols][stride][stride]; null if only the log-probabilities are wanted
    double* initial;  // [stride]
    double* stops;    // [stride]; null unless the machine is a generator
};

// Numbers value · 2^(256 exponent), as wide.hpp has them; `nothing` is the exponent of 0.
struct WideArray {
    const double* values;
    const std::int64_t* exponents;
};
constexpr std::int64_t nothing = -(std::int64_t{1} << 50);

// An acceptor or a generator in such numbers, padded; the values of steps are halved, and `stop` of an acceptor is ones.
struct WideMachine {
    std::size_t states;
    std::size_t stride;
    WideArray steps;       // [a][s][t]
    WideArray transposed;  // [a][t][s]
    WideArray initial;
    WideArray stop;
};

// Ragged words, and what was seen of them: masks[k][s] of the marks at every position (or null) and at the end.
struct WideWords {
    const std::int32_t* symbols;
    const std::int64_t* offsets;
    const std::int32_t* marks;
    const std::int32_t* ends;
    const bool* masks;
    const double* weights;  // at most 1
};

// Probability of each word, fraction · 2^exponent with a fraction in [1/2, 1) or 0, and what is null unless wanted.
struct WideOutput {
    double* fractions;
    std::int64_t* exponents;
    Lane lane;      // counts [a][t][s]
    double* table;  // posterior of the states at each position of the one word, [i][s]
};

struct Kernels {
    const char* name;
    // Whether all codes are out of least … size-1.
    bool (*within)(const std::int32_t* codes, std::size_t count, std::int32_t least, std::size_t size);
    // scores[r] = initial · P(x_r) · column for words first … last-1.
    void (*score)(const Machine&, const double* column, const std::int32_t* symbols, const std::int64_t* offsets,
                  std::size_t first, std::size_t last, double* scores, void* scratch);
    // Forward and backward over blocks first … last-1: adds to the lane, writes the log-probability of each observation
    // (NaN where plain floats do not reach).
    void (*expect)(const Machine&, const Tree&, const Evidence&, std::size_t first, std::size_t last, const Lane&,
                   double* logs, void* scratch);
    // The same for one long word, in memory of the order of the square root of its length.
    void (*expect_long)(const Machine&, const Evidence&, std::int64_t word, const Lane&, double* logs, void* scratch);
    // The same for any word, in numbers of any size.
    void (*expect_wide)(const WideMachine&, const WideWords&, std::int64_t word, const WideOutput&, void* scratch);
    void* (*make_memory)();  // one per thread, passed as scratch; null if there is no memory
    void (*shrink_memory)(void*);  // to what may be kept between calls
    void (*drop_memory)(void*);
};

constexpr std::size_t block_nodes = 8192;   // a block's rows should stay in a core's own cache
constexpr std::size_t long_word = 1 << 14;  // symbols from which a word is done with checkpoints
constexpr double watched_below = 1e-150;    // rows of a generator, which shrink, are scaled when they come so far
constexpr double smallest = 1e-300;         // no number smaller than this is used
constexpr double largest_negligible = 1e-20;  // where even larger entries had to be dropped, plain floats do not do
constexpr double loss_allowed = 0x1p-56;    // share of a word's probability that dropping may remove

// One table per instruction set; `best` picks at run time.
extern const Kernels kernels_baseline;
#ifdef CUTPOINT_X86
extern const Kernels kernels_v3;
extern const Kernels kernels_v4;
#endif

}  // namespace cutpoint
