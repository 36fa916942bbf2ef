// Sends and receives: all-to-all(v), the shift of nccl-tests' sendrecv, gather and scatter.

#include "sim/plan/collectives/kinds/p2p.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "sim/plan/collectives/plan_call.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline collectives {

EdgeSet star_edges(const Call& call, bool inward, bool pxn, std::uint32_t connections) {
    const auto visit_all = [fabric = call.fabric, root = call.workload.root, inward, pxn, connections,
                            gpu_direct = call.gpu_direct](const auto& visit) {
        const Trays trays(fabric.node());
        for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
            if (rank == root) { continue; }
            Edge edge{.path = {.src = fabric.gpu(inward ? rank : root),
                               .dst = fabric.gpu(inward ? root : rank),
                               .flow_label = rank,
                               .gpu_direct = gpu_direct},
                      .connections = connections};
            if (pxn && fabric.node_of(edge.path.src) != fabric.node_of(edge.path.dst)) {
                edge.path.dst_nic = fabric.nearest_nic(edge.path.dst);
                edge.path.src_nic = trays.on_rail_of(fabric.nearest_nic(edge.path.src), edge.path.dst_nic);
            }
            visit(edge);
        }
    };
    return GeneratedEdges{call.shape.ranks - 1, visit_all};
}

namespace {

struct Pattern {
    EdgeSet edges;
    std::uint32_t peers = 1;
};

// nccl-tests' size is a rank's whole buffer, which a shift sends to one rank and the others share out.
double message_of(const Call& call) {
    return call.workload.collective == Collective::sendrecv ? call.bytes : call.bytes / call.shape.ranks;
}

// Each channel of a pair between nodes has a connection of its own, and with it a queue pair (src/transport/net.cc,
// sendProxyConnect: one of each channel to a remote rank).
Pattern pattern(const Call& call, int channels) {
    const std::uint32_t ranks = call.shape.ranks;
    const auto connections = static_cast<std::uint32_t>(channels);
    const bool pxn = call.environment.pxn && call.found.nvlink && call.several_nodes();
    const Collective collective = call.workload.collective;
    if (collective == Collective::sendrecv) {
        NodeRing shift;
        shift.nodes = call.shape.nodes;
        shift.order.resize(call.per_node());
        std::iota(shift.order.begin(), shift.order.end(), std::uint16_t{0});
        shift.gpu_direct = call.gpu_direct;
        shift.connections = connections;
        if (pxn) {
            shift.entry_nic = call.fabric.nearest_nic(shift.order.front());
            shift.exit_nic =
                Trays(call.fabric.node()).on_rail_of(call.fabric.nearest_nic(shift.order.back()), shift.entry_nic);
        }
        return {shift, 1};
    }
    if (collective == Collective::gather || collective == Collective::scatter) {
        return {star_edges(call, collective == Collective::gather, pxn, connections), ranks - 1};
    }
    const AllPairs pairs{
        .first = 0, .ranks = ranks, .pxn = pxn, .gpu_direct = call.gpu_direct, .connections = connections};
    return {pairs, ranks - 1};
}

// Messages of a proxy thread for each chunk to a peer on another node: the one that it sends and the one that it
// receives. At the root, and where a shift leaves a node by one GPU and enters by another, it is one of the two. NCCL's
// own code writes a clear-to-send for what it receives; a plugin hands its provider a buffer, which costs it about a
// third of a send: on Polaris a peer takes 10 us of an all-to-all, of which 2 are its operation (`p2p_per_peer`), a
// message of a ring 6.7 to 8.
double messages_of_peer(const Call& call, const EdgeSet& edges) {
    const bool both =
        std::holds_alternative<AllPairs>(edges) || (std::holds_alternative<NodeRing>(edges) && call.per_node() == 1);
    if (!both) { return 1; }
    return posted_by_nccl(call) ? 2 : 1.3;
}

// How long a proxy thread takes for a chunk to one peer on another node: a message of each channel, each way.
double posting_one(const Call& call, const Pattern& p, int channels) {
    FigureReader& ledger = call.ledger;
    // The size in bytes below which the transport's messages cost more; 0: there is none.
    const std::string small_below = ledger.parts().transport->word_or("small_messages", "0");
    const double bytes = message_of(call);
    const bool small = bytes < std::strtod(small_below.c_str(), nullptr);
    return to_seconds(posting(call, bytes / channels, channels * messages_of_peer(call, p.edges))) *
           (small ? ledger.transport("small_message_factor") : 1);
}

// What a channel of the protocol costs, on any pattern.
void use_channel(FigureReader& ledger, nccl::Proto proto, Pipeline& pipeline) {
    const std::string prefix = nccl::figure_prefix(proto);
    pipeline.fill = ledger.kernel(prefix + ".fill");
    pipeline.wire_ratio = ledger.kernel(prefix + ".wire");
    pipeline.edge_rate_cap = ledger.kernel(prefix + ".channel_rate");
    pipeline.slices = slices(proto, pipeline.chunk);
}

// If a protocol was asked for, it costs as much as on a ring of one hop. NCCL's own messages have no choice of
// protocol; a kernel that is made of such steps (MSCCL's) has one.
void use_protocol(const Call& call, nccl::Proto proto, Pipeline& pipeline, Stage& stage) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, proto);
    use_channel(ledger, proto, pipeline);
    pipeline.start = kernel_start(ledger, proto, cost, static_cast<int>(pipeline.weight), pipeline.chunk);
    stage.overhead = cost.hop;
    if (call.several_nodes()) {
        pipeline.network_wire_ratio = network_wire(ledger, proto);
        stage.overhead = network_hop(call, NetworkHop::ring, proto, pipeline.chunk);
    }
}

