#include "sim/run/explain/part_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/enum_name.hpp"

namespace fabricast {

namespace {

std::vector<std::string> names_of(const CollectiveFacts& facts, const Schedule& schedule) {
    const std::string call = std::string(to_string(facts.algorithm)) + " " + std::string(to_string(facts.protocol));
    std::vector<std::string> names(schedule.size(), call);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (schedule.kind(OpId{static_cast<std::uint32_t>(i)}) == OpKind::delay) {
            names[i] = "launch";
        }
    }
    return names;
}

std::vector<std::string> names_of(const TrainingFacts& facts, const Schedule&) {
    static constexpr std::array<std::string_view, 7> tags = {"tensor-parallel", "context-parallel", "expert-parallel",
                                                             "pipeline",        "data-parallel",    "compute",
                                                             "end of step"};
    std::vector<std::string> names;
    for (const StepOp& op : facts.ops) {
        names.emplace_back(op.tag != StepTag::compute ? enum_name(tags, op.tag) : op.forward ? "forward" : "backward");
    }
    return names;
}

std::vector<std::string> names_of(const TraceFacts& facts, const Schedule& schedule) {
    const auto op = [&](std::uint32_t kept) { return static_cast<std::size_t>(schedule.kept[kept]); };
    std::vector<std::string> names(schedule.size(), std::string(between_records));
    for (const ReplayedRecord& r : facts.replayed.records) {
        const RecordKind kind = facts.recording.ranks[facts.job.recorded[r.rank]].records[r.record].kind;
        if (kind == RecordKind::compute || kind == RecordKind::host) {
            names[op(r.first)] = kind == RecordKind::compute ? kernels : on_host;
        }
    }
    for (const ReplayedCall& call : facts.replayed.calls) {
        std::fill(names.begin() + static_cast<std::ptrdiff_t>(op(call.first)),
                  names.begin() + static_cast<std::ptrdiff_t>(op(call.last)) + 1, to_string(call.collective));
    }
    return names;
}

std::vector<std::string> names_of(const TransferFacts&, const Schedule& schedule) {
    return std::vector<std::string>(schedule.size());
}

}  // namespace

std::vector<std::string> part_names(const Plan& plan) {
    return std::visit([&](const auto& facts) { return names_of(facts, plan.schedule); }, plan.facts);
}

}  // namespace fabricast
