#include "sim/plan/collectives/lowered_call.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

namespace fabricast::inline collectives {

// Bytes of LL128 that a block of 640 threads takes at once: each of 20 warps has 1,920, waits for the flags of all of
// them and then sends them on (src/device/prims_ll128.h, GenericOp).
constexpr double block_pass = 20 * 1920;

ProtocolCost protocol_cost(FigureReader& ledger, nccl::Proto proto) {
    const std::string prefix = nccl::figure_prefix(proto);
    const Duration hop = from_seconds(ledger.kernel(prefix + ".hop"));
    // The warps of LL128 meet at two barriers in each step (src/device/prims_ll128.h, GenericOp), so a block loses this
    // with each chunk, also where the next one waits for it already.
    const bool each_chunk = proto == nccl::Proto::ll128;
    return {.start = from_seconds(ledger.kernel(prefix + ".start")),
            .hop = each_chunk ? Duration{} : hop,
            .chunk = each_chunk ? hop : Duration{},
            .channel_rate = ledger.kernel(prefix + ".channel_rate"),
            .wire = ledger.kernel(prefix + ".wire"),
            .fill = ledger.kernel(prefix + ".fill")};
}

Duration kernel_start(FigureReader& ledger, nccl::Proto proto, const ProtocolCost& cost, int channels, double chunk) {
    double seconds = ledger.kernel("per_channel") * channels;
    if (proto == nccl::Proto::ll) {
        // Grows with the data, up to a full block of 512 threads x 8 B (facts nccl-mechanisms.md, 3.2).
        seconds += ledger.kernel("ll.full_block") * std::min(1.0, chunk / 4096);
    } else if (proto == nccl::Proto::ll128) {
        seconds += ledger.kernel("ll128.full_block") * std::min(1.0, chunk / block_pass);
    }
    return cost.start + from_seconds(seconds);
}

Duration hop_of(nccl::Proto proto, Duration hop, double chunk) {
    constexpr double full_block = 16 * 1024;  // a pass of 512 threads with 32 bytes each
    if (proto != nccl::Proto::simple) { return hop; }
    return from_seconds(to_seconds(hop) * (1 + std::min(1.0, chunk / full_block)) / 2);
}

int slices(nccl::Proto proto, double chunk, double warps) {
    const auto pieces = [&](double bytes) { return std::max(1, static_cast<int>(std::lround(chunk / bytes))); };
    switch (proto) {
        case nccl::Proto::simple: return 2;
        // Each thread of LL forwards its line of 8 B as it comes, so no step waits for a whole pass of 512 threads.
        // More than 16 pieces of a chunk would tell nothing, and engines would make each of them.
        case nccl::Proto::ll: return std::max(pieces(512 * 8), std::min(pieces(32 * 8), 16));
        case nccl::Proto::ll128: return pieces(block_pass * warps / 20);
    }
    return 1;
}

double message_bytes(nccl::Proto proto, double chunk) {
    switch (proto) {
        case nccl::Proto::ll: return 2 * chunk;  // half of the bytes are flags
        case nccl::Proto::ll128: return chunk * 16 / 15;
        case nccl::Proto::simple: break;
    }
    return chunk;
}

double network_wire(FigureReader& ledger, nccl::Proto proto) { return message_bytes(proto, ledger.transport("wire")); }

Duration rest_of_chunk(const Pipeline& pipeline, double pace) {
    return from_seconds(pipeline.chunk * (1 - 1.0 / pipeline.slices) / std::min(pipeline.edge_rate_cap, pace));
}

Duration rest_of_message(nccl::Proto proto, const Pipeline& pipeline, double pace) {
    if (proto == nccl::Proto::simple) { return {}; }                      // each slice is a message
    const double block = 1 / pipeline.edge_rate_cap, network = 1 / pace;  // seconds per byte
    return from_seconds(pipeline.chunk * (block + network - std::max(block, network) / pipeline.slices));
}

double channels_of_adapter(const Call& call, int channels) {
    return std::max(1.0, channels / static_cast<double>(std::max<std::size_t>(call.found.nics.size(), 1)));
}

double network_pace(const Call& call, const PathQuery& hop, const Pipeline& pipeline, int channels) {
    return narrowest(call.fabric, call.fabric.path(hop)) /
           (channels_of_adapter(call, channels) * pipeline.network_wire_ratio);
}

std::vector<int> channels_of_ring(const nccl::TopologySearchResult& found, int channels) {
    std::vector<int> count(found.rings.size(), 0);
    for (int c = 0; c < channels; ++c) { ++count[static_cast<std::size_t>(c) % found.rings.size()]; }
    return count;
}

int busiest_proxy(const nccl::TopologySearchResult& found, int channels, bool rings) {
    const std::vector<int> on_ring = channels_of_ring(found, channels);
    std::map<std::uint16_t, int> served;  // by rank
    int most = 0;
    for (std::size_t r = 0; r < on_ring.size(); ++r) {
        const std::vector<std::uint16_t>& order = found.rings[r].order;
        most = std::max(most, served[order.front()] += on_ring[r]);
        if (rings) { most = std::max(most, served[order.back()] += on_ring[r]); }
    }
    return most;
}

bool posted_by_nccl(const Call& call) { return call.ledger.parts().transport->word_or("posted_by", "") == "net_ib"; }

namespace {

// Seconds that a proxy thread takes for one message.
double seconds_to_post(const Call& call, nccl::Proto proto, double chunk) {
    // A message is split over the ports of its adapter, and each part is posted (ncclIbMultiSend, nDataQps).
    const double ports = call.fabric.node().nic_ports;
    const std::string_view figure = proto == nccl::Proto::simple ? "net_ib.simple_post" : "net_ib.post";
    double one = posted_by_nccl(call) ? call.ledger.network(figure) * ports : call.ledger.transport("post");
    if (proto == nccl::Proto::ll) { one += message_bytes(proto, chunk) / call.ledger.network("ll.scan_rate"); }
    // A plugin whose send ends with the wire holds the thread that long; every other message is one that is received.
    if (call.ledger.parts().transport->word_or("sends", "") == "blocking") {
        one += 0.5 * message_bytes(proto, chunk) * call.ledger.transport("wire") / nic_rate(call.fabric);
    }
    return one;
}

}  // namespace

Duration posting(const Call& call, double chunk, double messages) {
    return from_seconds(seconds_to_post(call, call.proto, chunk) * messages);
}

Duration network_hop(const Call& call, NetworkHop kind, nccl::Proto proto, double chunk, double before) {
    FigureReader& ledger = call.ledger;
    double seconds = ledger.transport("hop");
    const double eager = ledger.parts().transport->number_or("eager", 0);
    if (eager > 0 && message_bytes(proto, chunk) > eager) { seconds += ledger.transport("rendezvous"); }
    if (proto == nccl::Proto::ll128) {
        seconds += ledger.network("ll128.hop");
    } else if (proto == nccl::Proto::simple) {
        // It waits for whole slices and their completions, which costs a part of another hop.
        seconds = seconds * ledger.network("simple.hop_factor") +
                  ledger.network(kind == NetworkHop::ring ? "simple.ring_hop" : "simple.tree_hop");
    }
    return from_seconds(seconds + (1 + before) * seconds_to_post(call, proto, chunk));
}

Duration posting_pace(const Pipeline& pipeline, Duration of_chunk) {
    return from_seconds(to_seconds(of_chunk) * std::max(0.0, 1 - pipeline.chunk / pipeline.bytes_per_edge));
}

DeviceId gpu_at_pace(const Call& call, std::uint32_t local) {
    return call.fabric.gpu(call.fabric.pace() * call.per_node() + local);
}

PathQuery local_hop(const Call& call, std::uint32_t from, std::uint32_t to) {
    return call.rules.applied(
        {.src = gpu_at_pace(call, from), .dst = gpu_at_pace(call, to), .gpu_direct = call.gpu_direct});
}

PathQuery local_hop(const Call& call, const nccl::Ring& ring) {
    return local_hop(call, ring.order.front(), ring.order[std::min<std::size_t>(1, ring.order.size() - 1)]);
}

PathQuery rail_hop(const Call& call, const nccl::Ring& ring, std::uint16_t from) {
    const std::uint32_t next = (call.fabric.pace() + 1) % call.shape.nodes;
    const nccl::Ring& there = call.found.of_runs.empty()
                                  ? ring
                                  : call.found.rings_of(call.fabric.run_of(call.fabric.wired_node(next))).front();
    return call.rules.applied({.src = gpu_at_pace(call, from),
                               .dst = call.fabric.gpu(next * call.per_node() + there.order.front()),
                               .src_nic = ring.nic,
                               .dst_nic = there.nic,
                               .gpu_direct = call.gpu_direct});
}

Pipeline network_stream(const Call& call, double bytes, double chunk, int channels) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    Pipeline pipeline;
    pipeline.bytes_per_edge = bytes;
    pipeline.chunk = std::min(bytes, chunk);
    pipeline.slots = call.release.slots();
    pipeline.edge_rate_cap = cost.channel_rate;
    pipeline.wire_ratio = cost.wire;
    pipeline.network_wire_ratio = network_wire(ledger, nccl::Proto::simple);
    pipeline.fill = cost.fill;
    pipeline.start = kernel_start(ledger, nccl::Proto::simple, cost, channels, pipeline.chunk);
    pipeline.weight = channels;
    return pipeline;
}

