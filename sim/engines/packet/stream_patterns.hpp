#pragma once
// The streams that pipelines are made of in packets. Pipelines that differ in their time alone share one pattern.

#include <functional>

#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

// Adds a pattern of a flow: bytes on the wire per byte, and payload bytes per second at most. Returns its number.
using AddFlow = std::function<std::uint32_t(const PathQuery& path, double wire_ratio, double rate_cap)>;

// Gives each pipeline its shape, and each shape the patterns of its streams. Throws TooLarge.
void add_stream_patterns(const ReplayTask& task, Traffic& traffic, const AddFlow& add_flow);

// How many streams of packets a schedule has, those of pipelines of one shape counted once.
double distinct_stream_count(const Schedule& schedule);

}  // namespace fabricast::inline packet
