#pragma once
// A scenario as the user wrote it, checked and in SI units: the input of simulate(). Every default is a member
// initialiser here and nowhere else. `parse.hpp` reads a scenario from YAML, `build.hpp` makes a Cluster of it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "base/yaml_node.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/training/goodput.hpp"
#include "sim/plan/workload.hpp"
#include "sim/scenario/sweep_spec.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// The words of `workload.kind`, such as "collective", in the order of the variant.
const std::vector<std::string>& workload_kinds();
// A workload of that kind, by its index, with its defaults.
Workload workload_of_kind(std::size_t kind);
// The word for the kind of this workload.
const std::string& kind_of(const Workload& workload);

// The scaling table's training step: `compute`, and a collective of `bytes` whose exposed part reduces efficiency.
struct ScalingStep {
    Duration compute;
    Bytes bytes;
    double overlap = 0;  // share of communication hidden behind compute, 0..1
};

// On more GPUs, a training step keeps the work per GPU (weak scaling) or the total work (strong scaling).
enum class ScalingMode : std::uint8_t { weak, strong };
std::string_view to_string(ScalingMode);

struct ScalingSpec {
    std::vector<std::uint32_t> nodes;  // node counts, ascending
    std::vector<std::uint32_t> gpus;   // or GPU counts: within one node, or of whole nodes
    std::optional<ScalingStep> step;
    ScalingMode mode = ScalingMode::weak;  // for a training workload
};

// A node as the scenario names it.
struct NodeRequest {
    std::string node;                      // catalogue name of a node template, or what the node below is called
    std::optional<yaml::Node> node_parts;  // the node as a map of its parts (topologies/node_parts.hpp)
};

// So many nodes of one kind, in a cluster of several.
struct NodesRequest : NodeRequest {
    std::uint32_t count = 1;
    SourceLocation place;
};

// The cluster as the scenario names it; `build` resolves the names in the catalogue.
struct ClusterRequest : NodeRequest {
    std::uint32_t nodes = 1;          // in all
    std::vector<NodesRequest> kinds;  // in the order of nodes; empty: all are `node`
    std::uint32_t gpus_per_node = 0;  // how many GPUs of each node to use, the first ones; 0: all
    std::string fabric_kind;          // empty: none for one node, else rail-optimized
    std::string link;                 // catalogue link of the fabric; empty: the node's own NIC port
    std::string trunk;                // catalogue link between switches; empty: `link`
    std::string switch_part;
    int radix = 0;  // ports of a switch at the link's rate; 0: the switch part's
    double oversubscription = 1;
    int tiers = 0;                       // 0: as many as the size needs
    std::uint32_t scalable_unit = 0;     // nodes on one set of leaves; 0: as many as the leaves have ports for
    std::uint32_t spines = 0;            // 0: the fewest that share the cables evenly
    std::uint32_t planes = 0;            // of dual-plane; 0: two
    std::uint32_t management_ports = 0;  // additional cables to leaves, for the bill of materials
    std::string routing;                 // "adaptive", "ecmp"; empty: adaptive on InfiniBand, ecmp elsewhere
    std::vector<int> shape;
    Duration cable_latency{};                         // 0: the catalogue's
    std::optional<ExplicitGraph> graph;               // a cable whose rate is zero has a link from the catalogue
    std::map<std::string, std::string> node_options;  // e.g. peer_to_peer: false
    std::string hosts;  // a list of the nodes' names, in their order: "rack1-[01-18],rack2-[01-18]"
    std::string place;  // a list of the nodes with ranks, in the order of ranks; empty: all
};

// From `at` on, counted from the start of each size's replay, a link, cable or device keeps `share` of its capacity.
// Exactly one of `link`, `cable` and `device` is set.
struct LinkChange {
    Time at;
    std::string link;                // one direction: "leaf0 -> node0.nic0", as reports and `topo` name it
    std::vector<std::string> cable;  // two devices: both directions of one cable between them; a bundle loses one cable
    std::string device;              // all cables of a switch or an adapter; the kernels of a GPU
    double share = 0;
    std::string becomes;      // instead of `share`: the catalogue link that the cable is trained down to
    Duration until{};         // end of the change; 0: never
    Duration every{};         // flapping: period of the repetitions; 0: no repetition
    std::uint32_t times = 1;  // total number of times
    SourceLocation place;     // where it was written; without a file, a command made it
};

// One of several designs for one workload: what differs from the scenario that lists it, as --set would state it.
struct DesignSpec {
    std::string name;
    std::map<std::string, std::string> set;  // "cluster.fabric.oversubscription": "2"
};

// One of several jobs that share the cluster (run/jobs): what it runs, on which nodes.
struct JobSpec {
    std::string name;
    std::string nodes;                     // as ClusterRequest::place
    std::optional<yaml::Node> workload{};  // none: the scenario's own
    SourceLocation place;
};

struct Scenario {
    std::string name;
    std::string file;  // where it was read from
    ClusterRequest cluster;
    Workload workload;
    LibrarySpec library;
    LaunchSpec launch;
    std::optional<ScalingSpec> scaling;
    std::optional<GoodputSpec> goodput;  // of a training step
    std::vector<LinkChange> events;
    std::vector<JobSpec> jobs;
    std::vector<std::string> calibration;  // overlay files, merged before build
    std::vector<std::string> asserts;      // "busbw(1 GiB) > 300 GB/s": exit 5 when one fails
    Engine engine = Flow{};
    Packet packet;    // for engine packet; see packet_options.hpp
    SweepSpec sweep;  // for `fabricast sweep`; other commands ignore it
    std::uint64_t seed = 1;
    std::vector<DesignSpec> designs;            // compared by `study`; other commands run the scenario itself
    std::map<std::string, std::string> prices;  // "quantum-2": "42000 USD"; other figures as "PART/FIGURE"
    std::vector<std::string> notes;             // about how it is written, for the report
    // Where each key was written, by its dotted path ("cluster.fabric.kind"), for errors that are found after parsing.
    std::map<std::string, SourceLocation, std::less<>> places;
};

// Precondition: the workload is a collective.
inline const CollectiveWorkload& collective_of(const Scenario& scenario) {
    return std::get<CollectiveWorkload>(scenario.workload);
}
inline CollectiveWorkload& collective_of(Scenario& scenario) { return std::get<CollectiveWorkload>(scenario.workload); }

// The message sizes, for kinds of workload with a row for each size; else nullptr.
std::vector<Bytes>* sizes_of(Workload& workload);
const std::vector<Bytes>* sizes_of(const Workload& workload);

// The two ends of a key's path: "cluster.fabric" and "kind" of "cluster.fabric.kind".
inline std::string_view parent_of(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return path.substr(0, dot == std::string_view::npos ? 0 : dot);
}
inline std::string_view leaf_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// Where `key` was written, else the nearest enclosing key, else the file's first line.
SourceLocation place_of(const Scenario& scenario, std::string_view key);

}  // namespace fabricast::inline scenario
