// What data-parallel ranks share out, and what is communicated again where it is computed again: bytes in the schedule
// against counts on paper.

#include <functional>

#include "sim/engines/engine.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// 16 data ranks a stage, two stages of four layers, four micro-batches.
constexpr const char* mine = R"(name: sharded
cluster: {node: dgx-h100, nodes: 4}
library: {env: {NCCL_ALGO: Ring}}
workload:
  kind: training
  model: mine
  dimensions: {layers: 8, hidden: 4096, heads: 32, ffn: 16384, vocabulary: 32000}
  sequence_length: 2048
  global_batch: 64
  gradient_bytes: 4
  parallelism: {pipeline: 2}
)";
// A model of the catalogue on the same cluster.
constexpr const char* known = R"(name: known
cluster: {node: dgx-h100, nodes: 4}
library: {env: {NCCL_ALGO: Ring}}
workload: {kind: training, model: deepseek-v3, check_memory: false}
)";
constexpr double layer_weights = 4 * 4096.0 * 4096 + 2 * 4096.0 * 16384;
constexpr double micro_batches = 4;

struct ShardedScenario {
    Scenario scenario;
    Fabric fabric;
    StepPlan plan;

    explicit ShardedScenario(const std::vector<std::string>& set, const char* text = mine)
        : scenario(parse_scenario(text, "mine.yaml", set)),
          fabric(build(scenario, catalogue())),
          plan(plan_step(std::get<TrainingWorkload>(scenario.workload), fabric, scenario.library, catalogue())) {}

    double edges_out(std::uint32_t set, std::uint32_t stage) const {
        double count = 0;
        for_each_edge(plan.schedule.edge_sets[set], fabric, [&](const Edge& edge) {
            count += edge.path.src == fabric.gpu(plan.layout.device_rank(stage)) ? edge.count : 0;
        });
        return count;
    }

    // What one rank of the stage sends for this.
    double sent(StepTag tag, std::uint32_t stage) const {
        double bytes = 0;
        for (std::size_t i = 0; i < plan.ops.size(); ++i) {
            const OpId op{static_cast<std::uint32_t>(i)};
            if (plan.ops[i].tag == tag && plan.ops[i].stage == stage && plan.schedule.kind(op) == OpKind::pipeline) {
                const Pipeline& pipeline = plan.schedule.pipelines[plan.schedule.detail(op)];
                bytes += pipeline.bytes_per_edge * pipeline.weight * edges_out(pipeline.edges, stage);
            }
        }
        return bytes;
    }
    double sent(StepTag tag) const { return sent(tag, 0) + (plan.layout.p > 1 ? sent(tag, 1) : 0); }

    double flops(bool forward) const {
        double sum = 0;
        for (std::size_t i = 0; i < plan.ops.size(); ++i) {
            const OpId op{static_cast<std::uint32_t>(i)};
            if (plan.schedule.kind(op) == OpKind::compute && plan.ops[i].forward == forward) {
                sum += plan.schedule.computes[plan.schedule.detail(op)].flops;
            }
        }
        return sum;
    }
};

double sent(StepTag tag, const std::vector<std::string>& set) { return ShardedScenario(set).sent(tag); }

}  // namespace

TEST_CASE("a rank that shares its states with nobody gathers nothing, and its step is no larger for it") {
    for (const char* sharding : {"zero-3", "hsdp"}) {
        const std::vector<std::string> set = {"cluster.nodes=1", "workload.parallelism.tensor=4",
                                              "workload.order=gpipe", "workload.check_memory=false",
                                              std::string("workload.sharding=") + sharding};
        const ShardedScenario step(set);
        CHECK(step.plan.layout.replicas() == 1);
        CHECK(step.sent(StepTag::data, 0) == 0);
        CHECK(step.plan.schedule.size() < 10000);  // what a pass waits for was joined to itself and doubled each time
    }
}

