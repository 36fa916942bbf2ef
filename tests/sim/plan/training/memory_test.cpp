// What a step holds in memory, counted by hand.

#include "sim/plan/training/memory.hpp"

#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr double h = 4096, tokens = 2048, vocabulary = 32000;
constexpr double layer = 12 * h * h + 2 * h;  // 4 products of attention, 2 of 4 h, two norms

StepMemory memory(const std::vector<std::string>& set = {}) {
    const Scenario s = parse_scenario(small, "small.yaml", set);
    const auto& w = std::get<TrainingWorkload>(s.workload);
    const Fabric fabric(build(s, catalogue()));
    const ModelShape model = model_shape(catalogue(), w);
    const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalogue(), fabric.node().gpu, w, fabric.gpu_count());
    return step_memory({costs, model, w, layout});
}

}  // namespace

TEST_CASE(
    "memory counts two bytes a parameter, the gradients as wide as they travel and twelve sharded by the data ranks") {
    const double held = (4 * layer + vocabulary * h) / 2;  // the first stage's
    const StepMemory m = memory();
    CHECK(m.parameters == Approx(2 * held));
    CHECK(m.gradients == Approx(4 * held));
    CHECK(m.optimizer == Approx(12 * held / 8));
    CHECK(m.low80 < m.total());
    CHECK(m.low80 == Approx(m.parameters + m.gradients + m.optimizer * 10 / 12 + 0.8 * m.activations + 1.5e9));
    CHECK(m.high80 > m.total());
    CHECK(memory({"workload.gradient_bytes=2"}).gradients == Approx(2 * held));
    CHECK(memory({"workload.sharding=ddp"}).optimizer == Approx(12 * held));
    CHECK(memory({"workload.optimizer=sgd"}).optimizer == Approx(8 * held / 8));
    // DeepSpeed keeps a pass's gradients beside their sums, and steps with a gradient in fp32.
    const StepMemory both = memory({"workload.framework=megatron-deepspeed"});
    CHECK(both.gradients == Approx((4 + 2) * held));
    CHECK(both.optimizer == Approx(16 * held / 8));
    CHECK(memory({"workload.framework=megatron-deepspeed", "workload.gradient_bytes=2"}).gradients == Approx(2 * held));
}

TEST_CASE("memory keeps 16 bytes a token and hidden element of a cut layer for each micro-batch in flight") {
    // Norms 8 / 2, queries to output 8 / 2, feed-forward 16 / 2; 4 layers, 2 micro-batches on the first stage.
    CHECK(memory().activations == Approx(4 * 2 * 16 * tokens * h));
    // Recomputed: 2 / 2 kept, and one layer at work; the last stage has one micro-batch in flight, and the logits,
    // which are more than what the first keeps: 19 + 23.4 against 23.
    CHECK(memory({"workload.recompute=full"}).activations ==
          Approx((4 * 1 * 1 + 15) * tokens * h + 6 * tokens * vocabulary / 2));
    // Without sequence parallelism the norms stand whole on both ranks.
    CHECK(memory({"workload.parallelism.sequence=false"}).activations == Approx(4 * 2 * 20 * tokens * h));
    // 8-bit products keep their inputs in 8 bits: of both norms 2 / 2 less, of the activation 4 / 2.
    CHECK(memory({"workload.precision=fp8"}).activations == Approx(4 * 2 * 13 * tokens * h));
    // Eager norms keep their input and their result in fp32 as well: 2 * 8 / 2 more.
    CHECK(memory({"workload.compiled=false"}).activations == Approx(4 * 2 * (16 + 8) * tokens * h));
    // An unfused attention without dropout keeps softmax's output: 2 bytes a score of 16 heads here.
    CHECK(memory({"workload.attention=unfused"}).activations ==
          Approx(4 * 2 * (16 * tokens * h + 2 * 16 * tokens * tokens)));
}

TEST_CASE("the last stage holds the logits in 2 and 4 bytes") {
    const StepMemory m = memory({"workload.parallelism.pipeline=1"});
    CHECK(m.activations == Approx(8 * 16 * tokens * h + 6 * tokens * vocabulary / 2));
    CHECK(m.parameters == Approx(2 * (8 * layer + 2 * vocabulary * h + h) / 2));
}

