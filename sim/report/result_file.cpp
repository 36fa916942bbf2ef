#include "sim/report/result_file.hpp"

#include <vector>

#include "sim/report/result_columns.hpp"
#include "sim/report/traffic.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/schema_docs.hpp"

namespace fabricast::inline report {

namespace {

Json replay_json(const ReplayReport& replay) {
    Json json = {{"format", replay.format},
                 {"recorded_ranks", replay.recorded},
                 {"ranks", replay.ranks},
                 {"steps", replay.steps},
                 {"makespan_s", replay.makespan_s},
                 {"bottleneck", replay.bottleneck},
                 {"communication", records_json(replay.uses, replay_use_columns())},
                 {"members", records_json(replay.members, replay_rank_columns())}};
    if (replay.recorded_s) { json["recorded_s"] = *replay.recorded_s; }
    return json;
}

Json replay_json_schema() {
    return {{"type", "object"},
            {"properties",
             {{"format", column_schema("", "Of the trace.")},
              {"recorded_ranks", column_schema(0, "Ranks with a recording of their own.")},
              {"ranks", column_schema(0, "Ranks that were replayed.")},
              {"steps", column_schema(0, "Training steps in it.")},
              {"makespan_s", column_schema(0.0, "From the first start to the last end.")},
              {"recorded_s", column_schema(0.0, "The same of the recording itself.")},
              {"bottleneck", column_schema("", "The busiest link, or what the time goes into.")},
              {"communication", records_schema(replay_use_columns())},
              {"members", records_schema(replay_rank_columns())}}},
            {"required",
             {"format", "recorded_ranks", "ranks", "steps", "makespan_s", "bottleneck", "communication", "members"}},
            {"additionalProperties", false}};
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

Records result_records(const Report& report) {
    return report.steps.empty() ? records_of(report.rows, row_columns()) : records_of(report.steps, step_columns());
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
