#include "validate/training/training_page.hpp"

#include <fmt/format.h>

#include "validate/score/page.hpp"
#include "validate/score/plot.hpp"
#include "validate/training/training_figures.hpp"

namespace fabricast::inline validate_training {

namespace {

std::string name_of(const TrainingTable& table) { return table.id + (table.excluded.empty() ? "" : " (excluded)"); }

std::string table_lines(const std::vector<TableErrors>& tables) {
    const auto cell = [](const ErrorSummary& e) { return e.rows == 0 ? "-" : percent_cell(e.median); };
    std::string lines;
    for (const TableErrors& e : tables) {
        lines += markdown_row({name_of(*e.table), fmt::format("{}", e.ours.rows), percent_cell(e.ours.median),
                               percent_cell(e.ours.p90), percent_cell(e.ours.largest),
                               fmt::format("{:+.1f}", 100 * e.ours.bias), percent_cell(e.null.median),
                               cell(e.family_out), cell(e.null_out), cell(e.efficiency), cell(e.linear)});
    }
    return lines;
}

std::string excluded_lines(const std::vector<TableErrors>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::string lines;
    for (const TableErrors& errors : tables) {
        const TrainingTable& table = *errors.table;
        if (!table.excluded.empty()) {
            lines += fmt::format("- {}: {}\n", table.id, table.excluded);
            continue;
        }
        std::map<std::string, std::uint64_t> causes;
        for (const TrainingForecast& f : forecasts) {
            if (f.table == &table && !(f.excluded.empty() && f.failed.empty())) {
                ++causes[f.excluded.empty() ? f.failed : f.excluded];
            }
        }
        for (const auto& [cause, rows] : causes) {
            lines += fmt::format("- {}, {}: {}\n", table.id, plural(rows, "row"), cause);
        }
    }
    return lines;
}

std::string null_lines(const std::vector<TableErrors>& tables) {
    std::string lines;
    for (const TableErrors& e : tables) {
        const auto compare = [&](const char* what, const char* unit, const char* null_unit, const ErrorSummary& ours,
                                 const ErrorSummary& null) {
            if (ours.rows > 0 && ours.median >= null.median) {
                lines += fmt::format("- {}: {}, {} {} against {}{}\n", name_of(*e.table), what,
                                     percent_cell(ours.median), unit, percent_cell(null.median), null_unit);
            }
        };
        compare("step time", "%", " %", e.ours, e.null);
        compare("step time with the family left out", "%", " %", e.family_out, e.null_out);
        compare("efficiency", "points", "", e.efficiency, e.linear);
    }
    return lines;
}

}  // namespace

std::string training_page(const std::vector<TrainingForecast>& forecasts, const std::vector<MemoryVerdict>& verdicts,
                          const TrainingCoverage& coverage, const std::vector<NamedFigure>& figures,
                          const std::string& stale) {
    const std::vector<TableErrors> tables = table_errors(forecasts);
    std::string lines;
    for (const NamedFigure& f : figures) { lines += fmt::format("| `{}` | {:.4g} {} |\n", f.name, f.value, f.unit); }
    return filled_page("accuracy-training.md", {{"figures", lines},
                                                {"stale", stale.empty() ? "" : "\n**" + stale + "**\n"},
                                                {"tables", table_lines(tables)},
                                                {"excluded", excluded_lines(tables, forecasts)},
                                                {"nulls", null_lines(tables)},
                                                {"coverage", coverage.lines()},
                                                {"memory", memory_lines(verdicts)}});
}

std::string training_chart(const std::vector<TrainingForecast>& forecasts) {
    DotChart chart;
    chart.title = "Median error of the step time, %";
    chart.legend = {"forecast", "its family left out of the fit", "null: 6 N D at one MFU"};
    chart.colors = {"#1f77b4", "#2ca02c", "#aaaaaa"};
    chart.limit = 60;
    for (const TableErrors& e : table_errors(forecasts)) {
        chart.rows.push_back(
            {name_of(*e.table),
             {100 * e.ours.median, e.family_out.rows == 0 ? -1 : 100 * e.family_out.median, 100 * e.null.median}});
    }
    return svg(std::vector<DotChart>{chart});
}

}  // namespace fabricast::inline validate_training
