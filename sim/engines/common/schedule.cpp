#include "sim/engines/common/schedule.hpp"

#include <fmt/format.h>

namespace fabricast::inline engine_common {

std::string described(const Fabric& fabric, const Schedule& schedule, OpId op) {
    const std::uint32_t detail = schedule.detail(op);
    const auto between = [&](const PathQuery& path) {
        return fmt::format("{} to {}", fabric.device_name(path.src), fabric.device_name(path.dst));
    };
    const auto where = [&]() -> std::string {
        switch (schedule.kind(op)) {
            case OpKind::transfer: return between(schedule.connections[schedule.transfers[detail].connection].path);
            case OpKind::pipeline: {
                const Pipeline& pipeline = schedule.pipelines[detail];
                return pipeline.stage_count > 0 ? between(schedule.stages[pipeline.first_stage].hop) + " and on"
                                                : "a pipeline";
            }
            case OpKind::compute: return fabric.device_name(schedule.computes[detail].device);
            case OpKind::delay: break;
        }
        return "a host";
    };
    return fmt::format("operation {} ({})", index(op), where());
}

}  // namespace fabricast::inline engine_common
