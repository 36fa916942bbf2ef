#include "discovery/site/fabric_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "discovery/site/rails.hpp"

namespace fabricast::inline site {

namespace {

// The entry of a map of counts with the highest, of equal ones the first.
template <class Counts> auto most_of(const Counts& counts) {
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
}

class FabricChecks {
public:
    FabricChecks(const Site& site, const Wiring& wiring) : site_(site), wiring_(wiring) {}

    std::vector<Finding> run() {
        check_rails();
        check_rates();
        check_uplinks();
        return std::move(findings_);
    }

private:
    std::string nic_text(std::uint32_t node, std::uint32_t nic) const {
        return site_.hosts[wiring_.hosts[node]].name + " " + wiring_.labels[nic];
    }

    // Nodes of one unit meet the same leaf with their k-th NIC. A node unlike its unit in a few of its NICs has these
    // miswired, or without a cable.
    void check_rails() {
        if (wiring_.tiers() == 0) { return; }
        const Rails rails(wiring_.leaf_of, wiring_.labels.size());
        for (std::uint32_t node = 0; node < rails.nodes(); ++node) {
            const Leaves& own = rails.leaves(node);
            const Leaves* unit = rails.unit_of(node);
            for (std::uint32_t nic = 0; nic < own.size(); ++nic) {
                if (own[nic] == no_index && rails.nodes() > 1) {
                    add_missing(node, nic, unit);
                } else if (unit != nullptr && own[nic] != (*unit)[nic]) {
                    add_miswired(node, nic, own[nic], (*unit)[nic]);
                }
            }
        }
    }

    void add_missing(std::uint32_t node, std::uint32_t nic, const Leaves* unit) {
        const std::string where = unit == nullptr ? "" : "; its peers' meet " + site_.devices[(*unit)[nic]].name;
        const SiteHost& host = site_.hosts[wiring_.hosts[node]];
        const SourceLocation at = host.adapters.empty() ? SourceLocation{} : site_.devices[host.adapters.front()].at;
        findings_.push_back({"rail", fmt::format("node{}.nic{}", node, nic), nic_text(node, nic),
                             fmt::format("{} is missing from its rail{}", nic_text(node, nic), where), at, 0});
    }

    void add_miswired(std::uint32_t node, std::uint32_t nic, std::uint32_t found, std::uint32_t expected) {
        const SiteCable* cable = cable_at(node, nic);
        findings_.push_back({"rail", fmt::format("node{}.nic{}", node, nic),
                             cable == nullptr ? nic_text(node, nic) : cable_text(site_, *cable),
                             fmt::format("{} meets {}, its peers' meet {}", nic_text(node, nic),
                                         site_.devices[found].name, site_.devices[expected].name),
                             cable == nullptr ? SourceLocation{} : cable->at});
    }

    const SiteCable* cable_at(std::uint32_t node, std::uint32_t nic) const {
        for (const SiteCable& cable : site_.cables) {
            for (const std::uint32_t end : {cable.a, cable.b}) {
                const Placed& placed = wiring_.placed[end];
                if (placed.in() && placed.node == node && placed.nic == nic) { return &cable; }
            }
        }
        return nullptr;
    }

    // Cables between the same two tiers run at one rate.
    void check_rates() {
        const auto ours = [&](std::uint32_t end) {
            return site_.devices[end].adapter ? wiring_.placed[end].in() : wiring_.tier[end] >= 0;
        };
        std::map<std::pair<int, int>, std::map<std::int64_t, std::size_t>> counts;  // by tiers, then by rate
        const auto rates_of = [&](const SiteCable& cable) -> auto& {
            return counts[std::minmax(wiring_.tier[cable.a], wiring_.tier[cable.b])];
        };
        std::vector<const SiteCable*> cables;
        for (const SiteCable& cable : site_.cables) {
            if (cable.megabits == 0 || !ours(cable.a) || !ours(cable.b)) { continue; }
            ++rates_of(cable)[cable.megabits];
            cables.push_back(&cable);
        }
        for (const SiteCable* cable : cables) {
            const auto& rates = rates_of(*cable);
            std::size_t all = 0;
            for (const auto& [rate, count] : rates) { all += count; }
            const auto usual = most_of(rates);
            // A fifth of the cables slower is a part of the fabric that was built so.
            if (cable->megabits >= usual->first || rates.at(cable->megabits) * 5 > all) { continue; }
            findings_.push_back(
                {"cable", device_text(site_, cable->b), cable_text(site_, *cable),
                 fmt::format("runs at {} Gb/s, others of its kind at {} Gb/s",
                             static_cast<double>(cable->megabits) / 1000, static_cast<double>(usual->first) / 1000),
                 cable->at, static_cast<double>(cable->megabits) / static_cast<double>(usual->first), cable->trust});
        }
    }

