#include "topologies/bill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "topologies/fabric_generator.hpp"

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
void add_trunks(const std::vector<FabricTier>& tiers, Bill& bill) {
    std::size_t at = 0;  // index into bill.switches
    for (std::size_t t = 0; t < tiers.size(); ++t) {
        at += t > 0 && tiers[t].switches > 0 ? 1U : 0U;
        if (tiers[t].cables == 0) { continue; }
        const bool above = at + 1 < bill.switches.size() && t + 1 < tiers.size() && tiers[t + 1].switches > 0;
        const std::string between =
            tiers[t].switches == 0 ? tiers[t].name : bill.switches[at].tier + "-" + bill.switches[at + above].tier;
        bill.switches[at].used += tiers[t].cables;
        bill.switches[at + above].used += tiers[t].cables;
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
std::uint64_t Bill::ports_left() const {
    return sum(switches, [](const SwitchCount& s) { return s.left(); });
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
    // With two planes, each cable of a NIC runs at half the link's rate and takes half a port of its switch.
    const std::uint64_t planes = std::max(fabric.generator().planes(), 1U);
    leaves.used = (cables + planes - 1) / planes;
    bill.cables.push_back({"node-" + leaves.tier, CableRun::node, cables});
    add_trunks(tiers, bill);
    if (spec.management_ports > 0) {
        if (leaves.ports > 0 && leaves.left() < spec.management_ports) {
            throw ClusterError("{} management ports, but {} ports are free on the leaves", spec.management_ports,
                               leaves.left());
        }
        leaves.used += spec.management_ports;
        bill.cables.front().cables += spec.management_ports;
    }
    return bill;
}

}  // namespace fabricast::inline topologies
