#include "topologies/bill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "topologies/clos_plan.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/trunk_ports.hpp"

namespace fabricast::inline topologies {

namespace {

template <class List, class Value> std::uint64_t sum(const List& list, Value&& value) {
    return std::accumulate(list.begin(), list.end(), std::uint64_t{0},
                           [&](std::uint64_t all, const auto& item) { return all + value(item); });
}

bool is_nic_to_switch(const Fabric& fabric, const LinkEnds& ends) {
    return fabric.kind(ends.from) == DeviceKind::nic && fabric.kind(ends.to) == DeviceKind::fabric_switch;
}

// Cables between NICs and switches. Nodes of a kind have the same number, except where they are trunks of a graph.
std::uint64_t node_cables(const Fabric& fabric) {
    std::uint64_t cables = 0;
    for (const NodeSpan& run : fabric.runs()) {
        for (std::uint32_t l = fabric.first_link(run.first); l < fabric.first_link(run.first + 1); ++l) {
            const LinkEnds ends = fabric.ends(LinkId{l});
            cables += is_nic_to_switch(fabric, ends) ? std::uint64_t{ends.cables} * run.nodes : 0;
        }
    }
    if (fabric.generator().planes() == 0) {
        for (std::uint32_t l = fabric.first_trunk(); l < fabric.link_count(); ++l) {
            const LinkEnds ends = fabric.ends(LinkId{l});
            cables += is_nic_to_switch(fabric, ends) ? ends.cables : 0;
        }
    }
    return cables;
}

// A tier's trunks end at its own switches and at those of the next tier; without one, both ends are in the same.
void add_trunks(const std::vector<FabricTier>& tiers, const TrunkPorts& trunks, Bill& bill) {
    std::size_t at = 0;  // index into bill.switches
    for (std::size_t t = 0; t < tiers.size(); ++t) {
        at += t > 0 && tiers[t].switches > 0 ? 1U : 0U;
        if (tiers[t].cables == 0) { continue; }
        const bool above = at + 1 < bill.switches.size() && t + 1 < tiers.size() && tiers[t + 1].switches > 0;
        const std::string between =
            tiers[t].switches == 0 ? tiers[t].name : bill.switches[at].tier + "-" + bill.switches[at + above].tier;
        bill.switches[at].used += trunks.taken_by(tiers[t].cables);
        bill.switches[at + above].used += trunks.taken_by(tiers[t].cables);
        bill.cables.push_back({between, t == 0 ? CableRun::trunk : CableRun::core, tiers[t].cables});
    }
}

}  // namespace

std::uint64_t Bill::switch_count() const {
    return sum(switches, [](const SwitchCount& s) { return s.switches; });
}
std::uint64_t Bill::cable_count() const {
    return sum(cables, [](const CableCount& c) { return c.cables; });
}
std::optional<std::uint64_t> Bill::ports_left() const {
    if (std::ranges::any_of(switches, [](const SwitchCount& s) { return !s.left(); })) { return std::nullopt; }
    return sum(switches, [](const SwitchCount& s) { return *s.left(); });
}

Bill bill_of(const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    Bill bill;
    bill.nodes = fabric.cluster().nodes;
    bill.gpus = fabric.whole().gpu_count();
    bill.nics = static_cast<std::uint64_t>(fabric.nics_per_node()) * fabric.cluster().nodes;
    if (spec.kind == FabricKind::none) { return bill; }
    const std::vector<FabricTier> tiers = fabric.tiers();
    const auto radix = static_cast<std::uint64_t>(fabric.generator().planes() == 0 ? 0 : spec.radix);
    for (const FabricTier& tier : tiers) {
        if (tier.switches > 0) { bill.switches.push_back({tier.name, tier.switches, tier.switches * radix, 0}); }
    }
    if (bill.switches.empty()) { return bill; }
    SwitchCount& leaves = bill.switches.front();
    const std::uint64_t cables = node_cables(fabric);
    leaves.used = ceil_div(cables, plane_cables_of_port(spec));
    bill.cables.push_back({"node-" + leaves.tier, CableRun::node, cables});
    add_trunks(tiers, TrunkPorts(spec), bill);
    if (spec.management_ports > 0) {
        if (leaves.left() && *leaves.left() < spec.management_ports) {
            throw ClusterError("{} management ports, but {} ports are free on the leaves", spec.management_ports,
                               *leaves.left());
        }
        leaves.used += spec.management_ports;
        bill.cables.front().cables += spec.management_ports;
    }
    return bill;
}

BoughtSwitches::BoughtSwitches(const Fabric& fabric) : fabric_(fabric), generator_(fabric.generator()) {}

std::uint32_t BoughtSwitches::count() const { return generator_.bought_switches(); }

std::string BoughtSwitches::name(SwitchId id) const { return generator_.bought_name(static_cast<std::uint32_t>(id)); }

std::optional<SwitchId> BoughtSwitches::find(std::string_view name) const {
    const auto found = generator_.find_bought(name);
    return found ? std::optional(SwitchId{*found}) : std::nullopt;
}

DeviceId BoughtSwitches::drawn_as(SwitchId id) const {
    return DeviceId{fabric_.first_switch() + generator_.drawn_as(static_cast<std::uint32_t>(id))};
}

std::array<std::optional<SwitchId>, 2> BoughtSwitches::ends(LinkId link, std::uint32_t cable) const {
    const LinkEnds drawn = fabric_.ends(link);
    const auto is_switch = [&](DeviceId device) { return fabric_.kind(device) == DeviceKind::fabric_switch; };
    if (index(link) >= fabric_.first_trunk() && is_switch(drawn.from) && is_switch(drawn.to)) {
        const auto numbers = generator_.cable_ends(index(link) - fabric_.first_trunk(), cable);
        return {SwitchId{numbers[0]}, SwitchId{numbers[1]}};
    }
    // Switches with NICs are always drawn one by one, so their drawn name is their own.
    const auto own = [&](DeviceId device) {
        return is_switch(device) ? find(fabric_.device_name(device)) : std::nullopt;
    };
    return {own(drawn.from), own(drawn.to)};
}

// Cables with at least one end for which `wanted` is true.
std::vector<CablesOfLink> BoughtSwitches::cables_where(const std::function<bool(SwitchId)>& wanted) const {
    std::vector<CablesOfLink> found;
    for (std::uint32_t l = 0; l < fabric_.link_count(); ++l) {
        const LinkEnds drawn = fabric_.ends(LinkId{l});
        if (index(drawn.from) < fabric_.first_switch() && index(drawn.to) < fabric_.first_switch()) {
            continue;  // a link inside a node
        }
        CablesOfLink cables{LinkId{l}, {}};
        for (std::uint32_t cable = 0; cable < drawn.cables; ++cable) {
            const auto joined = ends(LinkId{l}, cable);
            if ((joined[0] && wanted(*joined[0])) || (joined[1] && wanted(*joined[1]))) {
                cables.cables.push_back(cable);
            }
        }
        if (!cables.cables.empty()) { found.push_back(std::move(cables)); }
    }
    return found;
}

std::vector<CablesOfLink> BoughtSwitches::cables_at(SwitchId id) const {
    return cables_where([&](SwitchId joined) { return joined == id; });
}

std::optional<std::vector<CablesOfLink>> BoughtSwitches::cables_of_plane(std::string_view name) const {
    const auto plane = number_after(name, "plane");
    const std::uint32_t planes = generator_.planes();
    if (!plane || planes < 2 || *plane >= planes) { return std::nullopt; }
    return cables_where(
        [&](SwitchId joined) { return generator_.plane_of(static_cast<std::uint32_t>(joined)) == *plane; });
}

std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name) {
    const BoughtSwitches bought(fabric);
    const auto found = bought.find(switch_name);
    if (!found) {
        const DeviceId device = fabric.device(switch_name);  // throws, naming the nearest
        throw ClusterError("'" + fabric.device_name(device) + "' is not a switch of the fabric");
    }
    const DeviceId device = bought.drawn_as(*found);
    // Every cable has a link in each direction: the k-th link out to a device belongs to the k-th link in from it.
    std::vector<CablesOfLink> out;
    std::map<DeviceId, std::vector<LinkId>> in;
    for (CablesOfLink& at : bought.cables_at(*found)) {
        const LinkEnds ends = fabric.ends(at.link);
        if (ends.resource) { continue; }
        if (ends.from == device) {
            out.push_back(std::move(at));
        } else if (ends.to == device) {
            in[ends.from].push_back(at.link);
        }
    }
    std::vector<SwitchPort> all;
    std::map<DeviceId, std::size_t> paired;
    for (const CablesOfLink& link : out) {
        const DeviceId peer = fabric.ends(link.link).to;
        const LinkId back = in.at(peer).at(paired[peer]++);
        for (const std::uint32_t cable : link.cables) { all.push_back({device, link.link, back, cable}); }
    }
    return all;
}

SwitchPort find_port(const Fabric& fabric, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const auto number = dot == std::string_view::npos ? std::nullopt : number_after(name.substr(dot + 1), "port");
    if (!number) { throw ClusterError("'" + std::string(name) + "' is not a port; ports are called leaf0.port0"); }
    const std::string_view of = name.substr(0, dot);
    const std::vector<SwitchPort> all = ports(fabric, of);
    if (*number >= all.size()) {
        throw ClusterError("'{}' has {} cables{}", of, all.size(),
                           all.empty() ? "" : fmt::format(": port0 to port{}", all.size() - 1));
    }
    return all[*number];
}

}  // namespace fabricast::inline topologies
