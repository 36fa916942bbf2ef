#pragma once
// A site: what all its files say, joined into one graph by PCI bus id, port GUID or MAC, and host name.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discovery/observation.hpp"
#include "discovery/site/finding.hpp"

namespace fabricast::inline site {

// A switch, or an adapter of a host.
struct SiteDevice {
    std::string name;
    std::string nic;  // of an adapter: its label in the host
    bool adapter = false;
    std::uint32_t host = 0;  // of an adapter: index of its host
    int ports = 0;
    std::uint32_t part = 0;
    SourceLocation at;
};

struct SiteCable {
    std::uint32_t a = 0, b = 0;  // devices
    std::string port_a, port_b;
    std::int64_t megabits = 0;
    std::string technology;
    Trust trust = Trust::fact;
    SourceLocation at;
};

struct SiteHost {
    std::string name;
    std::vector<std::uint32_t> adapters;  // devices
    std::optional<NodeSeen> inside;
};

struct Site {
    std::vector<SiteDevice> devices;
    std::vector<SiteHost> hosts;
    std::vector<SiteCable> cables;   // as found; as planned where nothing was found
    std::vector<SiteCable> planned;  // what plans say where something was found
    std::vector<NodeSeen> unnamed;   // insides whose host is not known: they stand for all
    std::vector<GroupSeen> groups;   // a scheduler's switches, where cables say more
    std::vector<Finding> findings;   // contradictions between files
    std::map<std::string, std::uint64_t> dropped;
    std::vector<std::string> notes;
    std::vector<std::string> files;  // "ib.out: ibnetdiscover"
    bool infiniband = false;
    std::size_t trays =
        0;  // hosts of the largest NVLink domain, where `hosts` are domains and no file says more of them
};

Site join(std::vector<Observations> all);

// "leaf1:17 - dgx-04 mlx5_3".
std::string cable_text(const Site& site, const SiteCable& cable);
// Between switches.
inline bool is_trunk(const Site& site, const SiteCable& cable) {
    return !site.devices[cable.a].adapter && !site.devices[cable.b].adapter;
}
std::string device_text(const Site& site, std::uint32_t device);
// The host, if files agree on a name; "the node" if there is only one, else "node 3".
std::string unnamed_text(const Site& site, std::size_t unnamed);

}  // namespace fabricast::inline site
