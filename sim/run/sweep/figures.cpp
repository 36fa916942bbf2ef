#include "sim/run/sweep/figures.hpp"

#include <algorithm>

#include "sim/report/failed_asserts.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast {

namespace {

// The rows of both, with the columns of both, each once; cells that a row does not have are null.
Records joined(const Records& first, const Records& second) {
    Records both = first;
    std::vector<std::size_t> place;
    for (const std::string& column : second.columns) {
        const auto known = std::find(both.columns.begin(), both.columns.end(), column);
        place.push_back(static_cast<std::size_t>(known - both.columns.begin()));
        if (known == both.columns.end()) {
            both.columns.push_back(column);
        }
    }
    for (std::vector<Json>& row : both.rows) {
        row.resize(both.columns.size());
    }
    for (const std::vector<Json>& row : second.rows) {
        std::vector<Json>& cells = both.rows.emplace_back(both.columns.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            cells[place[i]] = row[i];
        }
    }
    return both;
}

Records sweep_records(const CollectiveWorkload&, const Scenario& scenario, const Report& report) {
    const Records rows = records_of(report.rows, row_columns());
    return scenario.scaling ? joined(rows, records_of(report.points, point_columns())) : rows;
}

Records sweep_records(const TransferWorkload&, const Scenario&, const Report& report) {
    return records_of(report.rows, row_columns());
}

Records sweep_records(const TrainingWorkload&, const Scenario&, const Report& report) {
    Records records = records_of(report.steps, step_columns());
    const auto column = std::find(records.columns.begin(), records.columns.end(), "efficiency");
    if (records.rows.size() == 1) {
        records.rows[0][static_cast<std::size_t>(column - records.columns.begin())] = nullptr;
    }
    return records;
}

Records sweep_records(const TraceWorkload&, const Scenario&, const Report& report) {
    Records records{{"makespan_s", "recorded_s", "ranks", "bottleneck"}, {}};
    if (report.replay) {
        const ReplayReport& replay = *report.replay;
        records.rows.push_back({replay.makespan_s, replay.recorded_s ? Json(*replay.recorded_s) : Json(), replay.ranks,
                                replay.bottleneck});
    }
    return records;
}

Json failed_words(const Scenario& scenario, const Report& report) {
    std::string words;
    for (const std::string& failed : failed_asserts(scenario, report)) {
        words += (words.empty() ? "" : "; ") + failed;
    }
    return words.empty() ? Json() : Json(words);
}

Records bare_records(const Scenario& scenario, const Report& report) {
    return std::visit([&](const auto& workload) { return sweep_records(workload, scenario, report); },
                      scenario.workload);
}

}  // namespace

std::vector<std::string> figure_columns(const Scenario& scenario) {
    std::vector<std::string> columns = bare_records(scenario, {}).columns;
    if (!scenario.asserts.empty()) {
        columns.emplace_back("failed_asserts");
    }
    return columns;
}

Records figure_records(const Scenario& scenario, const Report& report) {
    Records records = bare_records(scenario, report);
    if (!scenario.asserts.empty()) {
        records.columns.emplace_back("failed_asserts");
        for (std::vector<Json>& row : records.rows) {
            row.push_back(failed_words(scenario, report));
        }
    }
    return records;
}

}  // namespace fabricast
