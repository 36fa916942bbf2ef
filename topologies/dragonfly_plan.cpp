#include "topologies/dragonfly_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "topologies/fabric_generator.hpp"
#include "topologies/trunk_ports.hpp"

namespace fabricast::inline topologies {

namespace {

// Turns the global ports of groups into numbers of cables between each two groups. All groups have `ports`, except the
// last one, which has `last_ports`, no more than the others.
std::vector<std::uint32_t> global_cables(std::uint32_t groups, std::uint32_t ports, std::uint32_t last_ports) {
    std::vector<std::uint32_t> between(static_cast<std::size_t>(groups) * groups, 0);
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t cables) {
        between[a * groups + b] += cables;
        between[b * groups + a] += cables;
    };
    const std::uint32_t full = groups - 1;
    std::vector<std::uint32_t> left;  // free ports of each full group
    for (std::uint32_t g = 0; g < full; ++g) {
        add(g, full, last_ports / full + (g < last_ports % full ? 1 : 0));
        left.push_back(ports - between[g * groups + full]);
    }
    if (full < 2) { return between; }
    const std::uint32_t each = *std::ranges::min_element(left) / (full - 1);
    for (std::uint32_t g = 0; g < full; ++g) {
        for (std::uint32_t other = g + 1; other < full; ++other) { add(g, other, each); }
        left[g] -= each * (full - 1);
    }
    // A cable between pairs of groups, until at most one port is left (Havel, 1955; Hakimi, SIAM J. 1962).
    std::vector<std::uint32_t> order(left.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto more_left = [&](std::uint32_t a, std::uint32_t b) { return left[a] > left[b]; };
    if (std::accumulate(left.begin(), left.end(), std::uint64_t{0}) % 2 == 1) { --*std::ranges::max_element(left); }
    for (std::ranges::stable_sort(order, more_left); left[order.front()] > 0;
         std::ranges::stable_sort(order, more_left)) {
        const std::uint32_t group = order.front();
        for (std::uint32_t i = 1; left[group] > 0; ++i) {
            add(group, order[i], 1);
            --left[order[i]];
            --left[group];
        }
    }
    return between;
}

class DragonflyPlanner {
public:
    explicit DragonflyPlanner(const Cluster& cluster)
        : fabric_(cluster.fabric),
          trunks_(cluster.fabric),
          radix_(static_cast<std::uint32_t>(std::max(cluster.fabric.radix, 2))),
          nodes_(cluster.nodes),
          ports_(static_cast<std::uint32_t>(std::max(cluster.node.nic_ports, 1)) * cluster.node.nics) {
        plan_.plus = fabric_.kind == FabricKind::dragonfly_plus;
    }

    DragonflyPlan plan() {
        fabric_.shape.empty() ? shape_by_radix() : take_shape();
        const std::uint32_t down = plan_.nodes_per_router * ports_;
        plan_.plus ? plan_spines(down) : plan_routers(down);
        if (plan_.groups > 1) { join_groups(); }
        return std::move(plan_);
    }

private:
    // Cables that a router or leaf needs for what `trunks` trunks carry. The 1e-9 absorbs rounding errors before
    // ceil().
    std::uint32_t at_ratio(double trunks) const {
        return std::max(1U, static_cast<std::uint32_t>(std::ceil(trunks / fabric_.oversubscription - 1e-9)));
    }
    // The same for `down` NIC cables.
    std::uint32_t cables_for(std::uint32_t down) const { return at_ratio(down * trunks_.per_link); }
    // Trunks for which a router or leaf with `down` NIC cables has ports.
    std::uint32_t room_beside(std::uint32_t down) const { return down > radix_ ? 0 : trunks_.on(radix_ - down); }

    // Trunks that carry what as many links do may take fewer or more ports than these.
    void shape_by_radix() {
        const double each = trunks_.ports_per_link();
        const double quarters = radix_ / (1 + 3 * each);  // a router's ports for NICs; with trunks like links a quarter
        auto nodes = static_cast<std::uint32_t>(quarters / ports_ + 1e-9);
        auto most = trunks_.on(static_cast<std::uint64_t>(2 * each * quarters + 1e-9));
        if (plan_.plus) {
            nodes = radix_ / ports_;
            while (nodes > 1 && cables_for(nodes * ports_) > room_beside(nodes * ports_)) { --nodes; }
            most = trunks_.on(radix_ / 2);
        }
        plan_.nodes_per_router = std::max(nodes, 1U);
        const std::uint32_t needed = ceil_div(nodes_, plan_.nodes_per_router);
        plan_.routers = std::min(needed, std::max(most, 1U));
        plan_.groups = ceil_div(needed, plan_.routers);
        plan_.last_routers = needed - (plan_.groups - 1) * plan_.routers;
    }

    void take_shape() {
        if (fabric_.shape.size() != 3 || *std::ranges::min_element(fabric_.shape) <= 0) {
            throw ClusterError("a dragonfly's shape is three figures: groups, routers in a group, nodes at a router");
        }
        plan_.groups = static_cast<std::uint32_t>(fabric_.shape[0]);
        plan_.routers = plan_.last_routers = static_cast<std::uint32_t>(fabric_.shape[1]);
        plan_.nodes_per_router = static_cast<std::uint32_t>(fabric_.shape[2]);
        const std::uint64_t held = static_cast<std::uint64_t>(plan_.groups) * plan_.routers * plan_.nodes_per_router;
        if (held < nodes_) {
            throw ClusterError("the dragonfly's shape holds {} nodes, but the cluster has {}", held, nodes_);
        }
    }