TEST_CASE("zero-3 with a pipeline gathers a chunk's layers forward and backward and scatters them, each micro-batch") {
    for (const char* order : {"gpipe", "1f1b"}) {
        const ShardedScenario step({"workload.sharding=zero-3", std::string("workload.order=") + order});
        const double embedding = 32000 * 4096.0;
        // All layers of the stage forward, and backward those whose parameters are not there from the forward pass just
        // before: all but the last layer_weights, behind the first of GPipe's backward and behind each of 1F1B's but
        // the last.
        const double there = std::string(order) == "gpipe" ? 1 : micro_batches - 1;
        const double gathered = 2 * (micro_batches * 8 - there) * layer_weights;
        const double scattered = 4 * micro_batches * (4 * layer_weights + embedding);
        // The embedding stays from a forward pass until the next backward one: gathered four times, in GPipe by the
        // first forward and the last three backward passes, in 1F1B by all but the second forward and the last backward
        // one.
        const double expected = 15.0 / 16 * (gathered + scattered + 2 * micro_batches * embedding);
        CHECK(step.sent(StepTag::data, 0) == Approx(expected).epsilon(0.01));
    }
}

TEST_CASE("zero-2 with a pipeline gathers once a step and scatters each micro-batch") {
    const double held = 4 * layer_weights + 32000 * 4096.0;
    const double expected = 15.0 / 16 * (2 + 4 * micro_batches) * held;
    CHECK(ShardedScenario({"workload.sharding=zero-2"}).sent(StepTag::data, 0) == Approx(expected).epsilon(0.01));
}

TEST_CASE("a layer that fills several buckets is as many calls, of as many bytes in all, and each holds up computing") {
    const std::vector<std::string> whole = {"workload.sharding=zero-3", "workload.parallelism.pipeline=1",
                                            "workload.framework=pytorch-fsdp", "workload.gradient_bytes=2"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), whole.begin(), whole.end());
        return more;
    };
    const auto calls = [&](bool forward, const std::vector<std::string>& set) {
        const ShardedScenario step(set);
        double sum = 0;
        for (std::size_t i = 0; i < step.plan.ops.size(); ++i) {
            const OpId op{static_cast<std::uint32_t>(i)};
            const bool data = step.plan.ops[i].tag == StepTag::data && step.plan.ops[i].forward == forward;
            const bool call = step.plan.schedule.kind(op) == OpKind::pipeline;
            sum += data && call ? step.plan.schedule.pipelines[step.plan.schedule.detail(op)].calls : 0;
        }
        return sum;
    };
    // 64 sequences on 32 ranks are two micro-batches. Of each all eight layers are gathered forward and all but the
    // last backward, and scattered; so are embedding and head, which are gathered once. A layer's 403 MB fill five
    // buckets of 100 MB and two of 300, the ends' 524 MB six and two.
    const std::vector<std::string> cut = with({"workload.gather_bucket=100MB", "workload.bucket=300MB"});
    CHECK(calls(true, whole) == 2 * (8 + 1));
    CHECK(calls(true, cut) == 2 * (8 * 5 + 6));
    CHECK(calls(false, whole) == 2 * (7 + 8 + 1));
    CHECK(calls(false, cut) == 2 * (7 * 5 + 8 * 2 + 2));
    CHECK(sent(StepTag::data, cut) == Approx(sent(StepTag::data, whole)).epsilon(1e-6));
    Catalog free = catalogue();
    free.parts.at("pytorch-fsdp").figures.at("gather.rank").value.front() = 0;
    const auto held_up = [&](const std::vector<std::string>& set) {
        const Scenario given = parse_scenario(mine, "mine.yaml", set);
        return simulate(given, catalogue()).steps.at(0).step_time_s - simulate(given, free).steps.at(0).step_time_s;
    };
    const double each = catalogue().at("framework", "pytorch-fsdp").number("gather.rank") * 32;
    CHECK(held_up(cut) - held_up(whole) == Approx(2 * 8 * (4 + 4 + 1) * each).epsilon(0.3));
}

