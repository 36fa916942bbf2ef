#include "validate/training/training_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/parallel_map_ordered.hpp"
#include "base/percentile.hpp"
#include "sim/plan/training/layout.hpp"
#include "sim/plan/training/model_shape.hpp"
#include "sim/report/step_evidence.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "validate/score/plot.hpp"

namespace fabricast {

namespace {

// Kinds of GPU and precision that share one MFU, which is all that a planner knows without layout and network.
std::string peak_kind(const GpuSpec& gpu, Precision precision) {
    const bool narrow = precision == Precision::fp8 || precision == Precision::fp4;
    return std::to_string(static_cast<int>(gpu.arch)) + (gpu.name.starts_with("gb") ? " gb " : " ") +
           std::string(narrow ? to_string(precision) : "wide");
}

double peak_seconds(const TrainingWorkload& workload, const StepRow& step, const Catalog& catalog) {
    const ModelShape model = model_shape(catalog, workload);
    const double attention = 6 * model.layers * (model.query_width() + model.value_width()) * model.sequence;
    const double six_n = model_flops(model, model.sequence) - attention;
    return six_n * step.tokens_per_s * step.step_time_s / (step.gpus * step.flops_per_gpu / step.mfu);
}

// The MFU null: one MFU per kind, the median of the rows that count. Its left-out version uses only the rows of other
// families; if none of these has this kind, rows of any kind.
void add_nulls(const std::vector<TrainingTable>& tables, std::vector<TrainingForecast>& forecasts) {
    const auto mfu = [&](const TrainingForecast& of, bool others) {
        std::vector<double> same, any;
        for (const TrainingForecast& f : forecasts) {
            if (f.counts() && !(others && tables[f.table].family == tables[of.table].family)) {
                any.push_back(f.peak_s / f.measured_s);
                if (f.peak_kind == of.peak_kind) {
                    same.push_back(any.back());
                }
            }
        }
        return percentile(same.empty() ? any : same, 50).value_or(1);
    };
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> known;  // kind, family
    for (TrainingForecast& f : forecasts) {
        const auto [found, fresh] = known.try_emplace({f.peak_kind, tables[f.table].family});
        if (fresh) {
            found->second = {mfu(f, false), mfu(f, true)};
        }
        f.null_s = f.peak_s / found->second.first;
        f.null_out_s = f.peak_s / found->second.second;
    }
}

double per_gpu(double seconds, const StepRow& step) {
    // The operations of the row's own model, because proxies differ in their number of layers.
    return step.flops_per_gpu * step.step_time_s / seconds;
}

// Efficiency relative to the smallest run of the row's series.
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
        const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
        const Fabric fabric(build(derived.scenario, catalog));
        const ModelShape model = model_shape(catalog, w);
        const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
        out.aspects = step_aspects(w, model, layout, fabric);
        out.peak_s = peak_seconds(w, out.step, catalog);
        out.peak_kind = peak_kind(fabric.node().gpu, w.precision);
        out.label = fmt::format("{} {} on {} GPUs, batch {}", w.model, to_string(w.precision), out.step.gpus,
                                out.step.global_batch);
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
    parallel_map_ordered(places.size(), threads, one, [&](TrainingForecast f) {
        f.table = places[all.size()].first;
        all.push_back(std::move(f));
    });
    add_efficiencies(tables, all);
    add_nulls(tables, all);
    return all;
}

TableErrors table_errors(const std::vector<TrainingForecast>& forecasts, std::size_t table, Rows rows) {
    std::vector<double> errors, signed_errors, nulls, efficiency, linear, left_out, nulls_out;
    const bool any_counts = std::any_of(forecasts.begin(), forecasts.end(), [&](const TrainingForecast& f) {
        return f.table == table && f.counts();
    });  // false: the whole table is excluded, and is shown with all its rows
    for (const TrainingForecast& f : forecasts) {
        if (f.table != table || !f.compared() || (rows == Rows::counted && any_counts && !f.excluded.empty())) {
            continue;
        }
        if (f.family_out_s > 0) {
            left_out.push_back(100 * std::abs(f.family_out_s / f.measured_s - 1));
            nulls_out.push_back(100 * std::abs(f.null_out_s / f.measured_s - 1));
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
    out.family_out = percentile(left_out, 50).value_or(-1);
    out.null_out = percentile(nulls_out, 50).value_or(-1);
    out.efficiency = percentile(efficiency, 50).value_or(0);
    out.linear = percentile(linear, 50).value_or(0);
    return out;
}

namespace {

// Means over tables of the figures in table_errors: "median per table, mean over tables".
struct Headline {
    double tables = 0, rows = 0, median = 0, p90 = 0, null_median = 0, beats = 0;
    double efficiency_tables = 0, efficiency_beats = 0;
    double out_tables = 0, family_out = 0, null_out = 0, out_beats = 0;
};

Headline headline(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts, Rows rows) {
    Headline h;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t, rows);
        if (e.rows == 0 || (rows == Rows::counted && !tables[t].excluded.empty())) {
            continue;
        }
        h.tables += 1;
        h.rows += static_cast<double>(e.rows);
        h.median += e.median;
        h.p90 += e.p90;
        h.null_median += e.null_median;
        h.beats += e.median < e.null_median ? 1 : 0;
        h.efficiency_tables += e.points > 0 ? 1 : 0;
        h.efficiency_beats += e.points > 0 && e.efficiency < e.linear ? 1 : 0;
        if (e.family_out >= 0) {
            h.out_tables += 1;
            h.family_out += e.family_out;
            h.null_out += e.null_out;
            h.out_beats += e.family_out < e.null_out ? 1 : 0;
        }
    }
    h.median /= h.tables;
    h.p90 /= h.tables;
    h.null_median /= h.tables;
    h.family_out /= std::max(1.0, h.out_tables);
    h.null_out /= std::max(1.0, h.out_tables);
    return h;
}

}  // namespace

std::vector<NamedFigure> training_figures(const std::vector<TrainingTable>& tables,
                                          const std::vector<TrainingForecast>& forecasts) {
    const Headline counted = headline(tables, forecasts, Rows::counted), all = headline(tables, forecasts, Rows::all);
    std::vector<double> errors, stated, all_errors;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared()) {
            continue;
        }
        all_errors.push_back(100 * std::abs(f.error()));
        if (f.counts()) {
            errors.push_back(all_errors.back());
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
        {"train_tables", counted.tables, ""},
        {"train_rows", static_cast<double>(errors.size()), ""},
        {"train_step_median_pct", counted.median, "%"},
        {"train_step_p90_pct", counted.p90, "%"},
        {"train_step_mean_pct", sum / static_cast<double>(errors.size()), "%"},
        {"train_step_max_pct", percentile(errors, 100).value_or(0), "%"},
        {"train_null_step_median_pct", counted.null_median, "%"},
        {"train_beats_null_tables", counted.beats, "tables"},
        {"train_all_tables", all.tables, ""},
        {"train_all_rows", static_cast<double>(all_errors.size()), ""},
        {"train_all_step_median_pct", all.median, "%"},
        {"train_all_step_p90_pct", all.p90, "%"},
        {"train_all_step_max_pct", percentile(all_errors, 100).value_or(0), "%"},
        {"train_all_null_step_median_pct", all.null_median, "%"},
        {"train_all_beats_null_tables", all.beats, "tables"},
        {"train_scaling_weak_median_points", points(TableScaling::weak, false), "points"},
        {"train_null_scaling_weak_median_points", points(TableScaling::weak, true), "points"},
        {"train_scaling_strong_median_points", points(TableScaling::strong, false), "points"},
        {"train_null_scaling_strong_median_points", points(TableScaling::strong, true), "points"},
        {"train_eff_beats_null_tables", counted.efficiency_beats, "tables"},
        {"train_eff_tables", counted.efficiency_tables, "tables"},
        {"train_step_stated_rows", static_cast<double>(stated.size()), ""},
    };
    if (!stated.empty()) {
        figures.push_back({"train_step_stated_median_pct", percentile(stated, 50).value_or(0), "%"});
    }
    if (counted.out_tables > 0) {
        figures.push_back({"train_step_family_out_median_pct", counted.family_out, "%"});
        figures.push_back({"train_null_step_family_out_median_pct", counted.null_out, "%"});
        figures.push_back({"train_beats_null_family_out_tables", counted.out_beats, "tables"});
        figures.push_back({"train_all_step_family_out_median_pct", all.family_out, "%"});
        figures.push_back({"train_all_beats_null_family_out_tables", all.out_beats, "tables"});
    }
    return figures;
}

