#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline scenario {

void fail_at(const Scenario& scenario, std::string_view key, std::string_view message) {
    throw InputError(place_of(scenario, key), std::string(message));
}

void fail_at(const Scenario& scenario, std::string_view key, std::string_view what, std::string_view found,
             std::string_view accepted, std::string_view nearest) {
    fail_at(scenario, key, error_message(what, found, accepted, nearest));
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
    throw CannotEnd(place_of(scenario, "cluster"), "the run cannot end: " + std::string(message));
}

}  // namespace fabricast::inline scenario
