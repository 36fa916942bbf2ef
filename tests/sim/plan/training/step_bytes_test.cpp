// Bytes that a step's schedule really moves, summed over its operations, against formulas on paper.

#include <cmath>

#include "sim/engines/common/edges.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/volumes.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// 8 layers of 2048 with a vocabulary of 16,000, on 16 H100.
constexpr const char* narrow = R"(name: small
cluster: {node: dgx-h100, nodes: 2}
workload:
  kind: training
  model: mine
  dimensions: {layers: 8, hidden: 2048, heads: 16, vocabulary: 16000}
  sequence_length: 2048
  global_batch: 32
library: {env: {NCCL_ALGO: Ring, NCCL_PROTO: Simple}}
)";

constexpr double narrow_hidden = 2048, narrow_tokens = 2048, narrow_vocabulary = 16000;
constexpr double narrow_layer = 12 * narrow_hidden * narrow_hidden + 2 * narrow_hidden,
                 ends = 2 * narrow_vocabulary * narrow_hidden + narrow_hidden, all = 8 * narrow_layer + ends;

struct PlannedStep {
    Fabric fabric;
    StepPlan plan;
};

PlannedStep planned(const std::vector<std::string>& set) {
    const Scenario s = parse_scenario(narrow, "small.yaml", set);
    Fabric fabric(build(s, catalogue()));
    StepPlan plan = plan_step(std::get<TrainingWorkload>(s.workload), fabric, s.library, catalogue());
    return {std::move(fabric), std::move(plan)};
}

// Payload of all operations of a kind, of every GPU together.
double sent(const PlannedStep& p, StepTag tag) {
    double bytes = 0;
    for (std::uint32_t i = 0; i < p.plan.ops.size(); ++i) {
        if (p.plan.ops[i].tag == tag && p.plan.schedule.kind(OpId{i}) == OpKind::pipeline) {
            const Pipeline& one = p.plan.schedule.pipelines[p.plan.schedule.detail(OpId{i})];
            double edges = 0;
            for_each_edge(p.plan.schedule.edge_sets[one.edges], p.fabric, [&](const Edge& e) { edges += e.count; });
            bytes += edges * one.weight * one.bytes_per_edge;
        }
    }
    return bytes;
}

// Memory traffic of what comes once a step, of one GPU.
double fixed_traffic(const StepPlan& plan) {
    double bytes = 0;
    for (std::uint32_t i = 0; i < plan.ops.size(); ++i) {
        if (plan.ops[i].tag == StepTag::fixed && plan.schedule.kind(OpId{i}) == OpKind::compute) {
            bytes += plan.schedule.computes[plan.schedule.detail(OpId{i})].bytes;
        }
    }
    return bytes;
}

// Memory traffic of a layer's small kernels.
double small_traffic(const std::vector<std::string>& set, bool backward = false) {
    const PlannedStep p = planned(set);
    const Scenario s = parse_scenario(narrow, "small.yaml", set);
    const auto& workload = std::get<TrainingWorkload>(s.workload);
    const ComputeCosts costs(catalogue(), p.fabric.node().gpu, workload, 1);
    return LayerCosts{costs, p.plan.model, workload, p.plan.layout}.small_kernels(false, backward).streamed_bytes;
}

}  // namespace

TEST_CASE("the schedule moves the tensor-parallel bytes of the published formula") {
    const std::vector<std::string> tensor_4_pipeline_2{"workload.parallelism.tensor=4",
                                                       "workload.parallelism.pipeline=2"};
    const PlannedStep p = planned(tensor_4_pipeline_2);
    // 2 gathers and 2 scatters a layer, forward and backward, of 2 bytes a token and element; a ring sends 3 of 4
    // parts. 2 data ranks of 16 micro-batches each, 8 layers, 4 ranks.
    const double paper = 2 * 16 * 8 * 8.0 * (2 * narrow_tokens * narrow_hidden) * 3 / 4 * 4;
    CHECK(sent(p, StepTag::tensor) == Approx(paper).epsilon(1e-6));
    const Scenario s = parse_scenario(narrow, "small.yaml", tensor_4_pipeline_2);
    const auto& workload = std::get<TrainingWorkload>(s.workload);
    const ComputeCosts costs(catalogue(), p.fabric.node().gpu, workload, p.fabric.gpu_count());
    const LayerCosts layers{costs, p.plan.model, workload, p.plan.layout};
    CHECK(volumes(p.plan.model, workload, p.plan.layout, layers).tensor_sent * 16 == Approx(paper).epsilon(1e-6));
}

TEST_CASE("the schedule moves the pipeline's activations and gradients once a boundary and micro-batch") {
    const PlannedStep p = planned({"workload.parallelism.tensor=2", "workload.parallelism.pipeline=4"});
    // 3 boundaries there and back, 2 data ranks of 16 micro-batches, a half on each of 2 tensor ranks.
    CHECK(sent(p, StepTag::pipeline) == Approx(2 * 3 * 2 * 16 * (2 * narrow_tokens * narrow_hidden)).epsilon(1e-6));
}

TEST_CASE("zero-1 scatters four bytes of gradient a parameter and gathers two of parameter") {
    const PlannedStep p = planned({});
    CHECK(sent(p, StepTag::data) == Approx(15.0 / 16 * 16 * (4 + 2) * all).epsilon(1e-6));
    const PlannedStep halves = planned({"workload.gradient_bytes=2"});
    CHECK(sent(halves, StepTag::data) == Approx(15.0 / 16 * 16 * (2 + 2) * all).epsilon(1e-6));
    const PlannedStep wide = planned({"workload.precision=fp32"});
    CHECK(sent(wide, StepTag::data) == Approx(15.0 / 16 * 16 * (4 + 4) * all).epsilon(1e-6));
}

