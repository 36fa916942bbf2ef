#include "sim/plan/training/slow_ranks.hpp"

#include <algorithm>
#include <map>

namespace fabricast::inline training {

namespace {

std::uint32_t stage_of(DeviceId gpu, const Layout& layout, const Fabric& fabric) {
    const std::uint32_t rank = fabric.node_of(gpu) * fabric.gpus_per_node() + fabric.local_index(gpu);
    return rank / layout.stage_ranks();
}

}  // namespace

std::vector<LinkEvent> at_representatives(const std::vector<LinkEvent>& events, const Layout& layout,
                                          const Fabric& fabric) {
    std::vector<LinkEvent> result;
    std::vector<LinkEvent> slow;
    for (const LinkEvent& event : events) { (event.of_device() ? slow : result).push_back(event); }
    std::ranges::stable_sort(slow, {}, &LinkEvent::at);
    std::map<std::uint32_t, std::map<DeviceId, double>> shares;  // by stage: the slow GPUs so far
    for (LinkEvent& event : slow) {
        const std::uint32_t stage = stage_of(event.device, layout, fabric);
        std::map<DeviceId, double>& of_stage = shares[stage];
        of_stage[event.device] = event.share;
        event.share = std::ranges::min_element(of_stage, {}, [](const auto& one) { return one.second; })->second;
        event.device = fabric.gpu(layout.device_rank(stage));
        result.push_back(event);
    }
    return result;
}

}  // namespace fabricast::inline training
