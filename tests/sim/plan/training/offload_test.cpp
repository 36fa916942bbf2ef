// What a step leaves to the host or to the pipeline's end, and models that are a list of layers.
#include <fmt/format.h>

#include "sim/plan/training/memory.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/plan/training/step_builder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

StepRow step_of(const std::vector<std::string>& set = {}, const Catalog& catalog = catalogue()) {
    return simulate(parse_scenario(small, "small.yaml", set), catalog).steps.at(0);
}

std::vector<std::string> also(std::vector<std::string> list, const std::string& one) {
    list.push_back(one);
    return list;
}

// One data rank of one GPU a node; nothing communicates.
const std::vector<std::string> one_gpu = {"cluster.nodes=1",
                                          "cluster.gpus_per_node=1",
                                          "workload.parallelism.tensor=1",
                                          "workload.parallelism.pipeline=1",
                                          "workload.global_batch=1",
                                          "workload.sharding=ddp",
                                          "workload.check_memory=false"};

}  // namespace

TEST_CASE("a step on the host takes gradients there, 28 bytes a parameter of its memory, and parameters back") {
    const double h = 4096, parameters = 8 * (12 * h * h + 2 * h) + 2 * 32000 * h + h;
    const StepRow here = step_of(one_gpu), there = step_of(also(one_gpu, "workload.offload.optimizer=true"));
    CHECK(there.optimizer_bytes == 0);
    const Fabric fabric(build(parse_scenario(small, "small.yaml", one_gpu), catalogue()));
    const HostMemory host = host_memory_of(fabric, fabric.gpu(0));
    CHECK(host.gpus == 1);
    double slowest = host.bandwidth;
    const Path path = fabric.path({.src = fabric.gpu(0), .dst = host.device});
    for (const LinkId link : path.span()) { slowest = std::min(slowest, fabric.link(link).capacity); }
    // DeepSpeed's Adam: 43 % of the memory's bandwidth.
    const double host_s = (4 + 2) * parameters / slowest + 28 * parameters / (0.43 * host.bandwidth);
    const double gpu_s =
        34 * parameters / (3.35e12 * catalogue().at("compute", "compute-h100").number("elementwise.memory"));
    CHECK(there.step_time_s - here.step_time_s == Approx(host_s - gpu_s).epsilon(0.03));
}

TEST_CASE("the step of 10 billion parameters takes CPUs about 2.57 s, a figure recalled of ZeRO-Offload") {
    // arXiv 2101.06840, table 4: two sockets of six channels of DDR4-2666, 21.3 GB/s each.
    const Part& any = catalogue().at("compute", "compute-any");
    const double bandwidth = 12 * 21.33e9 * any.number("optimizer.host.memory");
    CHECK(any.number("optimizer.host") * 10e9 / bandwidth == Approx(2.57).epsilon(0.05));
}

TEST_CASE("GPUs that share a host memory take turns at it") {
    const std::vector<std::string> eight = {
        "cluster.nodes=1",       "workload.parallelism.tensor=1", "workload.parallelism.pipeline=1",
        "workload.sharding=ddp", "workload.global_batch=8",       "workload.check_memory=false"};
    const double one =
        step_of(also(one_gpu, "workload.offload.optimizer=true")).step_time_s - step_of(one_gpu).step_time_s;
    const double all = step_of(also(eight, "workload.offload.optimizer=true")).step_time_s - step_of(eight).step_time_s;
    CHECK(all > 3 * one);  // four GPUs a socket
    CHECK(all < 5 * one);
}

TEST_CASE("offloaded activations leave memory, and cost what their copies take longer than the layers") {
    const StepRow here = step_of(one_gpu);
    const StepRow half = step_of(also(one_gpu, "workload.offload.activations=0.5"));
    CHECK(half.activation_bytes < 0.75 * here.activation_bytes);
    CHECK(half.step_time_s >= here.step_time_s);
    // One layer of one short micro-batch computes for less time than its activations take over PCIe; four times the
    // tokens make attention grow more than these.
    const StepRow whole = step_of(also(one_gpu, "workload.offload.activations=1"));
    CHECK(whole.step_time_s > half.step_time_s);
}

TEST_CASE("gradients of the output matrix that wait shorten every micro-batch of the last stage, and end the step") {
    const std::vector<std::string> cut = {
        "workload.parallelism.tensor=1", "workload.parallelism.pipeline=4", "workload.dimensions.vocabulary=256000",
        "workload.global_batch=128",     "workload.sharding=ddp",           "workload.check_memory=false"};
    const StepRow plain = step_of(cut), waits = step_of(also(cut, "workload.deferred_embedding=true"));
    CHECK(waits.logits_s == Approx(plain.logits_s).epsilon(1e-3));  // the same work, beside other reductions
    CHECK(waits.step_time_s < plain.step_time_s);
    // The last stage still has all its work; what it saves is at most what the other stages wait for.
    CHECK(waits.step_time_s > plain.step_time_s - plain.bubble_s);
    CHECK(waits.activation_bytes > plain.activation_bytes);  // inputs and gradients of all micro-batches
    // With a limit the first micro-batches wait and the rest take their time at once.
    const std::vector<std::string> deferred = also(cut, "workload.deferred_embedding=true");
    const auto limited = [&](const char* limit) {
        return step_of(also(deferred, "workload.deferred_embedding_limit=" + std::string(limit)));
    };
    const StepRow some = limited("4"), all = limited("1000000");
    CHECK(some.logits_s == Approx(plain.logits_s).epsilon(1e-3));
    CHECK(some.step_time_s > waits.step_time_s);
    CHECK(some.step_time_s < plain.step_time_s);
    CHECK(some.activation_bytes > plain.activation_bytes);
    CHECK(some.activation_bytes < waits.activation_bytes);
    CHECK(all.step_time_s == waits.step_time_s);
    CHECK_THROWS_WITH(step_of(also(cut, "workload.deferred_embedding_limit=4")), ContainsSubstring("not asked for"));
    CHECK_THROWS_WITH(step_of(also(one_gpu, "workload.deferred_embedding=true")),
                      ContainsSubstring("more than one stage"));
}

