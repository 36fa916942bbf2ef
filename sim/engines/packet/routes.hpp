#pragma once
// Which links each flow may take, before the links have ports: its own ways, and detours while links are down.

#include <span>
#include <utility>
#include <vector>

#include "sim/engines/packet/network.hpp"

namespace fabricast::inline packet {

struct Routes {
    std::vector<LinkId> links;
    std::vector<std::size_t> ways_end;                             // per way, into `links`
    std::vector<std::uint32_t> variants_end;                       // per query: its ways are consecutive
    std::vector<std::pair<std::uint32_t, std::uint32_t>> detours;  // query and way, query by query
    std::vector<Epoch> epochs;                                     // empty: no flow takes a detour

    std::span<const LinkId> links_of(std::size_t way) const {
        const std::size_t begin = way == 0 ? 0 : ways_end[way - 1];
        return std::span(links).subspan(begin, ways_end[way] - begin);
    }
    std::uint32_t count() const { return static_cast<std::uint32_t>(ways_end.size()); }
    std::uint32_t begin_of(std::size_t query) const { return query == 0 ? 0 : variants_end[query - 1]; }
};

// Throws Unreachable.
Routes find_ways(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries);

}  // namespace fabricast::inline packet
