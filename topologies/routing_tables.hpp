#pragma once
// Forwarding tables as a subnet manager fills them: at each switch one link for each adapter, whatever the flow.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

// A graph of switches 0 .. forwarders - 1, which forward, and behind them adapters, which do not.
struct SwitchedGraph {
    std::uint32_t forwarders = 0, ends = 0;
    const std::vector<Trunk>& links;                 // directed
    std::function<std::string(std::uint32_t)> name;  // of a vertex, for messages
};

// As opensm does (its man page and doc/current-routing.txt):
// - min-hop: of the links with the fewest hops the one with the fewest adapters so far, adapter by adapter;
// - up-down: the same over ways that go up towards the roots, then down, and never up again (Autonet's rule), so that
//   credits cannot wait in a circle; roots are the switches farthest from adapters;
// - fat-tree: up by the adapter's number modulo the links up, tier by tier, so that all come down to it by one way and
//   shifts of a whole job collide nowhere (Zahavi et al., "Optimized InfiniBand fat-tree routing for shift all-to-all
//   communication patterns", 2010).
class RoutingTables {
public:
    // Precondition: routing is not ecmp. Throws ClusterError if the graph cannot be routed so: a fat tree with a cable
    // inside a tier or over one, adapters between which no way goes up and then down.
    RoutingTables(GraphRouting routing, const SwitchedGraph& graph);

    static constexpr std::uint32_t no_link = 0xffffffff;
    std::uint32_t next_link(std::uint32_t at, std::uint32_t end) const { return next_[std::size_t{at} * ends_ + end]; }
    std::uint32_t longest_route() const { return longest_; }

private:
    std::uint32_t ends_ = 0, longest_ = 0;
    std::vector<std::uint32_t> next_;  // by switch, then adapter
};

}  // namespace fabricast::inline topologies
