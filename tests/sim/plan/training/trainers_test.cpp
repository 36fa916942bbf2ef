// What trainers do with gradients and parameters in ways of their own: bytes, calls and seconds against counts on
// paper.

#include <algorithm>

#include "sim/plan/training/plan_step.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// 32 data ranks, 8 layers of 201 million parameters, and 262 million of embedding and head.
constexpr const char* trainers = R"(name: trainers
cluster: {node: dgx-h100, nodes: 4}
library: {env: {NCCL_ALGO: Ring}}
workload:
  kind: training
  model: mine
  dimensions: {layers: 8, hidden: 4096, heads: 32, ffn: 16384, vocabulary: 32000}
  sequence_length: 2048
  global_batch: 64
  gradient_bytes: 2
  sharding: zero-1
  check_memory: false
)";

using TrainersSettings = std::vector<std::string>;

Scenario trainers_scenario(const std::string& framework, TrainersSettings set) {
    set.push_back("workload.framework=" + framework);
    return parse_scenario(trainers, "trainers.yaml", set);
}

struct TrainersStep {
    Scenario given;
    Fabric fabric;
    StepPlan plan;

    TrainersStep(const std::string& framework, const TrainersSettings& set)
        : given(trainers_scenario(framework, set)),
          fabric(build(given, catalogue())),
          plan(plan_step(std::get<TrainingWorkload>(given.workload), fabric, given.library, catalogue())) {}

    template <typename What> double sum(bool forward, const What& what) const {
        double all = 0;
        for (std::size_t i = 0; i < plan.ops.size(); ++i) {
            const OpId op{static_cast<std::uint32_t>(i)};
            if (plan.ops[i].tag == StepTag::data && plan.ops[i].forward == forward &&
                plan.schedule.kind(op) == OpKind::pipeline) {
                all += what(plan.schedule.pipelines[plan.schedule.detail(op)]);
            }
        }
        return all;
    }
    double calls() const {
        return sum(true, [](const Pipeline& p) { return p.calls; });
    }
    // What one rank sends of gradients.
    double reduced() const {
        return sum(false, [&](const Pipeline& p) {
            double edges = 0;
            for_each_edge(plan.schedule.edge_sets[p.edges], fabric,
                          [&](const Edge& edge) { edges += edge.path.src == fabric.gpu(0) ? edge.count : 0; });
            return p.bytes_per_edge * p.weight * edges;
        });
    }
    double layers(std::uint32_t stage) const { return plan.layout.layers_of(plan.model, stage, 0).count; }
};

double trainers_seconds(const std::string& framework, const TrainersSettings& set,
                        const Catalog& catalog = catalogue()) {
    return simulate(trainers_scenario(framework, set), catalog).steps.at(0).step_time_s;
}

Catalog trainers_without(const std::string& framework, const std::string& figure) {
    Catalog catalog = catalogue();
    catalog.parts.at(framework).figures.erase(figure);
    return catalog;
}

}  // namespace

TEST_CASE("InternLM's zero-1 broadcasts each rank's tensors in turn: as many as ranks, but no more than tensors") {
    // Embedding and head are broadcast apart; 8 layers have 40 large tensors.
    CHECK(TrainersStep("internlm", {}).calls() == Approx(32 + 2));
    CHECK(TrainersStep("internlm", {"cluster.nodes=8"}).calls() == Approx(40 + 2));
    CHECK(TrainersStep("internlm", {"cluster.nodes=16", "workload.global_batch=128"}).calls() == Approx(40 + 2));
}

TEST_CASE("a trainer that all-reduces gradients in fp32 sends four times as much as one that scatters them in bf16") {
    const double scattered = TrainersStep("megatron", {}).reduced();
    CHECK(TrainersStep("internlm", {}).reduced() == Approx(2 * scattered).epsilon(0.001));
    CHECK(TrainersStep("aleph-alpha", {}).reduced() == Approx(4 * scattered).epsilon(0.001));
}

TEST_CASE("copies of gradients take the time of their bytes where nothing overlaps with them") {
    const TrainersSettings set = {"workload.overlap.gradients=false"};
    const double more = trainers_seconds("aleph-alpha", set) -
                        trainers_seconds("aleph-alpha", set, trainers_without("aleph-alpha", "reduce.copies"));
    const double held = 8 * (4 * 4096.0 * 4096 + 2 * 4096.0 * 16384) + 2 * 32000 * 4096.0;
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    CHECK(more == Approx(6 * 4 * held / (share * 3.35e12)).epsilon(0.06));  // the slowest of 32 GPUs is 4 % slower
}

TEST_CASE("where each bucket waits for the one before, a step takes no less, and more where large and small ones mix") {
    double most = 0;
    for (const char* link : {"ethernet-25g", "ethernet-100g", "infiniband-hdr", "infiniband-ndr"}) {
        const TrainersSettings set = {std::string("cluster.fabric.link=") + link, "workload.bucket=800MB",
                                      "workload.dimensions.vocabulary=256000"};
        const double ratio = trainers_seconds("internlm", set) /
                             trainers_seconds("internlm", set, trainers_without("internlm", "reduce.waits"));
        CHECK(ratio > 0.999);
        most = std::max(most, ratio);
    }
    CHECK(most > 1.002);
}

