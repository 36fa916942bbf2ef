#pragma once
// A site: what all its files say, joined into one graph by PCI bus id, port GUID or MAC, and host name.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

// A thing that looks wrong, or that two files say differently.
struct Finding {
    std::string check;   // "nvlinks", "width", "socket", "rail", "uplinks", "cable", "plan", "contradiction"
    std::string device;  // "node3.gpu5", "leaf2"
    std::string cable;   // "leaf2:17 - dgx-04 mlx5_3"; empty: inside a node
    std::string message;
    Trust trust = Trust::fact;
    SourceLocation at;
    // For its cost: what is left of the thing's capacity, and which forecast shows it.
    double share = 1;
    std::string cost;  // "all_reduce at 1 GiB: 506 -> 45 GB/s"; empty until forecast_costs() fills it
};

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
    std::vector<Finding> findings;   // contradictions between files
    std::map<std::string, std::uint64_t> dropped;
    std::vector<std::string> notes;
    std::vector<std::string> files;  // "ib.out: ibnetdiscover"
    bool infiniband = false;
};

Site join(std::vector<Observations> all);

// "leaf1:17 - dgx-04 mlx5_3".
std::string cable_text(const Site& site, const SiteCable& cable);
std::string device_text(const Site& site, std::uint32_t device);

// Puts what another file says of the same host into `into`. What both state and differ in becomes a finding.
void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings);

}  // namespace fabricast::inline site
