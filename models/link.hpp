#pragma once
// A link is data: line rate after encoding, latency, framing. Three pure functions say what it carries.

#include <string>

#include "base/units.hpp"

namespace fabricast {

enum class LinkFamily : std::uint8_t {
    pcie,
    nvlink,
    c2c,
    infiniband,
    ethernet,
    slingshot,
    efa,
    cpu_bus,
    memory,
    other
};

// How payload is cut into packets: every `payload` bytes cost `header` bytes more on the wire, once per message `setup`
// bytes more. Sources stand in the catalogue beside the figures.
struct Framing {
    Bytes payload{4096};
    Bytes header{0};
    Bytes setup{0};
};

struct LinkSpec {
    std::string name;
    LinkFamily family = LinkFamily::other;
    Rate rate;         // line rate after encoding, per direction
    Duration latency;  // propagation + PHY + FEC, one way, without serialization
    Framing framing;
    double usable = 1.0;  // share left by link-level control traffic (credits, ACKs, skip symbols), 0 < usable <= 1
};

// Bytes on the wire of one message of `payload` bytes. An empty message is one header.
constexpr Bytes wire_size(const Framing& framing, Bytes payload) {
    const std::int64_t packets =
        payload.count <= 0 ? 1 : (payload.count + framing.payload.count - 1) / framing.payload.count;
    return payload + framing.header * packets + framing.setup;
}

// Time on the wire of one message, rounded up to the picosecond.
constexpr Duration serialization_time(const LinkSpec& link, Bytes payload) {
    return transmission_time(wire_size(link.framing, payload), link.rate);
}

// Payload rate of an endless message, in bytes per second and direction.
constexpr double goodput(const LinkSpec& link) {
    const auto payload = static_cast<double>(link.framing.payload.count);
    const auto header = static_cast<double>(link.framing.header.count);
    return link.rate.bytes_per_second() * link.usable * payload / (payload + header);
}

}  // namespace fabricast
