#include <filesystem>
#include <set>

#include "base/text_file.hpp"
#include "sim/report/result_file.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/schema_docs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_root.hpp"
#include "tests/support/yaml_json.hpp"

using namespace fabricast;

namespace {

using fabricast::testing::root;

// A scenario that uses every key of the table but `include`.
constexpr const char* full = R"(name: full
cluster:
  node: dgx-h100
  nodes: 2
  gpus_per_node: 4
  fabric:
    {kind: explicit, link: infiniband-ndr, trunk: infiniband-xdr, switch: quantum-2, radix: 32, oversubscription: 1.5,
     tiers: 2, routing: ecmp, shape: [2, 2], cable_latency: 25 ns}
  graph:
    devices: [{name: leaf0, part: quantum-2, latency: 130 ns}]
    cables: [{a: node0.nic0, b: leaf0, link: infiniband-ndr, rate: 400 Gb/s, latency: 5 ns, count: 2}]
  options: {peer_to_peer: false}
workload: {kind: collective, collective: broadcast, algorithm: ring, protocol: ll128, sizes: {from: 8 B, to: 1 KiB, factor: 2},
           dtype: int8, in_place: true, root: 3}
library: {nccl: "2.18", registered: window, transport: tcp, env: {NCCL_ALGO: Ring}}
launch: {mode: framework, iterations: 10}
scaling: {nodes: [1, 2], step: {compute: 1.5 ms, bytes: 1 GiB, overlap: 0.25}}
events: [{at: 1 us, link: leaf0 -> node0.nic0, share: 0.5}]
calibration: [overlay.yaml]
assert: ["time(8 B) < 1 ms"]
engine: analytic
seed: 7
)";

// The keys of the packet engine.
constexpr const char* full_packet = R"(name: full
cluster: {node: dgx-h100, nodes: 2}
workload: {kind: collective}
engine: packet
packet:
  mtu: 1 KiB
  island_mtu: 512 B
  hpcc: {base_rtt: 10 us}
  nscc: {target: 6 us}
  trim_after: 12 us
  cut_through: false
  flow_control: pfc
  island_flow_control: lossless
  buffer: 32 MiB
  nic_buffer: 2 MiB
  alpha: 0.25
  headroom: 1.5
  xon_offset: 4 KiB
  credit_buffer: 64 KiB
  credit_delay: 100 ns
  pfc_watchdog: 200 ms
  series: true
  sequence: [node0.gpu0, node1.gpu0]
  congestion_control: dcqcn
  preset: dcqcn-connectx
  ecn: {k_min: 100, k_max: 400, p_max: 0.5}
  recovery: selective-repeat
  retransmit_timeout: 1 ms
  lanes:
    count: 4
    of_level: [0, 1, 3]
    weights: [64, 32]
    high: [3]
    levels: [{from: node0, to: node1, level: 2}]
  pcie:
    max_payload: 256 B
    completion_payload: 64 B
    posted_data: 4 KiB
    completion_data: 8 KiB
    posted_headers: 8
    request_headers: 16
    completion_headers: 32
  routing: spray
  paths: 8
  qps: 4
  flowlet_gap: 10 us
)";

// The keys of a recorded trace.
constexpr const char* full_trace = R"(name: full
cluster: {node: dgx-h100, nodes: 2}
workload: {kind: trace, file: /runs/trace.*.et, format: chakra, recorded_on: a100-sxm4-80, ranks: 16, size: 4 MiB}
)";

// The keys of a transfer.
constexpr const char* full_transfer = R"(name: full
cluster: {node: dgx-h100, nodes: 2}
workload:
  kind: transfer
  from: node0.gpu0
  to: node1.memory0
  sizes: [8 B]
  transport: kernel-tcp
  messaging: sockets
  direction: both-ways
  operation: read
  window: 8
  concurrent: [node0.gpu1 -> node0.memory0]
  host: {acs: true, iommu: true, ats: true, virtualised: true, p2p_clique: true, relaxed_ordering: false,
         peer_memory: false, rdma: false, pinned: false, huge_pages: true, registration_cache: false, offloads: false,
         locked_memory: 8 MiB, mtu: 9000 B, mss: 1460 B, interrupt_delay: 8 us, qps: 4, cores: 2, numa: far,
         nic: far}
)";

