#include "sim/run/study/study_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "models/evidence.hpp"
#include "sim/run/study/study_columns.hpp"

namespace fabricast::inline studies {

namespace {

constexpr std::size_t name_width = 22;

std::string percent(const Range& range) {
    return fmt::format("{:+.1f} % (80 %: {:+.1f} to {:+.1f} %)", 100 * range.value, 100 * range.low80,
                       100 * range.high80);
}

// The value, and the ends of its interval relative to it: "3.2 ms -12/+9 %".
std::string cell_text(const StudyColumn& column, const Json& cell) {
    const TextColumn style{"", 0, "", column.text.number_text, 0};
    if (!cell.is_object()) { return text_cell(style, cell); }
    const double value = cell.at("value").get<double>();
    const auto relative = [&](const char* end) { return 100 * (cell.at(end).get<double>() / value - 1); };
    return text_cell(style, value) +
           (value == 0 ? "" : fmt::format(" {:.0f}/{:+.0f} %", relative("low80") - 1e-9, relative("high80")));
}

// A line for each property, a column for each design.
std::string designs_table(const std::vector<DesignResult>& designs) {
    std::vector<std::vector<std::string>> lines = {{"#"}};
    for (const DesignResult& design : designs) { lines.front().push_back(design.name); }
    for (const StudyColumn& column : study_columns()) {
        std::vector<std::string> line = {column.text.heading};
        bool any = false;
        for (const DesignResult& design : designs) {
            const Json cell = column.value(design);
            any |= !cell.is_null();
            line.push_back(cell_text(column, cell));
        }
        if (!column.text.heading.empty() && (any || !column.optional)) { lines.push_back(std::move(line)); }
    }
    std::vector<std::size_t> widths(designs.size() + 1, 0);
    for (const std::vector<std::string>& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) { widths[i] = std::max(widths[i], line[i].size() + 3); }
    }
    widths.front() = name_width;
    std::string out;
    for (const std::vector<std::string>& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) { out += padded(line[i], widths[i]); }
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }
    return out;
}

Json figure_json(const std::optional<Figure>& figure) {
    if (!figure) { return {}; }
    return {{"value", figure->value.front()},
            {"low80", figure->low80},
            {"high80", figure->high80},
            {"origin", to_string(figure->origin)},
            {"source", figure->source}};
}

Json parts_json(const PartsList& parts) {
    Json lines = Json::array();
    for (const PartLine& line : parts.lines) {
        lines.push_back({{"what", line.what},
                         {"part", line.part},
                         {"count", line.count},
                         {"price_usd", figure_json(line.price)},
                         {"watts_each", line.watts_each},
                         {"power_W", figure_json(line.watts)}});
    }
    Json switches = Json::array();
    for (const SwitchCount& tier : parts.bill.switches) {
        switches.push_back(
            {{"tier", tier.tier}, {"switches", tier.switches}, {"ports", tier.ports}, {"ports_left", tier.left()}});
    }
    Json cables = Json::array();
    for (const CableClass& kind : parts.cables) {
        cables.push_back({{"between", kind.between},
                          {"medium", kind.medium},
                          {"length_m", kind.metres},
                          {"cables", kind.cables},
                          {"modules", kind.modules}});
    }
    return {{"lines", lines}, {"switches", switches}, {"cables", cables}};
}

Json design_json(const DesignResult& r) {
    Json json = Json::object();
    for (const StudyColumn& column : study_columns()) {
        if (!column.name.empty()) { json[column.name] = column.value(r); }
    }
    json["parts"] = parts_json(r.parts);
    json["notes"] = r.notes;
    return json;
}

}  // namespace

std::string study_table(const Study& study) {
    std::string out =
        fmt::format("# {}, best {} first\n", plural(study.designs.size(), "design"), to_string(study.order)) +
        designs_table(study.designs);
    for (const Difference& d : study.differences) {
        out += fmt::format("# {} against {}: time {}: {}; {:.0f} % of the time is spent alike\n", d.design, d.against,
                           percent(d.time), to_string(d.verdict), 100 * d.shared);
        if (d.priced) {
            out += fmt::format(
                "#   capital {}; {}{}\n", percent(d.capital),
                study.designs.front().usd_per_million_tokens ? "cost of a token " : "capital per bus bandwidth ",
                percent(d.value));
        }
    }
    std::vector<std::string> notes;
    for (const DesignResult& design : study.designs) { merge_notes(notes, design.notes); }
    for (const std::string& note : notes) { out += "# " + note + "\n"; }
    return out;
}

Json study_json(const Study& study) {
    Json designs = Json::array();
    for (const DesignResult& design : study.designs) { designs.push_back(design_json(design)); }
    Json differences = Json::array();
    for (const Difference& d : study.differences) {
        differences.push_back({{"design", d.design},
                               {"against", d.against},
                               {"time", range_json(d.time)},
                               {"verdict", to_string(d.verdict)},
                               {"shared", d.shared},
                               {"capital", d.priced ? range_json(d.capital) : Json()},
                               {"value", d.priced ? range_json(d.value) : Json()}});
    }
    return {{"schema_version", 1},  {"program", "fabricast"}, {"order", to_string(study.order)},
            {"draws", study.draws}, {"designs", designs},     {"differences", differences}};
}

std::string study_csv(const Study& study) {
    Columns<DesignResult> columns;  // three for a range
    for (const StudyColumn& column : study_columns()) {
        if (!column.range) {
            columns.push_back(column);
            continue;
        }
        for (const auto& [ending, end] :
             {std::pair{"", "value"}, std::pair{"_low80", "low80"}, std::pair{"_high80", "high80"}}) {
            columns.emplace_back(column.name + ending, "", [&column, end = end](const DesignResult& r) {
                const Json range = column.value(r);
                return range.is_null() ? range : range.at(end);
            });
        }
    }
    return csv_text(records_of(study.designs, columns));
}

}  // namespace fabricast::inline studies
