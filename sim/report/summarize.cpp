#include "sim/report/summarize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/summarize_sizes.hpp"
#include "sim/report/summarize_trace.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/report/trace.hpp"

namespace fabricast::inline report {

Report summarize(const ReplayedPlan& replayed) {
    Report report;
    report.figures = replayed.plan.figures;
    report.notes = replayed.plan.notes;
    report.evidence_notes = replayed.plan.evidence_notes;
    std::visit([&](const auto& facts) { summarize(facts, replayed, report); }, replayed.plan.facts);
    return report;
}

void keep_for_trace(Plan& plan) {
    if (plan.timing) {  // the others keep what their traces show
        keep_all(plan.window ? *plan.window : plan.schedule);
    }
}

std::vector<TraceSpan> spans_of(const ReplayedPlan& replayed) {
    return std::visit([&](const auto& facts) { return spans_of(facts, replayed); }, replayed.plan.facts);
}

void append(Report& report, Report more) {
    std::ranges::move(more.rows, std::back_inserter(report.rows));
    for (StepRow& row : more.steps) {
        const auto per_gpu = [](const StepRow& step) { return step.samples_per_s / step.gpus; };
        row.efficiency = report.steps.empty() ? 1 : per_gpu(row) / per_gpu(report.steps.front());
        report.steps.push_back(std::move(row));
    }
    if (more.replay) { report.replay = std::move(more.replay); }
    merge_figures(report.figures, more.figures);
    merge_notes(report.evidence_notes, more.evidence_notes);
    merge_notes(report.notes, more.notes);
    std::ranges::move(more.traffic, std::back_inserter(report.traffic));
    std::ranges::move(more.packets, std::back_inserter(report.packets));
    std::ranges::move(more.trace, std::back_inserter(report.trace));
}

std::string weakest_evidence(const std::vector<Row>& rows) {
    assert(!rows.empty());
    const Evidence weakest = std::ranges::max_element(rows, {}, &Row::evidence)->evidence;
    std::vector<Bytes> sizes;
    for (const Row& row : rows) {
        if (row.evidence == weakest) { sizes.push_back(row.size); }
    }
    std::string words(to_string(weakest));
    if (sizes.size() < rows.size()) {
        const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
        words += fmt::format(", at {} of {} sizes ({}{})", sizes.size(), rows.size(), text(*low),
                             sizes.size() > 1 ? " to " + text(*high) : "");
    }
    return words;
}

}  // namespace fabricast::inline report
