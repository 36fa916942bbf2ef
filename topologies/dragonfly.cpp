#include "topologies/dragonfly.hpp"

#include <algorithm>
#include <utility>

#include "topologies/hash.hpp"

namespace fabricast {

namespace {

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

Dragonfly::Dragonfly(const Cluster& cluster)
    : plus_(cluster.fabric.kind == FabricKind::dragonfly_plus),
      bundled_(cluster.fabric.choice == PathChoice::adaptive),
      radix_(static_cast<std::uint32_t>(std::max(cluster.fabric.radix, 2))),
      oversubscription_(cluster.fabric.oversubscription),
      utilisation_(cluster.fabric.trunk_utilisation) {
    const FabricSpec& fabric = cluster.fabric;
    const LinkSpec& trunk = fabric.trunk.rate.num > 0 ? fabric.trunk : fabric.link;
    cable_ = {goodput(trunk), trunk.latency + fabric.switch_latency, LinkClass::leaf_spine};

    const auto ports = static_cast<std::uint32_t>(std::max(cluster.node.nic_ports, 1)) * cluster.node.nics;
    if (fabric.shape.empty()) {
        const std::uint32_t down = plus_ ? radix_ / 2 : radix_ / 4;
        nodes_per_router_ = std::max(down / ports, 1U);
        const std::uint32_t most = radix_ / 2;
        groups_ = ceil_div(cluster.nodes, nodes_per_router_ * most);
        routers_ = ceil_div(ceil_div(cluster.nodes, nodes_per_router_), groups_);
    } else if (fabric.shape.size() == 3 && *std::min_element(fabric.shape.begin(), fabric.shape.end()) > 0) {
        groups_ = static_cast<std::uint32_t>(fabric.shape[0]);
        routers_ = static_cast<std::uint32_t>(fabric.shape[1]);
        nodes_per_router_ = static_cast<std::uint32_t>(fabric.shape[2]);
    } else {
        throw ClusterError("a dragonfly's shape is three figures: groups, routers in a group, nodes at a router");
    }
    if (static_cast<std::uint64_t>(groups_) * routers_ * nodes_per_router_ < cluster.nodes) {
        throw ClusterError("the dragonfly's shape holds " +
                           std::to_string(static_cast<std::uint64_t>(groups_) * routers_ * nodes_per_router_) +
                           " nodes, but the cluster has " + std::to_string(cluster.nodes));
    }
    plus_ ? plan_plus() : plan_dragonfly(nodes_per_router_ * ports);
    if (groups_ > 1 && global_ == 0) {
        throw ClusterError("the global ports of a group are fewer than the " + std::to_string(groups_ - 1) +
                           " other groups; take larger switches or larger groups");
    }
    first_global_ = bundled_ ? 2 * groups_ * routers_ : local_links();
}

// Ports of a router: NICs, one cable to each other router of the group, and global cables for the NICs' bandwidth.
void Dragonfly::plan_dragonfly(std::uint32_t ports_down) {
    const std::uint32_t used = ports_down + routers_ - 1;
    const auto wanted = static_cast<std::uint32_t>(std::max(ports_down / oversubscription_ + 1e-9, 1.0));
    if (used + (groups_ > 1 ? 1 : 0) > radix_) {
        throw ClusterError("a router of " + std::to_string(radix_) + " ports cannot take " +
                           std::to_string(ports_down) + " NIC cables and " + std::to_string(routers_ - 1) +
                           " of its group");
    }
    const std::uint32_t h = std::min(wanted, radix_ - used);
    global_ = groups_ > 1 ? routers_ * h / (groups_ - 1) : 0;
}

// Leaves divide their ports as in a fat tree; spines give half of theirs to the other groups.
void Dragonfly::plan_plus() {
    up_ = std::max(static_cast<std::uint32_t>(radix_ / (1 + oversubscription_) + 1e-9), 1U);
    spines_ = std::max(ceil_div(routers_ * up_, std::max(radix_ / 2, 1U)), 1U);
    while (up_ % spines_ != 0 && spines_ < up_) {
        ++spines_;  // so that every leaf has as many cables to each
    }
    if (spines_ > up_ || ceil_div(routers_ * up_, spines_) > radix_ / 2) {
        throw ClusterError("a group of " + std::to_string(routers_) + " leaves needs spines of more than " +
                           std::to_string(radix_) + " ports");
    }
    const std::uint32_t h = radix_ - routers_ * up_ / spines_;
    global_ = groups_ > 1 ? spines_ * std::min(h, radix_ / 2) / (groups_ - 1) : 0;
}

std::uint32_t Dragonfly::switch_count() const { return groups_ * routers_ + (bundled_ ? groups_ : groups_ * spines_); }

std::uint32_t Dragonfly::local_links() const {
    return plus_ ? 2 * groups_ * routers_ * up_ : groups_ * routers_ * (routers_ - 1);
}

// Between two routers of one group, counted over the whole fabric.
std::uint32_t Dragonfly::local_link(std::uint32_t from, std::uint32_t to) const {
    return from * (routers_ - 1) + order(from % routers_, to % routers_);
}

std::uint32_t Dragonfly::gateway(std::uint32_t group, std::uint32_t other, std::uint32_t k) const {
    return (order(group, other) * global_ + k) % (plus_ ? spines_ : routers_);
}

std::uint32_t Dragonfly::global_link(std::uint32_t group, std::uint32_t other, std::uint32_t k) const {
    return first_global_ + (group * (groups_ - 1) + order(group, other)) * (bundled_ ? 1 : global_) + k;
}

// One of the parallel cables between a leaf and a spine: port p of a leaf leads to spine p % spines.
void Dragonfly::climb(std::uint32_t leaf, std::uint32_t spine, bool down, std::uint64_t flow_hash,
                      TrunkRoute& route) const {
    const std::uint32_t port = spine + spines_ * pick(flow_hash, leaf * 2 + (down ? 1 : 0), up_ / spines_);
    route.add(leaf * up_ + port + (down ? groups_ * routers_ * up_ : 0), cable_.latency);
}

bool Dragonfly::route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t flow_hash, TrunkRoute& route) const {
    const std::uint32_t a = switch_of(from, 0);
    const std::uint32_t b = switch_of(to, 0);
    const std::uint32_t group_a = a / routers_;
    const std::uint32_t group_b = b / routers_;
    if (a == b) {
        return true;
    }
    if (bundled_) {
        route.add(a, cable_.latency);
        if (group_a != group_b) {
            route.add(global_link(group_a, group_b, 0), cable_.latency);
        }
        route.add(groups_ * routers_ + b, cable_.latency);
        return true;
    }
    const std::uint32_t k = group_a == group_b ? 0 : pick(flow_hash, group_a * groups_ + group_b, global_);
    std::uint32_t out = plus_ ? pick(flow_hash, ~group_a, spines_) : b % routers_;  // inside one group
    std::uint32_t in = out;
    if (group_a != group_b) {
        out = gateway(group_a, group_b, k);
        in = gateway(group_b, group_a, k);
    }
    if (plus_) {
        climb(a, out, false, flow_hash, route);
    } else if (a % routers_ != out) {
        route.add(local_link(a, out), cable_.latency);
    }
    if (group_a != group_b) {
        route.add(global_link(group_a, group_b, k), cable_.latency);
    }
    if (plus_) {
        climb(b, in, true, flow_hash, route);
    } else if (group_a != group_b && b % routers_ != in) {
        route.add(local_link(group_b * routers_ + in, b), cable_.latency);
    }
    return true;
}

// Switches: all routers (leaves) first; then one per group for its mesh or spines together (adaptive), or its spines.
Trunk Dragonfly::local_trunk(std::uint32_t index) const {
    const std::uint32_t routers = groups_ * routers_;
    Trunk trunk{.from = 0, .to = 0, .cables = 1, .info = cable_};
    if (bundled_) {
        trunk.from = index % routers;
        trunk.to = routers + trunk.from / routers_;
        trunk.cables = std::max(plus_ ? up_ : routers_ - 1, 1U);
        trunk.info.capacity *= trunk.cables * utilisation_;
        if (index >= routers) {
            std::swap(trunk.from, trunk.to);
        }
    } else if (plus_) {
        const std::uint32_t which = index % (routers * up_);
        trunk.from = which / up_;
        trunk.to = routers + trunk.from / routers_ * spines_ + which % up_ % spines_;
        if (index >= routers * up_) {
            std::swap(trunk.from, trunk.to);
        }
    } else {
        trunk.from = index / (routers_ - 1);
        const std::uint32_t place = index % (routers_ - 1);
        trunk.to = trunk.from / routers_ * routers_ + (place < trunk.from % routers_ ? place : place + 1);
    }
    return trunk;
}

Trunk Dragonfly::trunk(std::uint32_t index) const {
    if (index < first_global_) {
        return local_trunk(index);
    }
    const std::uint32_t routers = groups_ * routers_;
    const std::uint32_t k = bundled_ ? 0 : (index - first_global_) % global_;
    const std::uint32_t pair = (index - first_global_) / (bundled_ ? 1 : global_);
    const std::uint32_t group = pair / (groups_ - 1);
    const std::uint32_t place = pair % (groups_ - 1);
    const std::uint32_t other = place < group ? place : place + 1;
    Trunk trunk{.from = routers + group, .to = routers + other, .cables = 1, .info = cable_};
    trunk.info.cls = LinkClass::global;
    if (bundled_) {
        trunk.cables = global_;
        trunk.info.capacity *= global_ * utilisation_;
        return trunk;
    }
    const std::uint32_t first = plus_ ? routers : 0;
    const std::uint32_t each = plus_ ? spines_ : routers_;
    trunk.from = first + group * each + gateway(group, other, k);
    trunk.to = first + other * each + gateway(other, group, k);
    return trunk;
}

std::string Dragonfly::switch_name(std::uint32_t index) const {
    const std::uint32_t routers = groups_ * routers_;
    if (index < routers) {
        return (plus_ ? "leaf" : "router") + std::to_string(index);
    }
    return (bundled_ ? "group" : "spine") + std::to_string(index - routers);
}

std::optional<std::uint32_t> Dragonfly::find_switch(std::string_view name) const {
    const std::uint32_t routers = groups_ * routers_;
    if (const auto router = number_after(name, plus_ ? "leaf" : "router"); router && *router < routers) {
        return router;
    }
    if (const auto other = number_after(name, bundled_ ? "group" : "spine");
        other && routers + *other < switch_count()) {
        return routers + *other;
    }
    return std::nullopt;
}

std::vector<FabricTier> Dragonfly::tiers() const {
    const std::uint64_t routers = static_cast<std::uint64_t>(groups_) * routers_;
    const std::uint64_t global = static_cast<std::uint64_t>(groups_) * (groups_ - 1) / 2 * global_;
    if (plus_) {
        return {{"leaf", routers, routers * up_}, {"spine", static_cast<std::uint64_t>(groups_) * spines_, global}};
    }
    return {{"router", routers, routers * (routers_ - 1) / 2}, {"group", 0, global}};
}

}  // namespace fabricast