namespace {

std::string table_lines(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    const auto or_dash = [](double value) { return value < 0 ? "-" : fmt::format("{:.1f}", value); };
    std::string page;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t);
        const std::string eff = e.points > 0 ? fmt::format("{:.1f} | {:.1f}", e.efficiency, e.linear) : "- | -";
        page += fmt::format("| {}{} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {:.1f} | {} | {} | {} |\n",
                            tables[t].id, tables[t].excluded.empty() ? "" : " (excluded)", e.rows, e.median, e.p90,
                            e.largest, e.bias, e.null_median, or_dash(e.family_out), or_dash(e.null_out), eff);
    }
    return page;
}

std::string excluded_lines(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::string page;
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
    return page;
}

std::string null_lines(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::string page;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t);
        const std::string name = tables[t].id + (tables[t].excluded.empty() ? "" : " (excluded)");
        if (e.median >= e.null_median) {
            page += fmt::format("- {}: step time, {:.1f} % against {:.1f} %\n", name, e.median, e.null_median);
        }
        if (e.family_out >= 0 && e.family_out >= e.null_out) {
            page += fmt::format("- {}: step time with the family left out, {:.1f} % against {:.1f} %\n", name,
                                e.family_out, e.null_out);
        }
        if (e.points > 0 && e.efficiency >= e.linear) {
            page += fmt::format("- {}: efficiency, {:.1f} points against {:.1f}\n", name, e.efficiency, e.linear);
        }
    }
    return page;
}

}  // namespace

