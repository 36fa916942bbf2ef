#include "validate/training/training_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validate/score/page.hpp"

namespace fabricast::inline validate_training {

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

// Rows whose efficiency is compared: of series that scale weakly, of those that scale strongly, and, of whatever
// series, those that wait for communication a tenth of their time or more.
struct Scaled {
    const char* name;
    bool (*is)(const TrainingForecast&);
};
constexpr Scaled scaled_rows[] = {
    {"weak", [](const TrainingForecast& f) { return f.scaling == TableScaling::weak; }},
    {"strong", [](const TrainingForecast& f) { return f.scaling == TableScaling::strong; }},
    {"network_bound", [](const TrainingForecast& f) { return f.step.exposed_s() >= 0.1 * f.step.step_time_s; }}};

// Median and mean error over such rows, in points.
void add_scaling(std::vector<NamedFigure>& figures, const std::vector<TrainingForecast>& forecasts,
                 const Scaled& scaled, const char* model, double (*error)(const TrainingForecast&)) {
    std::vector<double> points;
    for (const TrainingForecast& f : forecasts) {
        if (f.measured_efficiency && scaled.is(f)) { points.push_back(100 * error(f)); }
    }
    const ErrorSummary errors = summary_of(points);
    figures.push_back({fmt::format("train_{}scaling_{}_median_points", model, scaled.name), errors.median, "points"});
    figures.push_back({fmt::format("train_{}scaling_{}_mean_points", model, scaled.name), errors.mean, "points"});
}

// Median error of all rows, whatever their table, that have an aspect which begins like this.
std::vector<NamedFigure> figures_of_kind(const std::vector<TrainingForecast>& forecasts, const char* name,
                                         std::initializer_list<std::string_view> beginnings) {
    std::vector<double> errors, left_out;
    for (const TrainingForecast& f : forecasts) {
        const bool is = std::ranges::any_of(f.aspects, [&](const std::string& aspect) {
            return std::ranges::any_of(beginnings, [&](std::string_view begin) { return aspect.starts_with(begin); });
        });
        if (!is || !f.compared()) { continue; }
        errors.push_back(f.forecast_s / f.measured_s - 1);
        if (f.family_out_s > 0) { left_out.push_back(f.family_out_s / f.measured_s - 1); }
    }
    return {{fmt::format("train_{}_rows", name), static_cast<double>(errors.size()), ""},
            {fmt::format("train_{}_step_median_pct", name), 100 * summary_of(errors).median, "%"},
            {fmt::format("train_{}_step_family_out_median_pct", name), 100 * summary_of(left_out).median, "%"}};
}

std::string seconds(double value) { return value > 0 ? fmt::format("{:.5g}", value) : ""; }
std::string optional(const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; }

std::string error_pct(const TrainingForecast& f, double seconds) {
    return f.compared() ? fmt::format("{:.2f}", 100 * (seconds / f.measured_s - 1)) : "";
}

using Columns = std::vector<CsvColumn<TrainingForecast>>;

template <double TrainingForecast::*value> std::string seconds_cell(const TrainingForecast& f) {
    return seconds(f.*value);
}

template <double TrainingForecast::*value> std::string any_seconds_cell(const TrainingForecast& f) {
    return fmt::format("{:.5g}", f.*value);
}

template <double StepRow::*part> std::string step_cell(const TrainingForecast& f) {
    return fmt::format("{:.4g}", f.step.*part);
}

// The columns with which both tables begin and end, with `middle` between them.
std::string csv_with(const Columns& middle, const std::vector<TrainingForecast>& forecasts) {
    Columns columns = {{"table", [](const TrainingForecast& f) { return f.table->id; }},
                       {"row", [](const TrainingForecast& f) { return fmt::format("{}", f.row + 1); }}};
    columns.insert(columns.end(), middle.begin(), middle.end());
    columns.insert(columns.end(),
                   {{"measured_efficiency", [](const TrainingForecast& f) { return optional(f.measured_efficiency); }},
                    {"forecast_efficiency", [](const TrainingForecast& f) { return optional(f.forecast_efficiency); }},
                    {"assumed", [](const TrainingForecast& f) { return std::string(f.assumed ? "yes" : "no"); }},
                    {"excluded", [](const TrainingForecast& f) { return f.failed.empty() ? f.excluded : f.failed; }}});
    return csv_text(columns, forecasts);
}

}  // namespace

std::vector<ComparedRow> training_rows(const std::vector<TrainingForecast>& forecasts) {
    std::vector<ComparedRow> rows;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared()) { continue; }
        ComparedRow& row = rows.emplace_back();
        row.table = row.site = f.table->id;
        row.publisher = f.table->family;
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

