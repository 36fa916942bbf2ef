// Delayed scaling: what a step in 8 bits loses by reducing the largest values of each pass over all replicas.
#include "sim/plan/training/plan_step.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

using ScalesSettings = std::vector<std::string>;

// 12 numbers of a layer: three for each of four products.
Catalog with_scales(double tensors, double late = 0) {
    Catalog catalog = catalogue();
    for (const char* framework : {"megatron", "jax"}) {
        catalog.parts.at(framework).figures.at("scales.reduced").value.front() = tensors;
        catalog.parts.at(framework).figures.at("scales.late").value.front() = late;
    }
    return catalog;
}

std::size_t data_calls(const ScalesSettings& set, const Catalog& catalog) {
    const Scenario given = parse_scenario(small, "scales.yaml", set);
    const Fabric fabric(build(given, catalog));
    const StepPlan plan = plan_step(std::get<TrainingWorkload>(given.workload), fabric, given.library, catalog);
    std::size_t calls = 0;
    for (std::size_t i = 0; i < plan.ops.size(); ++i) {
        const bool call = plan.schedule.kind(OpId{static_cast<std::uint32_t>(i)}) == OpKind::pipeline;
        calls += call && plan.ops[i].tag == StepTag::data ? 1 : 0;
    }
    return calls;
}

std::size_t reductions(const ScalesSettings& set) {
    return data_calls(set, with_scales(12)) - data_calls(set, with_scales(0));
}

double scales_seconds(ScalesSettings set, double tensors, double late = 0) {
    set.emplace_back("workload.precision=fp8");
    return simulate(parse_scenario(small, "scales.yaml", set), with_scales(tensors, late)).steps.at(0).step_time_s;
}

}  // namespace

TEST_CASE("delayed scaling reduces the largest values once for each pass of each chunk") {
    // Two stages, four micro-batches, forward and backward.
    CHECK(reductions({"workload.precision=fp8"}) == 2 * 4 * 2);
    CHECK(reductions({"workload.precision=fp8", "workload.parallelism.chunks=2"}) == 2 * 2 * 4 * 2);
    CHECK(reductions({"workload.precision=bf16"}) == 0);
    CHECK(reductions({"workload.precision=fp8", "workload.framework=mlperf"}) == 0);  // over tensor ranks alone
}

TEST_CASE("blocks of mxfp8 have scales of their own, which nobody reduces") {
    CHECK(reductions({"workload.precision=mxfp8", "cluster.node=dgx-b200"}) == 0);
}

TEST_CASE("the same passes take longer to reduce over more nodes") {
    const auto waits = [](const char* nodes, const char* batch) {
        const ScalesSettings set = {std::string("cluster.nodes=") + nodes,
                                    std::string("workload.global_batch=") + batch, "workload.parallelism.pipeline=1"};
        return scales_seconds(set, 12) - scales_seconds(set, 0);
    };
    const double few = waits("2", "32"), many = waits("32", "512");
    INFO(few << " " << many);
    CHECK(few > 8 * 10e-6);  // four micro-batches, forward and backward; a call takes tens of microseconds
    CHECK(many > 1.3 * few);
    CHECK(many < 8 * 500e-6);
}

TEST_CASE("computing waits for each reduction: a pipeline's chunks add as many calls to a step") {
    // Twice the chunks are twice the passes, each with a call of the same few numbers.
    const auto waits = [](const char* chunks) {
        const ScalesSettings set = {std::string("workload.parallelism.chunks=") + chunks, "workload.global_batch=256"};
        return scales_seconds(set, 12) - scales_seconds(set, 0);
    };
    CHECK(waits("4") == Approx(2 * waits("2")).epsilon(0.1));
}

TEST_CASE("each pass waits for the latest of its replicas, by a harmonic number of what chance makes one late") {
    // Gradients are reduced afterwards, so that they hide none of it.
    const ScalesSettings eight = {"cluster.nodes=2", "workload.global_batch=32", "workload.parallelism.pipeline=1",
                                  "workload.overlap.gradients=false"};
    const auto waits = [&](double tensors) {
        return scales_seconds(eight, tensors, 1e-3) - scales_seconds(eight, tensors);
    };
    // Eight replicas: 1/2 + 1/3 + ... + 1/8 = 1.7179 ms in each of four micro-batches' two passes.
    CHECK(waits(12) == Approx(8 * 1.7179e-3).epsilon(1e-3));
    CHECK(waits(0) == Approx(0).margin(1e-9));  // nobody waits where nothing is reduced
}

TEST_CASE("a sharded pass reduces its scales at its end, and XLA's loop over layers those of each") {
    // 16 replicas, two micro-batches each, forward and backward, eight layers.
    const ScalesSettings sharded = {"workload.precision=fp8", "workload.sharding=zero-3",
                                    "workload.parallelism.pipeline=1"};
    CHECK(reductions(sharded) == 2 * 2);
    ScalesSettings by_layer = sharded;
    by_layer.emplace_back("workload.framework=jax");
    CHECK(reductions(by_layer) == 2 * 2 * 8);
}
