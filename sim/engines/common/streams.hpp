#pragma once
// The edges of a pipeline as streams of chunks: one for each channel on an edge, and which streams lead to which. What
// unroll() writes as messages and the packet engine runs chunk by chunk.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast {

// A channel on an edge.
struct PipelineStream {
    PathQuery path;
    double wire_ratio = 1;
    double rate_cap = 0;              // payload bytes per second; may be infinite
    double scale = 1;                 // of its bytes, where edge counts or weights are not whole
    Duration overhead;                // of its hop
    std::vector<std::size_t> before;  // streams that lead to its sender, of the same channel
};

struct PipelineStreams {
    std::vector<PipelineStream> streams;  // where they run one way: each behind those that lead to it
    Duration longest;                     // latency of a hop, with its overhead
    bool layered = true;            // false: edges run both ways (a tree going up and down) and stream on their own
    double chunks = 0;              // of each stream; the last may be a part of one
    std::uint32_t fill_chunks = 0;  // the last of them, which stand for the pipeline's fill and take no slot
    double steps = 0;               // of a ring: chunks that wait for the one before
};

// What is left of the closed form's draining behind messages that stream on their own: each has crossed one hop itself.
double left_to_drain(const PipelineStreams& streams, double draining);

// The chunk whose slot this one takes: `slots` before it, a fraction of a slot now and then rounded up. None: it takes
// a free one.
std::optional<std::uint64_t> slot_before(std::uint64_t chunk, double slots);

// How many streams a pipeline has, without making them; fewer where edges stand for several.
double stream_count(const Schedule& schedule, const Pipeline& pipeline);

PipelineStreams streams_of(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline);

}  // namespace fabricast
