#pragma once
// Which packets a port marks as they leave: ECN by the length of its queue, FECN at the root of congestion.

#include "base/hash.hpp"
#include "sim/engines/packet/domain.hpp"

namespace fabricast::inline packet {

// FECN marks at the root of congestion: a port whose queue is long although it has credit. A port without credit is a
// victim and does not mark, unless it leads to a device that is not a switch (Victim_Mask).
[[gnu::cold]] inline void mark_forward(Domain& d, std::uint32_t p, Frame& frame, Ps start) {
    const Port& port = d.ports[p];
    PortCounts& counts = d.port_counts[p];
    const InfinibandControl& control = d.options.infiniband;
    ++counts.draws;
    const bool victim = counts.starved_until == start && d.nodes[port.to_node].is_switch;
    if (victim || frame.bytes < control.packet_size.count || counts.since_mark++ < control.marking_rate) { return; }
    counts.since_mark = 0;
    frame.meta |= Frame::marked;
    ++counts.marks;
}

// WRED when a packet leaves the queue, by the bytes that stay, which are more than Kmin (facts: most ASICs mark at
// dequeue). Uses a hash of flow and time instead of a random generator, so that the result does not depend on threads.
[[gnu::noinline]] inline void mark(Domain& d, std::uint32_t p, Frame& frame, Ps start) {
    if (d.shared.control == CongestionControl::infiniband) {
        mark_forward(d, p, frame, start);
        return;
    }
    PortCounts& counts = d.port_counts[p];
    const auto queued = static_cast<float>(d.ports[p].queued_bytes);
    ++counts.draws;
    const double share = queued > counts.k_max ? 1.0
                                               : d.shared.p_max * static_cast<double>(queued - counts.k_min) /
                                                     static_cast<double>(counts.k_max - counts.k_min);
    const std::uint64_t h = mix(mix(d.options.seed ^ frame.flow) ^ static_cast<std::uint64_t>(start));
    if (static_cast<double>(h >> 11U) * 0x1p-53 < share) {
        frame.meta |= Frame::marked;
        ++counts.marks;
    }
}

}  // namespace fabricast::inline packet
