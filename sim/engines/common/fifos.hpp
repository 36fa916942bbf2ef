#pragma once
// Which operations run one after the other, in the order of the schedule: messages of a connection, kernels of one
// stream of a device, delays of a host.

#include <cstdint>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

enum class FifoId : std::uint32_t {};
inline constexpr FifoId no_fifo{0xffffffff};

class Fifos {
public:
    explicit Fifos(const Schedule& schedule);

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
