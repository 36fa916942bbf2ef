#include "sim/report/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/unit_text.hpp"
#include "sim/report/packet_traffic.hpp"
#include "sim/report/summarize.hpp"

namespace fabricast {

namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
    std::string line(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, args...)), '\0');
    std::snprintf(line.data(), line.size() + 1, pattern, args...);
    return line;
}

// Four significant digits, about as nccl-tests prints a time: 11.32, 113.2, 1132.
std::string microseconds_text(double seconds) {
    const double us = seconds * 1e6;
    return format(us < 99.995 ? "%.2f" : us < 999.95 ? "%.1f" : "%.0f", us);
}

std::string cluster_words(const ClusterRequest& cluster) {
    std::string words = node_words(cluster) + " x " + std::to_string(cluster.nodes);
    words += cluster.gpus_per_node != 0 ? " (" + std::to_string(cluster.gpus_per_node) + " GPUs each)" : "";
    words += cluster.fabric_kind.empty() ? "" : ", " + cluster.fabric_kind;
    words += cluster.link.empty() ? "" : " " + cluster.link;
    return words;
}

std::string share_text(const std::optional<double>& share) { return share ? format("%.1f %%", *share * 100) : "-"; }

std::string time_text(const std::optional<double>& seconds) { return seconds ? text(*seconds, Dimension::time) : "-"; }

}  // namespace

std::string interval_text(double time_s, double low80_s, double high80_s) {
    const auto percent = [&](double end) { return time_s > 0 ? 100 * (end / time_s - 1) : 0; };
    return format("%.0f/%+.0f", percent(low80_s) - 1e-9, percent(high80_s));
}

std::string node_words(const ClusterRequest& cluster) {
    const std::string node = cluster.node.empty() ? "explicit graph" : cluster.node;
    const auto gpu = cluster.node_options.find("gpu");
    return gpu == cluster.node_options.end() ? node : node + " with " + gpu->second;
}

std::string table_header(const Scenario& scenario) {
    if (const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload)) {
        std::string lines = "# " + scenario.name + ": " + transfer->from + " to " + transfer->to + ", on " +
                            cluster_words(scenario.cluster) + "\n# algbw: one message; busbw: a window of them" +
                            (transfer->direction == Direction::both_ways ? ", both ways together" : "") + "\n";
        lines += format("#%13s %10s %9s %9s %9s  %-18s %-8s %4s  %-44s  %s\n", "size", "time", "80 %", "algbw", "busbw",
                        "transport", "protocol", "DMA", "bottleneck", "evidence");
        return lines + format("#%13s %10s %9s %9s %9s\n", "(B)", "(us)", "(%)", "(GB/s)", "(GB/s)");
    }
    const CollectiveWorkload& workload = collective_of(scenario);
    std::string lines = "# " + scenario.name + ": " + std::string(to_string(workload.collective)) + " of " +
                        std::string(to_string(workload.dtype)) + (workload.in_place ? ", in place" : "") + ", on " +
                        cluster_words(scenario.cluster) + ", NCCL " + scenario.library.nccl + "\n";
    lines += format("#%13s %10s %9s %9s %9s  %-18s %-8s %4s  %-44s  %s\n", "size", "time", "80 %", "algbw", "busbw",
                    "algorithm", "protocol", "ch", "bottleneck", "evidence");
    lines += format("#%13s %10s %9s %9s %9s\n", "(B)", "(us)", "(%)", "(GB/s)", "(GB/s)");
    return lines;
}

std::string table_row(const Row& row) {
    return format("%14lld %10s %9s %9.2f %9.2f  %-18s %-8s %4d  %-44s  %s\n", static_cast<long long>(row.size.count),
                  microseconds_text(row.time_s).c_str(),
                  interval_text(row.time_s, row.time_low80_s, row.time_high80_s).c_str(), row.algbw * 1e-9,
                  row.busbw * 1e-9, row.algorithm.c_str(), row.protocol.c_str(), row.channels, row.bottleneck.c_str(),
                  std::string(to_string(row.evidence)).c_str());
}

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
    std::string lines = format("#\n#%7s %9s %10s %10s %12s %12s %11s\n", "nodes", "gpus", "busbw", "retained", "step",
                               "exposed", "efficiency");
    lines += format("#%7s %9s %10s\n", "", "", "(GB/s)");
    for (const ScalingPoint& point : points) {
        lines += format("%8u %9u %10.2f %10s %12s %12s %11s\n", point.nodes, point.gpus, point.busbw * 1e-9,
                        share_text(point.busbw_retained).c_str(), time_text(point.step_time_s).c_str(),
                        time_text(point.exposed_comm_s).c_str(), share_text(point.efficiency).c_str());
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