// The keys of a training workload.
constexpr const char* full_training = R"(name: full
cluster: {node: dgx-h100, nodes: 2}
workload:
  kind: training
  model: mine
  dimensions: {layers: 4, hidden: 1024, heads: 8, kv_heads: 4, head_size: 128, ffn: 4096, gated: true, vocabulary: 32000,
               experts: 8, experts_per_token: 2, expert_ffn: 2048}
  sequence_length: 4096
  global_batch: 64
  micro_batch: 2
  parallelism: {tensor: 2, sequence: false, context: 2, expert: 2, expert_tensor: 1, pipeline: 2, chunks: 2, data: 2, shard: 2}
  order: gpipe
  sharding: hsdp
  bucket: 25 MB
  gradient_bytes: 2
  overlap: {gradients: false, parameters: false, tensor: true}
  offload: {optimizer: true, activations: 0.5}
  deferred_embedding: true
  deferred_embedding_limit: 22
  recompute: full
  precision: fp8
  attention: flash-2
  optimizer: sgd
  next_tokens: 1
  adapters: 16
  document: 512
  imbalance: 1.1
  narrow_dispatch: true
  framework: jax
  compiled: false
  check_memory: false
scaling: {gpus: [8, 16], mode: strong}
goodput: {checkpoint: 30 s, restart: 5 min, every: 1 h}
)";

// What `sweep` and `study` read, and what a bill of materials counts.
constexpr const char* full_study = R"(name: full
cluster:
  node: dgx-h100
  nodes: 128
  fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2, scalable_unit: 32, spines: 16, planes: 4, management_ports: 4}
  hosts: n[001-128]
  place: n[001-064]
workload: {kind: collective}
designs:
  - {name: rails, set: {cluster.fabric.oversubscription: 2}}
  - {name: mixed, set: {cluster.node: null, cluster.nodes: [{node: dgx-h100, count: 3}, {node: dgx-a100, count: 1}]}}
prices: {quantum-2: 36000 USD}
sweep: {grid: {cluster.nodes: [8, 16]}}
)";

// Without a workload of its own.
constexpr const char* full_jobs = R"(name: full
cluster: {node: dgx-h100, nodes: 8}
jobs:
  - {name: a, nodes: "node[0-3]", workload: {kind: collective, sizes: [1 GiB]}}
  - {name: b, nodes: "node[4-7]", workload: {kind: training, model: llama-3-8b, global_batch: 32}}
)";

// The other two ways to write a sweep.
constexpr const char* full_list = R"(name: full
cluster: {node: dgx-h100}
workload: {kind: collective}
sweep: {list: [{cluster.nodes: 8}, {cluster.nodes: 32, seed: 2}]}
)";
constexpr const char* full_random = R"(name: full
cluster: {node: dgx-h100}
workload: {kind: collective}
sweep: {random: {points: 10, seed: 3, ranges: {cluster.nodes: {from: 8, to: 64, scale: log}}}}
)";
// Nodes of several kinds, one by its parts.
constexpr const char* full_kinds = R"(name: full
cluster:
  nodes:
    - {node: dgx-h100, count: 2}
    - {node: {name: own, gpus: {part: h100-sxm, count: 8, joined: nvswitch}, cpus: {part: epyc-turin, count: 2}}, count: 1}
workload: {kind: collective}
)";

}  // namespace

TEST_CASE("the resolved scenario reads back as itself") {
    for (const char* text :
         {full, full_study, full_list, full_random, full_packet, full_trace, full_training, full_transfer, full_jobs,
          "name: s\ncluster: {node: dgx-h100}\nworkload: {kind: collective}\n", full_kinds}) {
        const Json once = to_json(parse_scenario(text, "t.yaml"));
        const Json twice = to_json(parse_scenario(once.dump(2), "t.yaml"));
        CHECK(once.dump(2) == twice.dump(2));
    }
}

