#include "validate/training_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/in_order.hpp"
#include "sim/percentile.hpp"
#include "sim/scenario/build.hpp"
#include "sim/simulate.hpp"
#include "sim/workloads/compute_costs.hpp"
#include "sim/workloads/model_shape.hpp"
#include "validate/plot.hpp"

namespace fabricast {

namespace {

// One MFU a GPU and precision, fitted to the same rows (facts training-mechanisms.md, 7): all that a planner has who
// knows neither layout nor network.
double null_mfu(GpuArch arch, Precision precision, bool beside_grace) {
    const bool narrow = precision == Precision::fp8, half_byte = precision == Precision::fp4;
    switch (arch) {
        case GpuArch::volta:
            return 0.361;
        case GpuArch::ampere:
            return 0.426;
        case GpuArch::blackwell:
            return half_byte ? (beside_grace ? 0.095 : 0.175) : beside_grace ? 0.336 : 0.340;
        default:
            return narrow ? 0.333 : 0.447;
    }
}

double null_step(const Scenario& scenario, const StepRow& step, const Catalog& catalog) {
    const auto& workload = std::get<TrainingWorkload>(scenario.workload);
    const ModelShape model = model_shape(catalog, workload);
    const Cluster cluster = build(scenario, catalog);
    const double attention = 6 * model.layers * (model.query_width() + model.value_width()) * model.sequence;
    const double six_n = model_flops(model, model.sequence) - attention;
    const double tokens = step.tokens_per_s * step.step_time_s;
    const double peak = step.flops_per_gpu / step.mfu;
    const double mfu = null_mfu(cluster.node.gpu.arch, workload.precision, cluster.node.gpu.name.starts_with("gb"));
    return six_n * tokens / (step.gpus * peak * mfu);
}

double per_gpu(double seconds, const StepRow& step) {
    return step.flops_per_gpu * step.step_time_s / seconds;  // the model's own operations: proxies differ in layers
}

// Against the smallest run of the row's series.
void add_efficiencies(const std::vector<TrainingTable>& tables, std::vector<TrainingForecast>& forecasts) {
    std::map<std::string, const TrainingForecast*> first;
    const auto series_of = [&](const TrainingForecast& f) {
        std::string key = std::to_string(f.table);
        for (const std::string& column : tables[f.table].series) {
            key += "|" + tables[f.table].rows[f.row].at(column);
        }
        return key;
    };
    for (const TrainingForecast& f : forecasts) {
        if (f.counts() && tables[f.table].scaling != TableScaling::none) {
            const TrainingForecast*& smallest = first[series_of(f)];
            smallest = smallest == nullptr || f.step.gpus < smallest->step.gpus ? &f : smallest;
        }
    }
    for (TrainingForecast& f : forecasts) {
        const auto found = f.counts() ? first.find(series_of(f)) : first.end();
        if (found == first.end() || tables[f.table].scaling == TableScaling::none || found->second == &f ||
            found->second->step.gpus == f.step.gpus) {
            continue;
        }
        const TrainingForecast& base = *found->second;
        f.measured_efficiency = per_gpu(f.measured_s, f.step) / per_gpu(base.measured_s, base.step);
        f.forecast_efficiency = per_gpu(f.forecast_s, f.step) / per_gpu(base.forecast_s, base.step);
    }
}

std::vector<double> efficiency_points(const std::vector<TrainingTable>& tables,
                                      const std::vector<TrainingForecast>& forecasts, TableScaling scaling,
                                      bool linear) {
    std::vector<double> points;
    for (const TrainingForecast& f : forecasts) {
        if (f.measured_efficiency && tables[f.table].scaling == scaling) {
            points.push_back(100 * std::abs((linear ? 1 : *f.forecast_efficiency) - *f.measured_efficiency));
        }
    }
    return points;
}

}  // namespace

bool software_only(const std::string& setting) {
    return setting.starts_with("library.") || setting.starts_with("workload.attention=") ||
           setting.starts_with("workload.gradient_bytes=") || setting.starts_with("workload.overlap.");
}

TrainingForecast forecast_row(const TrainingTable& table, std::size_t row, const Catalog& catalog) {
    TrainingForecast out;
    out.row = row;
    out.excluded = exclusion(table, row);
    try {
        const DerivedStep derived = derive_step(table, row, catalog);
        out.assumed = !std::all_of(derived.assumptions.begin(), derived.assumptions.end(), software_only);
        const Report report = simulate(derived.scenario, catalog);
        out.step = report.steps.at(0);
        for (const FigureUsed& figure : report.figures) {
            out.used.emplace(figure.part, figure.figure);
        }
        out.forecast_s = out.step.step_time_s;
        out.measured_s = measured_step(table, row, out.step).value_or(0);
        out.null_s = null_step(derived.scenario, out.step, catalog);
        const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
        out.label =
            fmt::format("{} {} on {} GPUs, batch {}", w.model, word(w.precision), out.step.gpus, out.step.global_batch);
    } catch (const std::exception& error) {
        out.failed = error.what();
    }
    return out;
}

std::vector<TrainingForecast> forecast_tables(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                              std::size_t threads) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            places.emplace_back(t, r);
        }
    }
    std::vector<TrainingForecast> all;
    const auto one = [&](std::size_t i) { return forecast_row(tables[places[i].first], places[i].second, catalog); };
    in_order(places.size(), threads, one, [&](TrainingForecast f) {
        f.table = places[all.size()].first;
        all.push_back(std::move(f));
    });
    add_efficiencies(tables, all);
    return all;
}

