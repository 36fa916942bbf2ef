#pragma once
// Between the choice of an algorithm and its operations: one call with everything its lowering reads, and the result of
// a lowering. Each source of kinds/ makes the operations of one family of algorithms.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/collectives/nccl/chunking.hpp"
#include "sim/plan/collectives/nccl/search.hpp"
#include "sim/plan/collectives/path_rules.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives {

struct Call {
    const CollectiveWorkload& workload;
    const Fabric& fabric;
    const nccl::Release& release;
    const nccl::Environment& environment;
    const nccl::TopologySearchResult& found;
    const PathRules& rules;
    nccl::Shape shape;
    double bytes = 0;
    bool gpu_direct = true;
    const nccl::AlgorithmModel* algorithm = nullptr;  // null: NCCL chooses none
    nccl::Proto proto = nccl::Proto::simple;
    FigureReader& ledger;
    bool registered = false;  // the buffers, so that NICs and switches reach them

    bool several_nodes() const { return shape.nodes > 1; }
    std::uint32_t per_node() const { return shape.ranks / shape.nodes; }
};

// Adds one iteration's operations, which depend on `after`, and returns those that end it.
using Body = std::function<std::vector<OpId>(Schedule&, std::span<const Schedule::Dependency>)>;

struct LoweredCall {
    Body body{};
    int channels = 0;
    bool streams = false;  // the root waits for nobody: the next iteration may start at the release
    Evidence at_best = Evidence::measured_here;  // upper bound, whatever the constants' evidence
    // How often a channel's edges cross the narrowest link of a hop in a node, and between nodes; 0: spread over rails.
    double inside_crossings = 1, network_crossings = 0;
    std::optional<nccl::Proto> proto = {};  // where it is not that of NCCL's choice of an algorithm
    int under_way = 1;                      // calls back to back that share the latencies, where the root waits
};

// What the kernel of one protocol costs (figures PROTO.start, .hop, .channel_rate, .wire, .fill).
struct ProtocolCost {
    Duration start{}, hop{};
    Duration chunk{};  // of each chunk that a block passes on, beside the time of its bytes
    double channel_rate = 0, wire = 1, fill = 0;
};
ProtocolCost protocol_cost(FigureReader& ledger, nccl::Proto proto);

// A step or hop beside its path. Simple's grows with the chunk until it fills a pass of the block: rings of V100 take
// 1.9 us below 2 KiB and 5.2 from 16 KiB on, trees of A100 (EFA) and H100 (TCPXO) 6.5 and 8.5 (collectives.md).
Duration hop_of(nccl::Proto proto, Duration hop, double chunk);

// Time to start a kernel on `channels` channels with chunks of `chunk` bytes.
Duration kernel_start(FigureReader& ledger, nccl::Proto proto, const ProtocolCost& cost, int channels, double chunk);

// Pieces of a chunk that travel on their own: two slices of Simple, what a warp has of LL, the passes of LL128.
int slices(nccl::Proto proto, double chunk, double warps = 20);

// Bytes on the wire of a message that carries `chunk` payload bytes.
double message_bytes(nccl::Proto proto, double chunk);

// One way over the network for a message with `chunk` payload bytes: the proxy posts it, with those that lie before it;
// the transport's hop, with a rendezvous for a long message where the transport has one; what NCCL's kernels add to it.
enum class NetworkHop : std::uint8_t { ring, tree };
Duration network_hop(const Call& call, NetworkHop kind, nccl::Proto proto, double chunk, double before = 0);
double network_wire(FigureReader& ledger, nccl::Proto proto);

// The time by which a chunk's last slice is behind its first, at the channel's pace or at a slower one, in payload
// bytes per second.
Duration rest_of_chunk(const Pipeline& pipeline, double pace = std::numeric_limits<double>::infinity());

// A proxy posts a step of LL or LL128 once its last line is written (src/transport/net.cc, sendProxyProgress): between
// nodes the block first writes the whole chunk, which inside a node follows slice by slice, and then the adapter moves
// it, at `pace`. Beside a slice's time at the slower of the two.
Duration rest_of_message(nccl::Proto proto, const Pipeline& pipeline, double pace);

// At least 1.
double channels_of_adapter(const Call& call, int channels);

// Payload bytes per second that a channel has of the adapter it shares with others, all of whose messages go at once.
double network_pace(const Call& call, const PathQuery& hop, const Pipeline& pipeline, int channels);

// For each searched ring, how many of the execution channels [0, channels) run on it.
std::vector<int> channels_of_ring(const nccl::TopologySearchResult& found, int channels);

// The most ends of channels that one rank has towards other nodes: its proxy thread serves them all, one message after
// another (NCCL, src/proxy.cc, ncclProxyProgress). Channels leave a node at the first rank of their ring's order, and
// with `rings` come in by the first and leave by the last.
int busiest_proxy(const nccl::TopologySearchResult& found, int channels, bool rings);

// Whether NCCL itself posts to the adapter (InfiniBand, RoCE), not a network plugin.
bool posted_by_nccl(const Call& call);

// How long such a thread takes for this many messages of `chunk` payload bytes. It reads the flags of every line of an
// LL message before it posts it (src/transport/net.cc, sendProxyProgress).
Duration posting(const Call& call, double chunk, double messages);

// The pace of posting for a stream of chunks: it holds each chunk but the first, whose messages are part of its hops.
Duration posting_pace(const Pipeline& pipeline, Duration of_chunk);

// A GPU of the node that sets the pace, the first where all are alike.
DeviceId gpu_at_pace(const Call& call, std::uint32_t local);
// A hop inside that node between two GPUs, a representative one, and one from its GPU `from` to the next node on this
// ring's rail.
PathQuery local_hop(const Call& call, std::uint32_t from, std::uint32_t to);
PathQuery local_hop(const Call& call, const nccl::Ring& ring);
PathQuery rail_hop(const Call& call, const nccl::Ring& ring, std::uint16_t from);

// A Simple stream of `bytes` per edge and channel; the network limits its rate.
Pipeline network_stream(const Call& call, double bytes, double chunk, int channels);

// The call as one pipeline over these edges, to whose paths the call's rules apply, with the stages that have hops.
LoweredCall streamed(const Call& call, Schedule& schedule, Pipeline pipeline, EdgeSet edges,
                     const std::vector<Stage>& stages, int channels, Evidence at_best = Evidence::measured_here);

}  // namespace fabricast::inline collectives
