#include "sim/report/table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

namespace {

// The node template as headings show it: "dgx-h100", or "dgx-h100 with h20" if the scenario replaces the GPU.
std::string node_words(const ClusterRequest& cluster) {
    const std::string node = cluster.node.empty() ? "explicit graph" : cluster.node;
    const auto gpu = cluster.node_options.find("gpu");
    return gpu == cluster.node_options.end() ? node : node + " with " + gpu->second;
}

std::string cluster_words(const ClusterRequest& cluster) {
    std::string words = cluster.kinds.empty() ? node_words(cluster) + " x " + std::to_string(cluster.nodes) : "";
    for (const NodesRequest& kind : cluster.kinds) {
        words += fmt::format("{}{} x {}", words.empty() ? "" : " + ", kind.node, kind.count);
    }
    words += cluster.gpus_per_node != 0 ? " (" + std::to_string(cluster.gpus_per_node) + " GPUs each)" : "";
    words += cluster.fabric_kind.empty() ? "" : ", " + cluster.fabric_kind;
    words += cluster.link.empty() ? "" : " " + cluster.link;
    return words;
}

std::string step_words(const TrainingWorkload& w) {
    const Parallelism& p = w.parallelism;
    std::string words = fmt::format("{}, {}", w.model, to_string(w.precision));
    for (const auto& [name, degree] :
         {std::pair{"tensor", p.tensor}, std::pair{"context", p.context}, std::pair{"expert", p.expert},
          std::pair{"pipeline", p.pipeline}, std::pair{"chunks", p.chunks}}) {
        words += degree > 1 ? fmt::format(", {} {}", name, degree) : "";
    }
    return fmt::format("{}, {}", words, to_string(w.sharding));
}

// The weakest evidence, and why it is weak.
std::string evidence_line(const std::string& weakest, const std::vector<std::string>& notes) {
    std::string line = "# weakest evidence: " + weakest;
    for (const std::string& note : notes) { line += "; " + note; }
    return line + "\n";
}

// What computing consists of and the bubble comes from, which have no columns.
std::string account_line(const StepRow& row) {
    const auto share = [&](double seconds) { return percent(seconds / row.step_time_s); };
    std::string line =
        fmt::format("# of the step on {} GPUs: products {}, attention {}, small kernels {}, logits {}", row.gpus,
                    share(row.products_s), share(row.attention_s), share(row.small_kernels_s), share(row.logits_s));
    if (row.bubble_s > 0) {
        line += fmt::format("; bubble by order {}, imbalance {}, waits {}",
                            share(row.bubble_s - row.bubble_imbalance_s - row.bubble_waits_s),
                            share(row.bubble_imbalance_s), share(row.bubble_waits_s));
    }
    return line + "\n";
}

}  // namespace

std::string table_header(const Scenario& scenario, std::size_t width, std::string_view library) {
    const std::string on = ", on " + cluster_words(scenario.cluster);
    if (const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload)) {
        return fmt::format("# {}: {} to {}{}\n# algbw: one message; busbw: a window of them{}\n",
                           on_one_line(scenario.name), transfer->from, transfer->to, on,
                           transfer->direction == Direction::both_ways ? ", both ways together" : "") +
               text_heading(fitted(row_columns(true), width));
    }
    const CollectiveWorkload& workload = collective_of(scenario);
    return fmt::format("# {}: {} of {}{}{}, {} {}\n", on_one_line(scenario.name), to_string(workload.collective),
                       to_string(workload.dtype), workload.in_place ? ", in place" : "", on, library,
                       scenario.library.nccl) +
           text_heading(fitted(row_columns(), width));
}

std::string table_row(const Row& row, std::size_t width) { return text_line(row, fitted(row_columns(), width)); }

std::string replay_lines(const Scenario& scenario, const Report& report, std::string_view library) {
    if (!report.replay) { return ""; }
    constexpr std::size_t most_lines = 32;  // for ranks; the JSON has all watched ranks
    const ReplayReport& replay = *report.replay;
    std::string lines =
        fmt::format("# {}: a trace on {}, {} {}\n# {}recording of {}, replayed on {}\nmakespan {}",
                    on_one_line(scenario.name), cluster_words(scenario.cluster), library, scenario.library.nccl,
                    replay.format == "recording" ? "" : replay.format + " ", plural(replay.recorded, "rank"),
                    plural(replay.ranks, "GPU"), time_text(replay.makespan_s));
    if (replay.recorded_s) { lines += ", recorded " + time_text(*replay.recorded_s); }
    if (replay.steps > 1) {
        lines += fmt::format("; {} steps of {}", replay.steps, time_text(replay.makespan_s / replay.steps));
    }
    lines += "\nbottleneck " + replay.bottleneck + "\n";
    lines += replay.uses.empty() ? "" : "#\n" + text_table(replay.uses, replay_use_columns());
    std::vector<ReplayRank> members = replay.members;
    members.resize(std::min(members.size(), most_lines));
    lines += "#\n" + text_table(members, replay_rank_columns());
    const std::size_t left = replay.members.size() - members.size();
    return lines + (left > 0 ? fmt::format("# and {} more\n", left) : "");
}

std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps, std::size_t width,
                       std::string_view library) {
    if (steps.empty()) { return ""; }
    return fmt::format("# {}: a training step of {}, on {}, {} {}\n", on_one_line(scenario.name),
                       step_words(std::get<TrainingWorkload>(scenario.workload)), node_words(scenario.cluster), library,
                       scenario.library.nccl) +
           text_table(steps, fitted(step_columns(steps.front().tokens_per_s > 0), width)) + account_line(steps.back());
}

std::string scaling_table(const std::vector<ScalingPoint>& points) {
    return points.empty() ? "" : "#\n" + text_table(points, point_columns());
}

std::string table_footer(const Scenario& scenario, const Report& report) {
    std::string lines = packet_lines(report.packets);
    for (const std::string& note : report.notes) { lines += "# " + note + "\n"; }
    if (!report.rows.empty()) {
        lines += evidence_line(cluster_words(scenario.cluster) + ": " + weakest_evidence(report.rows),
                               report.evidence_notes);
    }
    if (!report.steps.empty()) {
        const StepRow& weakest = *std::ranges::max_element(report.steps, {}, &StepRow::evidence);
        lines += evidence_line(std::string(to_string(weakest.evidence)), report.evidence_notes);
    }
    return lines;
}

}  // namespace fabricast::inline report