// Inside a node a short message goes by LL, of which a channel moves as much as of a ring's.
void use_ll(const Call& call, Pipeline& pipeline) {
    pipeline.chunk =
        std::min(pipeline.bytes_per_edge, nccl::slot_payload(call.release, call.environment, nccl::Proto::ll));
    use_channel(call.ledger, nccl::Proto::ll, pipeline);
}

// Inside a node: a hop of the protocol, and of Simple a copy of what has come last out of the connection's buffer, with
// nothing more on the link.
void stay_inside(const Call& call, std::uint32_t peers, bool ll, Pipeline& pipeline, Stage& stage) {
    FigureReader& ledger = call.ledger;
    const nccl::Proto proto = ll ? nccl::Proto::ll : nccl::Proto::simple;
    const Duration hop = from_seconds(ledger.kernel(nccl::figure_prefix(proto) + ".hop"));
    stage.overhead = hop_of(proto, hop, pipeline.chunk);
    const double copied = ll || call.registered ? 0 : pipeline.chunk / ledger.kernel("copy_rate");
    // Sends start 1.3 us later than LL rings do on H100 and B200, and 2 to 3 us on L40S and A100.
    const double start = ledger.kernel("ll.start") + ledger.kernel("p2p.start");
    pipeline.start = from_seconds(start + ledger.kernel("p2p.per_peer") * peers + copied);
}

// Between nodes the proxies and the network set the pace.
void cross_nodes(const Call& call, const Pattern& p, int channels, Pipeline& pipeline) {
    FigureReader& ledger = call.ledger;
    const bool one_pair = call.workload.collective == Collective::sendrecv;
    pipeline.network_wire_ratio = ledger.transport("wire") * ledger.transport(one_pair ? "sendrecv_wire" : "p2p_wire");
    pipeline.slots = nccl::p2p_slots(call.release, call.found, channels, p.peers);
    // Where everyone sends to everyone, a rank's proxy posts each chunk to all its peers; elsewhere only the root has
    // several, one message each before it begins.
    const std::uint32_t remote = std::max(p.peers - std::min(p.peers, call.per_node() - 1), 1U);
    const std::uint32_t at_once = std::holds_alternative<AllPairs>(p.edges) ? remote : 1;
    const double one = posting_one(call, p, channels);
    // A proxy begins with one peer after another: its operation, its buffers, the receiver's clear-to-send.
    const double begun = ledger.network("p2p_per_peer") * remote;
    // A channel copies each chunk into the connection's buffer before it leaves, so it moves no more than it can copy
    // (NCCL counts on 14 GB/s: NCCL_P2P_PER_CHANNEL_NET_BW), and the last one out of it when it has come. The first is
    // also on the wire, or copied, with nothing beside it.
    const double rate = call.registered ? std::numeric_limits<double>::infinity() : ledger.kernel("p2p.channel_rate");
    const double wire = nic_rate(call.fabric) / pipeline.network_wire_ratio;
    const double copied = pipeline.chunk / rate + pipeline.chunk / std::max(rate, wire);
    pipeline.start = from_seconds(ledger.transport("p2p_start") + begun + copied + one * (remote - at_once));
    pipeline.chunk_posting = from_seconds(one * at_once);
    pipeline.edge_rate_cap = rate;
}

