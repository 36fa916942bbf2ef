#include "sim/run/study/study_json.hpp"

#include "models/figure_reader.hpp"
#include "sim/run/study/study_columns.hpp"

namespace fabricast {

namespace {

Json figure_json(const std::optional<Figure>& figure) {
    if (!figure) {
        return {};
    }
    constexpr std::array<const char*, 5> origins = {"spec", "vendor", "measured", "fitted", "estimated"};
    return {{"value", figure->value.front()},
            {"low80", figure->low80},
            {"high80", figure->high80},
            {"origin", origins.at(static_cast<std::size_t>(figure->origin))},
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
        if (!column.name.empty()) {
            json[column.name] = column.value(r);
        }
    }
    json["parts"] = parts_json(r.parts);
    json["notes"] = r.notes;
    return json;
}

}  // namespace

Json study_json(const Study& study) {
    Json designs = Json::array();
    for (const DesignResult& design : study.designs) {
        designs.push_back(design_json(design));
    }
    Json differences = Json::array();
    for (const Difference& d : study.differences) {
        Json json = {{"design", d.design},
                     {"against", d.against},
                     {"time", range_json(d.time)},
                     {"verdict", to_string(d.verdict)},
                     {"shared", d.shared}};
        json["capital"] = d.priced ? range_json(d.capital) : Json();
        json["value"] = d.priced ? range_json(d.value) : Json();
        differences.push_back(std::move(json));
    }
    return {{"schema_version", 1},  {"program", "fabricast"}, {"order", to_string(study.order)},
            {"draws", study.draws}, {"designs", designs},     {"differences", differences}};
}

std::string study_csv(const Study& study) {
    Records table;
    table.rows.resize(study.designs.size());
    for (const StudyColumn& column : study_columns()) {
        if (column.name.empty()) {
            continue;
        }
        table.columns.push_back(column.name);
        for (const char* end : {"_low80", "_high80"}) {
            if (column.range) {
                table.columns.push_back(column.name + end);
            }
        }
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const Json value = column.value(study.designs[row]);
            for (const char* end : {"value", "low80", "high80"}) {
                if (column.range) {
                    table.rows[row].push_back(value.is_null() ? Json() : value.at(end));
                }
            }
            if (!column.range) {
                table.rows[row].push_back(value);
            }
        }
    }
    return csv_text(table);
}

}  // namespace fabricast
