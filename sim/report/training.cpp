#include "sim/report/training.hpp"

#include <cstdio>
#include <functional>

#include "base/unit_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/table.hpp"

namespace fabricast {

namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
    std::string line(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, args...)), '\0');
    std::snprintf(line.data(), line.size() + 1, pattern, args...);
    return line;
}

struct StepColumn {
    const char* name;
    const char* type;
    const char* meaning;
    std::function<Json(const StepRow&)> value;
};

const std::vector<StepColumn>& columns() {
    static const std::vector<StepColumn> list = {
        {"nodes", "integer", "Nodes.", [](const StepRow& r) { return r.nodes; }},
        {"gpus", "integer", "GPUs.", [](const StepRow& r) { return r.gpus; }},
        {"data_ranks", "integer", "Copies of the model that share the batch.",
         [](const StepRow& r) { return r.data_ranks; }},
        {"global_batch", "integer", "Sequences or images a step.", [](const StepRow& r) { return r.global_batch; }},
        {"step_time_s", "number", "One step.", [](const StepRow& r) { return r.step_time_s; }},
        {"time_low80_s", "number", "Nine in ten measured steps take longer.",
         [](const StepRow& r) { return r.time_low80_s; }},
        {"time_high80_s", "number", "Nine in ten measured steps take less.",
         [](const StepRow& r) { return r.time_high80_s; }},
        {"samples_per_s", "number", "Sequences or images a second.", [](const StepRow& r) { return r.samples_per_s; }},
        {"tokens_per_s", "number", "Tokens a second; 0 for images.", [](const StepRow& r) { return r.tokens_per_s; }},
        {"flops_per_gpu", "number", "The model's own operations a second and GPU, nothing computed again counted.",
         [](const StepRow& r) { return r.flops_per_gpu; }},
        {"mfu", "number", "The same over the dense peak of the precision.", [](const StepRow& r) { return r.mfu; }},
        {"efficiency", "number", "Throughput a GPU against the first point.",
         [](const StepRow& r) { return r.efficiency; }},
        {"compute_s", "number", "Computing, mean over the pipeline stages.",
         [](const StepRow& r) { return r.compute_s; }},
        {"exposed_comm_s", "number", "Communication that nothing was computed beside.",
         [](const StepRow& r) { return r.exposed_s(); }},
        {"exposed_tensor_s", "number", "Of it tensor-parallel.", [](const StepRow& r) { return r.exposed_tensor_s; }},
        {"exposed_context_s", "number", "Of it context-parallel.",
         [](const StepRow& r) { return r.exposed_context_s; }},
        {"exposed_expert_s", "number", "Of it expert-parallel.", [](const StepRow& r) { return r.exposed_expert_s; }},
        {"exposed_pipeline_s", "number", "Of it between pipeline stages.",
         [](const StepRow& r) { return r.exposed_pipeline_s; }},
        {"exposed_data_s", "number", "Of it gradients and parameters.",
         [](const StepRow& r) { return r.exposed_data_s; }},
        {"bubble_s", "number", "Waiting for other pipeline stages to compute.",
         [](const StepRow& r) { return r.bubble_s; }},
        {"fixed_s", "number", "Optimizer, and what the framework adds once a step.",
         [](const StepRow& r) { return r.fixed_s; }},
        {"parameter_bytes", "number", "Parameters on the fullest GPU.",
         [](const StepRow& r) { return r.parameter_bytes; }},
        {"gradient_bytes", "number", "Gradients there.", [](const StepRow& r) { return r.gradient_bytes; }},
        {"optimizer_bytes", "number", "Optimizer states there.", [](const StepRow& r) { return r.optimizer_bytes; }},
        {"activation_bytes", "number", "Activations there.", [](const StepRow& r) { return r.activation_bytes; }},
        {"reserved_bytes", "number", "CUDA's context, NCCL's buffers and workspaces there.",
         [](const StepRow& r) { return r.reserved_bytes; }},
        {"bottleneck", "string", "What the step spends most of its time in beside computing, or computing.",
         [](const StepRow& r) { return r.bottleneck; }},
        {"busiest_link", "string", "The most utilised link, over the whole step.",
         [](const StepRow& r) { return r.busiest_link; }},
        {"evidence", "string", "What the row rests on.", [](const StepRow& r) { return to_string(r.evidence); }},
    };
    return list;
}

