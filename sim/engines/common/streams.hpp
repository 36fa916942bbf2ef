#pragma once
// The edges of a pipeline as streams of chunks: one stream for each channel on an edge, and which streams lead to
// which. unroll() writes them as messages; the packet engine runs them chunk by chunk.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

// A channel on an edge.
struct PipelineStream {
    PathQuery path;
    double wire_ratio = 1;
    double rate_cap = 0;  // payload bytes per second; may be infinite
    double scale = 1;     // factor on its bytes, if edge counts or weights are not whole numbers
    Duration overhead;    // of its hop
    Duration hop;         // with the latency of its path
    // Streams of the same channel that end at its sender; if the edges run both ways, only where that is a switch.
    std::vector<std::size_t> before;
};

struct PipelineStreams {
    std::vector<PipelineStream> streams;  // unless they form cycles: each after those that lead to it
    Duration longest;                     // largest latency of a hop, overhead included
    Duration credit;                      // and of a slot's way back
    bool layered = true;  // false: edges run both ways (a tree going up and down), and each streams on its own
    double chunks = 0;    // of each stream; the last may be a partial chunk
    std::uint32_t fill_chunks = 0;  // how many of them, at the end, represent the pipeline's fill and take no slot
};

// Seconds of the closed form's draining after messages that stream on their own and have themselves taken `crossed` for
// hops: each has crossed one, or two where they wait at a switch.
double left_to_drain(const PipelineStreams& streams, double draining, Duration crossed);

// The chunk whose slot this one reuses: `slots` before it, which for a fraction is sometimes rounded down and sometimes
// up. nullopt: it takes a free slot.
std::optional<std::uint64_t> slot_before(std::uint64_t chunk, double slots);

// How many streams a pipeline has, without making them; an Edge whose `count` is above 1 counts once.
double stream_count(const Schedule& schedule, const Pipeline& pipeline);
// The same for the whole schedule, in which a connection is a stream, too.
double stream_count(const Schedule& schedule);

PipelineStreams streams_of(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline);

}  // namespace fabricast::inline engine_common