std::string training_page(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                          const std::vector<NamedFigure>& figures, const std::string& stale) {
    std::string page =
        "# Accuracy of training steps\n\n"
        "Made by `./dev accuracy`. Every row of the published tables in `validate/measurements/training` is forecast "
        "through the scenario\nthat a user would write, with the catalogue's figures; what a table does not state "
        "stands in its file under `assumed:`.\nThe constants of `models/catalog/training.yaml` were told by the same "
        "tables; what they are worth without them stands under\n\"family out\". Two null models beside it: perfect "
        "linear scaling, and 6 N D over the peak at one MFU a GPU and precision, the\nmedian of the rows that count. "
        "Headlines twice: of the rows that count, and (`train_all_...`) of every row with a measured step.\nEach row: "
        "[accuracy-training.csv](accuracy-training.csv).\n\n"
        "![median errors by table](accuracy-training.svg)\n\n"
        "| figure | value |\n|---|---|\n";
    for (const NamedFigure& f : figures) {
        page += fmt::format("| `{}` | {:.4g} {} |\n", f.name, f.value, f.unit);
    }
    page +=
        "\nErrors of the step time in %, of scaling efficiency in points against the smallest run of each series "
        "(median a table).\n\n"
        "Family out: every constant refitted to the tables of all other families, from what it would be taken for "
        "without any\n(`validate/training/training_families.cpp`), and the family's rows simulated again with them; "
        "the null "
        "model's MFU likewise.\n\n"
        "An 80 % interval is told by few tables. It is widened for their number (Student's t), and is no narrower than "
        "that of stronger\nevidence: what it holds of families that it has not seen is "
        "`train_interval80_coverage_pct` of the rows and, each table\ncounting once, "
        "`train_interval80_table_coverage_pct`.\n";
    page += stale.empty() ? "" : "\n**" + stale + "**\n";
    page +=
        "\n| table | rows | median | p90 | max | bias | MFU null | family out | its null | efficiency | linear null "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    page += table_lines(tables, forecasts);
    page +=
        "\nExcluded from the first headline and from the fit, with the cause:\n\n" + excluded_lines(tables, forecasts);
    return page + "\nWhere a null model does better:\n\n" + null_lines(tables, forecasts);
}

std::string training_chart(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    DotChart chart;
    chart.title = "Median error of the step time, %";
    chart.legend = {"forecast", "its family left out of the fit", "null: 6 N D at one MFU"};
    chart.colors = {"#1f77b4", "#2ca02c", "#aaaaaa"};
    chart.limit = 60;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const TableErrors e = table_errors(forecasts, t);
        const std::string name = tables[t].id + (tables[t].excluded.empty() ? "" : " (excluded)");
        chart.rows.push_back({name, {e.median, e.family_out, e.null_median}});
    }
    return svg(std::vector<DotChart>{chart});
}

std::string training_csv(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts) {
    std::string lines =
        "table,row,what,measured_s,forecast_s,error_pct,null_s,null_error_pct,family_out_s,evidence,compute_s,exposed_"
        "tensor_s,"
        "exposed_context_s,exposed_expert_s,exposed_pipeline_s,exposed_data_s,bubble_s,fixed_s,measured_efficiency,"
        "forecast_efficiency,assumed,excluded\n";
    const auto optional = [](const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; };
    for (const TrainingForecast& f : forecasts) {
        std::string why = f.failed.empty() ? f.excluded : f.failed;
        std::replace(why.begin(), why.end(), '"', '\'');
        const StepRow& s = f.step;
        lines += fmt::format("{},{},\"{}\",{:.5g},{:.5g},{},{:.5g},{},", tables[f.table].id, f.row + 1, f.label,
                             f.measured_s, f.forecast_s, f.compared() ? fmt::format("{:.2f}", 100 * f.error()) : "",
                             f.null_s, f.compared() ? fmt::format("{:.2f}", 100 * f.null_error()) : "");
        lines += fmt::format("{},{},", f.family_out_s > 0 ? fmt::format("{:.5g}", f.family_out_s) : "",
                             f.failed.empty() ? "\"" + std::string(to_string(s.evidence)) + "\"" : "");
        lines += fmt::format("{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{},{},{},\"{}\"\n", s.compute_s,
                             s.exposed_tensor_s, s.exposed_context_s, s.exposed_expert_s, s.exposed_pipeline_s,
                             s.exposed_data_s, s.bubble_s, s.fixed_s, optional(f.measured_efficiency),
                             optional(f.forecast_efficiency), f.assumed ? "yes" : "no", why);
    }
    return lines;
}

}  // namespace fabricast
