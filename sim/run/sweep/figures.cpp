#include "sim/run/sweep/figures.hpp"

#include <fmt/ranges.h>

#include <utility>

#include "sim/report/failed_asserts.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::inline sweep {

namespace {

template <class Record>
void add(SweepFigures& figures, const std::vector<Record>& records, const Columns<Record>& columns) {
    merge_notes(figures.columns, records_of<Record>({}, columns).columns);
    for (const Record& record : records) { figures.rows.push_back(record_json(record, columns)); }
}

void add_rows(const CollectiveWorkload&, const Scenario& scenario, const Report& report, SweepFigures& figures) {
    add(figures, report.rows, row_columns());
    if (scenario.scaling) { add(figures, report.points, point_columns()); }
}

void add_rows(const TransferWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    add(figures, report.rows, row_columns());
}

void add_rows(const TrainingWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    add(figures, report.steps, step_columns());
    if (figures.rows.size() == 1) { figures.rows.front().erase("efficiency"); }
}

void add_rows(const TraceWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    figures.columns = {"makespan_s", "recorded_s", "ranks", "bottleneck"};
    if (report.replay) {
        figures.rows.push_back({{"makespan_s", report.replay->makespan_s},
                                {"recorded_s", or_null(report.replay->recorded_s)},
                                {"ranks", report.replay->ranks},
                                {"bottleneck", report.replay->bottleneck}});
    }
}

}  // namespace

SweepFigures sweep_figures(const Scenario& scenario, const Report& report) {
    SweepFigures figures;
    std::visit([&](const auto& workload) { add_rows(workload, scenario, report, figures); }, scenario.workload);
    if (!scenario.asserts.empty()) { figures.columns.emplace_back("failed_asserts"); }
    for (Json& row : figures.rows) {
        const Json unordered = std::exchange(row, Json::object());
        for (const std::string& column : figures.columns) {
            if (const auto cell = unordered.find(column); cell != unordered.end() && !cell->is_null()) {
                row[column] = *cell;
            }
        }
        if (const auto failed = failed_asserts(scenario, report); !failed.empty()) {
            row["failed_asserts"] = fmt::format("{}", fmt::join(failed, "; "));
        }
    }
    return figures;
}

}  // namespace fabricast::inline sweep