std::string workload_words(const TrainingWorkload& w) {
    const Parallelism& p = w.parallelism;
    std::string words = w.model + ", " + std::string(to_string(w.precision));
    const auto add = [&](const char* name, std::uint32_t degree) {
        words += degree > 1 ? format(", %s %u", name, degree) : "";
    };
    add("tensor", p.tensor);
    add("context", p.context);
    add("expert", p.expert);
    add("pipeline", p.pipeline);
    add("chunks", p.chunks);
    return words + ", " + std::string(to_string(w.sharding));
}

std::string time_words(double seconds) { return text(seconds, Dimension::time); }

}  // namespace

std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps) {
    if (steps.empty()) {
        return "";
    }
    std::string lines = "# " + scenario.name + ": a training step of " +
                        workload_words(std::get<TrainingWorkload>(scenario.workload)) + ", on " +
                        node_words(scenario.cluster) + ", NCCL " + scenario.library.nccl + "\n";
    lines += format("#%7s %9s %7s %10s %9s %13s %9s %6s %10s %8s %8s %8s %8s %8s %8s %8s %8s %9s  %-24s  %-30s  %s\n",
                    "gpus", "batch", "data", "step", "80 %", steps.front().tokens_per_s > 0 ? "tokens/s" : "images/s",
                    "TFLOP/s", "MFU", "efficiency", "compute", "tensor", "context", "expert", "pipeline", "data",
                    "bubble", "fixed", "memory", "bottleneck", "busiest link", "evidence");
    for (const StepRow& r : steps) {
        const auto share = [&](double seconds) { return format("%.1f %%", 100 * seconds / r.step_time_s); };
        const double rate = r.tokens_per_s > 0 ? r.tokens_per_s : r.samples_per_s;
        lines += format(
            "%8u %9u %7u %10s %9s %13.0f %9.1f %6.3f %10s %8s %8s %8s %8s %8s %8s %8s %8s %9s  %-24s  %-30s  %s\n",
            r.gpus, r.global_batch, r.data_ranks, time_words(r.step_time_s).c_str(),
            interval_text(r.step_time_s, r.time_low80_s, r.time_high80_s).c_str(), rate, r.flops_per_gpu * 1e-12, r.mfu,
            format("%.1f %%", 100 * r.efficiency).c_str(), share(r.compute_s).c_str(),
            share(r.exposed_tensor_s).c_str(), share(r.exposed_context_s).c_str(), share(r.exposed_expert_s).c_str(),
            share(r.exposed_pipeline_s).c_str(), share(r.exposed_data_s).c_str(), share(r.bubble_s).c_str(),
            share(r.fixed_s).c_str(), format("%.1f GB", r.memory_bytes() * 1e-9).c_str(), r.bottleneck.c_str(),
            r.busiest_link.c_str(), std::string(to_string(r.evidence)).c_str());
    }
    return lines;
}

Json steps_json(const std::vector<StepRow>& steps) {
    Json list = Json::array();
    for (const StepRow& row : steps) {
        Json json = Json::object();
        for (const StepColumn& column : columns()) {
            json[column.name] = column.value(row);
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json steps_json_schema() {
    Json properties = Json::object();
    Json needed = Json::array();
    for (const StepColumn& column : columns()) {
        properties[column.name] = {{"type", column.type}, {"description", column.meaning}};
        needed.push_back(column.name);
    }
    return {{"type", "array"},
            {"items",
             {{"type", "object"}, {"properties", properties}, {"required", needed}, {"additionalProperties", false}}}};
}

Records step_records(const std::vector<StepRow>& steps) {
    Records table;
    for (const StepColumn& column : columns()) {
        table.columns.emplace_back(column.name);
    }
    for (const StepRow& row : steps) {
        std::vector<Json>& cells = table.rows.emplace_back();
        for (const StepColumn& column : columns()) {
            cells.push_back(column.value(row));
        }
    }
    return table;
}

}  // namespace fabricast