    struct SwitchCables {
        std::uint64_t down = 0, up = 0;
        std::map<std::uint32_t, std::uint64_t> to;  // up, by switch
    };

    // Switches of a tier that carry as much down have as many cables up; one with fewer holds its nodes back.
    void check_uplinks() {
        std::map<std::uint32_t, SwitchCables> switches;
        for (const Bundle& bundle : wiring_.bundles) {
            switches[bundle.b].down += bundle.cables;
            if (!wiring_.placed[bundle.a].in() && wiring_.tier[bundle.a] < wiring_.tier[bundle.b]) {
                switches[bundle.a].up += bundle.cables;
                switches[bundle.a].to[bundle.b] += bundle.cables;
            }
        }
        std::map<int, std::vector<std::pair<std::uint32_t, const SwitchCables*>>> tiers;
        for (const auto& [device, cables] : switches) { tiers[wiring_.tier[device]].emplace_back(device, &cables); }
        for (const auto& [tier, own] : tiers) {
            if (tier + 1 < static_cast<int>(wiring_.tiers())) { check_tier(own); }
        }
    }

    // The usual cables up for each number down, where at least two switches agree.
    static std::map<std::uint64_t, std::uint64_t> usual_uplinks(
        const std::vector<std::pair<std::uint32_t, const SwitchCables*>>& tier) {
        std::map<std::uint64_t, std::map<std::uint64_t, std::size_t>> counts;
        for (const auto& [device, cables] : tier) { ++counts[cables->down][cables->up]; }
        std::map<std::uint64_t, std::uint64_t> usual;
        for (const auto& [down, ups] : counts) {
            const auto most = most_of(ups);
            if (down > 0 && most->second >= 2) { usual[down] = most->first; }
        }
        return usual;
    }

    // A switch is held against those with as many cables down or, if none agree, the next with more, in proportion.
    void check_tier(const std::vector<std::pair<std::uint32_t, const SwitchCables*>>& tier) {
        const std::map<std::uint64_t, std::uint64_t> usual = usual_uplinks(tier);
        for (const auto& [device, cables] : tier) {
            const auto like = usual.lower_bound(cables->down);
            if (like == usual.end()) { continue; }
            const std::uint64_t expected = like->second * cables->down / like->first;
            if (cables->up >= expected) { continue; }
            const std::string& name = site_.devices[device].name;
            findings_.push_back({"uplinks", name, name + thinnest(*cables),
                                 fmt::format("{} cables up for {} down, its peers have {} for {}", cables->up,
                                             cables->down, like->second, like->first),
                                 site_.devices[device].at,
                                 static_cast<double>(cables->up) / static_cast<double>(expected)});
            findings_.back().down_per_up = {
                static_cast<double>(cables->down) / static_cast<double>(expected),
                static_cast<double>(cables->down) / static_cast<double>(std::max<std::uint64_t>(cables->up, 1))};
        }
    }

    // " - spine3": the switch above to which fewest cables go, if it stands out.
    std::string thinnest(const SwitchCables& cables) const {
        const auto least = std::ranges::min_element(cables.to, {}, [](const auto& entry) { return entry.second; });
        const auto most = most_of(cables.to);
        if (least == cables.to.end() || least->second == most->second) { return {}; }
        return " - " + site_.devices[least->first].name;
    }

    const Site& site_;
    const Wiring& wiring_;
    std::vector<Finding> findings_;
};

// "Port 3", "3" and "03" are one port; "Blade 16_Port 2/20" is port 20 of a director's unit.
std::string port_key(std::string_view port) {
    std::string name = lower_case(trimmed(port, " \t"));
    if (name.starts_with("port ")) { name.erase(0, 5); }
    if (name.starts_with("blade ")) { name = name.substr(name.rfind('/') + 1); }
    const std::size_t zeros = name.find_first_not_of('0');
    return zeros == std::string::npos ? name : name.substr(zeros);
}

class PlanCheck {
public:
    explicit PlanCheck(const Site& site) : site_(site) {}

