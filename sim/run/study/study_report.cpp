#include "sim/run/study/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "models/evidence.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/run/study/study_columns.hpp"

namespace fabricast::inline studies {

using namespace html;

namespace {

constexpr std::size_t name_width = 22;

std::string order_text(const Study& study) {
    return study.ranked ? fmt::format("best {} first", to_string(study.order))
                        : fmt::format("as they were named: {} does not rank them", to_string(study.order));
}

std::string percent(const Range& range) {
    return fmt::format("{:+.1f} % (80 %: {:+.1f} to {:+.1f} %)", 100 * range.value, 100 * range.low80,
                       100 * range.high80);
}

// The value, and the ends of its interval relative to it: "3.2 ms -12/+9 %".
std::string cell_text(const StudyColumn& column, const Json& cell) {
    const TextColumn style{"", 0, "", column.text.number_text, 0};
    if (!cell.is_object()) { return text_cell(style, cell); }
    const auto at = [&](const char* name) { return cell.at(name).get<double>(); };
    const double value = at("value");
    return text_cell(style, value) + (value == 0 ? "" : " " + interval_text(value, at("low80"), at("high80")) + " %");
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

Json line_json(const PartLine& line) {
    return {{"what", line.what},
            {"part", line.part},
            {"count", line.count},
            {"price_usd", figure_json(line.price)},
            {"watts_each", line.watts_each},
            {"power_W", figure_json(line.watts)}};
}

Json tier_json(const SwitchCount& tier) {
    return {{"tier", tier.tier},
            {"switches", tier.switches},
            {"ports", tier.ports},
            {"ports_left", tier.left() ? Json(*tier.left()) : Json()}};
}

Json cables_json(const CableClass& kind) {
    return {{"between", kind.between},
            {"medium", kind.medium},
            {"length_m", kind.metres},
            {"cables", kind.cables},
            {"modules", kind.modules}};
}

Json design_json(const DesignResult& r) {
    Json json = Json::object();
    for (const StudyColumn& column : study_columns()) {
        if (!column.name.empty()) { json[column.name] = column.value(r); }
    }
    json["parts"] = {{"lines", json_list(r.parts.lines, line_json)},
                     {"switches", json_list(r.parts.bill.switches, tier_json)},
                     {"cables", json_list(r.parts.cables, cables_json)}};
    json["notes"] = r.notes;
    return json;
}

Json difference_json(const Difference& d) {
    return {{"design", d.design},
            {"against", d.against},
            {"time", d.time},
            {"verdict", to_string(d.verdict)},
            {"shared", d.shared},
            {"capital", d.priced ? Json(d.capital) : Json()},
            {"value", d.measure.empty() ? Json() : Json(d.value)},
            {"measure", d.measure.empty() ? Json() : Json(d.measure)}};
}

std::string signed_percent(double share) {
    return std::round(1000 * share) == 0 ? "0.0 %" : fmt::format("{:+.1f} %", 100 * share);
}

// Without columns that no design fills, such as tokens for a collective.
Table part_table(std::string title, std::string caption, const Study& study, StudyPart part) {
    Columns<DesignResult> columns;
    std::ranges::copy_if(study_columns(), std::back_inserter(columns), [&](const StudyColumn& column) {
        const auto fills = [&](const DesignResult& design) { return !column.value(design).is_null(); };
        return column.part == part && std::ranges::any_of(study.designs, fills);
    });
    Table table = page_table(std::move(title), std::move(caption), study.designs, columns);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (study.designs[row].best) { table.marked.push_back(row); }
    }
    return table;
}

// The differences of one kind from the first design, with their intervals; no section if no design has one.
template <class Known>
void add_tornado(Page& page, const Study& study, const std::string& title, const Range Difference::*what,
                 const Known& known) {
    Tornado bars{title,
                 fmt::format("Against {}, made draw by draw; the line through each bar holds four draws in five.",
                             study.differences.front().against),
                 Unit::share,
                 {}};
    for (const Difference& d : study.differences) {
        const Range& range = d.*what;
        if (std::invoke(known, d)) { bars.bars.push_back({d.design, range.value, range.low80, range.high80}); }
    }
    if (!bars.bars.empty()) { page.sections.emplace_back(std::move(bars)); }
}

Table parts_table(const DesignResult& design) {
    using C = report::Column<PartLine>;
    const auto of_price = [](auto of) {
        return [of](const PartLine& line) { return line.price ? Json(std::invoke(of, *line.price)) : Json(); };
    };
    const auto watts = [](const PartLine& line) {
        return line.watts ? Json(line.watts->value.front() * line.watts_each) : Json();
    };
    Table table = page_table(
        "Bill of materials: " + design.name, "Prices and watts of one, with what each rests on.", design.parts.lines,
        {C(&PartLine::what).on_page("what"), C(&PartLine::part).on_page("part"),
         C(&PartLine::count).on_page("count", Unit::count),
         C(of_price([](const Figure& price) { return price.value.front(); })).on_page("price", Unit::money),
         C(of_price(&Figure::low80)).on_page("low", Unit::money),
         C(of_price(&Figure::high80)).on_page("high", Unit::money),
         C(of_price([](const Figure& price) { return to_string(price.origin); })).on_page("origin"),
         C(watts).on_page("power", Unit::power),
         C(of_price([](const Figure& price) { return price.source.front(); })).on_page("source")});
    table.folded = true;
    return table;
}

// Each note once, after the names of the designs that have it; without names if all have it.
std::vector<std::string> notes_of_designs(const std::vector<DesignResult>& designs) {
    std::vector<std::string> all, named;
    for (const DesignResult& design : designs) { merge_notes(all, design.notes); }
    for (const std::string& note : all) {
        std::vector<std::string> names;
        for (const DesignResult& design : designs) {
            if (std::ranges::find(design.notes, note) != design.notes.end()) { names.push_back(design.name); }
        }
        named.push_back(names.size() == designs.size() ? note : joined(names) + ": " + note);
    }
    return named;
}

}  // namespace

std::string study_table(const Study& study) {
    std::string out = fmt::format("# {}, {}\n", plural(study.designs.size(), "design"), order_text(study)) +
                      designs_table(study.designs);
    for (const Difference& d : study.differences) {
        out += fmt::format("# {} against {}: time {}: {}; {:.0f} % of the time is spent alike\n", d.design, d.against,
                           percent(d.time), to_string(d.verdict), 100 * d.shared);
        if (d.priced) {
            out += fmt::format("#   capital {}{}\n", percent(d.capital),
                               d.measure.empty() ? "" : fmt::format("; {} {}", d.measure, percent(d.value)));
        }
    }
    std::vector<std::string> notes = study.notes;
    merge_notes(notes, notes_of_designs(study.designs));
    for (const std::string& note : notes) { out += "# " + note + "\n"; }
    return out;
}

Json study_json(const Study& study) {
    return {{"schema_version", 1},
            {"program", "fabricast"},
            {"order", to_string(study.order)},
            {"ranked", study.ranked},
            {"notes", study.notes},
            {"draws", study.draws},
            {"designs", json_list(study.designs, design_json)},
            {"differences", json_list(study.differences, difference_json)}};
}

Records study_records(const Study& study) {
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
    return records_of(study.designs, columns);
}

Page study_page(const Scenario& scenario, const Study& study) {
    Page page;
    const DesignResult& best = study.designs.front();
    page.title = scenario.name;
    page.answer = study.ranked
                      ? fmt::format("{} comes first of {} designs by {}: {} in {}.", best.name, study.designs.size(),
                                    to_string(study.order), best.what, text(best.time_s.value, Dimension::time))
                      : fmt::format("{} designs {}.", study.designs.size(), order_text(study));
    for (const Difference& d : study.differences) {
        page.headlines.push_back({d.design + " against " + d.against, signed_percent(d.time.value),
                                  fmt::format("time, 80 %: {} to {}; {}", signed_percent(d.time.low80),
                                              signed_percent(d.time.high80), to_string(d.verdict))});
    }
    page.notes = study.notes;
    page.sections.emplace_back(part_table(
        "Designs, " + order_text(study),
        "Intervals hold four results in five. Scaling efficiency: what is kept of the smallest cluster's bus "
        "bandwidth, or of its throughput a GPU. Marked: the Pareto set, those that no other beats in speed, "
        "capital and power at once.",
        study, StudyPart::speed));
    page.sections.emplace_back(part_table("What they are made of and cost",
                                          "Power at typical draw. Guessed: the share of the capital whose prices are "
                                          "estimates.",
                                          study, StudyPart::cost));
    if (!study.differences.empty()) {
        add_tornado(page, study, "Time", &Difference::time, [](const Difference&) { return true; });
        add_tornado(page, study, "Capital", &Difference::capital, &Difference::priced);
        for (std::string title : {"Cost of a token", "Capital per bus bandwidth", "Capital times time"}) {
            add_tornado(page, study, title, &Difference::value, [&](const Difference& d) {
                return !d.measure.empty() && title.ends_with(d.measure.substr(1));
            });
        }
    }
    for (const DesignResult& design : study.designs) {
        page.sections.emplace_back(parts_table(design));
        for (const std::string& note : design.notes) { page.notes.push_back(design.name + ": " + note); }
    }
    add_provenance(page, scenario);
    page.facts.emplace_back("draws", std::to_string(study.draws));
    return page;
}

}  // namespace fabricast::inline studies
