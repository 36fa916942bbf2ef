#include "validate/training/training_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/parallel_map_ordered.hpp"
#include "base/percentile.hpp"
#include "sim/plan/training/layout.hpp"
#include "sim/plan/training/memory.hpp"
#include "sim/plan/training/model_shape.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"

namespace fabricast::inline validate_training {

namespace {

// Kinds of GPU and precision that share one MFU, which is all that a planner knows without layout and network.
std::string peak_kind(const GpuSpec& gpu, Precision precision) {
    return fmt::format("{}{}{}", static_cast<int>(gpu.arch), gpu.name.starts_with("gb") ? " gb " : " ",
                       is_narrow(precision) ? to_string(precision) : "wide");
}

double peak_seconds(const TrainingWorkload& workload, const StepRow& step, const Catalog& catalog) {
    const ModelShape model = model_shape(catalog, workload);
    if (model.convolutional()) { return step.mfu * step.step_time_s; }
    const double six_n = model_flops(model, model.sequence) - attention_flops(model, model.sequence);
    return six_n * step.tokens_per_s * step.step_time_s / (step.gpus * step.flops_per_gpu / step.mfu);
}

// The MFU null: one MFU per kind, the median of the rows that count. Its left-out version uses only the rows of other
// families; if none of these has this kind, rows of any kind.
void add_nulls(std::vector<TrainingForecast>& forecasts) {
    const auto mfu = [&](const TrainingForecast& of, bool others) {
        std::vector<double> same, any;
        for (const TrainingForecast& f : forecasts) {
            if (f.counts() && !(others && f.table->family == of.table->family)) {
                any.push_back(f.peak_s / f.measured_s);
                if (f.peak_kind == of.peak_kind) { same.push_back(any.back()); }
            }
        }
        return percentile(same.empty() ? any : same, 50).value_or(1);
    };
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> known;  // kind, family
    for (TrainingForecast& f : forecasts) {
        const auto [found, fresh] = known.try_emplace({f.peak_kind, f.table->family});
        if (fresh) { found->second = {mfu(f, false), mfu(f, true)}; }
        f.null_s = f.peak_s / found->second.first;
        f.null_out_s = f.peak_s / found->second.second;
    }
}

double per_gpu(double seconds, const StepRow& step) {
    // The operations of the row's own model, because proxies differ in their number of layers.
    return step.flops_per_gpu * step.step_time_s / seconds;
}

using Series = std::vector<TrainingForecast*>;

// Runs that weak scaling compares: with as many samples a GPU, and as many at once, of one kind of GPU and precision.
using WorkOfGpu = std::tuple<double, std::uint32_t, std::string>;
std::map<WorkOfGpu, Series> by_work_of_gpu(const Series& runs) {
    std::map<WorkOfGpu, Series> parts;
    for (TrainingForecast* f : runs) {
        parts[{static_cast<double>(f->step.global_batch) / f->step.gpus, f->micro_batch, f->peak_kind}].push_back(f);
    }
    return parts;
}

// A series that keeps its whole batch scales strongly, and one that keeps each GPU's work weakly, whatever its table
// says of all of its series.
TableScaling scaling_of(const Series& runs) {
    const TableScaling stated = runs.front()->table->scaling;
    if (stated != TableScaling::weak && stated != TableScaling::strong) { return stated; }
    const auto same_batch = [&](const TrainingForecast* f) {
        return f->step.global_batch == runs.front()->step.global_batch;
    };
    if (std::ranges::all_of(runs, same_batch)) { return TableScaling::strong; }
    return by_work_of_gpu(runs).size() == 1 ? TableScaling::weak : stated;
}

// Efficiency relative to the smallest run.
void add_efficiencies_of(const Series& runs, TableScaling scaling) {
    const TrainingForecast& base =
        **std::ranges::min_element(runs, {}, [](const TrainingForecast* f) { return f->step.gpus; });
    for (TrainingForecast* f : runs) {
        f->scaling = scaling;
        if (f->step.gpus != base.step.gpus) {
            f->measured_efficiency = per_gpu(f->measured_s, f->step) / per_gpu(base.measured_s, base.step);
            f->forecast_efficiency = per_gpu(f->forecast_s, f->step) / per_gpu(base.forecast_s, base.step);
            f->base_row = base.row;
        }
    }
}

void add_efficiencies(std::vector<TrainingForecast>& forecasts) {
    std::map<std::string, Series> series;
    for (TrainingForecast& f : forecasts) {
        if (f.counts() && f.table->scaling != TableScaling::none) {
            std::string key = f.table->id;
            for (const std::string& column : f.table->series) { key += "|" + f.table->rows[f.row].at(column); }
            series[key].push_back(&f);
        }
    }
    for (const auto& [key, runs] : series) {
        const TableScaling scaling = scaling_of(runs);
        if (scaling != TableScaling::weak) {
            add_efficiencies_of(runs, scaling);
        } else {
            for (const auto& [work, alike] : by_work_of_gpu(runs)) { add_efficiencies_of(alike, scaling); }
        }
    }
}

// Whether the setting concerns software that a published table hardly ever states: NCCL's version, the attention
// kernel, the width of gradients, overlap. Micro-batch, recomputation, parallel layout and precision do not belong to
// it.
bool software_only(const std::string& setting) {
    return setting.starts_with("library.") || setting.starts_with("workload.attention=") ||
           setting.starts_with("workload.gradient_bytes=") || setting.starts_with("workload.overlap.");
}

// The same step on one GPU, against which tables of scaling efficiency were measured.
double alone_seconds(Scenario scenario, const Catalog& catalog) {
    auto& w = std::get<TrainingWorkload>(scenario.workload);
    w.global_batch = 0;
    w.parallelism.data = 0;
    scenario.cluster.nodes = scenario.cluster.gpus_per_node = 1;
    return simulate(scenario, catalog).steps.at(0).step_time_s;
}

}  // namespace

TrainingForecast forecast_row(const TrainingTable& table, std::size_t row, const Catalog& catalog) {
    TrainingForecast out;
    out.table = &table;
    out.row = row;
    out.excluded = exclusion(table, row);
    try {
        const DerivedStep derived = derive_step(table, row, catalog);
        out.assumed = !std::all_of(derived.assumptions.begin(), derived.assumptions.end(), software_only);
        const Report report = simulate(derived.scenario, catalog);
        out.step = report.steps.at(0);
        for (const FigureUsed& figure : report.figures) { out.used.emplace(figure.part, figure.figure); }
        out.forecast_s = out.step.step_time_s;
        out.measured_s = table.step_unit == "efficiency"
                             ? alone_seconds(derived.scenario, catalog) /
                                   std::strtod(table.rows[row].at(table.step_column).c_str(), nullptr)
                             : measured_step(table, row, out.step).value_or(0);
        const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
        out.micro_batch = w.micro_batch;
        const Fabric fabric(build(derived.scenario, catalog));
        const ModelShape model = model_shape(catalog, w);
        const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
        out.sequence = model.convolutional() ? 0 : layout.sequence;
        out.aspects = step_aspects(w, model, layout, fabric);
        out.spreads = aspect_spreads(w, model, fabric.node().gpu, out.step, catalog);
        out.peak_s = peak_seconds(w, out.step, catalog);
        const ComputeCosts costs(catalog, fabric.node().gpu, w, fabric.gpu_count());
        out.memory_share =
            likely_bytes(step_memory({costs, model, w, layout})) / static_cast<double>(fabric.node().gpu.memory.count);
        out.peak_kind = peak_kind(fabric.node().gpu, w.precision);
        out.label = fmt::format("{} {} on {} GPUs, batch {}", w.model, to_string(w.precision), out.step.gpus,
                                out.step.global_batch);
    } catch (const std::exception& error) { out.failed = error.what(); }
    return out;
}

std::vector<TrainingForecast> forecast_tables(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                              std::size_t threads) {
    std::vector<std::pair<const TrainingTable*, std::size_t>> places;
    for (const TrainingTable& table : tables) {
        for (std::size_t row = 0; row < table.rows.size(); ++row) { places.emplace_back(&table, row); }
    }
    std::vector<TrainingForecast> all = parallel_map(places.size(), threads, [&](std::size_t i) {
        return forecast_row(*places[i].first, places[i].second, catalog);
    });
    add_efficiencies(all);
    add_nulls(all);
    return all;
}

}  // namespace fabricast::inline validate_training
