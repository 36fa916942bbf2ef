#pragma once
// Which operations run one after the other, in the order of the schedule: messages of a connection, kernels of one
// stream of a device, delays of a host.

#include <cstdint>
#include <map>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

enum class FifoId : std::uint32_t {};
inline constexpr FifoId no_fifo{0xffffffff};

class Fifos {
public:
    explicit Fifos(const Schedule& schedule) : schedule_(schedule), count_(schedule.connections.size()) {
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

    std::size_t count() const { return count_; }
    // Pipelines are in none.
    FifoId of(OpId op) const {
        const std::uint32_t detail = schedule_.detail(op);
        switch (schedule_.kind(op)) {
            case OpKind::transfer: return FifoId{schedule_.transfers[detail].connection};
            case OpKind::compute: return of_compute_[detail];
            case OpKind::delay: return of_delay_[detail];
            case OpKind::pipeline: break;
        }
        return no_fifo;
    }

private:
    const Schedule& schedule_;
    std::size_t count_;
    std::vector<FifoId> of_compute_, of_delay_;
};

}  // namespace fabricast::inline engine_common
