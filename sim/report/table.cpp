#include "sim/report/table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/report/packet_traffic.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace_text.hpp"

namespace fabricast {

namespace {

std::string cluster_words(const ClusterRequest& cluster) {
    std::string words = node_words(cluster) + " x " + std::to_string(cluster.nodes);
    words += cluster.gpus_per_node != 0 ? " (" + std::to_string(cluster.gpus_per_node) + " GPUs each)" : "";
    words += cluster.fabric_kind.empty() ? "" : ", " + cluster.fabric_kind;
    words += cluster.link.empty() ? "" : " " + cluster.link;
    return words;
}

}  // namespace

std::string node_words(const ClusterRequest& cluster) {
    const std::string node = cluster.node.empty() ? "explicit graph" : cluster.node;
    const auto gpu = cluster.node_options.find("gpu");
    return gpu == cluster.node_options.end() ? node : node + " with " + gpu->second;
}

std::string table_header(const Scenario& scenario) {
    const std::string on = ", on " + cluster_words(scenario.cluster);
    if (const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload)) {
        return fmt::format("# {}: {} to {}{}\n# algbw: one message; busbw: a window of them{}\n", scenario.name,
                           transfer->from, transfer->to, on,
                           transfer->direction == Direction::both_ways ? ", both ways together" : "") +
               text_heading(row_columns(true));
    }
    const CollectiveWorkload& workload = collective_of(scenario);
    return fmt::format("# {}: {} of {}{}{}, NCCL {}\n", scenario.name, to_string(workload.collective),
                       to_string(workload.dtype), workload.in_place ? ", in place" : "", on, scenario.library.nccl) +
           text_heading(row_columns());
}

std::string table_row(const Row& row) { return text_line(row, row_columns()); }

std::string replay_lines(const Scenario& scenario, const Report& report) {
    if (!report.replay) {
        return "";
    }
    return "# " + scenario.name + ": a trace on " + cluster_words(scenario.cluster) + ", NCCL " +
           scenario.library.nccl + "\n" + replay_table(*report.replay);
}

std::string scaling_table(const std::vector<ScalingPoint>& points) {
    if (points.empty()) {
        return "";
    }
    const Columns<ScalingPoint> columns = point_columns();
    std::string lines = "#\n" + text_heading(columns);
    for (const ScalingPoint& point : points) {
        lines += text_line(point, columns);
    }
    return lines;
}

std::string table_footer(const Scenario& scenario, const Report& report) {
    std::string lines = packet_lines(report.packets);
    for (const std::string& note : report.notes) {
        lines += "# " + note + "\n";
    }
    if (!report.rows.empty()) {
        lines += "# weakest evidence: " + cluster_words(scenario.cluster) + ": " + weakest_evidence(report.rows);
        for (const std::string& note : report.evidence_notes) {
            lines += "; " + note;
        }
        lines += "\n";
    }
    if (!report.steps.empty()) {
        const auto weaker = [](const StepRow& a, const StepRow& b) { return a.evidence < b.evidence; };
        const StepRow& weakest = *std::max_element(report.steps.begin(), report.steps.end(), weaker);
        lines += "# weakest evidence: " + std::string(to_string(weakest.evidence));
        for (const std::string& note : report.evidence_notes) {
            lines += "; " + note;
        }
        lines += "\n";
    }
    return lines;
}

}  // namespace fabricast