TEST_CASE("MLPerf's trainer of 2023 gathers parameters in 16 bits, twice what later ones do") {
    const auto gathered = [](const std::string& framework) {
        return TrainersStep(framework, {"workload.precision=fp8"}).sum(true, [](const Pipeline& p) {
            return p.bytes_per_edge * p.weight;
        });
    };
    CHECK(gathered("mlperf-2023") == Approx(2 * gathered("mlperf")).epsilon(0.001));
}

TEST_CASE("Megatron's buckets grow with the ranks that reduce, and only the chunk whose gradients come last is cut") {
    const auto buckets = [](const TrainersSettings& set) {
        return TrainersStep("megatron-bridge-25.11", set).sum(false, [](const Pipeline&) { return 1; });
    };
    CHECK(buckets({}) == 8);  // of 40 million parameters, but no less than a layer
    CHECK(buckets({"cluster.nodes=64", "workload.global_batch=512"}) == 4);  // 1.87 billion in buckets of 512 million
    CHECK(buckets({"workload.parallelism.pipeline=2"}) == 4 + 1);
}

TEST_CASE("a bucket that a large embedding or output matrix fills has no layers beside it") {
    // 8 layers of 201 million parameters between 410 million of embedding and as many of head, 2.43 billion in seven
    // buckets of 347 million: the ends alone, and between them 1, 2, 2, 2 and 1 layers.
    const TrainersStep step("megatron", {"workload.dimensions.vocabulary=100000", "workload.bucket=1500MB"});
    std::vector<double> bytes;
    const double all =
        step.sum(false, [&](const Pipeline& p) { return bytes.emplace_back(p.bytes_per_edge * p.weight); });
    const double layer = 4 * 4096.0 * 4096 + 2 * 4096.0 * 16384, end = 100000 * 4096.0;
    const std::vector<double> expected = {end, layer, 2 * layer, 2 * layer, 2 * layer, layer, end};
    REQUIRE(bytes.size() == expected.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CHECK(bytes[i] / all == Approx(expected[i] / (8 * layer + 2 * end)).epsilon(0.001));
    }
}

TEST_CASE("a pipeline that is cut with embedding, norm and head as items has fewer layers at its ends") {
    const auto layers = [](const char* pipeline, std::uint32_t stage) {
        return TrainersStep("aleph-alpha", {std::string("workload.parallelism.pipeline=") + pipeline}).layers(stage);
    };
    CHECK(layers("2", 0) == 5);  // of 11 items six, of which the embedding is one
    CHECK(layers("2", 1) == 3);
    for (std::uint32_t stage = 0; stage < 4; ++stage) { CHECK(layers("4", stage) == 2); }  // else the last had none
}

TEST_CASE("an optimizer that runs kernel by kernel takes as much longer as it moves more") {
    const TrainersSettings set = {"workload.overlap.parameters=false", "workload.overlap.gradients=false"};
    const double more = trainers_seconds("aleph-alpha", set) -
                        trainers_seconds("aleph-alpha", set, trainers_without("aleph-alpha", "optimizer.eager"));
    const double held = (8 * (4 * 4096.0 * 4096 + 2 * 4096.0 * 16384) + 2 * 32000 * 4096.0) / 32;
    CHECK(more > 0.9 * (110 - 30) * held / 3.35e12);
    CHECK(more < 2 * (110 - 30) * held / 3.35e12);
}

TEST_CASE("SGD steps with a moment less than Adam, fused, kernel by kernel and on the host") {
    const double held = 8 * (4 * 4096.0 * 4096 + 2 * 4096.0 * 16384) + 2 * 32000 * 4096.0;
    const auto saved = [&](const std::string& framework, TrainersSettings set) {
        set.emplace_back("workload.sharding=ddp");
        const double adam = trainers_seconds(framework, set);
        set.emplace_back("workload.optimizer=sgd");
        return adam - trainers_seconds(framework, set);
    };
    const double pace = held / (catalogue().at("compute", "compute-h100").number("elementwise.memory") * 3.35e12);
    CHECK(saved("megatron", {}) == Approx(8 * pace).epsilon(0.06));  // the slowest of 32 GPUs is 4 % slower
    CHECK(saved("aleph-alpha", {}) == Approx(44 * pace).epsilon(0.06));
    CHECK(saved("megatron", {"workload.offload.optimizer=true"}) > 8 * pace);
}

TEST_CASE("what a trainer moves slowly takes as long whatever algorithm NCCL takes") {
    const auto seconds = [](const std::string& algorithm) {
        return trainers_seconds("horovod", {"workload.sharding=ddp", "library.env.NCCL_ALGO=" + algorithm});
    };
    CHECK(seconds("NVLSTree") == Approx(seconds("Ring")).epsilon(0.03));
    CHECK(seconds("Tree") ==
          Approx(seconds("Ring")).epsilon(0.2));  // nor does a tree's way up and down take half of it
}
