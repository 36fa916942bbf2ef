#pragma once
// How trunks share the ports of a switch with the links of NICs. Ports are counted at the link's rate, as in
// `FabricSpec::radix`. A full-rate port of the switch is split into as many links or trunks as run on it at their
// rates, so a faster trunk takes the room of several links, and slower trunks share that of one. Trunks of the link's
// own rate take one port each.

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

struct TrunkPorts {
    std::uint64_t links = 1, trunks = 1;  // that one full-rate port serves
    double per_link = 1;                  // trunks as fast together as one link
    std::string words;                    // " with trunks of 'ethernet-800g' (2 ports each)"; empty if trunks are links

    explicit TrunkPorts(const FabricSpec& fabric)
        : links(std::max(fabric.port_links, 1U)), trunks(std::max(fabric.port_trunks, 1U)) {
        const LinkSpec& trunk = fabric.trunk;
        if (trunk.rate.num == 0 || trunk.rate == fabric.link.rate) {
            trunks = links;
            return;
        }
        per_link = fabric.link.rate.bytes_per_second() / trunk.rate.bytes_per_second();
        words = " with trunks of '" + trunk.name +
                (trunks > links ? "' (" + std::to_string(trunks / links) + " to a port)"
                                : "' (" + plural(links / trunks, "port") + " each)");
    }

    // Ports that so many trunks take, the last one perhaps in part.
    std::uint64_t taken_by(std::uint64_t cables) const { return (cables * links + trunks - 1) / trunks; }
    // Trunks for which so many ports have room.
    std::uint32_t on(std::uint64_t ports) const { return static_cast<std::uint32_t>(ports * trunks / links); }
    // Ports that trunks take to carry what one link does.
    double ports_per_link() const { return per_link * static_cast<double>(links) / static_cast<double>(trunks); }
};

}  // namespace fabricast::inline topologies