TableErrors table_errors(const std::vector<TrainingForecast>& forecasts, std::size_t table) {
    std::vector<double> errors, signed_errors, nulls, efficiency, linear;
    const bool any_counts = std::any_of(forecasts.begin(), forecasts.end(), [&](const TrainingForecast& f) {
        return f.table == table && f.counts();
    });  // else the table is excluded as a whole, and shown as a whole
    for (const TrainingForecast& f : forecasts) {
        if (f.table != table || !(f.measured_s > 0) || !f.failed.empty() || (any_counts && !f.excluded.empty())) {
            continue;
        }
        errors.push_back(100 * std::abs(f.error()));
        signed_errors.push_back(100 * f.error());
        nulls.push_back(100 * std::abs(f.null_error()));
        if (f.measured_efficiency) {
            efficiency.push_back(100 * std::abs(*f.forecast_efficiency - *f.measured_efficiency));
            linear.push_back(100 * std::abs(1 - *f.measured_efficiency));
        }
    }
    TableErrors out;
    out.rows = errors.size();
    out.points = efficiency.size();
    out.median = percentile(errors, 50).value_or(0);
    out.p90 = percentile(errors, 90).value_or(0);
    out.largest = percentile(errors, 100).value_or(0);
    out.bias = percentile(signed_errors, 50).value_or(0);
    out.null_median = percentile(nulls, 50).value_or(0);
    out.efficiency = percentile(efficiency, 50).value_or(0);
    out.linear = percentile(linear, 50).value_or(0);
    return out;
}

std::vector<NamedFigure> training_figures(const std::vector<TrainingTable>& tables,
                                          const std::vector<TrainingForecast>& forecasts,
                                          const std::map<std::string, double>& family_out) {
    double median = 0, p90 = 0, null_median = 0, counted = 0, beats = 0, efficiency_beats = 0, efficiency_tables = 0;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        if (!tables[t].excluded.empty()) {
            continue;
        }
        const TableErrors e = table_errors(forecasts, t);
        counted += 1;
        median += e.median;
        p90 += e.p90;
        null_median += e.null_median;
        beats += e.median < e.null_median ? 1 : 0;
        efficiency_tables += e.points > 0 ? 1 : 0;
        efficiency_beats += e.points > 0 && e.efficiency < e.linear ? 1 : 0;
    }
    std::vector<double> errors, stated;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts()) {
            errors.push_back(100 * std::abs(f.error()));
            if (!f.assumed) {
                stated.push_back(errors.back());
            }
        }
    }
    double sum = 0;
    for (const double error : errors) {
        sum += error;
    }
    const auto points = [&](TableScaling scaling, bool linear) {
        return percentile(efficiency_points(tables, forecasts, scaling, linear), 50).value_or(0);
    };
    std::vector<NamedFigure> figures = {
        {"train_tables", counted, ""},
        {"train_rows", static_cast<double>(errors.size()), ""},
        {"train_step_median_pct", median / counted, "%"},
        {"train_step_p90_pct", p90 / counted, "%"},
        {"train_step_mean_pct", sum / static_cast<double>(errors.size()), "%"},
        {"train_step_max_pct", percentile(errors, 100).value_or(0), "%"},
        {"train_null_step_median_pct", null_median / counted, "%"},
        {"train_scaling_weak_median_points", points(TableScaling::weak, false), "points"},
        {"train_null_scaling_weak_median_points", points(TableScaling::weak, true), "points"},
        {"train_scaling_strong_median_points", points(TableScaling::strong, false), "points"},
        {"train_null_scaling_strong_median_points", points(TableScaling::strong, true), "points"},
        {"train_beats_null_tables", beats, "tables"},
        {"train_eff_beats_null_tables", efficiency_beats, "tables"},
        {"train_eff_tables", efficiency_tables, "tables"},
        {"train_step_stated_rows", static_cast<double>(stated.size()), ""},
    };
    if (!stated.empty()) {
        figures.push_back({"train_step_stated_median_pct", percentile(stated, 50).value_or(0), "%"});
    }
    double sum_out = 0, known = 0;
    for (const TrainingTable& table : tables) {
        const auto found = family_out.find(table.id);
        if (table.excluded.empty() && found != family_out.end()) {
            sum_out += found->second;
            known += 1;
        }
    }
    if (known > 0) {
        figures.push_back({"train_step_family_out_median_pct", sum_out / known, "%"});
    }
    return figures;
}

