#include "sim/engines/common/fifos.hpp"

#include <map>

namespace fabricast::inline engine_common {

Fifos::Fifos(const Schedule& schedule) : schedule_(schedule), count_(schedule.connections.size()) {
    const auto number = [this](auto& known, const auto& key) {
        const auto [place, is_new] = known.try_emplace(key, FifoId{static_cast<std::uint32_t>(count_)});
        count_ += is_new ? 1 : 0;
        return place->second;
    };
    std::map<std::pair<DeviceId, std::uint16_t>, FifoId> streams;
    for (const Compute& compute : schedule.computes) {
        of_compute_.push_back(number(streams, std::pair(compute.device, compute.stream)));
    }
    std::map<std::uint32_t, FifoId> hosts;
    for (const Delay& delay : schedule.delays) { of_delay_.push_back(number(hosts, delay.host)); }
}

}  // namespace fabricast::inline engine_common