std::vector<TableErrors> table_errors(const std::vector<TrainingForecast>& forecasts) {
    std::vector<TableErrors> tables;
    for (auto first = forecasts.begin(); first != forecasts.end();) {
        const TrainingTable* table = first->table;
        std::vector<TrainingForecast> own;
        std::vector<double> efficiency, linear;
        for (; first != forecasts.end() && first->table == table; ++first) {
            own.push_back(*first);
            if (first->measured_efficiency) {
                efficiency.push_back(efficiency_error(*first));
                linear.push_back(linear_error(*first));
            }
        }
        const std::vector<ComparedRow> rows = training_rows(own);
        const bool everything = std::ranges::none_of(rows, &ComparedRow::counted);
        const auto errors = [&](Forecast which) { return errors_of(rows, {.which = which, .everything = everything}); };
        tables.push_back({table, errors(Forecast::ours), errors(Forecast::null_mfu), errors(Forecast::publisher_out),
                          errors(Forecast::null_mfu_out), summary_of(efficiency), summary_of(linear)});
    }
    return tables;
}

std::vector<NamedFigure> training_figures(const std::vector<TrainingForecast>& forecasts) {
    const std::vector<ComparedRow> rows = training_rows(forecasts);
    std::vector<double> stated;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts() && !f.assumed) { stated.push_back(f.forecast_s / f.measured_s - 1); }
    }
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    std::vector<NamedFigure> figures;
    for (const bool everything : {false, true}) {
        const Headline tables_of(rows, Forecast::ours, Forecast::null_mfu, everything);
        const ErrorSummary errors = errors_of(rows, {.everything = everything});
        const auto add = [&](const char* name, double value, const char* unit) {
            figures.push_back({fmt::format("train_{}{}", everything ? "all_" : "", name), value, unit});
        };
        add("tables", count(tables_of.ours.size()), "");
        add("rows", count(errors.rows), "");
        add("step_median_pct", tables_of.median(), "%");
        add("step_p90_pct", 100 * mean_over(tables_of.ours, &ErrorSummary::p90), "%");
        add("step_mean_pct", 100 * errors.mean, "%");
        add("step_max_pct", 100 * errors.largest, "%");
        add("null_step_median_pct", tables_of.null_median(), "%");
        add("beats_null_tables", tables_of.beats(), "tables");
    }
    for (const auto& kind :
         {figures_of_kind(forecasts, "moe", {"experts."}),
          figures_of_kind(forecasts, "zero3", {"sharding.zero-2", "sharding.zero-3", "sharding.hsdp"})}) {
        figures.insert(figures.end(), kind.begin(), kind.end());
    }
    for (const Scaled& scaled : scaled_rows) {
        add_scaling(figures, forecasts, scaled, "", efficiency_error);
        add_scaling(figures, forecasts, scaled, "null_", linear_error);
    }
    double efficiency_tables = 0, efficiency_beats = 0;
    for (const TableErrors& e : table_errors(forecasts)) {
        efficiency_tables += e.efficiency.rows > 0 ? 1 : 0;
        efficiency_beats += e.efficiency.rows > 0 && e.efficiency.median < e.linear.median ? 1 : 0;
    }
    figures.push_back({"train_eff_beats_null_tables", efficiency_beats, "tables"});
    figures.push_back({"train_eff_tables", efficiency_tables, "tables"});
    figures.push_back({"train_step_stated_rows", count(stated.size()), ""});
    if (!stated.empty()) { figures.push_back({"train_step_stated_median_pct", 100 * summary_of(stated).median, "%"}); }
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

std::string training_csv(const std::vector<TrainingForecast>& forecasts) {
    return csv_with({{"measured_s", seconds_cell<&TrainingForecast::measured_s>},
                     {"forecast_s", seconds_cell<&TrainingForecast::forecast_s>},
                     {"null_s", seconds_cell<&TrainingForecast::null_s>},
                     {"family_out_s", seconds_cell<&TrainingForecast::family_out_s>},
                     {"null_out_s", seconds_cell<&TrainingForecast::null_out_s>}},
                    forecasts);
}

std::string training_rows_csv(const std::vector<TrainingForecast>& forecasts) {
    using F = TrainingForecast;
    return csv_with(
        {{"what", [](const F& f) { return f.label; }},
         {"scaling", [](const F& f) { return std::string(f.measured_efficiency ? to_string(f.scaling) : ""); }},
         {"measured_s", any_seconds_cell<&F::measured_s>},
         {"forecast_s", any_seconds_cell<&F::forecast_s>},
         {"error_pct", [](const F& f) { return error_pct(f, f.forecast_s); }},
         {"null_s", any_seconds_cell<&F::null_s>},
         {"null_error_pct", [](const F& f) { return error_pct(f, f.null_s); }},
         {"family_out_s", seconds_cell<&F::family_out_s>},
         {"evidence", [](const F& f) { return std::string(f.failed.empty() ? to_string(f.step.evidence) : ""); }},
         {"compute_s", step_cell<&StepRow::compute_s>},
         {"exposed_tensor_s", step_cell<&StepRow::exposed_tensor_s>},
         {"exposed_context_s", step_cell<&StepRow::exposed_context_s>},
         {"exposed_expert_s", step_cell<&StepRow::exposed_expert_s>},
         {"exposed_pipeline_s", step_cell<&StepRow::exposed_pipeline_s>},
         {"exposed_data_s", step_cell<&StepRow::exposed_data_s>},
         {"bubble_s", step_cell<&StepRow::bubble_s>},
         {"fixed_s", step_cell<&StepRow::fixed_s>}},
        forecasts);
}

}  // namespace fabricast::inline validate_training
