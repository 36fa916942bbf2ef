#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

void fail_at(const Scenario& scenario, std::string_view key, std::string_view message) {
    throw InputError(place_of(scenario, key), std::string(message));
}

std::string_view key_of_part(const Scenario& scenario, std::string_view error_message) {
    const auto names = [&](const std::string& part) {
        return !part.empty() && error_message.find("'" + part + "'") != std::string_view::npos;
    };
    if (const auto* training = std::get_if<TrainingWorkload>(&scenario.workload); training && names(training->model)) {
        return "workload.model";
    }
    if (const auto* trace = std::get_if<TraceWorkload>(&scenario.workload); trace && names(trace->recorded_on)) {
        return "workload.recorded_on";
    }
    return "cluster";
}

void cannot_end(const Scenario& scenario, std::string_view message) {
    throw CannotEnd(to_string(place_of(scenario, "cluster")) + ": the run cannot end: " + std::string(message));
}

void check_ranks(const Scenario& scenario, const Fabric& fabric) {
    const std::uint32_t ranks = fabric.gpu_count();
    if (ranks < 2) {
        fail_at(scenario, "cluster",
                error_message("a collective needs partners", std::to_string(ranks) + " ranks", "at least 2"));
    }
    if (collective_of(scenario).root >= ranks) {
        fail_at(scenario, "workload.root",
                error_message("'root' is no rank", std::to_string(collective_of(scenario).root),
                              "0 to " + std::to_string(ranks - 1)));
    }
}

}  // namespace fabricast
