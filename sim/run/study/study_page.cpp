#include "sim/run/study/study_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/run/study/study_columns.hpp"

namespace fabricast::inline studies {

using namespace html;

namespace {

std::string signed_percent(double share) {
    return std::round(1000 * share) == 0 ? "0.0 %" : fmt::format("{:+.1f} %", 100 * share);
}

// Removes columns that no design fills, such as tokens for a collective.
Table filled(Table table) {
    for (std::size_t c = table.columns.size(); c-- > 0;) {
        const auto place = static_cast<std::ptrdiff_t>(c);
        if (std::ranges::all_of(table.rows, [&](const auto& row) { return row[c].index() == 0; })) {
            table.columns.erase(table.columns.begin() + place);
            for (std::vector<Cell>& row : table.rows) { row.erase(row.begin() + place); }
        }
    }
    return table;
}

Table part_table(std::string title, std::string caption, const Study& study, StudyPart part) {
    Columns<DesignResult> columns;
    std::ranges::copy_if(study_columns(), std::back_inserter(columns),
                         [&](const StudyColumn& column) { return column.part == part; });
    Table table = page_table(std::move(title), std::move(caption), study.designs, columns);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (study.designs[row].best) { table.marked.push_back(row); }
    }
    return filled(std::move(table));
}

// The differences of one kind from the first design, with their intervals.
Tornado tornado(const Study& study, const std::string& title, const Range Difference::*what) {
    Tornado bars{title,
                 fmt::format("Against {}, made draw by draw; the line through each bar holds four draws in five.",
                             study.differences.front().against),
                 Unit::share,
                 {}};
    for (const Difference& d : study.differences) {
        const Range& range = d.*what;
        bars.bars.push_back({d.design, range.value, range.low80, range.high80});
    }
    return bars;
}

Table parts_table(const DesignResult& design) {
    Table table{"Bill of materials: " + design.name,
                "Prices and watts of one, with what each rests on.",
                {{"what"},
                 {"part"},
                 {"count", Unit::count},
                 {"price", Unit::money},
                 {"low", Unit::money},
                 {"high", Unit::money},
                 {"origin"},
                 {"power", Unit::power},
                 {"source"}},
                {},
                true};
    for (const PartLine& line : design.parts.lines) {
        std::vector<Cell>& cells = table.rows.emplace_back(std::vector<Cell>{line.what, line.part, line.count});
        cells.resize(table.columns.size());
        if (line.price) {
            const Figure& price = *line.price;
            cells[3] = price.value.front();
            cells[4] = price.low80;
            cells[5] = price.high80;
            cells[6] = std::string(fabricast::to_string(price.origin));
            cells[8] = price.source.front();
        }
        if (line.watts) { cells[7] = line.watts->value.front() * line.watts_each; }
    }
    return table;
}

}  // namespace

Page study_page(const Scenario& scenario, const Study& study) {
    Page page;
    const DesignResult& best = study.designs.front();
    page.title = scenario.name;
    page.answer = fmt::format("{} comes first of {} designs by {}: {} in {}.", best.name, study.designs.size(),
                              to_string(study.order), best.what, text(best.time_s.value, Dimension::time));
    for (const Difference& d : study.differences) {
        page.headlines.push_back({d.design + " against " + d.against, signed_percent(d.time.value),
                                  fmt::format("time, 80 %: {} to {}; {}", signed_percent(d.time.low80),
                                              signed_percent(d.time.high80), to_string(d.verdict))});
    }
    page.sections.emplace_back(part_table(
        "Designs, best first",
        "Intervals hold four results in five. Scaling efficiency: what is kept of the smallest cluster's bus "
        "bandwidth, or of its throughput a GPU. Marked: the Pareto set, those that no other beats in speed, "
        "capital and power at once.",
        study, StudyPart::speed));
    page.sections.emplace_back(part_table("What they are made of and cost",
                                          "Power at typical draw. Guessed: the share of the capital whose prices are "
                                          "estimates.",
                                          study, StudyPart::cost));
    if (!study.differences.empty()) {
        page.sections.emplace_back(tornado(study, "Time", &Difference::time));
        if (study.differences.front().priced) {
            page.sections.emplace_back(tornado(study, "Capital", &Difference::capital));
            page.sections.emplace_back(
                tornado(study, best.usd_per_million_tokens ? "Cost of a token" : "Capital per bus bandwidth",
                        &Difference::value));
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