std::string training_page(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                          const std::vector<NamedFigure>& figures, const std::map<std::string, double>& family_out) {
    std::string page =
        "# Accuracy of training steps\n\n"
        "Made by `./dev accuracy`. Every row of the published tables in `validate/measurements/training` is forecast "
        "through the scenario\nthat a user would write, with the catalogue's figures; what a table does not state "
        "stands "
        "in its file under `assumed:`.\nThe constants of `models/catalog/training.yaml` were fitted to the same "
        "tables, "
        "by a closed form and not by this program.\nTwo null models beside it: perfect linear scaling, and 6 N D over "
        "the peak at one MFU a GPU and precision. Each row: [accuracy-training.csv](accuracy-training.csv).\n\n"
        "![median errors by table](accuracy-training.svg)\n\n"
        "| figure | value |\n|---|---|\n";
    for (const NamedFigure& f : figures) {
        page += fmt::format("| `{}` | {:.4g} {} |\n", f.name, f.value, f.unit);
    }
    page +=
        "\nErrors of the step time in %, of scaling efficiency in points against the smallest run of each series "
        "(median a table).\n\n"
        "Family out: the median with all tables of the same family left out of the fit.\n\n"
        "| table | rows | median | p90 | max | bias | family out | MFU null | efficiency | linear null |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n";
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t);
        const std::string eff = e.points > 0 ? fmt::format("{:.1f} | {:.1f}", e.efficiency, e.linear) : "- | -";
        const auto out = family_out.find(tables[t].id);
        const std::string left_out = out == family_out.end() ? "-" : fmt::format("{:.1f}", out->second);
        page += fmt::format("| {}{} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {} | {:.1f} | {} |\n", tables[t].id,
                            tables[t].excluded.empty() ? "" : " (excluded)", e.rows, e.median, e.p90, e.largest, e.bias,
                            left_out, e.null_median, eff);
    }
    page += "\nExcluded, with the cause:\n\n";
    for (std::size_t t = 0; t < tables.size(); ++t) {
        if (!tables[t].excluded.empty()) {
            page += "- " + tables[t].id + ": " + tables[t].excluded + "\n";
            continue;
        }
        std::map<std::string, int> causes;
        for (const TrainingForecast& f : forecasts) {
            if (f.table == t && (!f.excluded.empty() || !f.failed.empty())) {
                ++causes[f.excluded.empty() ? f.failed : f.excluded];
            }
        }
        for (const auto& [cause, rows] : causes) {
            page += fmt::format("- {}, {} row{}: {}\n", tables[t].id, rows, rows == 1 ? "" : "s", cause);
        }
    }
    page += "\nWhere a null model does better:\n\n";
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t);
        if (!tables[t].excluded.empty()) {
            continue;
        }
        if (e.median >= e.null_median) {
            page += fmt::format("- {}: step time, {:.1f} % against {:.1f} %\n", tables[t].id, e.median, e.null_median);
        }
        if (e.points > 0 && e.efficiency >= e.linear) {
            page +=
                fmt::format("- {}: efficiency, {:.1f} points against {:.1f}\n", tables[t].id, e.efficiency, e.linear);
        }
    }
    return page;
}

std::string training_chart(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                           const std::map<std::string, double>& family_out) {
    DotChart chart;
    chart.title = "Median error of the step time, % (tables that count)";
    chart.legend = {"forecast", "its family left out of the fit", "null: 6 N D at one MFU"};
    chart.colors = {"#1f77b4", "#2ca02c", "#aaaaaa"};
    chart.limit = 60;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        if (tables[t].excluded.empty()) {
            const TableErrors e = table_errors(forecasts, t);
            const auto out = family_out.find(tables[t].id);
            chart.rows.push_back({tables[t].id, {e.median, out == family_out.end() ? -1 : out->second, e.null_median}});
        }
    }
    return svg(std::vector<DotChart>{chart});
}

std::string training_csv(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::string lines =
        "table,row,what,measured_s,forecast_s,error_pct,null_s,null_error_pct,compute_s,exposed_tensor_s,"
        "exposed_context_s,exposed_expert_s,exposed_pipeline_s,exposed_data_s,bubble_s,fixed_s,measured_efficiency,"
        "forecast_efficiency,assumed,excluded\n";
    const auto optional = [](const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; };
    for (const TrainingForecast& f : forecasts) {
        std::string why = f.failed.empty() ? f.excluded : f.failed;
        std::replace(why.begin(), why.end(), '"', '\'');
        const StepRow& s = f.step;
        const bool compared = f.failed.empty() && f.measured_s > 0;
        lines += fmt::format("{},{},\"{}\",{:.5g},{:.5g},{},{:.5g},{},", tables[f.table].id, f.row + 1, f.label,
                             f.measured_s, f.forecast_s, compared ? fmt::format("{:.2f}", 100 * f.error()) : "",
                             f.null_s, compared ? fmt::format("{:.2f}", 100 * f.null_error()) : "");
        lines += fmt::format("{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{},{},{},\"{}\"\n", s.compute_s,
                             s.exposed_tensor_s, s.exposed_context_s, s.exposed_expert_s, s.exposed_pipeline_s,
                             s.exposed_data_s, s.bubble_s, s.fixed_s, optional(f.measured_efficiency),
                             optional(f.forecast_efficiency), f.assumed ? "yes" : "no", why);
    }
    return lines;
}

}  // namespace fabricast
