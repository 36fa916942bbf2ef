#include "discovery/site/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "base/unit_text.hpp"
#include "discovery/site/fabric_text.hpp"
#include "discovery/site/mended.hpp"
#include "discovery/site/node_text.hpp"
#include "models/catalog.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::inline site {

namespace {

// One job forecast on two small clusters: without a fault and with it.
struct Compared {
    std::string text;      // "all_reduce at 1 GiB: 506 GB/s -> 45 GB/s"; empty where either cannot be forecast
    bool differs = false;  // by more than a thousandth
};

// Clusters are texts, the keys below a scenario's `cluster:`. What was forecast once is kept.
class Forecasts {
public:
    explicit Forecasts(const Catalog& catalog) : catalog_(catalog) {}

    // `where` says how the job meets the fault; `event`: keys of a scenario that make it.
    Compared compare(const std::string& collective, const std::string& where, const std::string& without,
                     const std::string& with, const std::string& event = {}) {
        const std::optional<double> whole = busbw(without, collective, ""), faulty = busbw(with, collective, event);
        if (!whole || !faulty) { return {}; }
        return {fmt::format("{} at 1 GiB{}: {} -> {}", collective, where, base::text(*whole, Dimension::rate),
                            base::text(*faulty, Dimension::rate)),
                std::abs(*whole - *faulty) > 0.001 * std::max(*whole, *faulty)};
    }

private:
    // Bus bandwidth at 1 GiB in bytes a second.
    std::optional<double> busbw(const std::string& cluster, const std::string& collective, const std::string& event) {
        const std::string text =
            fmt::format("name: cost\ncluster:\n{}workload: {{kind: collective, collective: {}, sizes: [1 GiB]}}\n{}",
                        cluster, collective, event);
        const auto known = known_.find(text);
        if (known != known_.end()) { return known->second; }
        std::optional<double> found;
        try {
            const Report report = simulate(parse_scenario(text, "cost.yaml"), catalog_);
            if (!report.rows.empty()) { found = report.rows.front().busbw; }
        } catch (const Error&) { found.reset(); }
        return known_[text] = found;
    }

    const Catalog& catalog_;
    std::map<std::string, std::optional<double>> known_;
};

// All of them in one line; `why` none of them differs. A line is never empty.
std::string told(const std::vector<Compared>& jobs, const std::string& why) {
    std::string text;
    for (const Compared& job : jobs) { text += (text.empty() || job.text.empty() ? "" : "; ") + job.text; }
    if (text.empty()) { return "unknown: no forecast can be made of this cluster"; }
    return std::ranges::any_of(jobs, &Compared::differs) ? text : text + "; nothing: " + why;
}

class Costs {
public:
    Costs(const Site& site, const Description& description, const Catalog& catalog, const StatedParts& said)
        : site_(site), description_(description), catalog_(catalog), said_(said), forecasts_(catalog) {}

    std::string of(const Finding& finding) {
        if (finding.check == "nvlinks" || finding.check == "width" || finding.check == "socket") {
            return finding.fact == Fact::rate ? of_slow_cable(finding) : of_node(finding);
        }
        if (finding.check == "rail") { return finding.share == 0 ? of_missing_nic() : of_crossed_rails(); }
        if (finding.check == "plan") { return of_plan(finding); }
        if (finding.check == "contradiction") { return of_contradiction(finding); }
        return finding.check == "cable" ? of_slow_cable(finding) : of_uplinks(finding.uplinks);
    }

private:
    static constexpr const char* two_nodes = "  nodes: 2\n  fabric: {kind: rail-optimized}\n";

    NodeShape shape_of_node(const NodeSeen& node) const { return shape_of(node, catalog_, said_); }

    // One node, or two where adapters matter.
    static std::string block(const NodeShape& shape, bool two) {
        return "  node:\n" + node_yaml(shape, "node", 4, false) + (two ? two_nodes : "  nodes: 1\n");
    }

    // The node as it is against the same one mended. A slow slot of a GPU meets what goes to its adapter.
    std::string of_node(const Finding& finding) {
        const NodeSeen* seen = node_of(site_, finding.device);
        if (seen == nullptr) { return "unknown: no file describes this node"; }
        const bool nvlinks = finding.check == "nvlinks";
        const NodeSeen mended = mended_node(*seen, finding);
        NodeSeen faulty = *seen;
        if (!finding.bus.empty()) {  // of several narrow slots this one alone
            faulty = mended;
            const auto slot = std::ranges::find(faulty.pci, finding.bus, &PciSeen::bus);
            const auto own = std::ranges::find(seen->pci, finding.bus, &PciSeen::bus);
            if (slot != faulty.pci.end() && own != seen->pci.end()) { slot->link = own->link; }
        }
        return told({of_change(mended, faulty, nvlinks, !nvlinks)},
                    finding.check == "socket"
                        ? "the link between the sockets carries it beside the rest"
                        : fmt::format("{} is not what bounds a collective here, but the "
                                      "device's own traffic has {:.0f} % of its rate",
                                      finding.check == "width" ? "this link" : "NVLink", 100 * finding.share));
    }

