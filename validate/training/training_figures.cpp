#include "validate/training/training_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"
#include "validate/score/table.hpp"

namespace fabricast {

namespace {

// Errors by table: ours and the null model's.
struct Headline {
    GroupErrors ours, null;

    Headline(const std::vector<ComparedRow>& rows, Forecast which, Forecast null_model, bool everything)
        : ours(errors_by(&ComparedRow::table, rows, {.which = which, .everything = everything})),
          null(errors_by(&ComparedRow::table, rows, {.which = null_model, .everything = everything})) {}

    double median() const { return 100 * mean_over(ours, &ErrorSummary::median); }
    double null_median() const { return 100 * mean_over(null, &ErrorSummary::median); }
    // In how many tables ours is better.
    double beats() const {
        return static_cast<double>(std::ranges::count_if(
            ours, [&](const auto& table) { return table.second.median < null.at(table.first).median; }));
    }
};

double efficiency_error(const TrainingForecast& f) { return *f.forecast_efficiency - *f.measured_efficiency; }
double linear_error(const TrainingForecast& f) { return 1 - *f.measured_efficiency; }

// Median error over all rows of such tables, in points.
double scaling_points(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                      TableScaling scaling, double (*error)(const TrainingForecast&)) {
    std::vector<double> errors;
    for (const TrainingForecast& f : forecasts) {
        if (f.measured_efficiency && tables[f.table].scaling == scaling) {
            errors.push_back(error(f));
        }
    }
    return 100 * summary_of(errors).median;
}

std::string seconds(double value) { return value > 0 ? fmt::format("{:.5g}", value) : ""; }
std::string optional(const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; }

// A forecast with the name of its table.
struct Line {
    const TrainingTable* table;
    const TrainingForecast* f;
};

std::vector<Line> lines_of(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::vector<Line> lines;
    for (const TrainingForecast& f : forecasts) {
        lines.push_back({&tables[f.table], &f});
    }
    return lines;
}

std::string error_pct(const Line& line, double seconds) {
    return line.f->compared() ? fmt::format("{:.2f}", 100 * (seconds / line.f->measured_s - 1)) : "";
}

template <double StepRow::*part>
std::string step_cell(const Line& line) {
    return fmt::format("{:.4g}", line.f->step.*part);
}

}  // namespace

std::vector<ComparedRow> training_rows(const std::vector<TrainingTable>& tables,
                                       const std::vector<TrainingForecast>& forecasts) {
    std::vector<ComparedRow> rows;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared()) {
            continue;
        }
        ComparedRow& row = rows.emplace_back();
        row.table = row.site = tables[f.table].id;
        row.publisher = tables[f.table].family;
        row.label = f.label;
        row.use = f.excluded.empty() ? RowUse::counted : RowUse::excluded;
        row.why = f.excluded;
        row.measured = f.measured_s;
        row[Forecast::ours] = f.forecast_s;
        row[Forecast::null_mfu] = f.null_s;
        row[Forecast::publisher_out] = f.family_out_s;
        row[Forecast::null_mfu_out] = f.family_out_s > 0 ? f.null_out_s : 0;
    }
    return rows;
}

TableErrors table_errors(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                         std::size_t table) {
    std::vector<TrainingForecast> own;
    std::vector<double> efficiency, linear;
    for (const TrainingForecast& f : forecasts) {
        if (f.table != table) {
            continue;
        }
        own.push_back(f);
        if (f.measured_efficiency) {
            efficiency.push_back(efficiency_error(f));
            linear.push_back(linear_error(f));
        }
    }
    const std::vector<ComparedRow> rows = training_rows(tables, own);
    const bool everything = std::ranges::none_of(rows, &ComparedRow::counted);
    const auto errors = [&](Forecast which) { return errors_of(rows, {.which = which, .everything = everything}); };
    return {errors(Forecast::ours),         errors(Forecast::null_mfu), errors(Forecast::publisher_out),
            errors(Forecast::null_mfu_out), summary_of(efficiency),     summary_of(linear)};
}

