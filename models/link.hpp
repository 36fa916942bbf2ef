#pragma once
// A link is plain data: line rate after encoding, latency, framing. A pure function gives its goodput.

#include <string>

#include "base/units.hpp"

namespace fabricast::inline models {

struct LinkFamilyRow;

// A family of links: a row of the table in link_part.cpp. The named ones are those that other code asks for.
class LinkFamily {
public:
    constexpr explicit LinkFamily(const LinkFamilyRow& row) : row_(&row) {}
    const LinkFamilyRow* operator->() const { return row_; }
    bool operator==(const LinkFamily&) const = default;

    static const LinkFamily pcie, nvlink, c2c, infiniband, ethernet, cpu_bus, memory, other;

private:
    const LinkFamilyRow* row_;
};

// How a message is split into packets: each packet carries up to `payload` bytes and adds `header` bytes on the wire.
// Sources are in the catalogue, next to the figures.
struct Framing {
    Bytes payload{4096};
    Bytes header{0};
};

struct LinkSpec {
    std::string name;
    LinkFamily family = LinkFamily::other;
    Rate rate;         // line rate after encoding, per direction
    Duration latency;  // propagation + PHY + FEC, one way, not including serialization
    Framing framing;
    double usable = 1.0;  // share left by link-level control traffic (credits, ACKs, skip symbols), 0 < usable <= 1
};

// Payload rate of an endless message, in bytes per second, per direction.
constexpr double goodput(const LinkSpec& link) {
    const auto payload = static_cast<double>(link.framing.payload.count);
    const auto header = static_cast<double>(link.framing.header.count);
    return link.rate.bytes_per_second() * link.usable * payload / (payload + header);
}

// `count` links used as one, for example between a pair of GPUs or a GPU and its switches.
inline LinkSpec bundle(LinkSpec link, int count) {
    link.rate.num *= count;
    return link;
}

}  // namespace fabricast::inline models