    // An all-reduce of one node, or of two where the adapters matter.
    Compared of_change(const NodeSeen& better, NodeSeen worse, bool nvlinks, bool adapters) {
        const bool two = adapters && !worse.nics.empty();
        const std::string whole = block(shape_of_node(better), two);
        Compared job = forecasts_.compare("all_reduce", "", whole, block(shape_of_node(worse), two));
        if (!job.text.empty() || !nvlinks) { return job; }
        // One GPU that NVLink does not reach makes NCCL's search take PCIe for the whole ring.
        for (GpuSeen& gpu : worse.gpus) { gpu.nvlinks.clear(); }
        return forecasts_.compare("all_reduce", "", whole, block(shape_of_node(worse), two));
    }

    std::string of_missing_nic() {
        const std::size_t nics = description_.wiring.labels.size();
        if (nics < 2) { return "the whole node: no job that needs the network can use it"; }
        std::string fewer = fmt::format("  node: {}\n  options: {{nics: {}}}\n", description_.node, nics - 1);
        if (description_.shape) {
            NodeShape shape = *description_.shape;
            keep_nics(shape, [nics](std::size_t nic) { return nic + 1 < nics; });
            fewer = "  node:\n" + node_yaml(shape, "node", 4, false);
        }
        return told({forecasts_.compare("all_reduce", "", description_.node_block + two_nodes, fewer + two_nodes)},
                    "the other adapters carry as much");
    }

    // A cable that the plan has and nobody found, that goes elsewhere, or that nobody planned.
    std::string of_plan(const Finding& finding) {
        switch (finding.plan) {
            case PlanFault::extra: return "nothing: a cable more than was planned";
            case PlanFault::exchanged: return "nothing: the cable joins the devices that were planned, at another port";
            case PlanFault::miswired:
                return finding.trunk ? "at worst " + of_uplinks(finding.uplinks) : of_crossed_rails();
            case PlanFault::slower: return of_slow_cable(finding);
            case PlanFault::unknown_switch: return "unknown: what hangs on it was not found either";
            case PlanFault::none:
            case PlanFault::missing: break;
        }
        return finding.trunk ? of_uplinks(finding.uplinks) : of_missing_nic();
    }

    // Two nodes at a leaf for each rail, some cables from each leaf to one spine; two adapters of one node change
    // places, and what they send takes a detour over the spine.
    std::string of_crossed_rails() {
        const std::size_t nics = description_.wiring.labels.size();
        if (nics < 2) { return "nothing: its only adapter reaches its peers over another leaf"; }
        if (description_.wiring.tiers() == 1) { return "the rail: no way leads from this leaf to its peers'"; }
        const auto cluster = [&](bool crossed, int uplinks) {
            std::string text = "  nodes: 2\n  fabric: {kind: explicit, link: " + port_link() +
                               "}\n  graph:\n    devices:\n      - {name: spine}\n";
            std::string cables;
            for (std::size_t nic = 0; nic < nics; ++nic) {
                const std::size_t other = crossed && nic < 2 ? 1 - nic : nic;
                text += fmt::format("      - {{name: leaf{}}}\n", nic);
                cables += fmt::format(
                    "      - {{a: node0.nic{0}, b: leaf{0}}}\n      - {{a: node1.nic{0}, b: leaf{1}}}\n"
                    "      - {{a: leaf{0}, b: spine, count: {2}}}\n",
                    nic, other, uplinks);
            }
            return description_.node_block + text + "    cables:\n" + cables;
        };
        const std::string straight = cluster(false, 2);
        return told(
            {forecasts_.compare("all_reduce", " over free uplinks", straight, cluster(true, 2)),
             forecasts_.compare("all_reduce", " where two of its flows share an uplink", straight, cluster(true, 1))},
            "the uplinks carry the detour");
    }

    std::string port_link() const {
        const std::string link = fabric_link(site_, description_.wiring);
        if (!link.empty()) { return link; }
        return description_.shape ? description_.shape->port : node_template(description_.node, catalog_).nic_link;
    }

