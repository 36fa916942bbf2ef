#include "sim/run/study/evaluation.hpp"

#include <fmt/ranges.h>

#include <set>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/run/explain/explained_run.hpp"
#include "sim/run/scaling.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline studies {

namespace {

std::string network_words(const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    if (spec.kind == FabricKind::none) { return "one node"; }
    return spec.kind == FabricKind::explicit_graph
               ? std::string(to_string(spec.kind))
               : fmt::format("{}, {}{}, {}, {:g}:1{}", to_string(spec.kind), spec.link.name,
                             spec.trunk.name == spec.link.name ? "" : ", trunks " + spec.trunk.name, spec.switch_part,
                             spec.oversubscription, spec.choice == PathChoice::ecmp ? ", ecmp" : "");
}

// The kernel and transport parts whose constants the forecast uses, as the report lists them.
std::string parts_used(const Report& report, const Catalog& catalog) {
    std::set<std::string> names;
    for (const FigureUsed& figure : report.figures) {
        const Part* part = catalog.find(figure.part);
        if (part != nullptr && (part->kind == "kernel" || part->kind == "transport")) {
            names.insert(figure.part + " ");
        }
    }
    return fmt::format("{}", fmt::join(names, ""));
}

// Adds the efficiency: performance per GPU relative to the smallest cluster, of doubling nodes, that the workload fits.
void add_efficiency(DesignResult& result, const StudyInput& input, const Watch& watch) {
    const ClusterRequest& cluster = input.scenario.cluster;
    if (!grows(input.scenario.workload) || cluster.graph) { return; }
    Scenario scenario = single_point(input.scenario);
    scenario.events.clear();
    if (auto* training = std::get_if<TrainingWorkload>(&scenario.workload)) {
        training->check_memory = false;  // the small cluster only serves as a reference
    }
    for (std::uint32_t nodes = 1; nodes < cluster.nodes && !result.efficiency; nodes *= 2) {
        scenario.scaling.emplace().nodes = {nodes, cluster.nodes};
        try {
            const Report report = simulate(scenario, input.catalog, watch);
            if (report.steps.size() == 2) {
                result.efficiency = report.steps[1].efficiency;
                result.efficiency_gpus = report.steps[0].gpus;
            } else if (report.points.size() == 2 && report.points[0].busbw > 0) {
                result.efficiency = report.points[1].busbw_retained;
                result.efficiency_gpus = report.points[0].gpus;
            }
        } catch (const InputError&) {
            // The layout does not fit so few GPUs.
        }
    }
}

// The central time, with the interval of the errors of such forecasts.
Range time_range(double seconds, const Range& form) { return {seconds, seconds * form.low80, seconds * form.high80}; }

void take_step(const StepRow& row, const StudyInput& input, Evaluation& out) {
    DesignResult& r = out.result;
    out.form = {1, row.time_low80_s / row.step_time_s, row.time_high80_s / row.step_time_s};
    out.regime = "training";
    out.tokens = row.tokens_per_s * row.step_time_s;
    const auto& training = std::get<TrainingWorkload>(input.scenario.workload);
    r.what = "a step of " + training.model;
    r.work = fmt::format("{} with {:.4g} parameters, a batch of {}", r.what,
                         parameters(model_shape(input.catalog, training)), row.global_batch);
    if (out.tokens > 0) { r.work += fmt::format(" of {:.0f} tokens each", out.tokens / row.global_batch); }
    r.mfu = row.mfu;
    if (row.goodput) { r.goodput = Range{row.goodput->share, row.goodput->low80, row.goodput->high80}; }
    r.bottleneck = row.bottleneck;
    r.time_s = time_range(row.step_time_s, out.form);
    if (row.tokens_per_s > 0) {
        r.tokens_per_s = Range{row.tokens_per_s, row.tokens_per_s / out.form.high80, row.tokens_per_s / out.form.low80};
    }
}

void take_row(const Row& row, const StudyInput& input, Evaluation& out) {
    DesignResult& r = out.result;
    out.form = {1, row.time_low80_s / row.time_s, row.time_high80_s / row.time_s};
    out.regime = regime_of(row.size);
    out.busbw_seconds = row.busbw * row.time_s;
    const auto* collective = std::get_if<CollectiveWorkload>(&input.scenario.workload);
    r.work = fmt::format("{} of {}", collective != nullptr ? to_string(collective->collective) : "a message",
                         text(row.size));
    r.what = fmt::format("{}, {} {}", r.work, row.algorithm, row.protocol);
    r.bottleneck = row.bottleneck;
    r.time_s = {row.time_s, row.time_low80_s, row.time_high80_s};
    r.busbw = Range{row.busbw, out.busbw_seconds / row.time_high80_s, out.busbw_seconds / row.time_low80_s};
}

Evaluation evaluated(const StudyInput& input, const Watch& watch, bool efficiency) {
    return pointing_into(input.scenario, [&] {
        const Scenario scenario = single_point(input.scenario);
        const Report report = simulate(scenario, input.catalog, watch);
        const Fabric fabric(build(scenario, input.catalog));
        Evaluation out;
        DesignResult& r = out.result;
        r.name = input.name;
        r.nodes = fabric.node_count();
        r.gpus = fabric.gpu_count();
        r.network = network_words(fabric);
        r.parts = parts_list(scenario, fabric, input.catalog);
        r.notes = r.parts.missing();
        merge_notes(r.notes, scenario.notes);
        merge_notes(r.notes, report.notes);
        out.system = fabric.node().gpu.name + " " + parts_used(report, input.catalog);
        if (!report.steps.empty()) {
            take_step(report.steps.back(), input, out);
        } else if (!report.rows.empty()) {
            take_row(report.rows.back(), input, out);
        } else {
            out.form = study_interval(input.catalog, "forecast.training");
            out.regime = "training";
            r.what = "a replayed trace";
            r.work = "the trace " + std::get<TraceWorkload>(scenario.workload).file;
            r.bottleneck = report.replay ? report.replay->bottleneck : "";
            r.time_s = time_range(seconds_of(report), out.form);
        }
        out.blames = explain_run(scenario, input.catalog, watch).blames;
        if (efficiency) { add_efficiency(r, input, watch); }
        return out;
    });
}

}  // namespace

void refuse_design(const Scenario& listing, const std::string& name, const Error& error) {
    const bool own = !error.place || !error.place->file || *error.place->file == "--set";
    const SourceLocation place = own ? place_of(listing, "designs") : *error.place;
    const std::string message = "design " + shown(name) + ": " + error.message;
    if (error.exit_code == ExitCode::cannot_end) { throw CannotEnd(place, message); }
    throw InputError(place, message);
}

Evaluation evaluate(const StudyInput& input, const Watch& watch, bool efficiency) {
    if (input.scenario.designs.empty()) { return evaluated(input, watch, efficiency); }
    try {
        return evaluated(input, watch, efficiency);
    } catch (const InputError& error) {
        refuse_design(input.scenario, input.name, error);
    } catch (const CannotEnd& error) { refuse_design(input.scenario, input.name, error); }
}

}  // namespace fabricast::inline studies
