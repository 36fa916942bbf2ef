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
Catalog with_scales(double tensors) {
    Catalog catalog = catalogue();
    catalog.parts.at("megatron").figures.at("scales.reduced").value.front() = tensors;
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

double scales_seconds(ScalesSettings set, double tensors) {
    set.emplace_back("workload.precision=fp8");
    return simulate(parse_scenario(small, "scales.yaml", set), with_scales(tensors)).steps.at(0).step_time_s;
}

}  // namespace

TEST_CASE("delayed scaling reduces the largest values once for each pass of each chunk") {
    // Two stages, four micro-batches, forward and backward.
    CHECK(reductions({"workload.precision=fp8"}) == 2 * 4 * 2);
    CHECK(reductions({"workload.precision=fp8", "workload.parallelism.chunks=2"}) == 2 * 2 * 4 * 2);
    CHECK(reductions({"workload.precision=bf16"}) == 0);
    CHECK(reductions({"workload.precision=fp8", "workload.framework=nemo-25.04"}) == 0);  // over tensor ranks alone
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
