// Rings: all-reduce, all-gather and reduce-scatter as cyclic pipelines, broadcast and reduce as chains.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sim/plan/collectives/kinds/ring_copies.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"

namespace fabricast::inline collectives {

namespace {

bool is_chain(Collective collective) { return collective == Collective::broadcast || collective == Collective::reduce; }

// Whether calls back to back follow each other along the chain (so NCCL too, src/graph/tuning.cc: `sameChannels` saves
// all latencies but one).
bool streams(const Call& call, int channels) {
    return is_chain(call.workload.collective) && (channels == 1 || call.found.ring.same_channels);
}

// Where channels take different ways, a rank that is early in one (a) is late in another (b): its kernel ends when b
// has come round, and the next call's a passes it only then. But b of one call goes round while a of the next but one
// does: b needs no more of the ranks than that their kernels of the call before have ended, which wait for a of that
// call. So two calls share the chain's latency. Broadcasts of one chunk to eight a channel on ABCI's V100 nodes take 17
// us a node where a chunk takes 23 to 27 from node to node
// (validate/measurements/nccl/abci2-vnode-*n4g-broadcast.yaml).
constexpr int calls_in_chain = 2;

// A Simple chunk of a cyclic ring is two slices, but none below 32 KiB, and a message is a slice; of a chain it is one.
double slices_sent(const Call& call, double chunk) {
    const bool chain = is_chain(call.workload.collective);
    return call.proto == nccl::Proto::simple && !chain && chunk > 32 * 1024 ? 2 : 1;
}
double payload_of_message(const Call& call, double chunk) { return chunk / slices_sent(call, chunk); }

// How many messages of one ring step the busiest proxy thread of a node handles: one for each slice of each channel
// that enters the node at its rank, and of each that leaves there.
double messages(const Call& call, double chunk, int channels) {
    return slices_sent(call, chunk) * busiest_proxy(call.found, channels, true);
}

// Of a searched ring, whose number labels its flows.
NodeRing edges_of(const Call& call, const nccl::Ring& ring, std::size_t number, bool closed) {
    NodeRing edges;
    edges.nodes = call.shape.nodes;
    edges.order = ring.order;
    edges.gpu_direct = call.gpu_direct;
    edges.closed = closed;
    if (call.several_nodes()) {
        edges.exit_nic = ring.exit_nic;
        edges.entry_nic = ring.nic;
        edges.flow_label = static_cast<std::uint32_t>(number);
    }
    return edges;
}

// How a ring runs through the even nodes of a run of equal nodes, and through the odd ones, which may come in by the
// even ones' exit NIC and leave by their entry NIC.
struct Ways {
    NodeRing even, odd;
};

Ways ways_of(const Call& call, const nccl::Ring& ring, std::size_t number, bool closed) {
    Ways ways{edges_of(call, ring, number, closed), edges_of(call, ring, number, closed)};
    if (!ring.odd_order.empty()) {
        ways.odd.order = ring.odd_order;
        std::swap(ways.odd.exit_nic, ways.odd.entry_nic);
    }
    return ways;
}

// A ring that runs through each node its own way.
void visit_node_by_node(const std::vector<Ways>& of_runs, const Fabric& fabric,
                        const std::function<void(const Edge&)>& visit) {
    const auto at = [&](std::uint32_t node) -> const NodeRing& {
        const Ways& ways = of_runs[of_runs.size() == 1 ? 0 : fabric.run_of(fabric.wired_node(node))];
        return node % 2 == 0 ? ways.even : ways.odd;
    };
    const std::uint32_t per_node = fabric.gpus_per_node();
    const NodeRing& even = at(0);
    for (std::uint32_t node = 0; node < even.nodes; ++node) {
        NodeRing inside = at(node);
        inside.first_node = node;
        inside.nodes = 1;
        inside.closed = false;
        for_each_edge(inside, fabric, visit);
        if (node + 1 < even.nodes || even.closed) {
            const std::uint32_t next = (node + 1) % even.nodes;
            visit(Edge{.path = {.src = fabric.gpu(node * per_node + at(node).order.back()),
                                .dst = fabric.gpu(next * per_node + at(next).order.front()),
                                .src_nic = at(node).exit_nic,
                                .dst_nic = at(next).entry_nic,
                                .flow_label = even.flow_label,
                                .gpu_direct = even.gpu_direct}});
        }
    }
}

// The edges of one searched ring, which each count as often as channels run on it.
struct CountedRing {
    NodeRing edges;
    std::vector<Ways> ways;  // of each run of equal nodes; empty: through all nodes alike
    std::uint32_t channels = 1;
};

CountedRing counted_ring(const Call& call, std::size_t number, bool closed, int channels) {
    const nccl::Ring& ring = call.found.rings[number];
    CountedRing counted{edges_of(call, ring, number, closed), {}, static_cast<std::uint32_t>(channels)};
    for (const std::vector<nccl::Ring>& of_run : call.found.of_runs) {
        counted.ways.push_back(of_run.empty() ? Ways{} : ways_of(call, of_run[number], number, closed));
    }
    if (counted.ways.empty() && !ring.odd_order.empty()) {
        counted.ways.push_back(ways_of(call, ring, number, closed));
    }
    return counted;
}

// The rings of all channels as one set: the channels advance together.
EdgeSet all_rings(const Call& call, int channels, bool closed) {
    std::vector<CountedRing> rings;
    const std::vector<int> on_ring = channels_of_ring(call.found, channels);
    for (std::size_t r = 0; r < on_ring.size(); ++r) {
        if (on_ring[r] > 0) { rings.push_back(counted_ring(call, r, closed, on_ring[r])); }
    }
    const std::uint64_t edges = rings.size() * (std::uint64_t{call.shape.ranks} - (closed ? 0 : 1));
    return GeneratedEdges{edges, [fabric = call.fabric, rings = std::move(rings)](const auto& visit) {
                              for (const CountedRing& ring : rings) {
                                  const auto counted = [&](const Edge& edge) {
                                      visit(Edge{edge.path, edge.count * ring.channels, ring.channels});
                                  };
                                  if (ring.ways.empty()) {
                                      for_each_edge(ring.edges, fabric, counted);
                                  } else {
                                      visit_node_by_node(ring.ways, fabric, counted);
                                  }
                              }
                          }};
}

// The number of steps between nodes for the chunk that makes most of them. A chunk goes round the ring once
// (all-gather, reduce-scatter) or twice (all-reduce), less one step per loop. The edges that it leaves out follow each
// other; they are inside a node if the node has that many edges. NCCL counts 2 * nNodes for all-reduce too
// (src/graph/tuning.cc, nInterSteps).
double network_steps(Collective collective, std::uint32_t nodes, std::uint32_t per_node) {
    const std::uint32_t loops = collective == Collective::all_reduce ? 2 : 1;
    return loops * nodes - (loops + 1 > per_node ? loops + 1 - per_node : 0);
}

// A representative hop between nodes, which may leave by another NIC than the ring's rail.
PathQuery ring_hop(const Call& call, const nccl::Ring& ring) {
    PathQuery query = rail_hop(call, ring, ring.order.back());
    query.src_nic = ring.exit_nic;
    if (!ring.odd_order.empty() && call.found.of_runs.empty()) {
        query.dst = call.fabric.gpu(call.per_node() + ring.odd_order.front());
        query.dst_nic = ring.exit_nic;
    }
    return query;
}

// Bytes per second of the sending GPU's way to the memory of its host.
double to_host(const Fabric& fabric, const PathQuery& hop) {
    const Path path = fabric.path(hop);
    double rate = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) {
        rate = std::min(rate, fabric.link(link).capacity);
        if (fabric.kind(fabric.ends(link).to) == DeviceKind::cpu) { break; }
    }
    return rate;
}

// A slice of Simple is a message, which the adapter moves once the block has written all of it: beside the time at the
// slower of the two, that at the faster. Without GPUDirect blocks write and read host memory, so the slice passes the
// GPU's link to it twice, and the next hop reads it there.
Duration written_first(const Call& call, const PathQuery& hop, const Pipeline& pipeline, double pace, int channels) {
    const double slice = pipeline.chunk / pipeline.slices, block = pipeline.edge_rate_cap;
    if (call.gpu_direct) { return from_seconds(slice / std::max(block, pace)); }
    const double host = std::min(block, to_host(call.fabric, hop) / channels_of_adapter(call, channels));
    return from_seconds(slice * (2 / host + 1 / pace - 1 / std::min(block, pace) - 1 / block));
}

// The ring's steps between nodes. A chain's chunks of LL and LL128 follow each other so closely that only the slower of
// block and adapter counts.
Stage steps_between_nodes(const Call& call, const nccl::Ring& ring, const Pipeline& pipeline, int channels,
                          double steps) {
    const PathQuery hop = ring_hop(call, ring);
    const double pace = network_pace(call, hop, pipeline, channels);
    const Duration rest = call.proto == nccl::Proto::simple ? written_first(call, hop, pipeline, pace, channels)
                          : pipeline.cyclic                 ? rest_of_message(call.proto, pipeline, pace)
                                                            : rest_of_chunk(pipeline, pace);
    return {steps, hop,
            network_hop(call, NetworkHop::ring, call.proto, payload_of_message(call, pipeline.chunk)) + rest};
}

// So many steps inside a node, shared out over the kinds of hop that the ring makes there: a bridge's NVLinks are
// nearer than the slots and processors between two bridges.
std::vector<Stage> inside_stages(const Call& call, const nccl::Ring& ring, double steps, Duration hop) {
    const std::size_t gpus = ring.order.size(), edges = std::max<std::size_t>(gpus - (call.several_nodes() ? 1 : 0), 1);
    std::map<nccl::PeerLevel, Stage> by_level;
    for (std::size_t i = 0; i < edges; ++i) {
        const std::uint16_t from = ring.order[i], to = ring.order[(i + 1) % gpus];
        const nccl::PeerLevel level = call.rules.level(call.fabric.pace(), from, to);
        const auto [stage, fresh] = by_level.try_emplace(level, Stage{0, {}, hop});
        if (fresh) { stage->second.hop = local_hop(call, from, to); }
        stage->second.count += steps / static_cast<double>(edges);
    }
    std::vector<Stage> stages;
    for (auto& [level, stage] : by_level) { stages.push_back(std::move(stage)); }
    return stages;
}

// Latencies of the successive steps that a chunk takes.
std::vector<Stage> cyclic_stages(const Call& call, const nccl::Ring& ring, const ProtocolCost& cost, double steps,
                                 const Pipeline& pipeline, int channels) {
    const double chunk = pipeline.chunk;
    if (!call.several_nodes()) { return inside_stages(call, ring, steps, hop_of(call.proto, cost.hop, chunk)); }
    const double between = network_steps(call.workload.collective, call.shape.nodes, call.per_node());
    std::vector<Stage> stages = inside_stages(call, ring, steps - between, hop_of(call.proto, cost.hop, chunk));
    stages.push_back(steps_between_nodes(call, ring, pipeline, channels, between));
    return stages;
}

// Hops from the root round the ring to the rank before it (src/device/broadcast.h). The root itself is done when it has
// sent its stream. A ring that does not enter the root's node at the root comes back to that node's other ranks last.
std::vector<Stage> chain_stages(const Call& call, const nccl::Ring& ring, const ProtocolCost& cost,
                                const Pipeline& pipeline, int channels) {
    const double chunk = pipeline.chunk;
    const std::uint32_t root = call.workload.root % call.per_node();
    const bool returns =
        std::ranges::any_of(call.found.rings, [&](const nccl::Ring& r) { return r.order.front() != root; });
    const double network_hops = call.several_nodes() ? call.shape.nodes - (returns ? 0 : 1) : 0;
    std::vector<Stage> stages =
        inside_stages(call, ring, call.shape.ranks - 1 - network_hops, hop_of(call.proto, cost.hop, chunk));
    if (network_hops > 0) { stages.push_back(steps_between_nodes(call, ring, pipeline, channels, network_hops)); }
    return stages;
}

// Chunks that an edge holds: a Simple chunk of a cyclic ring takes `chunk.steps` of the slots, also when it is short
// (src/include/collectives.h: ALLREDUCE_CHUNKSTEPS is half of NCCL_STEPS; src/device/prims_simple.h advances by them).
double chunk_slots(const Call& call, bool chain) {
    const bool several = call.proto == nccl::Proto::simple && !chain;
    return call.release.slots() / (several ? call.release.item("chunk.steps", 0) : 1);
}

// With one GPU a node an all-gather of registered buffers sends each share as one message, on a channel for each NIC
// (src/enqueue.cc, calcCollChunking; src/register/coll_reg.cc, ncclRegisterCollBuffers).
bool sends_whole_shares(const Call& call) {
    return call.registered && call.release.flags.gathers_whole_shares && call.several_nodes() && call.per_node() == 1 &&
           call.workload.collective == Collective::all_gather && call.proto == nccl::Proto::simple && call.gpu_direct;
}

// From Hopper on a block that hands an LL128 chunk to a proxy ends its step with a fence of the whole system, which
// waits until all its stores have arrived (src/device/prims_ll128.h, postSend).
Duration fenced(const Call& call, const ProtocolCost& cost, double chunk) {
    if (call.proto != nccl::Proto::ll128 || call.fabric.node().gpu.arch < GpuArch::hopper) { return {}; }
    return cost.chunk + from_seconds(chunk / cost.channel_rate + call.ledger.network("ll128.fence"));
}

// A chain has few threads for its many ranks, and a thread takes a line of 8 B after the other: so long for a line
// each. Without GPUDirect the block that receives from the adapter loads them from host memory, over PCIe.
double seconds_of_pass(const Call& call, const ProtocolCost& cost, double pass) {
    if (!call.several_nodes() || call.gpu_direct) { return to_seconds(cost.hop); }
    const double rate = narrowest(call.fabric, call.fabric.path(ring_hop(call, call.found.rings.front())));
    return call.ledger.network("ll.host_line") + message_bytes(call.proto, pass) / rate;
}

LoweredCall plan_ring(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const Collective collective = call.workload.collective;
    const double ranks = call.shape.ranks;
    const bool chain = is_chain(collective);
    const bool whole = sends_whole_shares(call);
    const int channels =
        whole ? std::min(call.found.ring.channels, static_cast<int>(call.fabric.nics_per_node()))
              : nccl::channels_used(call.release, call.found, true, call.proto, collective, call.shape, call.bytes);
    const double steps = collective == Collective::all_reduce ? 2 * (ranks - 1) : ranks - 1;
    const double per_step = call.bytes / channels / (chain ? 1 : ranks);  // one edge, one channel
    const ProtocolCost cost = protocol_cost(ledger, call.proto);

    Pipeline pipeline;
    pipeline.bytes_per_edge = chain ? per_step : per_step * steps;
    // Whole rounds: the last one's chunks are shorter and take as many hops; here all are equally long.
    constexpr double longest_message = 1 << 30;  // NCCL_MAX_NET_SIZE
    const double chunk =
        whole ? longest_message : nccl::ring_chunk(call.release, call.environment, call.proto, collective);
    pipeline.chunk = per_step / std::max(1.0, std::ceil(per_step / chunk - 1e-9));
    pipeline.cyclic = !chain;
    pipeline.slices = whole || (chain && call.proto == nccl::Proto::simple) ? 1 : slices(call.proto, pipeline.chunk);
    pipeline.slots = chunk_slots(call, chain);
    pipeline.fill = chain ? 0 : cost.fill;
    // With one GPU per node the channels of Simple only copy inside their own memory, for the NIC.
    if (call.per_node() > 1 || call.proto != nccl::Proto::simple) { pipeline.edge_rate_cap = cost.channel_rate; }
    if (chain && call.proto == nccl::Proto::ll) {
        const double pass = 8 * nccl::threads_used(call.release, call.found, true, call.proto, call.shape, call.bytes);
        pipeline.edge_rate_cap = std::min(pipeline.edge_rate_cap, pass / seconds_of_pass(call, cost, pass));
        pipeline.slices = std::max(pipeline.slices, static_cast<int>(std::lround(pipeline.chunk / pass)));
    }
    if (call.several_nodes()) {
        pipeline.chunk_posting =
            std::max(posting(call, payload_of_message(call, pipeline.chunk), messages(call, pipeline.chunk, channels)),
                     fenced(call, cost, pipeline.chunk));
    }
    pipeline.wire_ratio = cost.wire;
    pipeline.chunk_overhead = cost.chunk;
    if (call.proto == nccl::Proto::simple) {
        if (chain) {
            pipeline.wire_ratio *= 1 + ledger.kernel("stream.copy");
        } else {
            add_copies(call, channels, steps, per_step / chunk, pipeline);
        }
    }
    const bool overlaps = streams(call, channels);
    // Where calls follow each other along a chain, no rank waits for others to start.
    pipeline.start = from_seconds(to_seconds(kernel_start(ledger, call.proto, cost, channels, pipeline.chunk)) *
                                  (overlaps ? ledger.kernel("stream.start") : 1));
    if (call.several_nodes()) { pipeline.network_wire_ratio = network_wire(ledger, call.proto); }

    const nccl::Ring& ring = call.found.rings.front();
    LoweredCall lowered = streamed(call, schedule, pipeline, all_rings(call, channels, !chain),
                                   chain ? chain_stages(call, ring, cost, pipeline, channels)
                                         : cyclic_stages(call, ring, cost, steps, pipeline, channels),
                                   channels, whole ? Evidence::formula_only : Evidence::measured_here);
    lowered.streams = overlaps;
    lowered.under_way = chain && !overlaps ? calls_in_chain : 1;
    return lowered;
}

// NCCL's tuning model of the ring (src/graph/tuning.cc, ncclTopoTuneModel).

using nccl::Proto;
using nccl::TuningCase;

double bandwidth(const TuningCase& c, Proto proto) {
    double bus = c.bus();
    if (proto == Proto::ll) {
        const bool first = c.all_reduce() || c.collective == Collective::reduce || c.several();
        bus = std::min(c.ll_limit(), bus * c.release.item("ring_ll.efficiency", first ? 0 : 1));
    } else if (proto == Proto::ll128) {
        const double channels = c.graph.channels;
        bus = std::min(bus * c.release.item("ring_ll128.efficiency", c.per_node() < 2 ? 1 : 0),
                       channels * c.ll128_channel_limit("per_channel.ring_ll128"));
    }
    return bus * c.ranks() / c.steps();  // from the rate of the wires to that of the caller's buffer
}

double latency(const TuningCase& c, Proto proto) {
    auto [base, intra, inter] = c.latency(proto);
    if (!c.all_reduce() && !c.gathers()) {
        const bool same = c.graph.same_channels;
        const double hop =
            c.hop(c.several() ? "net" : c.inside(), proto == Proto::simple && !same ? "tree" : c.key, proto);
        return base + (same ? hop : c.steps() * hop);
    }
    double inter_steps = 0;
    if (c.several()) {
        inter_steps = c.all_reduce() ? 2 * (c.nodes() - 1) + c.release.number("ring.extra_inter_steps") : c.nodes() - 1;
        const double post = c.release.number(c.comm.cpu == nccl::CpuVendor::amd     ? "net_overhead.amd"
                                             : c.comm.cpu == nccl::CpuVendor::intel ? "net_overhead.intel"
                                                                                    : "net_overhead.other");
        intra = std::max(intra, post * (proto == Proto::simple ? c.release.number("net_overhead.simple_factor") : 1));
    }
    return base + ((c.steps() - inter_steps) * intra + inter_steps * inter);
}

// "Plateau effect of ring" (ncclTopoGetAlgoTime).
double plateau(const TuningCase& c, Proto proto, double bytes) {
    if (proto != Proto::simple || !c.several() || !c.all_reduce()) { return 1; }
    const double shares = c.ranks() * (c.release.is("plateau_per", "channel-and-rank") ? c.graph.channels : 1);
    return bytes / shares < c.release.number("ring.plateau_threshold")
               ? 1
               : c.release.item("ring.plateau", c.comm.compute_capability < 80 ? 0 : 1);
}

}  // namespace

constinit const nccl::AlgorithmModel nccl::ring_model{
    .name = "Ring",
    .key = "ring",
    .word = Algorithm::ring,
    .simple_only = false,
    .runs = [](const TuningCase&) { return true; },
    .seconds =
        [](const TuningCase& c, Proto proto, double bytes) {
            return c.seconds(plateau(c, proto, bytes) * latency(c, proto),
                             bandwidth(c, proto) * c.correction("ring", proto, bytes), bytes);
        },
    .plan = plan_ring};

}  // namespace fabricast::inline collectives