TEST_CASE("hsdp with a pipeline shares out inside a group and reduces over the groups' copies, each micro-batch") {
    const ShardedScenario step({"workload.sharding=hsdp", "workload.order=gpipe"});
    REQUIRE(step.plan.layout.shard == 8);
    const double embedding = 32000 * 4096.0;
    const double held = 4 * layer_weights + embedding;
    const double gathered = 2 * ((micro_batches * 8 - 1) * layer_weights + micro_batches * embedding);
    const double inside = 7.0 / 8 * (gathered + 4 * micro_batches * held);
    const double copies = 2 * 1.0 / 2 * 4 * micro_batches * held / 8;
    CHECK(step.sent(StepTag::data, 0) == Approx(inside + copies).epsilon(0.02));
}

TEST_CASE("an interleaved pipeline shares out each chunk's parameters") {
    const double whole = sent(StepTag::data, {"workload.sharding=zero-3", "workload.order=gpipe"});
    const double chunks =
        sent(StepTag::data, {"workload.sharding=zero-3", "workload.order=gpipe", "workload.parallelism.chunks=2"});
    CHECK(chunks == Approx(whole).epsilon(0.03));
}

TEST_CASE("a convolutional network's parameters are shared out as others' are") {
    const auto with = [&](const char* sharding) {
        const std::vector<std::string> set = {"workload.model=resnet-50", "workload.precision=fp16",
                                              "workload.global_batch=64", std::string("workload.sharding=") + sharding};
        return ShardedScenario(set, known).sent(StepTag::data);
    };
    // Two bytes a parameter to gather, and four to scatter: once, or for each of the two micro-batches.
    CHECK(with("zero-2") == Approx((2 + 2 * 4) / (2.0 + 4) * with("zero-1")));
}

TEST_CASE("a pipelined step with shared parameters takes longer than one without on a slow network") {
    const auto step = [&](const char* sharding) {
        const ShardedScenario one({"cluster.fabric.link=ethernet-25g", std::string("workload.sharding=") + sharding});
        return to_seconds(replay(Flow{}, one.fabric, one.plan.schedule).makespan - Time{});
    };
    CHECK(step("zero-3") > 1.5 * step("zero-1"));
    CHECK(step("zero-2") > 1.5 * step("zero-1"));
}

TEST_CASE("without overlap no gather and no scatter runs beside computation") {
    for (const char* sharding : {"zero-1", "zero-2", "zero-3", "hsdp"}) {
        for (const int stages : {1, 2}) {
            const ShardedScenario step({std::string("workload.sharding=") + sharding,
                                        "workload.overlap.parameters=false", "workload.overlap.gradients=false",
                                        "workload.parallelism.pipeline=" + std::to_string(stages)});
            const Timeline timeline = replay(Flow{}, step.fabric, step.plan.schedule);
            double beside = 0;
            double computed_until = 0;
            double wire_until = 0;
            for (std::size_t i = 0; i < step.plan.ops.size(); ++i) {
                if (step.plan.ops[i].stage != 0) { continue; }
                const double start = to_seconds(timeline.kept[i].start - Time{});
                const double finish = to_seconds(timeline.kept[i].finish - Time{});
                if (step.plan.ops[i].tag == StepTag::data) {
                    beside = std::max(beside, computed_until - start);
                    wire_until = std::max(wire_until, finish);
                } else if (step.plan.ops[i].tag == StepTag::compute) {
                    beside = std::max(beside, wire_until - start);
                    computed_until = std::max(computed_until, finish);
                }
            }
            CHECK(beside < 1e-6);
        }
    }
}

