#pragma once
// The collectives as nccl-tests counts them: elements of a size, the bus-bandwidth rule, and what every element must
// be afterwards. Nothing here needs NCCL; the check kernel compiles the same functions for the device.
//
// nccl-tests, PERFORMANCE.md and src/*.cu: sizes are the larger buffer's; parts of it for each rank round down to 16 B.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/pattern.hpp"
#include "core/word.hpp"

namespace probe {

enum class Collective {
    all_reduce,
    all_gather,
    reduce_scatter,
    broadcast,
    reduce,
    all_to_all,
    sendrecv,
    gather,
    scatter
};
constexpr auto words_of(Collective) {
    return std::array{"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
                      "all_to_all", "sendrecv",   "gather",         "scatter"};
}

std::vector<std::string> collective_words();
// Throws std::invalid_argument where it is none of collective_words().
Collective collective_of(const std::string& word);

// In elements of one rank; `part` is what one rank owns of a buffer that is cut, else the whole.
struct Counts {
    std::size_t part = 0;
    std::size_t send = 0;
    std::size_t receive = 0;
};
Counts counts_of(Collective collective, std::uint64_t bytes, std::size_t element_bytes, int ranks);

// One collective as it is run: out of place, or with both buffers the same memory.
struct Call {
    Collective collective = Collective::all_reduce;
    Counts counts;
    bool in_place = false;
};

// busbw = factor * algbw.
double bus_factor(Collective collective, int ranks);

// May both buffers be the same memory?
bool has_in_place(Collective collective);

constexpr int root = 0;

// What rank sends at i: small whole numbers, so that sums of up to 200,000 ranks are exact in a float, in any order.
PROBE_HOST_DEVICE constexpr float sent_value(int rank, std::size_t i) {
    return static_cast<float>((static_cast<std::size_t>(rank) * 31 + i * 7) % 64);
}

PROBE_HOST_DEVICE constexpr float sum_of(std::size_t i, int ranks) {
    float sum = 0;
    for (int r = 0; r < ranks; ++r) { sum += sent_value(r, i); }
    return sum;
}

// What `rank` must hold at i of its receive buffer.
PROBE_HOST_DEVICE constexpr float expected_value(Collective collective, int rank, int ranks, std::size_t part,
                                                 std::size_t i) {
    const std::size_t own = static_cast<std::size_t>(rank) * part;
    switch (collective) {
        case Collective::all_reduce:
        case Collective::reduce: return sum_of(i, ranks);
        case Collective::reduce_scatter: return sum_of(own + i, ranks);
        case Collective::broadcast: return sent_value(root, i);
        case Collective::all_gather:
        case Collective::gather: return sent_value(static_cast<int>(i / part), i % part);
        case Collective::all_to_all: return sent_value(static_cast<int>(i / part), own + i % part);
        case Collective::sendrecv: return sent_value((rank + ranks - 1) % ranks, i);
        case Collective::scatter: return sent_value(root, own + i);
    }
    return 0;
}

// Does this rank's receive buffer hold a result?
constexpr bool receives(Collective collective, int rank) {
    return (collective != Collective::reduce && collective != Collective::gather) || rank == root;
}

}  // namespace probe