// What links let a rank move to or from all its peers at once: its NIC serves those on other nodes.
double rate_of_links(const Call& call, const Pattern& p) {
    if (!call.several_nodes()) {
        return narrowest(call.fabric, call.fabric.path(local_hop(call, call.found.rings.front())));
    }
    const double remote = std::max(p.peers - std::min(p.peers, call.per_node() - 1), 1U);
    return nic_rate(call.fabric) * p.peers / remote;
}

// What a pair has of a channel's rate. A channel is one block, whose warps the pairs mapped to it share out
// (src/device/sendrecv.h, RunWorkBatch), and the pairs of a rank are spread over all its channels
// (src/include/channel.h, ncclP2pChannelBaseForRound): a rank sends no faster than they copy together. Where the links
// are slower than that, they share themselves out, and no sender is held back before them.
double share_of_block(const Call& call, const Pattern& p, int channels, double rate) {
    const double blocks = call.found.p2p_channels;
    if (blocks * rate >= rate_of_links(call, p)) { return 1; }
    return std::min(1.0, blocks / (static_cast<double>(p.peers) * channels));
}

}  // namespace

LoweredCall plan_p2p(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    // Of a communicator for two: a send may use more of the channels.
    nccl::Shape shape = call.shape;
    if (call.workload.pairs) { shape.ranks = 2; }
    const double bytes = message_of(call);
    const auto [channels, ll] = nccl::p2p_pair(call.release, call.environment, call.found, shape, bytes);
    const Pattern p = pattern(call, channels);
    Pipeline pipeline;
    pipeline.bytes_per_edge = bytes / channels;
    pipeline.chunk = std::min(pipeline.bytes_per_edge,
                              nccl::p2p_chunk(call.release, call.environment, call.found, call.shape, bytes));
    pipeline.slots = call.release.slots();
    pipeline.edge_rate_cap = ledger.kernel("p2p.channel_rate");
    pipeline.wire_ratio = ledger.kernel("simple.wire") * ledger.kernel("p2p.wire");
    pipeline.weight = channels;
    if (ll) { use_ll(call, pipeline); }
    const nccl::Ring& ring = call.found.rings.front();
    Stage stage{1, call.several_nodes() ? rail_hop(call, ring, ring.order.back()) : local_hop(call, ring), {}};
    if (call.several_nodes()) {
        cross_nodes(call, p, channels, pipeline);
    } else {
        stay_inside(call, p.peers, ll, pipeline, stage);
    }
    if (const auto proto = std::ranges::find(nccl::every_proto, call.workload.protocol, nccl::scenario_protocol);
        proto != nccl::every_proto.end()) {
        use_protocol(call, *proto, pipeline, stage);
    }
    pipeline.edge_rate_cap *= share_of_block(call, p, channels, pipeline.edge_rate_cap);
    LoweredCall lowering = streamed(call, schedule, pipeline, p.edges, {stage}, channels);
    const double local = std::min(p.peers, call.per_node() - 1);
    const double gpus_a_rail =
        call.several_nodes() ? static_cast<double>(call.per_node()) / call.fabric.nics_per_node() : 1;
    if (ll && call.workload.protocol == Protocol::automatic) { lowering.proto = nccl::Proto::ll; }
    lowering.inside_crossings = std::max(1.0, local);
    lowering.network_crossings = std::max(1.0, (p.peers - local) * gpus_a_rail);
    return lowering;
}

}  // namespace fabricast::inline collectives
