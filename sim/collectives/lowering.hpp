#pragma once
// Between the choice of an algorithm and its operations: one call with everything its lowering reads, and what a
// lowering leaves behind. Each plan_*.cpp lowers one family; plan.cpp launches it a few times.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/collectives/costs.hpp"
#include "sim/collectives/nccl/chunking.hpp"
#include "sim/collectives/nccl/search.hpp"
#include "sim/collectives/plan.hpp"
#include "sim/schedule.hpp"

namespace fabricast {

// How NCCL's settings have connections go: GPUs of a node through the host where they may not map each other, no
// forwarding over NVLink to a far NIC without PXN.
struct PathRules {
    Fabric fabric;
    nccl::Locality places;
    std::optional<nccl::PeerLevel> peers;
    bool pxn = true;

    void apply(PathQuery& query) const;
};

struct Call {
    const CollectiveWorkload& workload;
    const Fabric& fabric;
    const nccl::Release& release;
    const nccl::Environment& environment;
    const nccl::Found& found;
    const PathRules& rules;
    nccl::Shape shape;
    double bytes = 0;
    bool gpu_direct = true;
    nccl::Algo algo = nccl::Algo::ring;
    nccl::Proto proto = nccl::Proto::simple;
    Ledger& ledger;

    bool several_nodes() const { return shape.nodes > 1; }
    std::uint32_t per_node() const { return shape.ranks / shape.nodes; }
};

// Adds one iteration's operations behind `after` and returns those that end it.
using Body = std::function<std::vector<OpId>(Schedule&, std::span<const Schedule::Dependency>)>;

struct Lowering {
    Body body;
    int channels = 0;
    bool streams = false;  // nothing makes the root wait: the next iteration may start at the release
    Evidence at_best = Evidence::measured_here;  // no better than this, whatever the constants
    // Edges of one channel over the narrowest link of a hop inside a node, and of one between nodes; 0: the channels
    // take turns on the rails.
    double inside_crossings = 1, network_crossings = 0;
};

// Lowers the call's algorithm.
Lowering lower(const Call& call, Schedule& schedule);

// What the call's time rests on: the weakest word of the figures that matter to it, at best the lowering's. `schedule`
// is the call as lowered and launched.
Trust rests_on(const Call& call, const LaunchSpec& spec, const Lowering& lowering, const Schedule& schedule);

// Adds the plan's iterations, launched as the spec says, and keeps the end of each.
void launch_iterations(const Call& call, const LaunchSpec& spec, const Lowering& lowering, Plan& plan);

// What one protocol's kernel costs (figures PROTO.start, .hop, .channel_rate, .wire, .fill).
struct ProtocolCost {
    Duration start, hop;
    double channel_rate = 0, wire = 1, fill = 0;
};
ProtocolCost protocol_cost(Ledger& ledger, nccl::Proto proto);
std::string_view figure_prefix(nccl::Proto proto);  // "ll", "ll128", "simple"

// Start of a kernel on `channels` channels with chunks of `chunk` bytes.
Duration kernel_start(Ledger& ledger, nccl::Proto proto, const ProtocolCost& cost, int channels, double chunk);

// Pieces of a chunk that travel on their own: two slices of Simple; LL and LL128 forward each pass of the block.
int slices(nccl::Proto proto, double chunk);

// One way over the network, by protocol: the transport's hop and what NCCL's kernels add to it.
enum class NetworkHop : std::uint8_t { ring, tree, nvls_tree };
Duration network_hop(Ledger& ledger, NetworkHop kind, nccl::Proto proto);
double network_wire(Ledger& ledger, nccl::Proto proto);
double network_slots(Ledger& ledger);

// Execution channels [0, channels) counted by the searched ring that they run on.
std::vector<int> channels_of_ring(const nccl::Found& found, int channels);

// A representative hop inside the first node, one from the first node to the second on this ring's rail, and one of the
// ring itself, which may leave by another NIC.
PathQuery local_hop(const Call& call, const nccl::Ring& ring);
PathQuery rail_hop(const Call& call, const nccl::Ring& ring);
PathQuery ring_hop(const Call& call, const nccl::Ring& ring);

// A body that adds this pipeline.
Body pipeline_body(const Pipeline& pipeline);

// Adds edges, their paths by the call's rules.
std::uint32_t add_edges(const Call& call, Schedule& schedule, EdgeSet edges);
void set_stages(Schedule& schedule, Pipeline& pipeline, std::span<const Stage> stages);

Lowering plan_ring(const Call& call, Schedule& schedule);
Lowering plan_tree(const Call& call, Schedule& schedule);
Lowering plan_nvls(const Call& call, Schedule& schedule);
Lowering plan_p2p(const Call& call, Schedule& schedule);
Lowering plan_pat(const Call& call, Schedule& schedule);
Lowering plan_collnet(const Call& call, Schedule& schedule);

// Algorithms that NCCL does not have, message by message: recursive doubling, pairwise, hierarchical. Throws PlanError
// where the collective has no such form or the messages would be too many.
Lowering plan_steps(const Call& call, Schedule& schedule);

}  // namespace fabricast
