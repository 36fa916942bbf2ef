#pragma once
// Which links each flow may take, before the links have ports: its own ways, and detours while links are down.

#include <span>
#include <utility>
#include <vector>

#include "sim/engines/packet/network.hpp"

namespace fabricast::inline packet {

struct Routes {
    struct Way {
        std::size_t begin = 0, end = 0;  // into `links`
    };
    std::vector<LinkId> links;
    std::vector<Way> ways;                                         // those of one query are consecutive
    std::vector<std::uint32_t> variants_end;                       // per query
    std::vector<std::pair<std::uint32_t, std::uint32_t>> detours;  // query and way, query by query
    std::vector<Epoch> epochs;                                     // empty: no flow takes a detour

    std::span<const LinkId> of(const Way& way) const { return {links.data() + way.begin, way.end - way.begin}; }
    std::uint32_t begin_of(std::size_t query) const { return query == 0 ? 0 : variants_end[query - 1]; }
};

// Throws Unreachable.
Routes find_ways(const Fabric& fabric, const Packet& options, const std::vector<PathQuery>& queries,
                 const std::vector<LinkEvent>& events);

}  // namespace fabricast::inline packet
