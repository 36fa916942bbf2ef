// What published runs lost with the number of GPUs; no training table has them, and no constant was told by them.
#include <fmt/format.h>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// MegaScale (Jiang et al., NSDI 2024), table 2: a GPT of 175B by Megatron-LM, tensor 8, 8 stages of 6 pieces. Its 3.2
// counts data-parallel traffic beside computing among what MegaScale adds.
constexpr const char* megatron = R"(name: megatron-175b
cluster: {node: dgx-a100, nodes: 32, options: {gpu: a100-sxm4-80}, fabric: {kind: fat-tree, link: ethernet-200g}}
workload:
  kind: training
  model: gpt3-175b
  dimensions: {vocabulary: 64000}
  sequence_length: 2048
  global_batch: 768
  recompute: selective
  attention: flash-2
  overlap: {gradients: false, parameters: false}
  parallelism: {tensor: 8, pipeline: 8, chunks: 6}
)";

// Llama 3 (Meta 2024), table 4 and 3.3.2: 405B, tensor 8, 16 stages, 32 and 16 sequences a data rank; the first piece
// has the embedding alone, the last the loss alone, so each other piece has one of 126 layers.
constexpr const char* llama = R"(name: llama-3-405b
cluster: {node: dgx-h100, nodes: 1024, fabric: {kind: fat-tree, link: ethernet-400g, switch: tomahawk-4, oversubscription: 1, routing: adaptive}}
workload:
  kind: training
  model: llama-3.1-405b
  global_batch: 2048
  overlap: {tensor: true}
  check_memory: false
  parallelism: {tensor: 8, pipeline: 16, chunks: 8}
)";

double mfu(const char* text, std::uint32_t nodes, std::uint32_t batch) {
    const Scenario scenario = parse_scenario(
        text, "growth", {fmt::format("cluster.nodes={}", nodes), fmt::format("workload.global_batch={}", batch)});
    return simulate(scenario, catalogue()).steps.at(0).mfu;
}

}  // namespace

TEST_CASE("a batch of 768 on four times the GPUs keeps what Megatron-LM's runs kept of MegaScale's table") {
    // 53.0 % of the peak on 256 GPUs, 44.7 on 1,024: the bubble is four times as large.
    const double small = mfu(megatron, 32, 768), large = mfu(megatron, 128, 768);
    INFO(small << " " << large);
    CHECK(large / small == Approx(0.447 / 0.530).margin(0.06));
    CHECK(small == Approx(0.530).epsilon(0.15));
}

TEST_CASE(
    "a batch of 6,144 on four times the GPUs loses more than the bubble, as MegaScale's table of Megatron-LM says") {
    // 48.7 on 3,072 GPUs, 41.2 on 12,288.
    const double small = mfu(megatron, 384, 6144), large = mfu(megatron, 1536, 6144);
    INFO(small << " " << large);
    CHECK(large < small);
    CHECK(large / small == Approx(0.412 / 0.487).margin(0.1));
}

TEST_CASE("Llama 3's 405B keeps on 16,384 GPUs what its authors report of 8,192") {
    // 430 TFLOP/s on 8,192 GPUs, 400 on 16,384, at one batch.
    const double small = mfu(llama, 1024, 2048), large = mfu(llama, 2048, 2048);
    INFO(small << " " << large);
    CHECK(large / small == Approx(400.0 / 430).margin(0.05));
    CHECK(large * 989.4 == Approx(400).epsilon(0.2));  // stragglers are not in it
}
