#include "discovery/site/contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "discovery/site/node_merge.hpp"

namespace fabricast::inline site {

namespace {

const NicSeen* nic_of(const SiteHost& host, const SiteDevice& adapter) {
    const auto found = std::ranges::find(host.inside->nics, adapter.nic, &NicSeen::name);
    return found == host.inside->nics.end() ? nullptr : &*found;
}

// By the adapter's name, of every host.
void check_adapter_rates(const Site& site, std::vector<Finding>& findings) {
    for (const SiteCable& cable : site.cables) {
        for (const std::uint32_t end : {cable.a, cable.b}) {
            const SiteDevice& device = site.devices[end];
            if (!device.adapter || cable.megabits == 0 || cable.trust != Trust::fact) { continue; }
            const SiteHost& host = site.hosts[device.host];
            if (!host.inside || host.inside->trust != Trust::fact) { continue; }
            const NicSeen* nic = nic_of(host, device);
            const std::int64_t own = nic == nullptr ? 0 : nic->megabits / std::max(nic->ports, 1);
            if (own == 0 || !unlike_rates(own, cable.megabits)) { continue; }
            Finding finding{"contradiction", host.name + "." + end_text(*nic), cable_text(site, cable),
                            fmt::format("two files contradict each other: its port runs at {} Gb/s here, its cable at "
                                        "{} Gb/s there ({}, {})",
                                        own / 1000, cable.megabits / 1000, to_string(nic->at), to_string(cable.at)),
                            cable.at};
            finding.fact = Fact::rate;
            finding.said = std::minmax(static_cast<double>(cable.megabits), static_cast<double>(own), std::greater<>());
            finding.share = finding.said.second / finding.said.first;
            findings.push_back(std::move(finding));
        }
    }
}

// A switch of the tree that cables know too has the hosts below it that the tree names.
void check_group(const Site& site, const GroupSeen& group, std::vector<Finding>& findings) {
    const std::string name = lower_case(group.name);
    const auto known = std::ranges::find_if(
        site.devices, [&](const SiteDevice& device) { return !device.adapter && device.name == name; });
    if (known == site.devices.end()) { return; }
    const auto own = static_cast<std::uint32_t>(known - site.devices.begin());
    std::vector<bool> cabled(site.hosts.size()), below(site.hosts.size());
    for (const SiteCable& cable : site.cables) {
        for (const auto& [end, far] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
            if (!site.devices[end].adapter) { continue; }
            cabled[site.devices[end].host] = true;
            if (far == own) { below[site.devices[end].host] = true; }
        }
    }
    if (std::ranges::none_of(below, [](bool yes) { return yes; })) { return; }  // it is no leaf of this fabric
    for (const std::string& host : group.hosts) {
        const auto at = std::ranges::find(site.hosts, host_name(host), &SiteHost::name);
        if (at == site.hosts.end()) { continue; }
        const auto index = static_cast<std::size_t>(at - site.hosts.begin());
        if (!cabled[index] || below[index]) { continue; }
        findings.push_back({"contradiction", at->name, "",
                            fmt::format("two files contradict each other: the scheduler has it below {}, no cable "
                                        "joins the two ({})",
                                        known->name, to_string(group.at)),
                            group.at, 1, Trust::hint});
    }
}

}  // namespace

std::vector<Finding> check_contradictions(const Site& site) {
    std::vector<Finding> findings;
    check_adapter_rates(site, findings);
    for (const GroupSeen& group : site.groups) { check_group(site, group, findings); }
    return findings;
}

}  // namespace fabricast::inline site
