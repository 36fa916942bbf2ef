#include "sim/report/result_file.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "sim/report/result_columns.hpp"
#include "sim/report/traffic.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/schema_docs.hpp"

namespace fabricast::inline report {

namespace {

Json replay_json(const ReplayReport& replay) {
    Json json = {{"format", replay.format}, {"recorded_ranks", replay.recorded}, {"steps", replay.steps}};
    json.update(record_json(replay, replay_columns()));
    json.update({{"communication", records_json(replay.uses, replay_use_columns())},
                 {"members", records_json(replay.members, replay_rank_columns())}});
    return json;
}

Json replay_json_schema() {
    Json properties = {{"format", column_schema("", "Of the trace.")},
                       {"recorded_ranks", column_schema(0, "Ranks with a recording of their own.")},
                       {"steps", column_schema(0, "Training steps in it.")}};
    properties.update(properties_schema(replay_columns()));
    properties.update(
        {{"communication", records_schema(replay_use_columns())}, {"members", records_schema(replay_rank_columns())}});
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required",
             {"format", "recorded_ranks", "ranks", "steps", "makespan_s", "bottleneck", "communication", "members"}},
            {"additionalProperties", false}};
}

Records records_for(const CollectiveWorkload&, const Report& report) { return records_of(report.rows, row_columns()); }
Records records_for(const TransferWorkload&, const Report& report) { return records_of(report.rows, row_columns()); }
Records records_for(const TrainingWorkload&, const Report& report) { return records_of(report.steps, step_columns()); }
Records records_for(const TraceWorkload&, const Report& report) {
    std::vector<ReplayReport> whole;
    if (report.replay) { whole.push_back(*report.replay); }
    return records_of(whole, replay_columns());
}

}  // namespace

std::string_view version() { return FABRICAST_VERSION; }

Json document_head(const Scenario& scenario) {
    return {{"schema_version", 1},
            {"program", "fabricast"},
            {"version", std::string(version())},
            {"scenario", to_json(scenario)}};
}

Json result_json(const Scenario& scenario, const Report& report) {
    const Json resolved = to_json(scenario);
    Json result = {{"schema_version", result_schema_version},
                   {"program", "fabricast"},
                   {"version", version()},
                   {"engine", resolved.at("engine")},
                   {"seed", scenario.seed},
                   {"scenario", resolved},
                   {"rows", records_json(report.rows, row_columns())}};
    if (!report.points.empty()) { result["points"] = records_json(report.points, point_columns()); }
    if (report.replay) { result["replay"] = replay_json(*report.replay); }
    if (!report.packets.empty()) { result["packets"] = packets_json(report.packets); }
    if (!report.steps.empty()) { result["points"] = records_json(report.steps, step_columns()); }
    result["figures"] = records_json(report.figures, figure_used_columns());
    std::vector<std::string> notes = report.notes;
    merge_notes(notes, report.evidence_notes);
    result["notes"] = notes;
    return result;
}

Records result_records(const Scenario& scenario, const Report& report) {
    return std::visit([&](const auto& workload) { return records_for(workload, report); }, scenario.workload);
}

Json result_json_schema() {
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "fabricast result"},
            {"type", "object"},
            {"properties",
             {{"schema_version", {{"const", result_schema_version}}},
              {"program", {{"const", "fabricast"}}},
              {"version", {{"type", "string"}}},
              {"engine", {{"type", "string"}}},
              {"seed", {{"type", "integer"}}},
              {"scenario", scenario_json_schema()},
              {"rows", records_schema(row_columns())},
              {"points", {{"anyOf", {records_schema(point_columns()), records_schema(step_columns())}}}},
              {"replay", replay_json_schema()},
              {"packets", packets_schema()},
              {"figures", records_schema(figure_used_columns())},
              {"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
            {"required",
             {"schema_version", "program", "version", "engine", "seed", "scenario", "rows", "figures", "notes"}},
            {"additionalProperties", false}};
}

}  // namespace fabricast::inline report
