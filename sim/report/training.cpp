#include "sim/report/training.hpp"

#include <fmt/core.h>

#include "sim/report/result_columns.hpp"
#include "sim/report/table.hpp"

namespace fabricast {

namespace {

std::string workload_words(const TrainingWorkload& w) {
    const Parallelism& p = w.parallelism;
    std::string words = w.model + ", " + std::string(to_string(w.precision));
    const auto add = [&](const char* name, std::uint32_t degree) {
        words += degree > 1 ? fmt::format(", {} {}", name, degree) : "";
    };
    add("tensor", p.tensor);
    add("context", p.context);
    add("expert", p.expert);
    add("pipeline", p.pipeline);
    add("chunks", p.chunks);
    return words + ", " + std::string(to_string(w.sharding));
}

}  // namespace

std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps) {
    if (steps.empty()) {
        return "";
    }
    std::string lines = "# " + scenario.name + ": a training step of " +
                        workload_words(std::get<TrainingWorkload>(scenario.workload)) + ", on " +
                        node_words(scenario.cluster) + ", NCCL " + scenario.library.nccl + "\n";
    const Columns<StepRow> columns = step_columns(steps.front().tokens_per_s > 0);
    lines += text_heading(columns);
    for (const StepRow& row : steps) {
        lines += text_line(row, columns);
    }
    return lines;
}

}  // namespace fabricast
