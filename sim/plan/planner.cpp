#include "sim/plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/plan/training/plan_step.hpp"

namespace fabricast::inline plans {

namespace {

void check_ranks(const CollectiveWorkload& workload, std::uint32_t ranks) {
    if (ranks < 2) {
        throw PlanError(error_message("a collective needs partners", fmt::format("{} ranks", ranks), "at least 2"),
                        "cluster");
    }
    if (workload.root >= ranks) {
        throw PlanError(
            error_message("'root' is not a rank", fmt::to_string(workload.root), fmt::format("0 to {}", ranks - 1)),
            "workload.root");
    }
}

Plan plan_of(CallPlan call, Collective collective, Bytes size) {
    Plan plan{static_cast<AnyPlan&&>(call)};
    plan.what = fmt::format("{} of {}: {} {}, {}", to_string(collective), text(size), to_string(call.algorithm),
                            to_string(call.protocol), plural(static_cast<std::uint64_t>(call.channels), "channel"));
    plan.timing = call;
    plan.evidence_notes = std::move(call.evidence_notes);
    plan.facts = CollectiveFacts{call, size};
    return plan;
}

SizePlanner size_planner(const CollectiveWorkload& workload, const PlanContext& context) {
    check_ranks(workload, context.fabric.gpu_count());
    const Planner planner(workload, context.fabric, context.library, context.launch, context.catalog);
    return [planner, collective = workload.collective](Bytes size, const PlanOptions& options) {
        return plan_of(planner.plan(size, options.judged, options.iterations), collective, size);
    };
}

std::string gigabytes(double bytes) { return fmt::format("{:.1f}", bytes * 1e-9); }

// Throws LayoutError if the step does not fit the GPU's memory, and notes it if it may not.
void check_memory(const StepMemory& m, const GpuSpec& gpu, std::vector<std::string>& notes) {
    const auto has = static_cast<double>(gpu.memory.count);
    if (has > 0 && m.low80 > has) {
        throw LayoutError(
            "workload",
            fmt::format("the step needs {} GB on a GPU (parameters {}, gradients {}, optimizer {}, activations {}, "
                        "context and buffers {}); '{}' has {} GB: at least {} GB too little (cut further, shard, "
                        "recompute, narrow gradient_bytes; or check_memory: false, where it is known to run)",
                        gigabytes(m.total()), gigabytes(m.parameters), gigabytes(m.gradients), gigabytes(m.optimizer),
                        gigabytes(m.activations), gigabytes(m.reserved), gpu.name, gigabytes(has),
                        gigabytes(m.low80 - has)));
    }
    if (has > 0 && m.high80 > has) {
        notes.push_back(fmt::format("memory: {} GB counted on the fullest GPU ({} to {}), which has {}: it may not fit",
                                    gigabytes(m.total()), gigabytes(m.low80), gigabytes(m.high80), gigabytes(has)));
    }
}

SizePlanner size_planner(const TrainingWorkload& workload, const PlanContext& context) {
    return [&workload, context](Bytes, const PlanOptions& options) {
        StepPlan step = options.groups != nullptr
                            ? plan_step(workload, context.fabric, *options.groups, context.catalog)
                            : plan_step(workload, context.fabric, context.library, context.catalog);
        if (workload.check_memory) { check_memory(step.memory, smallest_gpu(context.fabric), step.notes); }
        Plan plan{static_cast<AnyPlan&&>(step)};
        plan.what = "a training step of " + workload.model;
        plan.facts = TrainingFacts{std::move(step), workload};
        return plan;
    };
}

constexpr double import_share = 0.5;  // share of the progress that importing the trace takes

Recording read(const TraceWorkload& workload, const Watch& watch) {
    return import_trace({workload.file, format_named(workload.format), workload.size}, [&](double share) {
        stop_if_asked(watch);
        if (watch.progress) { watch.progress(import_share * share); }
    });
}

Plan plan_trace(const TraceWorkload& workload, const PlanContext& context, const Watch& watch) {
    TraceFacts trace{read(workload, watch), {}, {}};
    try {
        const GpuScaling scaling =
            gpu_scaling(context.catalog, context.fabric.node().gpu, workload.recorded_on, trace.recording.recorded_on);
        trace.job = recorded_job(trace.recording, context.fabric.gpu_count(), workload.ranks);
        PlannedCalls calls(context.fabric, context.library, context.catalog);
        Replayed replayed = make_replayed(trace.recording, trace.job, context.fabric, scaling, calls);
        Plan plan;
        plan.what = fmt::format("a replayed trace of {} ranks", trace.job.ranks.size());
        plan.planning_share = import_share;
        plan.schedule = std::move(replayed.schedule);
        plan.figures = calls.plans().figures();
        plan.notes = trace.recording.notes;
        if (trace.recording.any_record(
                [](const Record& r) { return r.kind == RecordKind::compute && r.time.ps > 0; })) {
            merge_notes(plan.notes, {scaling.note});
        }
        merge_notes(plan.notes, trace.job.notes);
        merge_notes(plan.notes, replayed.notes);
        merge_notes(plan.notes, calls.plans().notes());
        plan.evidence_notes = calls.plans().evidence_notes();
        trace.replayed = std::move(replayed);
        plan.facts = std::move(trace);
        return plan;
    } catch (const JobError& error) {
        throw PlanError(error.what(), workload.ranks != 0 ? "workload.ranks" : "cluster");
    }
}

SizePlanner size_planner(const TraceWorkload& workload, const PlanContext& context) {
    return [&workload, context](Bytes, const PlanOptions& options) {
        return plan_trace(workload, context, options.watch);
    };
}

Plan plan_transfer(const TransferWorkload& workload, const Exchanger& exchanger, Bytes size) {
    ExchangePlan exchange = exchanger.plan(size);
    Plan plan;
    plan.what = fmt::format("one message of {} from {} to {}: {}", text(size), workload.from, workload.to,
                            exchange.choice.path.transport);
    plan.schedule = std::move(exchange.one);
    plan.window = std::move(exchange.many);
    plan.timing = Timing{};
    plan.figures = exchanger.figures();
    plan.notes = exchange.choice.path.notes;
    plan.evidence_notes = {"transports rest on standards and on the figures that --json lists"};
    plan.facts = TransferFacts{std::move(exchange), size == workload.sizes.back()};
    return plan;
}

// The catalogue lacks what the workload names.
template <class Work> auto naming_workload(const Work& work) {
    try {
        return work();
    } catch (const CatalogError& error) { throw PlanError(error.what()); }
}

SizePlanner size_planner(const TransferWorkload& workload, const PlanContext& context) {
    return naming_workload([&]() -> SizePlanner {
        const auto exchanger = std::make_shared<const Exchanger>(workload, context.fabric, context.catalog);
        return [&workload, exchanger](Bytes size, const PlanOptions&) {
            return naming_workload([&] { return plan_transfer(workload, *exchanger, size); });
        };
    });
}

// Where a workload cannot take nodes of several kinds. A step's and a trace's groups are planned as the slowest kind
// has them and placed on all, so all must join their GPUs in the same way.
void refuse_kinds(const Workload& workload, const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    for (const std::uint32_t other : fabric.kinds()) {
        if (std::holds_alternative<TransferWorkload>(workload) && other != fabric.pace()) {
            throw PlanError("a transfer is between nodes of one kind", "cluster.nodes");
        }
        const bool alike = fabric.node(other).nvlink == node.nvlink;
        if (!std::holds_alternative<CollectiveWorkload>(workload) && !alike) {
            throw PlanError(fmt::format("a step or a trace takes nodes that join their GPUs in the same way: '{}' and "
                                        "'{}' do not",
                                        node.name, fabric.node(other).name),
                            "cluster.nodes");
        }
    }
}

}  // namespace

SizePlanner planner_of(const Workload& workload, const PlanContext& context) {
    return std::visit([&](const auto& kind) { return size_planner(kind, context); }, workload);
}

Fabric fabric_for(const Workload& workload, Fabric built, const Catalog& catalog) {
    refuse_kinds(workload, built);
    const auto* transfer = std::get_if<TransferWorkload>(&workload);
    return transfer == nullptr ? std::move(built) : transfer_fabric(built, *transfer, catalog);
}

}  // namespace fabricast::inline plans
