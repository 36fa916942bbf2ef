#include "validate/training/training_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"
#include "sim/scenario/build.hpp"

namespace fabricast::inline validate_training {

namespace {

MemoryVerdict verdict_of(const TrainingTable& table, std::size_t row, const DerivedStep& derived,
                         const Catalog& catalog) {
    MemoryVerdict out;
    const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
    const Fabric fabric(build(derived.scenario, catalog));
    const ModelShape model = model_shape(catalog, w);
    const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalog, fabric.node().gpu, w, fabric.gpu_count());
    out.table = table.id;
    out.row = row;
    out.needs = step_memory({costs, model, w, layout});
    out.has = static_cast<double>(fabric.node().gpu.memory.count);
    const Cells& cells = table.rows[row];
    out.ran = cells.at(table.step_column) != "OOM";
    if (const auto gib = cells.find("memory_gib"); gib != cells.end() && gib->second != "null") {
        out.measured = std::strtod(gib->second.c_str(), nullptr) * 0x1p30;
    }
    return out;
}

// Layouts that ran and layouts that ran out of memory, and how many of each were refused.
struct Outcomes {
    int ran = 0, ran_refused = 0, oom = 0, oom_refused = 0;

    void add(const MemoryVerdict& v) {
        (v.ran ? ran : oom) += 1;
        (v.ran ? ran_refused : oom_refused) += v.refused() ? 1 : 0;
    }
};

}  // namespace

std::vector<MemoryVerdict> memory_verdicts(const std::vector<TrainingTable>& tables, const Catalog& catalog) {
    std::vector<MemoryVerdict> all;
    for (const TrainingTable& table : tables) {
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            if (!exclusion(table, row).empty() || table.rows[row].at(table.step_column) == "null") { continue; }
            const DerivedStep derived = derive_step(table, row, catalog);
            if (std::ranges::none_of(derived.assumptions, [](const std::string& setting) {
                    return setting.starts_with("workload.recompute=");
                })) {
                try {
                    all.push_back(verdict_of(table, row, derived, catalog));
                } catch (const Error&) {}  // what cannot be built, the row's forecast refuses with its reason
            }
        }
    }
    return all;
}

const MemoryVerdict* contradicted_by(const MemoryVerdict& out_of_memory, const std::vector<MemoryVerdict>& verdicts) {
    if (out_of_memory.ran) { return nullptr; }
    const auto found = std::ranges::find_if(verdicts, [&](const MemoryVerdict& v) {
        const StepMemory &less = out_of_memory.needs, &more = v.needs;
        return v.ran && v.table == out_of_memory.table && less.parameters <= more.parameters &&
               less.gradients <= more.gradients && less.optimizer <= more.optimizer &&
               less.activations <= more.activations;
    });
    return found == verdicts.end() ? nullptr : &*found;
}

std::vector<NamedFigure> memory_figures(const std::vector<MemoryVerdict>& verdicts) {
    Outcomes outcomes;
    double inside = 0;
    const auto contradicted = std::ranges::count_if(
        verdicts, [&](const MemoryVerdict& v) { return contradicted_by(v, verdicts) != nullptr; });
    std::vector<double> errors;
    for (const MemoryVerdict& v : verdicts) {
        outcomes.add(v);
        if (v.measured) {
            errors.push_back(100 * std::abs(v.needs.total() / *v.measured - 1));
            inside += v.needs.low80 <= *v.measured && *v.measured <= v.needs.high80 ? 1 : 0;
        }
    }
    const auto count = static_cast<double>(errors.size());
    return {{"train_memory_ran_rows", static_cast<double>(outcomes.ran), ""},
            {"train_memory_ran_refused_rows", static_cast<double>(outcomes.ran_refused), ""},
            {"train_memory_oom_rows", static_cast<double>(outcomes.oom), ""},
            {"train_memory_oom_refused_rows", static_cast<double>(outcomes.oom_refused), ""},
            {"train_memory_oom_passed_rows", static_cast<double>(outcomes.oom - outcomes.oom_refused), ""},
            {"train_memory_oom_contradicted_rows", static_cast<double>(contradicted), ""},
            {"train_memory_measured_rows", count, ""},
            {"train_memory_median_pct", percentile(errors, 50).value_or(0), "%"},
            {"train_memory_p90_pct", percentile(errors, 90).value_or(0), "%"},
            {"train_memory_interval80_coverage_pct", 100 * inside / std::max(1.0, count), "%"}};
}

std::string memory_lines(const std::vector<MemoryVerdict>& verdicts) {
    std::string lines;
    for (auto first = verdicts.begin(); first != verdicts.end();) {
        const std::string& table = first->table;
        Outcomes outcomes;
        for (; first != verdicts.end() && first->table == table; ++first) { outcomes.add(*first); }
        lines += fmt::format("| {} | {} | {} | {} | {} |\n", table, outcomes.ran, outcomes.ran_refused, outcomes.oom,
                             outcomes.oom_refused);
    }
    return lines;
}

std::string memory_csv(const std::vector<MemoryVerdict>& verdicts) {
    std::string lines =
        "table,row,ran,refused,has,needs,low80,high80,parameters,gradients,optimizer,activations,"
        "reserved,measured,contradicted_by_row\n";
    for (const MemoryVerdict& v : verdicts) {
        const StepMemory& m = v.needs;
        lines += fmt::format("{},{},{},{}", v.table, v.row + 1, v.ran ? "yes" : "no", v.refused() ? "yes" : "no");
        for (const double bytes : {v.has, m.total(), m.low80, m.high80, m.parameters, m.gradients, m.optimizer,
                                   m.activations, m.reserved, v.measured.value_or(0)}) {
            lines += fmt::format(",{:.4g}", bytes / 1e9);
        }
        const MemoryVerdict* ran = contradicted_by(v, verdicts);
        lines += fmt::format(",{}\n", ran == nullptr ? "" : fmt::to_string(ran->row + 1));
    }
    return lines;
}

}  // namespace fabricast::inline validate_training
