#include "sim/report/result_file.hpp"

#include <functional>
#include <vector>

#include "base/text.hpp"
#include "sim/report/packet_traffic.hpp"
#include "sim/report/records.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/training.hpp"
#include "sim/scenario/schema.hpp"
#include "sim/scenario/schema_docs.hpp"

namespace fabricast {

namespace {

// One column of a table; defines its JSON, its CSV and its schema.
template <class Record>
struct Column {
    std::string name;
    std::string type;  // type in JSON Schema
    std::string meaning;
    std::function<Json(const Record&)> value;  // null if not known: omitted in JSON, empty in CSV
};

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

const std::vector<Column<Row>>& row_columns() {
    static const std::vector<Column<Row>> columns = {
        {"size_bytes", "integer", "Message size as nccl-tests counts it.", [](const Row& r) { return r.size.count; }},
        {"time_s", "number", "Time of one call in the steady state.", [](const Row& r) { return r.time_s; }},
        {"time_low80_s", "number", "Lower end of its 80 % interval.", [](const Row& r) { return r.time_low80_s; }},
        {"time_high80_s", "number", "Upper end of its 80 % interval.", [](const Row& r) { return r.time_high80_s; }},
        {"algbw_Bps", "number", "Size / time.", [](const Row& r) { return r.algbw; }},
        {"busbw_Bps", "number", "algbw times nccl-tests' factor of the collective.",
         [](const Row& r) { return r.busbw; }},
        {"algorithm", "string", "As used.", [](const Row& r) { return r.algorithm; }},
        {"protocol", "string", "As used.", [](const Row& r) { return r.protocol; }},
        {"channels", "integer", "As used.", [](const Row& r) { return r.channels; }},
        {"bottleneck", "string", "The busiest link and its utilisation, or what the time goes into.",
         [](const Row& r) { return r.bottleneck; }},
        {"evidence", "string", "What the row rests on.", [](const Row& r) { return to_string(r.evidence); }},
    };
    return columns;
}

const std::vector<Column<ScalingPoint>>& point_columns() {
    static const std::vector<Column<ScalingPoint>> columns = {
        {"nodes", "integer", "Nodes.", [](const ScalingPoint& p) { return p.nodes; }},
        {"gpus", "integer", "GPUs.", [](const ScalingPoint& p) { return p.gpus; }},
        {"busbw_Bps", "number", "At the largest size.", [](const ScalingPoint& p) { return p.busbw; }},
        {"busbw_retained", "number", "Against the first point.",
         [](const ScalingPoint& p) { return p.busbw_retained; }},
        {"step_time_s", "number", "Computation and exposed communication.",
         [](const ScalingPoint& p) { return or_null(p.step_time_s); }},
        {"exposed_comm_s", "number", "Communication that computation does not hide.",
         [](const ScalingPoint& p) { return or_null(p.exposed_comm_s); }},
        {"efficiency", "number", "Computation / step time.",
         [](const ScalingPoint& p) { return or_null(p.efficiency); }},
    };
    return columns;
}

const std::vector<Column<FigureUsed>>& figure_columns() {
    static const std::vector<Column<FigureUsed>> columns = {
        {"part", "string", "Catalogue part.", [](const FigureUsed& f) { return f.part; }},
        {"figure", "string", "Its figure.", [](const FigureUsed& f) { return f.figure; }},
        {"value", "number", "In `unit`.", [](const FigureUsed& f) { return f.value; }},
        {"low80", "number", "Lower end of its 80 % interval.", [](const FigureUsed& f) { return f.low80; }},
        {"high80", "number", "Upper end of its 80 % interval.", [](const FigureUsed& f) { return f.high80; }},
        {"unit", "string", "SI base unit, empty for a plain number.", [](const FigureUsed& f) { return f.unit; }},
        {"origin", "string", "spec, vendor, measured, fitted or estimated.",
         [](const FigureUsed& f) { return f.origin; }},
        {"source", "string", "Document and section, or datasets.", [](const FigureUsed& f) { return f.source; }},
    };
    return columns;
}

template <class Record>
Json records_json(const std::vector<Record>& records, const std::vector<Column<Record>>& columns) {
    Json list = Json::array();
    for (const Record& record : records) {
        Json json = Json::object();
        for (const Column<Record>& column : columns) {
            if (Json value = column.value(record); !value.is_null()) {
                json[column.name] = std::move(value);
            }
        }
        list.push_back(std::move(json));
    }
    return list;
}

template <class Record>
Json records_schema(const std::vector<Column<Record>>& columns, const std::vector<std::string>& optional = {}) {
    Json properties = Json::object();
    Json needed = Json::array();
    for (const Column<Record>& column : columns) {
        properties[column.name] = {{"type", column.type}, {"description", column.meaning}};
        if (std::find(optional.begin(), optional.end(), column.name) == optional.end()) {
            needed.push_back(column.name);
        }
    }
    return {{"type", "array"},
            {"items",
             {{"type", "object"}, {"properties", properties}, {"required", needed}, {"additionalProperties", false}}}};
}

template <class Record>
Records records_of(const std::vector<Record>& records, const std::vector<Column<Record>>& columns) {
    Records table;
    for (const Column<Record>& column : columns) {
        table.columns.push_back(column.name);
    }
    for (const Record& record : records) {
        std::vector<Json>& cells = table.rows.emplace_back();
        for (const Column<Record>& column : columns) {
            cells.push_back(column.value(record));
        }
    }
    return table;
}

std::string csv_field(const Json& value) {
    if (!value.is_string()) {
        return value.is_null() ? "" : value.dump();
    }
    return csv_cell(value.get_ref<const std::string&>());
}

}  // namespace

std::string_view version() { return FABRICAST_VERSION; }

Json result_json(const Scenario& scenario, const Report& report) {
    const Json resolved = to_json(scenario);
    Json result = {{"schema_version", result_schema_version},
                   {"program", "fabricast"},
                   {"version", version()},
                   {"engine", resolved.at("engine")},
                   {"seed", scenario.seed},
                   {"scenario", resolved},
                   {"rows", records_json(report.rows, row_columns())}};
    if (!report.points.empty()) {
        result["points"] = records_json(report.points, point_columns());
    }
    if (report.replay) {
        result["replay"] = replay_json(*report.replay);
    }
    if (!report.packets.empty()) {
        result["packets"] = packets_json(report.packets);
    }
    if (!report.steps.empty()) {
        result["points"] = steps_json(report.steps);
    }
    result["figures"] = records_json(report.figures, figure_columns());
    std::vector<std::string> notes = report.notes;
    merge_notes(notes, report.evidence_notes);
    result["notes"] = notes;
    return result;
}

Records row_records(const std::vector<Row>& rows) { return records_of(rows, row_columns()); }

Records point_records(const std::vector<ScalingPoint>& points) { return records_of(points, point_columns()); }

std::string csv_line(const std::vector<Json>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += (i == 0 ? "" : ",") + csv_field(cells[i]);
    }
    return line + "\n";
}

std::string result_csv(const Report& report) {
    const Records table = report.steps.empty() ? row_records(report.rows) : step_records(report.steps);
    std::string lines = csv_line(std::vector<Json>(table.columns.begin(), table.columns.end()));
    for (const std::vector<Json>& cells : table.rows) {
        lines += csv_line(cells);
    }
    return lines;
}

Json result_json_schema() {
    return {
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
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
          {"points",
           {{"anyOf",
             {records_schema(point_columns(), {"step_time_s", "exposed_comm_s", "efficiency"}), steps_json_schema()}}}},
          {"replay", replay_json_schema()},
          {"packets", packets_schema()},
          {"figures", records_schema(figure_columns())},
          {"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
        {"required",
         {"schema_version", "program", "version", "engine", "seed", "scenario", "rows", "figures", "notes"}},
        {"additionalProperties", false}};
}

}  // namespace fabricast