std::vector<NamedFigure> training_figures(const std::vector<TrainingTable>& tables,
                                          const std::vector<TrainingForecast>& forecasts) {
    const std::vector<ComparedRow> rows = training_rows(tables, forecasts);
    const Headline counted(rows, Forecast::ours, Forecast::null_mfu, false);
    const Headline all(rows, Forecast::ours, Forecast::null_mfu, true);
    const ErrorSummary errors = errors_of(rows, {}), all_errors = errors_of(rows, {.everything = true});
    double sum = 0;
    std::vector<double> stated;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts()) {
            const double error = f.forecast_s / f.measured_s - 1;
            sum += 100 * std::abs(error);
            if (!f.assumed) {
                stated.push_back(error);
            }
        }
    }
    double efficiency_tables = 0, efficiency_beats = 0;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(tables, forecasts, t);
        efficiency_tables += e.efficiency.rows > 0 ? 1 : 0;
        efficiency_beats += e.efficiency.rows > 0 && e.efficiency.median < e.linear.median ? 1 : 0;
    }
    const auto points = [&](TableScaling scaling, double (*error)(const TrainingForecast&)) {
        return scaling_points(tables, forecasts, scaling, error);
    };
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    std::vector<NamedFigure> figures = {
        {"train_tables", count(counted.ours.size()), ""},
        {"train_rows", count(errors.rows), ""},
        {"train_step_median_pct", counted.median(), "%"},
        {"train_step_p90_pct", 100 * mean_over(counted.ours, &ErrorSummary::p90), "%"},
        {"train_step_mean_pct", sum / count(errors.rows), "%"},
        {"train_step_max_pct", 100 * errors.largest, "%"},
        {"train_null_step_median_pct", counted.null_median(), "%"},
        {"train_beats_null_tables", counted.beats(), "tables"},
        {"train_all_tables", count(all.ours.size()), ""},
        {"train_all_rows", count(all_errors.rows), ""},
        {"train_all_step_median_pct", all.median(), "%"},
        {"train_all_step_p90_pct", 100 * mean_over(all.ours, &ErrorSummary::p90), "%"},
        {"train_all_step_max_pct", 100 * all_errors.largest, "%"},
        {"train_all_null_step_median_pct", all.null_median(), "%"},
        {"train_all_beats_null_tables", all.beats(), "tables"},
        {"train_scaling_weak_median_points", points(TableScaling::weak, efficiency_error), "points"},
        {"train_null_scaling_weak_median_points", points(TableScaling::weak, linear_error), "points"},
        {"train_scaling_strong_median_points", points(TableScaling::strong, efficiency_error), "points"},
        {"train_null_scaling_strong_median_points", points(TableScaling::strong, linear_error), "points"},
        {"train_eff_beats_null_tables", efficiency_beats, "tables"},
        {"train_eff_tables", efficiency_tables, "tables"},
        {"train_step_stated_rows", count(stated.size()), ""},
    };
    if (!stated.empty()) {
        figures.push_back({"train_step_stated_median_pct", 100 * summary_of(stated).median, "%"});
    }
    const Headline out(rows, Forecast::publisher_out, Forecast::null_mfu_out, false);
    if (!out.ours.empty()) {
        const Headline all_out(rows, Forecast::publisher_out, Forecast::null_mfu_out, true);
        figures.push_back({"train_step_family_out_median_pct", out.median(), "%"});
        figures.push_back({"train_null_step_family_out_median_pct", out.null_median(), "%"});
        figures.push_back({"train_beats_null_family_out_tables", out.beats(), "tables"});
        figures.push_back({"train_all_step_family_out_median_pct", all_out.median(), "%"});
        figures.push_back({"train_all_beats_null_family_out_tables", all_out.beats(), "tables"});
    }
    return figures;
}

std::string training_csv(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    static const std::vector<CsvColumn<Line>> columns = {
        {"table", [](const Line& l) { return l.table->id; }},
        {"row", [](const Line& l) { return fmt::format("{}", l.f->row + 1); }},
        {"measured_s", [](const Line& l) { return seconds(l.f->measured_s); }},
        {"forecast_s", [](const Line& l) { return seconds(l.f->forecast_s); }},
        {"null_s", [](const Line& l) { return seconds(l.f->null_s); }},
        {"family_out_s", [](const Line& l) { return seconds(l.f->family_out_s); }},
        {"null_out_s", [](const Line& l) { return seconds(l.f->null_out_s); }},
        {"measured_efficiency", [](const Line& l) { return optional(l.f->measured_efficiency); }},
        {"forecast_efficiency", [](const Line& l) { return optional(l.f->forecast_efficiency); }},
        {"assumed", [](const Line& l) { return std::string(l.f->assumed ? "yes" : "no"); }},
        {"excluded", [](const Line& l) { return l.f->failed.empty() ? l.f->excluded : l.f->failed; }},
    };
    return csv_text(columns, lines_of(tables, forecasts));
}

std::string training_rows_csv(const std::vector<TrainingTable>& tables,
                              const std::vector<TrainingForecast>& forecasts) {
    static const std::vector<CsvColumn<Line>> columns = {
        {"table", [](const Line& l) { return l.table->id; }},
        {"row", [](const Line& l) { return fmt::format("{}", l.f->row + 1); }},
        {"what", [](const Line& l) { return l.f->label; }},
        {"measured_s", [](const Line& l) { return fmt::format("{:.5g}", l.f->measured_s); }},
        {"forecast_s", [](const Line& l) { return fmt::format("{:.5g}", l.f->forecast_s); }},
        {"error_pct", [](const Line& l) { return error_pct(l, l.f->forecast_s); }},
        {"null_s", [](const Line& l) { return fmt::format("{:.5g}", l.f->null_s); }},
        {"null_error_pct", [](const Line& l) { return error_pct(l, l.f->null_s); }},
        {"family_out_s", [](const Line& l) { return seconds(l.f->family_out_s); }},
        {"evidence",
         [](const Line& l) { return std::string(l.f->failed.empty() ? to_string(l.f->step.evidence) : ""); }},
        {"compute_s", step_cell<&StepRow::compute_s>},
        {"exposed_tensor_s", step_cell<&StepRow::exposed_tensor_s>},
        {"exposed_context_s", step_cell<&StepRow::exposed_context_s>},
        {"exposed_expert_s", step_cell<&StepRow::exposed_expert_s>},
        {"exposed_pipeline_s", step_cell<&StepRow::exposed_pipeline_s>},
        {"exposed_data_s", step_cell<&StepRow::exposed_data_s>},
        {"bubble_s", step_cell<&StepRow::bubble_s>},
        {"fixed_s", step_cell<&StepRow::fixed_s>},
        {"measured_efficiency", [](const Line& l) { return optional(l.f->measured_efficiency); }},
        {"forecast_efficiency", [](const Line& l) { return optional(l.f->forecast_efficiency); }},
        {"assumed", [](const Line& l) { return std::string(l.f->assumed ? "yes" : "no"); }},
        {"excluded", [](const Line& l) { return l.f->failed.empty() ? l.f->excluded : l.f->failed; }},
    };
    return csv_text(columns, lines_of(tables, forecasts));
}

}  // namespace fabricast