TEST_CASE("gradients that are given back after a step come as its activations go") {
    const auto of = [](const char* batch, const char* compiled) {
        return memory({"workload.parallelism.pipeline=1", "workload.parallelism.tensor=1", "workload.sharding=zero-3",
                       "workload.framework=pytorch-fsdp-2.11", "workload.gradient_bytes=4", "cluster.nodes=1",
                       std::string("workload.global_batch=") + batch, std::string("workload.compiled=") + compiled});
    };
    const StepMemory one = of("8", "true"), two = of("16", "true"), eager = of("8", "false");
    CHECK(one.gradients == Approx(two.gradients));
    CHECK(two.activations == Approx(8 * 32 * tokens * h + 4 * tokens * vocabulary));
    CHECK(one.activations == Approx(two.activations - two.gradients));
    CHECK(eager.activations - one.activations == Approx((12 - 4) * tokens * vocabulary));
}

TEST_CASE("a trainer that gathers the logits has them whole on each tensor rank; DeepSpeed limits what is gathered") {
    const StepMemory split = memory({"workload.parallelism.pipeline=1"});
    const StepMemory whole = memory({"workload.parallelism.pipeline=1", "workload.framework=aleph-alpha"});
    CHECK(whole.activations - split.activations == Approx((12 + 6 + 2 / 2.0 - 6 / 2.0) * tokens * vocabulary));
    const std::vector<std::string> large = {"workload.parallelism.pipeline=1", "workload.parallelism.tensor=1",
                                            "workload.sharding=zero-3", "workload.dimensions.hidden=16384"};
    std::vector<std::string> limited = large;
    limited.emplace_back("workload.framework=deepspeed");
    CHECK(memory(large).parameters - memory(limited).parameters > 2 * 12 * 16384.0 * 16384);
}

TEST_CASE("beside adapters nothing is kept for gradients of weights; MLPerf's frozen weights are in 8 bits") {
    const std::vector<std::string> lora = {"workload.adapters=16"};
    // One norm's output less, 2 / 2, and the input of the feed-forward part's second product, 2 * 4 / 2.
    CHECK(memory(lora).activations == Approx(4 * 2 * (16 - 1 - 4) * tokens * h));
    const std::vector<std::string> narrow = {"workload.adapters=16", "workload.precision=fp8", "cluster.node=dgx-h100"};
    std::vector<std::string> mlperf = narrow;
    mlperf.emplace_back("workload.framework=mlperf");
    const StepMemory wide = memory(narrow), tuned = memory(mlperf);
    CHECK(wide.parameters - tuned.parameters == Approx(4 * layer / 2));
    CHECK(wide.activations - tuned.activations == Approx(4 * 2 * 4 / 2 * tokens * h));  // a gate's input: 1 byte of 2
    CHECK(memory({"workload.framework=mlperf"}).parameters == memory().parameters);
}

TEST_CASE("one more expert a token keeps its copy of the token whole, and what comes back as it is cut") {
    const auto kept = [](const char* experts, const char* framework = "megatron") {
        return memory({"workload.dimensions.experts=16", "workload.dimensions.expert_ffn=1024",
                       "workload.parallelism.expert=8", std::string("workload.framework=") + framework,
                       std::string("workload.dimensions.experts_per_token=") + experts})
            .activations;
    };
    // Of a token 2 h there and 2 h / 2 back; 2 bytes before and after the activation of its 1,024 elements, on 2 ranks.
    CHECK(kept("3") - kept("2") == Approx(4 * 2 * tokens * (2 * h * (1 + 1 / 2.0) + 4 * 1024 / 2.0)));
    // Weighted with the activation, what comes back is not kept.
    CHECK(kept("3", "megatron-bridge-25.11") - kept("2", "megatron-bridge-25.11") ==
          Approx(4 * 2 * tokens * (2 * h + 4 * 1024 / 2.0)));
}