namespace {

// Adds edges; the call's rules apply to their paths.
std::uint32_t add_edges(const Call& call, Schedule& schedule, EdgeSet edges) {
    // AllPairs without PXN already leave by the sender's own NIC, and engines count them fast in that form.
    const bool ruled = call.rules.peers || (!call.rules.pxn && !std::holds_alternative<AllPairs>(edges));
    if (ruled) {
        edges = GeneratedEdges{edge_count(edges), [rules = call.rules, edges](const auto& visit) {
                                   for_each_edge(edges, rules.fabric, [&](const Edge& edge) {
                                       visit(on_path(edge, rules.applied(edge.path)));
                                   });
                               }};
    }
    schedule.edge_sets.push_back(std::move(edges));
    return static_cast<std::uint32_t>(schedule.edge_sets.size() - 1);
}

}  // namespace

LoweredCall streamed(const Call& call, Schedule& schedule, Pipeline pipeline, EdgeSet edges,
                     const std::vector<Stage>& stages, int channels, Evidence at_best) {
    pipeline.edges = add_edges(call, schedule, std::move(edges));
    pipeline.first_stage = static_cast<std::uint32_t>(schedule.stages.size());
    for (Stage stage : stages) {
        if (stage.count <= 0) { continue; }
        // Inside a node a rank sees the slot free in its peer's memory. Between nodes the receiver's proxy posts it
        // again and tells the sender's (src/transport/net_ib.cc, ncclIbPostFifo): a message without data, which waits
        // for no kernel, no slice and no copy.
        if (call.fabric.node_of(stage.hop.src) != call.fabric.node_of(stage.hop.dst)) {
            stage.credit = from_seconds(call.ledger.transport("hop"));
        }
        schedule.stages.push_back(stage);
    }
    pipeline.stage_count = static_cast<std::uint32_t>(schedule.stages.size()) - pipeline.first_stage;
    Body body = [pipeline](Schedule& into, std::span<const Schedule::Dependency> after) {
        return std::vector<OpId>{into.add(pipeline, after)};
    };
    return {.body = std::move(body), .channels = channels, .at_best = at_best};
}

}  // namespace fabricast::inline collectives
