#pragma once
// What a PCIe link carries, in closed form: Neugebauer et al., "Understanding PCIe performance for end host
// networking", SIGCOMM'18.

#include <algorithm>

#include "models/pcie.hpp"

namespace fabricast::testing {

// Payload bytes per second of a continuous stream of writes, each of at most `message` bytes.
inline double write_bandwidth(const PcieSpec& link, Bytes message) {
    const Bytes payload = std::min(link.link.framing.payload, message);
    return link.link.rate.bytes_per_second() * link.link.usable *
           pcie::efficiency(payload, pcie::write_overhead(link.generation));
}

// The same for reads: the lower of what the line carries as completions and what `tags` reads keep in flight per round
// trip.
inline double read_bandwidth(const PcieSpec& link, Bytes message, int tags, Duration round_trip) {
    const Bytes payload = std::min(link.link.framing.payload, message);
    const double on_the_line = link.link.rate.bytes_per_second() * link.link.usable *
                               pcie::efficiency(payload, pcie::completion_overhead(link.generation));
    const Bytes request = std::min(link.max_read_request, message);
    const double in_flight = static_cast<double>(tags) * static_cast<double>(request.count);
    return std::min(on_the_line, in_flight / to_seconds(round_trip));
}

}  // namespace fabricast::testing