TEST_CASE("casting between 16 and 32 bits around norms is traffic of frameworks that do it, and of 16-bit steps") {
    const auto streamed = [](const char* framework, const char* precision) {
        return small_traffic(
            {std::string("workload.framework=") + framework, std::string("workload.precision=") + precision});
    };
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    // 2.4 times the 20 bytes of norms and residuals, and the layer's weights from 32 bits to 16.
    CHECK(streamed("pytorch-ddp", "bf16") - streamed("pytorch-fsdp", "bf16") ==
          Approx(((2.4 - 1) * 20 * narrow_hidden * narrow_tokens + 6 * narrow_layer) / share).epsilon(1e-6));
    CHECK(streamed("pytorch-ddp", "tf32") == Approx(streamed("pytorch-fsdp", "tf32")));
}

TEST_CASE(
    "eager kernels of a model with gates move what their operations read and write; those of one without, no more") {
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    const auto more = [&](const std::string& framework, const char* gated, bool backward) {
        const auto of = [&](const char* compiled) {
            return small_traffic({"workload.framework=" + framework, std::string("workload.dimensions.gated=") + gated,
                                  std::string("workload.compiled=") + compiled},
                                 backward);
        };
        return (of("false") - of("true")) * share / narrow_tokens / narrow_hidden;
    };
    // Norms and residuals 84 instead of 20 bytes, 4 of a feed-forward width of 4 h, rotated queries and keys 26 each.
    for (const bool backward : {false, true}) {
        CHECK(more("pytorch-fsdp", "true", backward) == Approx((backward ? 2 : 1) * (84 - 20 + 4 * 4 + 26 * 2)));
        CHECK(more("pytorch-fsdp-2.11", "true", backward) == Approx((backward ? 2 : 1) * (4 * 4 + 26 * 2)));
        CHECK(more("pytorch-fsdp", "false", backward) == Approx(0).margin(1e-9));
    }
}

TEST_CASE("in 8 bits a gated feed-forward casts one activation forward and two gradients backward") {
    // What more elements cost in 8 bits beyond 16: casts alone.
    const auto cast = [](bool backward) {
        const auto more = [&](const char* precision) {
            const auto of = [&](const char* ffn) {
                return small_traffic({"workload.dimensions.gated=true", std::string("workload.dimensions.ffn=") + ffn,
                                      std::string("workload.precision=") + precision},
                                     backward);
            };
            return of("8192") - of("4096");
        };
        return more("fp8") - more("bf16");
    };
    CHECK(cast(false) > 0);
    CHECK(cast(true) == Approx(2 * cast(false)));
}

TEST_CASE("zero-3 gathers each layer twice and scatters it once in every micro-batch, as wide as the step computes") {
    const auto check = [](const char* precision, double width, double micro_batches) {
        const PlannedStep p =
            planned({"workload.sharding=zero-3", std::string("workload.precision=") + precision,
                     "workload.global_batch=" + std::to_string(static_cast<int>(16 * micro_batches))});
        // The last layer is still there when the backward pass begins.
        const double gathered = width * (ends + 8 * narrow_layer + 7 * narrow_layer);
        const double scattered = width * (ends + 8 * narrow_layer);
        CHECK(sent(p, StepTag::data) == Approx(micro_batches * 15 * (gathered + scattered)).epsilon(1e-6));
    };
    for (const double micro_batches : {1.0, 2.0, 4.0}) { check("bf16", 2, micro_batches); }
    check("fp8", 2, 2);
    check("tf32", 4, 2);
    check("fp32", 4, 2);
}

TEST_CASE("the optimizer reads and writes 30 bytes a parameter that it holds, and the norm 4 of every one") {
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    const double slowest = 1 + 4 * catalogue().at("framework", "megatron").number("growth.wide");  // of 16 GPUs
    CHECK(fixed_traffic(planned({}).plan) == Approx((30 * all / 16 + 4 * all) / share * slowest).epsilon(1e-9));
    CHECK(fixed_traffic(planned({"workload.sharding=ddp"}).plan) ==
          Approx((30 * all + 4 * all) / share * slowest).epsilon(1e-9));
}

TEST_CASE("a loss that is not fused passes over the logits kernel by kernel") {
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    const auto traffic = [](const std::vector<std::string>& set) {
        const PlannedStep p = planned(set);
        const Scenario s = parse_scenario(narrow, "small.yaml", set);
        const auto& workload = std::get<TrainingWorkload>(s.workload);
        const ComputeCosts costs(catalogue(), p.fabric.node().gpu, workload, 1);
        const ChunkEnds ends = LayerCosts{costs, p.plan.model, workload, p.plan.layout}.ends(0, 0);
        return std::pair(ends.after.streamed_bytes, ends.head_back.streamed_bytes);
    };
    const auto [forward, backward] = traffic({});
    const auto [more_forward, more_backward] = traffic({"workload.fused_loss=false"});
    const double logits = forward * share / 10;
    CHECK(more_forward - forward == Approx((38 - 10) * logits / share).epsilon(1e-9));
    CHECK(more_backward - backward == Approx((14 - 10) * logits / share).epsilon(1e-9));
    // PyTorch's own, where nothing is compiled.
    const auto [eager_forward, eager_backward] = traffic({"workload.compiled=false"});
    CHECK(eager_forward - forward == Approx((14 - 10) * logits / share).epsilon(1e-9));
    CHECK(eager_backward - backward == Approx((22 - 10) * logits / share).epsilon(1e-9));
    CHECK(traffic({"workload.compiled=false", "workload.fused_loss=false"}) == traffic({"workload.compiled=false"}));
}