TEST_CASE("what is computed again sends its tensors, keys and values, and tokens again") {
    const std::vector<std::string> cut = {"workload.parallelism.pipeline=1", "workload.parallelism.tensor=2",
                                          "workload.parallelism.context=2",  "workload.dimensions.experts=8",
                                          "workload.parallelism.expert=4",   "workload.check_memory=false"};
    const auto with = [&](const char* recompute, StepTag tag) {
        std::vector<std::string> set = cut;
        set.push_back(std::string("workload.recompute=") + recompute);
        return sent(tag, set);
    };
    // Once forward and once backward; keys and values and their gradients go round backward.
    for (const auto& [tag, rounds] :
         {std::pair(StepTag::tensor, 2.0), {StepTag::expert, 2.0}, {StepTag::context, 3.0}}) {
        const double none = with("none", tag);
        CHECK(none > 0);
        CHECK(with("selective", tag) == Approx(none));
        CHECK(with("half", tag) == Approx(none * (rounds + 0.5) / rounds));
        CHECK(with("full", tag) == Approx(none * (rounds + 1) / rounds));
    }
}

TEST_CASE("MLPerf's zero-1 gathers parameters in 8 bits where products have them so") {
    const auto bytes = [](const char* framework, const char* precision) {
        return sent(StepTag::data,
                    {std::string("workload.framework=") + framework, std::string("workload.precision=") + precision});
    };
    // Gradients of 4 bytes are scattered, parameters of 2 or 1 gathered.
    CHECK(bytes("mlperf", "fp8") / bytes("megatron", "fp8") == Approx(5.0 / 6).epsilon(1e-3));
    CHECK(bytes("mlperf", "bf16") == Approx(bytes("megatron", "bf16")));
}

TEST_CASE("Horovod's rings between nodes move at the rate of one adapter, inside a node at NVLink's") {
    const auto exposed = [](const char* framework, const char* nodes) {
        return simulate(ShardedScenario({"workload.sharding=ddp", "workload.parallelism.pipeline=1",
                                         "workload.overlap.gradients=false", std::string("cluster.nodes=") + nodes,
                                         std::string("workload.framework=") + framework})
                            .scenario,
                        catalogue())
            .steps.at(0)
            .exposed_data_s;
    };
    const double held = 8 * layer_weights + 32000 * 4096.0;  // in 4 bytes over 50 GB/s
    CHECK(exposed("horovod", "4") == Approx(2 * 31.0 / 32 * 4 * held / 50e9).epsilon(0.1));
    CHECK(exposed("pytorch-ddp", "4") < 0.2 * exposed("horovod", "4"));
    CHECK(exposed("horovod", "1") == Approx(exposed("pytorch-ddp", "1")));
}

TEST_CASE("full recomputation repeats all of the forward pass, shared experts too") {
    const auto with = [&](const char* recompute) {
        const std::vector<std::string> set = {"workload.parallelism.pipeline=2", "workload.parallelism.expert=8",
                                              std::string("workload.recompute=") + recompute};
        return ShardedScenario(set, known);
    };
    const ShardedScenario none = with("none");
    const double logits = 2 * none.plan.layout.tokens * none.plan.model.vocabulary * none.plan.model.hidden;
    const double layers = none.flops(true) - logits * none.plan.layout.micro_batches;
    CHECK(with("full").flops(false) - none.flops(false) == Approx(layers).epsilon(1e-9));
    CHECK(with("half").flops(false) - none.flops(false) == Approx(layers / 2).epsilon(1e-9));
}

TEST_CASE(
    "DeepSpeed of 2021 goes on when a layer's gradients have been scattered, as without overlap; later ones do not "
    "wait") {
    const auto seconds = [](const char* framework, const char* overlap) {
        return simulate(ShardedScenario({"workload.sharding=zero-3", std::string("workload.framework=") + framework,
                                         std::string("workload.overlap.gradients=") + overlap})
                            .scenario,
                        catalogue())
            .steps.at(0)
            .step_time_s;
    };
    CHECK(seconds("deepspeed-2021", "true") == Approx(seconds("deepspeed", "false")));
    CHECK(seconds("deepspeed-2021", "true") > 1.05 * seconds("deepspeed", "true"));
}