TEST_CASE("DualPipe holds two copies of the parameters and p + 1 micro-batches, and loses less time than 1F1B") {
    const std::vector<std::string> cut = {
        "workload.dimensions.vocabulary=64", "workload.dimensions.layers=16", "workload.parallelism.pipeline=4",
        "workload.parallelism.tensor=1",     "workload.sharding=ddp",         "workload.global_batch=128",
        "workload.overlap.gradients=false",  "workload.check_memory=false"};
    const StepRow plain = step_of(cut), dual = step_of(also(cut, "workload.order=dual-pipe"));
    CHECK(dual.parameter_bytes == Approx(2 * plain.parameter_bytes).epsilon(1e-3));
    CHECK(dual.activation_bytes == Approx(plain.activation_bytes * 5 / 4).epsilon(1e-3));
    CHECK(dual.compute_s == Approx(plain.compute_s).epsilon(1e-3));
    CHECK(dual.bubble_s < 0.6 * plain.bubble_s);
    CHECK_THROWS_WITH(step_of(also(also(cut, "workload.order=dual-pipe"), "workload.global_batch=32")),
                      ContainsSubstring("at least two micro-batches a stage"));
}

TEST_CASE(
    "DualPipe's copies add their gradients when both stages have computed, and the last micro-batch ends the step") {
    const Scenario s =
        parse_scenario(small, "small.yaml",
                       {"workload.parallelism.pipeline=4", "workload.parallelism.tensor=8", "workload.sharding=ddp",
                        "workload.order=dual-pipe", "workload.global_batch=16", "workload.check_memory=false"});
    const Fabric fabric(build(s, catalogue()));
    StepPlan plan = plan_step(std::get<TrainingWorkload>(s.workload), fabric, s.library, catalogue());
    for (std::uint32_t op = 0; op < plan.schedule.size(); ++op) { plan.schedule.kept.push_back(OpId{op}); }
    const Timeline timeline = replay(Flow{}, fabric, plan.schedule);
    std::vector<Time> computed(4);
    for (std::uint32_t op = 0; op < plan.ops.size(); ++op) {
        Time& last = computed[plan.ops[op].stage];
        if (plan.ops[op].tag == StepTag::compute) { last = std::max(last, timeline.kept[op].finish); }
    }
    int added = 0;
    for (std::uint32_t op = 0; op < plan.ops.size(); ++op) {
        const StepOp& of = plan.ops[op];
        if (of.tag == StepTag::data) {
            ++added;
            CHECK(timeline.kept[op].start >= std::max(computed[of.stage], computed[3 - of.stage]));
        }
        if (of.tag == StepTag::data || of.tag == StepTag::fixed) {
            CHECK(of.micro_batch == plan.layout.micro_batches - 1);
        }
    }
    CHECK(added >= 2);
}

TEST_CASE("a model of your own as a list of layers takes three times its forward roofline") {
    Catalog own = catalogue();
    const auto figure = [](std::vector<double> values) {
        Figure f;
        f.value = std::move(values);
        return f;
    };
    Part part;
    part.name = "mine";
    part.kind = "model";
    part.figures = {{"layer.flops", figure({4e12, 0})},
                    {"layer.bytes", figure({1e6, 10e9})},
                    {"layer.parameters", figure({1e8, 0})},
                    {"layer.activations", figure({1e9, 0})},
                    {"layer.count", figure({3, 2})}};
    own.parts.emplace("mine", part);
    const std::string text =
        "name: mine\ncluster: {node: dgx-h100, nodes: 1, gpus_per_node: 1}\n"
        "workload: {kind: training, model: mine, micro_batch: 2, sharding: ddp}\n";
    const StepRow r = simulate(parse_scenario(text, "mine.yaml", {}), own).steps.at(0);
    const Part& h100 = own.at("compute", "compute-h100");
    const double products = 3 * 4e12 * 2 / (989.4e12 * h100.number("gemm.bf16"));
    const double memory = 2 * 10e9 * 2 / (3.35e12 * h100.number("gemm.memory"));
    const double pace = own.at("framework", "megatron").number("pace");
    CHECK(r.products_s == Approx(3 * pace * (products + memory)).epsilon(0.01));
    CHECK(r.activation_bytes == Approx(2 * 3 * 1e9).epsilon(1e-6));
    CHECK(r.parameter_bytes == Approx(4 * 3e8));
}
