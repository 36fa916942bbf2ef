#pragma once
// The step that most tests of training plan.

namespace fabricast {

// 8 layers of 4096, untied, a vocabulary of 32,000; 32 H100: tensor 2, pipeline 2, data 8, 4 micro-batches of 2048.
inline constexpr const char* small = R"(name: small
cluster: {node: dgx-h100, nodes: 4}
workload:
  kind: training
  model: mine
  dimensions: {layers: 8, hidden: 4096, heads: 32, vocabulary: 32000}
  sequence_length: 2048
  global_batch: 32
  parallelism: {tensor: 2, pipeline: 2}
)";

}  // namespace fabricast
