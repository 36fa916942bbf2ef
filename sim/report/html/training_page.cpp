#include "sim/report/html/training_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::inline report::html {

namespace {

constexpr std::size_t most_spans = 6000;  // in the timeline: more cannot be told apart

constexpr std::array<StepPart, 5> memory_parts = {{{"parameters", &StepRow::parameter_bytes},
                                                   {"gradients", &StepRow::gradient_bytes},
                                                   {"optimizer", &StepRow::optimizer_bytes},
                                                   {"activations", &StepRow::activation_bytes},
                                                   {"context and buffers", &StepRow::reserved_bytes}}};

// 1,234,567: token rates have up to eight digits.
std::string grouped(long long count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3) { digits.insert(at - 3, ","); }
    return digits;
}

Bars bars_of(std::string title, std::string caption, Unit unit, const std::vector<StepRow>& steps,
             std::span<const StepPart> of) {
    Bars bars{std::move(title), std::move(caption), unit, {}, {}};
    for (const StepRow& row : steps) { bars.labels.push_back(std::to_string(row.gpus) + " GPUs"); }
    for (const StepPart& part : of) {
        BarPart piece{part.name, {}};
        for (const StepRow& row : steps) { piece.values.push_back(row.*part.seconds); }
        if (*std::max_element(piece.values.begin(), piece.values.end()) > 0) { bars.parts.push_back(std::move(piece)); }
    }
    return bars;
}

Curves scaling_curve(const std::vector<StepRow>& steps) {
    Line efficiency{"efficiency", {}};
    Line mfu{"model FLOP/s used (MFU)", {}};
    for (const StepRow& row : steps) {
        efficiency.points.push_back({static_cast<double>(row.gpus), row.efficiency});
        mfu.points.push_back({static_cast<double>(row.gpus), row.mfu});
    }
    return {"Scaling",
            "Throughput a GPU against the first point, and the model's own operations against the dense peak.",
            {"GPUs", Unit::count, true},
            {"share", Unit::share},
            {efficiency, mfu}};
}

}  // namespace

void add_timeline(Page& page, const std::vector<TraceSpan>& trace, const std::string& rank) {
    const auto first =
        std::find_if(trace.begin(), trace.end(), [&](const TraceSpan& s) { return s.row.starts_with(rank); });
    if (first == trace.end()) { return; }
    Activity activity{"What one rank does",
                      first->row + ". Communication below a computing span is hidden, beside none it is exposed.",
                      {},
                      {}};
    std::vector<std::string>& lanes = activity.lanes;
    std::size_t left_out = 0;
    for (const TraceSpan& span : trace) {
        if (span.row != first->row || span.finish <= span.start) { continue; }
        if (activity.spans.size() == most_spans) {
            ++left_out;
            continue;
        }
        const auto lane = std::find(lanes.begin(), lanes.end(), span.lane);
        const auto index = static_cast<std::size_t>(lane - lanes.begin());
        if (lane == lanes.end()) { lanes.push_back(span.lane); }
        activity.spans.push_back({index, span.name, to_seconds(span.start), to_seconds(span.finish)});
    }
    if (left_out > 0) { activity.caption += " The last " + std::to_string(left_out) + " spans are left out."; }
    if (!activity.spans.empty()) { page.sections.emplace_back(std::move(activity)); }
}

void add_steps(Page& page, const Scenario& scenario, const Report& report, std::uint32_t nodes,
               const std::string& cluster) {
    const StepRow& row = report.steps.back();
    const auto& workload = std::get<TrainingWorkload>(scenario.workload);
    const bool tokens = row.tokens_per_s > 0;
    const double rate = tokens ? row.tokens_per_s : row.samples_per_s;
    const std::string gpus = std::to_string(row.gpus) + " GPUs";
    const std::string step = time_text(row.step_time_s);
    const std::string throughput = grouped(std::llround(rate)) + (tokens ? " tokens a second" : " samples a second");
    page.answer = "A training step of " + workload.model + " on " + (row.nodes == nodes ? cluster : gpus) + " takes " +
                  step + " (80 % interval " + time_text(row.time_low80_s) + " to " + time_text(row.time_high80_s) +
                  "): " + throughput + ", " + percent(row.mfu) + " of the GPUs' peak; " +
                  percent(row.compute_s / row.step_time_s) + " of it is computing, " +
                  percent(row.exposed_s() / row.step_time_s) + " communication that nothing hides.";
    page.headlines = {
        {"step", step, gpus + ", " + interval_text(row.step_time_s, row.time_low80_s, row.time_high80_s) + " %"},
        {"throughput", throughput, ""},
        {"MFU", percent(row.mfu), text(row.flops_per_gpu, Dimension::compute) + " a GPU"},
        {"most time in", row.bottleneck, row.busiest_link},
        {"rests on", std::string(to_string(row.evidence)),
         report.evidence_notes.empty() ? "" : report.evidence_notes.front()}};
    page.sections.emplace_back(bars_of("Where the step's time goes",
                                       "Mean over the pipeline stages. Communication counts where nothing is computed "
                                       "beside it; a bubble is waiting for other stages.",
                                       Unit::time, report.steps, step_parts));
    if (!report.trace.empty()) {
        // The rank of the first stage, on the cluster of the last row.
        const std::string& group = report.trace.back().row;
        add_timeline(page, report.trace, group.substr(0, group.find("stage ")) + "stage 0:");
    }
    if (report.steps.size() > 1) { page.sections.emplace_back(scaling_curve(report.steps)); }
    page.sections.emplace_back(page_table("Size by size", "", report.steps, step_columns()));
    page.sections.emplace_back(bars_of("Memory", "On the fullest GPU.", Unit::size, report.steps, memory_parts));
}

}  // namespace fabricast::inline report::html