    // Two switches of this kind whose nodes send to each other: each transfer goes up. An all-to-all of eight leaves
    // some below, so that a cable less may not matter. More than 128 down are forecast in proportion.
    std::string of_uplinks(Uplinks of) {
        if (of.found == 0) { return "all that goes up: nothing below it reaches another leaf"; }
        if (of.found >= of.down) {
            return fmt::format("nothing: {} cables up carry all that {} down can send", of.found, of.down);
        }
        const auto scaled = [&](std::uint64_t cables) { return std::max<std::uint64_t>(cables * 128 / of.down, 1); };
        if (of.down > 128) { of = {128, scaled(of.usual), scaled(of.found)}; }
        const auto fabric = [&](std::uint64_t up, std::uint64_t leaves, const std::string& place) {
            // A touch more, since the number of cables is rounded up.
            const double oversubscription = static_cast<double>(of.down) / static_cast<double>(up) * (1 + 1e-9);
            return description_.node_block +
                   fmt::format(
                       "  nodes: {}\n  fabric: {{kind: rail-optimized, scalable_unit: {}, tiers: 2, radix: {}, "
                       "oversubscription: {:.15g}}}\n{}",
                       of.down * leaves, of.down, 2 * std::max(of.down, of.usual), oversubscription, place);
        };
        std::string place;
        for (std::uint64_t node = 0; node < of.down; ++node) {
            place += fmt::format("{}node{},node{}", place.empty() ? "" : ",", node, node + of.down);
        }
        place = "  place: \"" + place + "\"\n";
        return told({forecasts_.compare("sendrecv", " with each transfer over it", fabric(of.usual, 2, place),
                                        fabric(of.found, 2, place)),
                     forecasts_.compare("all_to_all", "", fabric(of.usual, 8, ""), fabric(of.found, 8, ""))},
                    "its peers do not use more");
    }

    // A ring goes at the pace of its slowest cable. One between switches carries an adapter's flow.
    std::string of_slow_cable(const Finding& finding) {
        double share = finding.share;
        if (finding.trunk) {
            const auto adapters = static_cast<double>(usual_adapter_megabits());
            if (adapters > 0) { share = std::min(1.0, finding.said.second / adapters); }
            if (share == 1) { return "nothing, where ECMP puts one adapter's flow on it: it carries that"; }
        }
        return told({forecasts_.compare("all_reduce", finding.trunk ? " of a ring over it" : "",
                                        description_.node_block + two_nodes, description_.node_block + two_nodes,
                                        fmt::format("events: [{{at: 0 s, device: node0.nic0, share: {:.4f}}}]\n",
                                                    std::max(share, 1e-6)))},
                    "the adapter's slot carries no more");
    }

    std::int64_t usual_adapter_megabits() const {
        std::map<std::int64_t, std::size_t> counts;
        for (const SiteCable& cable : site_.cables) {
            if (site_.devices[cable.a].adapter || site_.devices[cable.b].adapter) { ++counts[cable.megabits]; }
        }
        const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        return most == counts.end() ? 0 : most->first;
    }

    // Which of two files is right is unknown; what it costs if the worse one is can be forecast.
    std::string of_contradiction(const Finding& finding) {
        const std::string if_worse = "if the worse is true: ";
        if (finding.fact == Fact::rate) { return if_worse + of_slow_cable(finding); }
        const NodeSeen* seen = node_of(site_, finding.device);
        if (finding.fact == Fact::none || seen == nullptr) {
            return "unknown until it is known which of the two is right";
        }
        const std::optional<NodeSeen> better = with_fact(*seen, finding, finding.said.first);
        const std::optional<NodeSeen> worse = with_fact(*seen, finding, finding.said.second);
        if (!better || !worse) { return "unknown: which links of a mesh are meant, no file says"; }
        return if_worse + told({of_change(*better, *worse, finding.fact == Fact::nvlinks, finding.fact == Fact::lanes)},
                               "this link is not what bounds a collective here");
    }

    const Site& site_;
    const Description& description_;
    const Catalog& catalog_;
    const StatedParts& said_;
    Forecasts forecasts_;
};

}  // namespace

void forecast_costs(std::vector<Finding>& findings, const Site& site, const Description& description,
                    const Catalog& catalog, const StatedParts& said) {
    Costs costs(site, description, catalog, said);
    for (Finding& finding : findings) { finding.cost = costs.of(finding); }
}

}  // namespace fabricast::inline site
