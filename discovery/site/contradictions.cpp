#include "discovery/site/contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

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

// What cables say of who is below whom.
struct CabledHosts {
    std::unordered_map<std::string, std::uint32_t> hosts, switches;  // by name
    std::vector<std::set<std::uint32_t>> above;                      // by host: what its adapters' cables end at
    std::set<std::uint32_t> all;                                     // of any host
};

CabledHosts cabled_hosts(const Site& site) {
    CabledHosts cabled;
    cabled.above.resize(site.hosts.size());
    for (std::uint32_t host = 0; host < site.hosts.size(); ++host) {
        cabled.hosts.emplace(site.hosts[host].name, host);
    }
    for (std::uint32_t device = 0; device < site.devices.size(); ++device) {
        if (!site.devices[device].adapter) { cabled.switches.emplace(site.devices[device].name, device); }
    }
    for (const SiteCable& cable : site.cables) {
        for (const auto& [end, far] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
            if (!site.devices[end].adapter) { continue; }
            cabled.above[site.devices[end].host].insert(far);
            cabled.all.insert(far);
        }
    }
    return cabled;
}

// A switch of the tree that cables know too has the hosts below it that the tree names.
void check_group(const CabledHosts& cabled, const GroupSeen& group, std::vector<Finding>& findings) {
    const auto known = cabled.switches.find(lower_case(group.name));
    if (known == cabled.switches.end() || !cabled.all.contains(known->second)) { return; }
    for (const std::string& name : group.hosts) {
        const auto host = cabled.hosts.find(host_name(name));
        if (host == cabled.hosts.end()) { continue; }
        const std::set<std::uint32_t>& above = cabled.above[host->second];
        if (above.empty() || above.contains(known->second)) { continue; }
        findings.push_back({"contradiction", host->first, "",
                            fmt::format("two files contradict each other: the scheduler has it below {}, no cable "
                                        "joins the two ({})",
                                        known->first, to_string(group.at)),
                            group.at, 1, Trust::hint});
    }
}

}  // namespace

std::vector<Finding> check_contradictions(const Site& site) {
    std::vector<Finding> findings;
    check_adapter_rates(site, findings);
    if (site.groups.empty()) { return findings; }
    const CabledHosts cabled = cabled_hosts(site);
    for (const GroupSeen& group : site.groups) { check_group(cabled, group, findings); }
    return findings;
}

}  // namespace fabricast::inline site
