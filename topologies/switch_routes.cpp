#include "topologies/switch_routes.hpp"

#include <algorithm>

namespace fabricast {

std::optional<std::vector<LinkId>> route_between_switches(const Fabric& fabric, DeviceId from, DeviceId to) {
    const std::uint32_t first_switch = fabric.node_count() * fabric.node_device_count();
    const std::uint32_t first_trunk = fabric.node_count() * fabric.node_link_count();
    const std::uint32_t switches = fabric.device_count() - first_switch;
    const auto vertex = [&](DeviceId device) { return static_cast<std::uint32_t>(device) - first_switch; };

    std::vector<std::vector<LinkId>> out(switches);
    for (std::uint32_t l = first_trunk; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        const bool trunk = fabric.kind(ends.from) == DeviceKind::fabric_switch &&
                           fabric.kind(ends.to) == DeviceKind::fabric_switch && !ends.resource;
        if (trunk) {
            out[vertex(ends.from)].push_back(LinkId{l});
        }
    }
    // Breadth first; `into` is the trunk by which each switch was first reached.
    std::vector<std::optional<LinkId>> into(switches);
    std::vector<DeviceId> queue = {from};
    for (std::size_t next = 0; next < queue.size() && queue[next] != to; ++next) {
        for (const LinkId link : out[vertex(queue[next])]) {
            const DeviceId reached = fabric.ends(link).to;
            if (reached != from && !into[vertex(reached)]) {
                into[vertex(reached)] = link;
                queue.push_back(reached);
            }
        }
    }
    std::vector<LinkId> route;
    for (DeviceId at = to; at != from; at = fabric.ends(route.back()).from) {
        if (!into[vertex(at)]) {
            return std::nullopt;
        }
        route.push_back(*into[vertex(at)]);
    }
    std::reverse(route.begin(), route.end());
    return route;
}

}  // namespace fabricast
