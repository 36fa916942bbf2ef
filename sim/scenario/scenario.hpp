#pragma once
// A scenario as the user wrote it, checked and in SI units: the input of the main job. Every default stands here, as a
// member initialiser, and nowhere else. `parse.hpp` reads it from YAML, `build.hpp` makes a Cluster of it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/input_error.hpp"
#include "base/units.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/library.hpp"
#include "sim/plan/traces/trace_workload.hpp"
#include "sim/plan/training/training_workload.hpp"
#include "sim/plan/transfers/transfer_workload.hpp"
#include "sim/scenario/sweep_spec.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// What the cluster runs: a closed set, picked by `workload.kind`. A kind is an alternative here, its keys in
// scenario_keys() and its run_*.cpp.
using Workload = std::variant<CollectiveWorkload, TrainingWorkload, TraceWorkload, TransferWorkload>;

// "collective": the words of `workload.kind`, in the order of the variant.
const std::vector<std::string>& workload_kinds();
// The kind of this workload as that word.
const std::string& kind_of(const Workload& workload);

// Step of the scaling table: what a training step of `compute` and one all-reduce of `bytes` keeps of its efficiency.
struct ScalingStep {
    Duration compute;
    Bytes bytes;
    double overlap = 0;  // share of communication hidden behind compute, 0..1
};

// With more GPUs a training step does as much a GPU (weak) or as much in all (strong).
enum class ScalingMode : std::uint8_t { weak, strong };
std::string_view to_string(ScalingMode);

struct ScalingSpec {
    std::vector<std::uint32_t> nodes;  // node counts, ascending
    std::vector<std::uint32_t> gpus;   // or GPU counts, whole nodes each
    std::optional<ScalingStep> step;
    ScalingMode mode = ScalingMode::weak;  // of a training workload
};

// The cluster as named in the scenario; `build` resolves names in the catalogue.
struct ClusterRequest {
    std::string node;  // catalogue name of a node template
    std::uint32_t nodes = 1;
    std::uint32_t gpus_per_node = 0;  // use only the first so many GPUs of each node; 0: all
    std::string fabric_kind;          // empty: none for one node, else rail-optimized
    std::string link;                 // catalogue link of the fabric; empty: the node's own NIC port
    std::string trunk;                // catalogue link between switches; empty: `link`
    std::string switch_part;
    int radix = 0;  // ports of a switch at the link's rate; 0: the switch part's
    double oversubscription = 1;
    int tiers = 0;                       // 0: as many as the size needs
    std::uint32_t scalable_unit = 0;     // nodes on one set of leaves; 0: as many as have ports
    std::uint32_t spines = 0;            // 0: the fewest that share the cables evenly
    std::uint32_t management_ports = 0;  // more cables to leaves, for the bill of materials
    std::string routing;                 // "adaptive", "ecmp"; empty: adaptive on InfiniBand, ecmp elsewhere
    std::vector<int> shape;
    Duration cable_latency{};                         // 0: the catalogue's
    std::optional<ExplicitGraph> graph;               // a cable's link is a catalogue name where its rate is zero
    std::map<std::string, std::string> node_options;  // e.g. peer_to_peer: false
};

// From `at` on, counted from the start of each size's replay, what is named keeps `share` of its capacity. Exactly one
// of `link`, `cable` and `device`.
struct LinkChange {
    Time at;
    std::string link;                // one direction: "leaf0 -> node0.nic0", as reports and `topo` name it
    std::vector<std::string> cable;  // both directions of one cable between two devices; one of a bundle
    std::string device;              // all cables of a switch or an adapter; a GPU's kernels
    double share = 0;
    std::string becomes;      // instead of a share: trained down to this catalogue link
    Duration until{};         // whole again then; 0: never
    Duration every{};         // flapping: again after so long,
    std::uint32_t times = 1;  // so many times in all
    SourceLocation place;     // where it was written; without a file: asked for by a command
};

// One of several designs over one workload: what differs from the scenario around it, as --set would say it.
struct DesignSpec {
    std::string name;
    std::map<std::string, std::string> set;  // "cluster.fabric.oversubscription": "2"
};

struct Scenario {
    std::string name;
    std::string file;  // where it was read from
    ClusterRequest cluster;
    Workload workload;
    LibrarySpec library;
    LaunchSpec launch;
    std::optional<ScalingSpec> scaling;
    std::vector<LinkChange> events;
    std::vector<std::string> calibration;  // overlay files, merged before build
    std::vector<std::string> asserts;      // "busbw(1 GiB) > 300 GB/s": exit 5 when one fails
    Engine engine = Flow{};
    Packet packet;    // of engine packet; see packet_options.hpp
    SweepSpec sweep;  // of `fabricast sweep`; other commands leave it aside
    std::uint64_t seed = 1;
    std::vector<DesignSpec> designs;            // `study` holds them side by side; a run is of the scenario itself
    std::map<std::string, std::string> prices;  // "quantum-2": "42000 USD"; "PART/FIGURE" for what is no price
    // Where each key was written, by its dotted path ("cluster.fabric.kind"): for what is found wrong after parsing.
    std::map<std::string, SourceLocation, std::less<>> places;
};

// Of a scenario whose workload is a collective.
inline const CollectiveWorkload& collective_of(const Scenario& scenario) {
    return std::get<CollectiveWorkload>(scenario.workload);
}
inline CollectiveWorkload& collective_of(Scenario& scenario) { return std::get<CollectiveWorkload>(scenario.workload); }

// The message sizes of a kind that has a row a size; else nullptr.
std::vector<Bytes>* sizes_of(Workload& workload);
const std::vector<Bytes>* sizes_of(const Workload& workload);

// Where `key` was written, else the nearest key around it, else the file's first line.
SourceLocation place_of(const Scenario& scenario, std::string_view key);

}  // namespace fabricast