TEST_CASE("every key of the table can be written, and is written back") {
    const Json written = to_json(parse_scenario(full, "t.yaml"));
    const Json trace = to_json(parse_scenario(full_trace, "t.yaml"));
    const Json transfer = to_json(parse_scenario(full_transfer, "t.yaml"));
    const Json training = to_json(parse_scenario(full_training, "t.yaml"));
    const Json packet = to_json(parse_scenario(full_packet, "t.yaml"));
    const Json study = to_json(parse_scenario(full_study, "t.yaml"));
    const Json list = to_json(parse_scenario(full_list, "t.yaml"));
    const Json jobs = to_json(parse_scenario(full_jobs, "t.yaml"));
    const Json random = to_json(parse_scenario(full_random, "t.yaml"));
    const std::set<std::string> of_study = {"cluster.fabric.scalable_unit",
                                            "cluster.fabric.spines",
                                            "cluster.fabric.planes",
                                            "cluster.fabric.management_ports",
                                            "cluster.hosts",
                                            "cluster.place",
                                            "prices",
                                            "designs",
                                            "sweep",
                                            "sweep.grid"};
    for (const Key& key : scenario_keys()) {
        if (key.path == "include" || key.path == "scaling.gpus" || key.path.starts_with("cluster.graph.") ||
            key.path.starts_with("events.") || key.path.starts_with("designs.") ||
            key.path.starts_with("packet.lanes.levels.") || key.path.starts_with("jobs.")) {
            continue;
        }
        std::string pointer = "/" + key.path;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        INFO(key.path);
        const Json& resolved = key.of_kind == "trace"                 ? trace
                               : key.of_kind == "transfer"            ? transfer
                               : key.of_kind == "training"            ? training
                               : key.path.starts_with("packet")       ? packet
                               : key.path == "sweep.list"             ? list
                               : key.path == "jobs"                   ? jobs
                               : key.path.starts_with("sweep.random") ? random
                               : of_study.contains(key.path)          ? study
                                                                      : written;
        CHECK(resolved.contains(Json::json_pointer(pointer)));
    }
    CHECK(study.at("designs")[0].at("set").at("cluster.fabric.oversubscription") == "2");
    CHECK(written.at("cluster").at("graph").at("cables")[0].at("count") == 2);
}

TEST_CASE("keys are documented once, each with a sentence") {
    std::set<std::string> paths;
    for (const Key& key : scenario_keys()) {
        INFO(key.path);
        CHECK(paths.insert(key.path).second);
        CHECK((key.meaning.ends_with(".") && key.meaning.size() > 4));
        const std::size_t dot = key.path.rfind('.');
        CHECK((dot == std::string::npos || paths.contains(key.path.substr(0, dot))));
    }
}

TEST_CASE("the schema accepts what the parser accepts") {
    const Json schema = scenario_json_schema();
    CHECK(test::violation(test::to_json(yaml::parse(full, "t.yaml")), schema) == "");
    CHECK(test::violation(to_json(parse_scenario(full, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_study, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_packet, "t.yaml")), schema) == "");
    CHECK(test::violation(to_json(parse_scenario(full_packet, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_trace, "t.yaml")), schema) == "");
    CHECK(test::violation(to_json(parse_scenario(full_trace, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_training, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_transfer, "t.yaml")), schema) == "");
    CHECK(test::violation(to_json(parse_scenario(full_training, "t.yaml")), schema) == "");
    CHECK(test::violation(test::to_json(yaml::parse(full_jobs, "t.yaml")), schema) == "");
    for (const auto& entry : std::filesystem::directory_iterator(root / "scenarios")) {
        if (!entry.is_regular_file()) {
            continue;  // recordings that scenarios name
        }
        INFO(entry.path());
        CHECK(test::violation(test::to_json(yaml::read(entry.path())), schema) == "");
    }
}

TEST_CASE("every scenario of the repository parses") {
    for (const auto& entry : std::filesystem::directory_iterator(root / "scenarios")) {
        if (!entry.is_regular_file()) {
            continue;  // recordings that scenarios name
        }
        INFO(entry.path());
        CHECK_NOTHROW(read_scenario(entry.path()));
    }
}

TEST_CASE("the schema refuses what the parser refuses") {
    const Json schema = scenario_json_schema();
    for (const char* bad :
         {"name: a\ncluster: {node: b, nodse: 2}\nworkload: {kind: collective}\n",
          "name: a\ncluster: {node: b, nodes: 0}\nworkload: {kind: collective}\n", "name: a\ncluster: {node: b}\n",
          "name: a\ncluster: {node: b}\nworkload: {kind: collectve}\n",
          "name: a\ncluster: {node: b}\nworkload: {kind: collective, sizes: [1024]}\n",
          "name: a\ncluster: {node: b}\nworkload: {kind: collective, in_place: maybe}\n",
          "name: a\ncluster: {node: b}\nworkload: {kind: collective}\nscaling: {nodes: []}\n"}) {
        INFO(bad);
        CHECK(test::violation(test::to_json(yaml::parse(bad, "t.yaml")), schema) != "");
        CHECK_THROWS_AS(parse_scenario(bad, "t.yaml"), InputError);
    }
}

TEST_CASE("the generated pages in docs are those of this table") {
    CHECK(read_text(root / "docs/scenario.md", 1 << 20) == scenario_page());
    CHECK(read_text(root / "docs/schema/scenario.json", 1 << 20) == scenario_json_schema().dump(2) + "\n");
    CHECK(read_text(root / "docs/schema/result.json", 1 << 20) == result_json_schema().dump(2) + "\n");
}
