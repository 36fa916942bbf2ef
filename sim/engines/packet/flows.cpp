#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

void Traffic::begin_flow(std::uint32_t f, std::uint32_t pattern, std::uint32_t controllers) {
    routes[f] = route_patterns[pattern];
    flows[f] = flow_patterns[pattern];
    receivers[f] = Receiver{};
    std::uint32_t& controller = flows[f].controller;
    if (controller != none) { controlled[controller += controllers] = f; }
}

void Traffic::begin(std::uint32_t pipeline) {
    const Shape& its = shape(pipeline);
    const std::uint32_t first = first_stream[pipeline];
    for_each_part(pipeline, [](auto& part, std::size_t begin, std::size_t count) { part.claim(begin, count); });
    for (std::uint32_t i = 0; i < its.count; ++i) {
        Stream& stream = streams[first + i] = stream_patterns[its.first + i];
        stream.pipeline = pipeline;
        stream.first = first;
        stream.first_have = first_have[pipeline];
        stream.flow = first_stream_flow + first + i;
        begin_flow(stream.flow, flow_pattern(its, i), first_controller[pipeline]);
    }
}

void Traffic::end(std::uint32_t pipeline) {
    for_each_part(pipeline, [](auto& part, std::size_t begin, std::size_t count) { part.release(begin, count); });
}

}  // namespace fabricast::inline packet