    std::vector<Finding> run() {
        for (const SiteCable& cable : site_.cables) {
            for (const Port& port : switch_ports(cable)) {
                at_[port] = &cable;
                found_.insert(port.first);
            }
        }
        for (const SiteCable& planned : site_.planned) { check_cable(planned); }
        check_extra();
        return std::move(findings_);
    }

private:
    using Port = std::pair<std::uint32_t, std::string>;  // a switch, and port_key()

    std::vector<Port> switch_ports(const SiteCable& cable) const {
        std::vector<Port> ports;
        if (!site_.devices[cable.a].adapter) { ports.emplace_back(cable.a, port_key(cable.port_a)); }
        if (!site_.devices[cable.b].adapter) { ports.emplace_back(cable.b, port_key(cable.port_b)); }
        return ports;
    }

    // What a plan and a discovery agree on: the switch itself, or the host.
    const SiteDevice& far_end(const SiteCable& cable, std::uint32_t near) const {
        return site_.devices[cable.a == near ? cable.b : cable.a];
    }

    void check_cable(const SiteCable& planned) {
        std::string actual;
        bool known = false, right = false;
        for (const Port& port : switch_ports(planned)) {
            if (!found_.contains(port.first)) { continue; }
            known = true;
            in_plan_.insert(port.first);
            ports_in_plan_.insert(port);
            const auto found = at_.find(port);
            if (found == at_.end()) { continue; }
            right = right || far_end(*found->second, port.first).name == far_end(planned, port.first).name;
            actual = cable_text(site_, *found->second);
        }
        if (right) { return; }
        if (!known) {
            add_unknown(planned);
            return;
        }
        const std::string what =
            actual.empty() ? "missing: the plan has it, nothing was found there" : "miswired: found is " + actual;
        findings_.push_back(
            {"plan", site_.devices[planned.b].adapter ? device_text(site_, planned.a) : device_text(site_, planned.b),
             cable_text(site_, planned), what, planned.at, actual.empty() ? 0.0 : 1.0, Trust::hint,
             actual.empty() ? PlanFault::missing : PlanFault::miswired});
        // One of the sixteen cables up that costs are forecast with.
        const bool trunk = !site_.devices[planned.a].adapter && !site_.devices[planned.b].adapter;
        if (trunk) { findings_.back().down_per_up = {1, 16.0 / 15}; }
    }

    // One line for a switch that only the plan has.
    void add_unknown(const SiteCable& planned) {
        const std::uint32_t device = site_.devices[planned.a].adapter ? planned.b : planned.a;
        if (site_.devices[device].adapter || !unknown_.insert(device).second) { return; }
        std::vector<std::string> names;
        for (const std::uint32_t known : found_) { names.push_back(site_.devices[known].name); }
        findings_.push_back({"plan", site_.devices[device].name, "",
                             "this switch of the plan was not found" + did_you_mean(site_.devices[device].name, names),
                             planned.at, 1, Trust::hint, PlanFault::unknown_switch});
    }

    // Cables that were found on a switch of the plan, at a port that the plan leaves empty.
    void check_extra() {
        for (const auto& [key, cable] : at_) {
            if (!in_plan_.contains(key.first) || ports_in_plan_.contains(key)) { continue; }
            const std::uint32_t far = cable->a == key.first ? cable->b : cable->a;
            if (!site_.devices[far].adapter && far < key.first && in_plan_.contains(far)) { continue; }  // said once
            findings_.push_back({"plan", site_.devices[key.first].name, cable_text(site_, *cable),
                                 "extra: found, but not in the plan", cable->at, 1, Trust::hint, PlanFault::extra});
        }
    }

    const Site& site_;
    std::map<Port, const SiteCable*> at_;
    std::set<Port> ports_in_plan_;
    std::set<std::uint32_t> in_plan_, found_, unknown_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring) { return FabricChecks(site, wiring).run(); }

std::vector<Finding> check_plan(const Site& site) {
    return site.planned.empty() ? std::vector<Finding>{} : PlanCheck(site).run();
}

}  // namespace fabricast::inline site
