#pragma once
// Types that all fabric generators share. A generator says which switch a NIC's cable goes to, which trunks join the
// switches, and which trunks a flow takes. It numbers switches and trunks from 0; `Fabric` adds the offsets of its ids.

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/paths.hpp"

namespace fabricast {

// One end of the fabric: a NIC of a node.
struct FabricEnd {
    std::uint32_t node = 0;
    std::uint32_t nic = 0;
};

struct Trunk {
    std::uint32_t from = 0, to = 0;  // switches; numbers from the switch count on are NICs (node * NICs + NIC)
    std::uint32_t cables = 1;
    LinkInfo info;
    bool resource = false;  // see LinkEnds
};

// The trunks of one route, in order. A generator appends; `Fabric` reads.
struct TrunkRoute {
    std::array<std::uint32_t, max_path_links> trunks;
    std::size_t count = 0;
    Duration latency;

    void add(std::uint32_t trunk, Duration trunk_latency) {
        trunks[count++] = trunk;
        latency += trunk_latency;
    }
};

// The number at the end of a switch's name: number_after("leaf12", "leaf") is 12.
inline std::optional<std::uint32_t> number_after(std::string_view name, std::string_view prefix) {
    std::uint32_t number = 0;
    const char* end = name.data() + name.size();
    const bool found = name.size() > prefix.size() && name.starts_with(prefix) &&
                       std::from_chars(name.data() + prefix.size(), end, number).ptr == end;
    return found ? std::optional(number) : std::nullopt;
}

}  // namespace fabricast
