#include "topologies/trays.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace fabricast::inline topologies {

namespace {

// Sets of connected devices (union-find), by name; one device, the leader, identifies each set.
class Joined {
public:
    void join(const std::string& a, const std::string& b) { leader_[leader(a)] = leader(b); }

    std::string leader(const std::string& device) {
        std::string at = device;
        while (true) {
            const auto [next, fresh] = leader_.try_emplace(at, at);
            if (fresh || next->second == at) { return at; }
            at = next->second;
        }
    }

private:
    std::map<std::string, std::string> leader_;
};

bool between_gpus(const NodeCable& cable) {
    const auto end = [](const std::string& name) { return name.starts_with("gpu") || name.starts_with("nvswitch"); };
    return cable.link.family == LinkFamily::nvlink && end(cable.a) && end(cable.b);
}

}  // namespace

Trays::Trays(const NodeTemplate& node)
    : tray_of(node.nics, 0), rail_of(node.nics, 0), adapters(node.nics, 0), tray_of_gpu(node.gpus, 0) {
    Joined joined;
    for (const NodeCable& cable : node.cables) {
        if (!between_gpus(cable)) { joined.join(cable.a, cable.b); }
    }
    std::map<std::string, std::uint16_t> tray;  // number of the tray, by leader
    std::vector<std::uint32_t> adapters_in;
    for (std::uint16_t nic = 0; nic < node.nics; ++nic) {
        const auto fresh = static_cast<std::uint16_t>(adapters_in.size());
        tray_of[nic] = tray.try_emplace(joined.leader("nic" + std::to_string(nic)), fresh).first->second;
        adapters_in.resize(tray.size(), 0);
        rail_of[nic] = static_cast<std::uint16_t>(adapters_in[tray_of[nic]]++);
    }
    const bool alike = std::ranges::all_of(adapters_in, [&](std::uint32_t n) { return n == adapters_in.front(); });
    if (!alike) {
        tray_of.assign(node.nics, 0);
        std::iota(rail_of.begin(), rail_of.end(), std::uint16_t{0});
    }
    count = alike && !tray.empty() ? static_cast<std::uint32_t>(tray.size()) : 1;
    rails = node.nics / count;
    for (std::uint16_t nic = 0; nic < node.nics; ++nic) { adapters[tray_of[nic] * rails + rail_of[nic]] = nic; }
    for (std::uint32_t gpu = 0; gpu < node.gpus && count > 1; ++gpu) {
        const auto found = tray.find(joined.leader("gpu" + std::to_string(gpu)));
        tray_of_gpu[gpu] = found == tray.end() ? static_cast<std::uint16_t>(count) : found->second;
    }
}

Cluster tray_by_tray(const Cluster& cluster, const Trays& trays) {
    Cluster seen;
    seen.name = cluster.name;
    seen.nodes = cluster.nodes * trays.count;
    seen.node.name = cluster.node.name;
    seen.node.gpus = cluster.node.gpus / trays.count;
    seen.node.nics = trays.rails;
    seen.node.nic_ports = cluster.node.nic_ports;
    seen.fabric = cluster.fabric;
    seen.fabric.scalable_unit *= trays.count;
    return seen;
}

}  // namespace fabricast::inline topologies