TEST_CASE("a refusal says how much even the least that is counted is too much") {
    const StepMemory m = memory({"workload.dimensions.layers=400"});
    CHECK_THROWS_WITH(
        simulate(parse_scenario(small, "small.yaml", {"workload.dimensions.layers=400"}), catalogue()),
        ContainsSubstring(fmt::format("at least {:.1f} GB too little", (m.low80 - 80 * 1073741824.0) * 1e-9)));
}

TEST_CASE("zero-3 holds its share, the ends, the layer at work and the one fetched ahead") {
    const StepMemory m =
        memory({"workload.parallelism.pipeline=1", "workload.parallelism.tensor=1", "workload.sharding=zero-3"});
    const double ends = 2 * vocabulary * h + h, all = 8 * layer + ends;
    CHECK(m.parameters == Approx(2 * (all / 32 + ends + 2 * layer)).epsilon(1e-3));
    CHECK(m.gradients == Approx(2 * (all / 32 + layer)).epsilon(1e-3));
    CHECK(m.optimizer == Approx(12 * all / 32));
    const StepMemory two =
        memory({"workload.parallelism.pipeline=1", "workload.parallelism.tensor=1", "workload.sharding=zero-2"});
    CHECK(two.parameters == Approx(2 * all));
    CHECK(two.gradients == Approx(4 * (all / 32 + layer)).epsilon(1e-3));
}

TEST_CASE("in 32 bits parameters, gradients and activations take four bytes each, and Adam its two moments alone") {
    for (const char* precision : {"workload.precision=fp32", "workload.precision=tf32"}) {
        const auto wide = [&](std::vector<std::string> set = {}) {
            set.emplace_back(precision);
            return memory(set);
        };
        const double held = (4 * layer + vocabulary * h) / 2;  // the first stage's
        const StepMemory m = wide();
        CHECK(m.parameters == Approx(4 * held));
        CHECK(m.gradients == Approx(4 * held));
        CHECK(m.optimizer == Approx(8 * held / 8));
        CHECK(wide({"workload.optimizer=sgd"}).optimizer == Approx(4 * held / 8));
        // Twice the 16 bytes of 16 bits, and 4 bytes a score of an unfused attention's 16 heads.
        const double scores = 4 * 16 * tokens * tokens;
        CHECK(m.activations == Approx(4 * 2 * (32 * tokens * h + scores)));
        CHECK(m.low80 == Approx(m.parameters + m.gradients + m.optimizer + 0.8 * m.activations + 1.5e9));
        // Recomputed, of one layer at work alone.
        CHECK(wide({"workload.recompute=selective"}).activations == Approx(4 * 2 * 32 * tokens * h + scores));
        // The input of an eager norm has 32 bits already: its result more, 2 * 4 / 2.
        CHECK(wide({"workload.compiled=false"}).activations == Approx(4 * 2 * ((32 + 4) * tokens * h + scores)));
        // A logit and its gradient, on the stage of the head.
        CHECK(wide({"workload.parallelism.pipeline=1"}).activations ==
              Approx(8 * (32 * tokens * h + scores) + 8 * tokens * vocabulary / 2));
        // DeepSpeed's pass writes no gradients of 16 bits beside the sums; its step still has a gradient of its share.
        const StepMemory deepspeed = wide({"workload.framework=megatron-deepspeed"});
        CHECK(deepspeed.gradients == Approx(4 * held));
        CHECK(deepspeed.optimizer == Approx(12 * held / 8));
    }
}

TEST_CASE("zero-3 in 32 bits holds four bytes of each parameter and gradient that it gathers and scatters") {
    const StepMemory m = memory({"workload.parallelism.pipeline=1", "workload.parallelism.tensor=1",
                                 "workload.sharding=zero-3", "workload.precision=fp32"});
    const double ends = 2 * vocabulary * h + h, all = 8 * layer + ends;
    CHECK(m.parameters == Approx(4 * (all / 32 + ends + 2 * layer)).epsilon(1e-3));
    CHECK(m.gradients == Approx(4 * (all / 32 + layer)).epsilon(1e-3));
    CHECK(m.optimizer == Approx(8 * all / 32));
}
