#include "validate/training/training_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"
#include "sim/scenario/build.hpp"

namespace fabricast {

namespace {

MemoryVerdict verdict_of(const TrainingTable& table, std::size_t row, const DerivedStep& derived,
                         const Catalog& catalog) {
    MemoryVerdict out;
    const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
    const Fabric fabric(build(derived.scenario, catalog));
    const ModelShape model = model_shape(catalog, w);
    const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalog, fabric.node().gpu, w, fabric.node_count());
    const LayerCosts layers(costs, model, w, layout);
    out.row = row;
    out.needs = step_memory(model, w, layout, costs, layers);
    out.has = static_cast<double>(fabric.node().gpu.memory.count);
    const std::map<std::string, std::string>& cells = table.rows[row];
    out.ran = cells.at(table.step_column) != "OOM";
    if (const auto gib = cells.find("memory_gib"); gib != cells.end() && gib->second != "null") {
        out.measured = std::strtod(gib->second.c_str(), nullptr) * 0x1p30;
    }
    return out;
}

}  // namespace

std::vector<MemoryVerdict> memory_verdicts(const std::vector<TrainingTable>& tables, const Catalog& catalog) {
    std::vector<MemoryVerdict> all;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            if (!exclusion(tables[t], r).empty() || tables[t].rows[r].at(tables[t].step_column) == "null") {
                continue;
            }
            const DerivedStep derived = derive_step(tables[t], r, catalog);
            const bool stated =
                std::none_of(derived.assumptions.begin(), derived.assumptions.end(),
                             [](const std::string& setting) { return setting.starts_with("workload.recompute="); });
            if (stated) {
                all.push_back(verdict_of(tables[t], r, derived, catalog));
                all.back().table = t;
            }
        }
    }
    return all;
}

std::vector<NamedFigure> memory_figures(const std::vector<MemoryVerdict>& verdicts) {
    double ran = 0, wrongly = 0, out = 0, rightly = 0, inside = 0;
    std::vector<double> errors;
    for (const MemoryVerdict& v : verdicts) {
        (v.ran ? ran : out) += 1;
        (v.ran ? wrongly : rightly) += v.refused() ? 1 : 0;
        if (v.measured) {
            errors.push_back(100 * std::abs(v.needs.total() / *v.measured - 1));
            inside += v.needs.low80 <= *v.measured && *v.measured <= v.needs.high80 ? 1 : 0;
        }
    }
    return {{"train_memory_ran_rows", ran, ""},
            {"train_memory_ran_refused_rows", wrongly, ""},
            {"train_memory_oom_rows", out, ""},
            {"train_memory_oom_refused_rows", rightly, ""},
            {"train_memory_oom_passed_rows", out - rightly, ""},
            {"train_memory_measured_rows", static_cast<double>(errors.size()), ""},
            {"train_memory_median_pct", percentile(errors, 50).value_or(0), "%"},
            {"train_memory_p90_pct", percentile(errors, 90).value_or(0), "%"},
            {"train_memory_interval80_coverage_pct",
             100 * inside / std::max<double>(1, static_cast<double>(errors.size())), "%"}};
}

std::string memory_lines(const std::vector<TrainingTable>& tables, const std::vector<MemoryVerdict>& verdicts) {
    std::string lines;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        int ran = 0, wrongly = 0, out = 0, rightly = 0;
        for (const MemoryVerdict& v : verdicts) {
            if (v.table == t) {
                (v.ran ? ran : out) += 1;
                (v.ran ? wrongly : rightly) += v.refused() ? 1 : 0;
            }
        }
        if (ran + out > 0) {
            lines += fmt::format("| {} | {} | {} | {} | {} |\n", tables[t].id, ran, wrongly, out, rightly);
        }
    }
    return lines;
}

}  // namespace fabricast