    // Cables of a router to the others of its group: one to each or more, so that all that its `down` NIC cables bring
    // can cross to the other half of the group. A balanced group of 2 down routers (Kim et al.) has just one to each.
    // In an odd group it is even, since every cable has two ends.
    std::uint32_t local_cables(std::uint32_t routers, std::uint32_t down, std::uint32_t ports) const {
        const double crossing = 2.0 * down * (routers - 1) / routers * trunks_.per_link;
        const auto most = static_cast<std::uint32_t>(std::ceil(crossing - 1e-9));  // more would stay idle
        const std::uint32_t wanted = std::min(at_ratio(most), most);
        const std::uint32_t cables = routers == 1 ? 0 : std::max(routers - 1, std::min(wanted, ports));
        const bool odd = routers % 2 == 1 && cables % 2 == 1;
        return !odd ? cables : cables < ports ? cables + 1 : cables - 1;
    }

    // A router's ports: its NICs, cables to the others of the group, and global cables for the NICs' bandwidth.
    void plan_routers(std::uint32_t down) {
        const std::uint32_t global = plan_.groups > 1 ? cables_for(down) : 0;
        const std::uint32_t room = room_beside(down);
        if (down > radix_ || plan_.routers - 1 + global > room) {
            throw ClusterError(
                "a router of {} ports{} cannot take {} NIC cables, {} of its group and {} to other groups; take larger "
                "switches, a shape of smaller groups or a larger oversubscription",
                radix_, trunks_.words, down, plan_.routers - 1, global);
        }
        out_ = plan_.routers * global;
        last_out_ = plan_.last_routers * global;
        plan_.local = local_cables(plan_.routers, down, room - global);
        plan_.last_local = local_cables(plan_.last_routers, down, room - global);
        most_last_out_ = plan_.last_routers * (room - plan_.last_local);
    }

    // Leaves divide their ports as in a fat tree; spines have as many cables to other groups as to their leaves.
    void plan_spines(std::uint32_t down) {
        plan_.up = plan_.last_up = cables_for(down);
        if (down > radix_ || plan_.up > room_beside(down)) {
            throw ClusterError("a leaf of {} ports{} cannot take {} NIC cables and {} to spines", radix_, trunks_.words,
                               down, plan_.up);
        }
        if (plan_.all_routers() == 1) {
            plan_.up = plan_.last_up = 0;  // one leaf joins all nodes
            return;
        }
        if (fabric_.shape.empty()) {
            const std::uint32_t rest = nodes_ - (plan_.all_routers() - 1) * plan_.nodes_per_router;
            plan_.last_up = cables_for(rest * ports_);
        }
        plan_.spines = spines_for(plan_.routers, plan_.groups == 1 ? plan_.last_up : plan_.up, out_);
        plan_.last_spines = spines_for(plan_.last_routers, plan_.last_up, last_out_);
        plan_.last_up = std::max(plan_.last_up, plan_.last_spines);
        most_last_out_ = last_out_;
        if (std::max(plan_.spines, plan_.last_spines) > plan_.up) {
            throw ClusterError(
                "a leaf has {} cables up, too few to reach each of {} spines of its group; take larger "
                "switches or a smaller oversubscription",
                plan_.up, std::max(plan_.spines, plan_.last_spines));
        }
    }

    // The fewest spines that work, each with a cable from every leaf. Sets `out` to the group's cables to other groups.
    std::uint32_t spines_for(std::uint32_t leaves, std::uint32_t last_up, std::uint32_t& out) const {
        for (std::uint32_t spines = 1;; ++spines) {
            const std::uint32_t in = (leaves - 1) * plan_.up + std::max(last_up, spines);
            out = plan_.groups > 1 ? std::max(in, plan_.groups - 1) : 0;
            if (ceil_div(in, spines) + ceil_div(out, spines) <= trunks_.on(radix_) || spines > plan_.up) {
                return spines;
            }
        }
    }

    void join_groups() {
        const std::uint32_t others = plan_.groups - 1;
        if (std::max(last_out_, others) <= most_last_out_) { last_out_ = std::max(last_out_, others); }
        if (std::min(out_, last_out_) < others) {
            throw ClusterError(
                "the global ports of a group are fewer than the {} other groups; take larger switches or larger groups",
                others);
        }
        plan_.between = global_cables(plan_.groups, out_, std::min(out_, last_out_));
    }

    const FabricSpec& fabric_;
    TrunkPorts trunks_;
    std::uint32_t radix_, nodes_, ports_;
    std::uint32_t out_ = 0, last_out_ = 0;  // ports for other groups: of a group, and of the last group
    std::uint32_t most_last_out_ = 0;
    DragonflyPlan plan_;
};

}  // namespace

std::uint32_t DragonflyPlan::local_before(std::uint32_t group, std::uint32_t distance) const {
    const std::uint32_t all = routers_of(group), others = all - 1, rest = local_of(group) % others;
    const std::uint32_t before = distance - 1, side = rest / 2;  // one more to so many on either side
    const std::uint32_t opposite = rest % 2 == 1 && before >= all / 2 ? 1 : 0;
    const std::uint32_t far = before > others - side ? before - (others - side) : 0;
    return before * (local_of(group) / others) + std::min(before, side) + opposite + far;
}

DragonflyPlan plan_dragonfly(const Cluster& cluster) { return DragonflyPlanner(cluster).plan(); }

}  // namespace fabricast::inline topologies
