#pragma once
// A fabric in figures: what `topo` counts, for programs. Names end in their SI unit.

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "base/json.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

// Links with the same class, capacity and latency are one kind.
struct LinkKind {
    LinkClass cls;
    double capacity;
    Duration latency;
    bool resource;
    auto operator<=>(const LinkKind&) const = default;
};
std::map<LinkKind, std::uint64_t> count_links(const Fabric& fabric);

// The way between two devices; a port stands for its switch, whose ports are all one to a path. Throws ClusterError.
Path path_between(const Fabric& fabric, const std::string& from, const std::string& to,
                  PathKind kind = PathKind::automatic);

Json fabric_json(const Fabric& fabric);
Json path_json(const Fabric& fabric, const std::string& from, const std::string& to,
               PathKind kind = PathKind::automatic);

}  // namespace fabricast::inline topologies
