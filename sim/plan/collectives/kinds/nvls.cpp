// Reduction and multicast in the NVSwitch: in one node, and with trees between the nodes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline collectives {

namespace {

// The edges from each GPU to its node's switch and back. In a call of S bytes a GPU sends S bytes to be reduced and, as
// the head of its share, S/n to be multicast; the switch sends the same back.
void visit_switch_edges(const Fabric& fabric, std::uint32_t node, double crossings,
                        const std::function<void(const Edge&)>& visit) {
    const std::uint32_t per_node = fabric.gpus_per_node();
    for (std::uint32_t g = 0; g < per_node; ++g) {
        Edge up, down;
        up.path.src = down.path.dst = fabric.gpu(node * per_node + g);
        up.path.dst = down.path.src = fabric.nvswitch(node);
        up.count = down.count = crossings;
        visit(up);
        visit(down);
    }
}

EdgeList switch_edges(const Fabric& fabric, double crossings) {
    EdgeList list;
    visit_switch_edges(fabric, 0, crossings, [&](const Edge& edge) { list.edges.push_back(edge); });
    return list;
}

// The switches of all nodes, and each head's share of the network on its own rail: over both trees or, if the network
// itself reduces (SHARP), once up and once down, which loads a NIC as one pass of a ring around the nodes would.
EdgeSet network_edges(const Call& call, double crossings, bool network_reduces) {
    const std::uint32_t nodes = call.shape.nodes;
    // Of a head's channels every other one runs on each tree.
    const auto channels = static_cast<std::uint32_t>(call.found.nvls_channels);
    const std::uint32_t connections = network_reduces ? channels : std::max(1U, channels / 2);
    const auto visit_all = [fabric = call.fabric, rails = call.found.nics, nodes, crossings, network_reduces,
                            connections, gpu_direct = call.gpu_direct](const auto& visit) {
        const std::uint32_t per_node = fabric.gpus_per_node();
        const Trays trays(fabric.node());
        // Every head of `a` sends its part of `share` of the stream to the same head of `b`.
        const auto between = [&](std::uint32_t a, std::uint32_t b, double share, bool both_ways) {
            for (std::uint32_t head = 0; head < per_node; ++head) {
                const std::uint16_t rail = trays.on_rail_of(fabric.nearest_nic(head), rails[head % rails.size()]);
                Edge edge{.path = {.src = fabric.gpu(a * per_node + head),
                                   .dst = fabric.gpu(b * per_node + head),
                                   .src_nic = rail,
                                   .dst_nic = rail,
                                   .flow_label = head,
                                   .gpu_direct = gpu_direct},
                          .count = share / per_node,
                          .connections = connections};
                visit(edge);
                if (both_ways) {
                    std::swap(edge.path.src, edge.path.dst);
                    visit(edge);
                }
            }
        };
        for (std::uint32_t node = 0; node < nodes; ++node) {
            visit_switch_edges(fabric, node, crossings, visit);
            if (network_reduces) {
                between(node, (node + 1) % nodes, 1, false);
                continue;
            }
            for (std::uint32_t tree = 0; tree < 2; ++tree) {
                if (const auto parent = tree_parent(tree, node, nodes)) { between(node, *parent, 0.5, true); }
            }
        }
    };
    const std::uint64_t network = network_reduces ? nodes : 4 * (std::uint64_t{nodes} - 1);
    return GeneratedEdges{call.per_node() * (2 * std::uint64_t{nodes} + network), visit_all};
}

int heads_of(const Call& call) { return std::max(1, call.found.nvls.channels); }

// Over registered buffers the switch reads and writes them, on fewer channels and without copies through NCCL's own
// (src/register/coll_reg.cc; src/transport/nvls.cc, ncclNvlsRegResourcesQuery). 0: not registered, or not in this
// release.
int registered_channels(const Call& call) {
    if (!call.registered) { return 0; }
    const Collective collective = call.workload.collective;
    const std::size_t column = (collective == Collective::all_reduce   ? 0
                                : collective == Collective::all_gather ? 1
                                                                       : 2) +
                               (call.several_nodes() ? 3 : 0);
    const auto gpu = nccl::generation(call.fabric.node().gpu.compute_capability);
    const double told = call.release.item_of("nvls.registered", gpu, column);
    const bool shared = call.release.flags.shares_registered_channels;
    return static_cast<int>(shared ? std::ceil(told * 8 / heads_of(call)) : told);
}

// From 2.23 on the channels are as many as the traffic fills (src/enqueue.cc, scheduleCollTasksToPlan).
int channels_used(const Call& call) {
    const double least = call.release.number("channels.min_traffic");
    const double each_way = call.workload.collective == Collective::all_reduce ? 2 : 1;
    const double filled = least > 0 ? std::ceil(call.bytes * each_way / least) : call.found.nvls_channels;
    const int registered = registered_channels(call);
    const int most = registered > 0 ? std::min(registered, call.found.nvls_channels) : call.found.nvls_channels;
    return static_cast<int>(std::clamp(filled, 1.0, static_cast<double>(most)));
}

// In old releases every channel with at least 4 KiB to move adds to the start.
double channel_start(const Call& call, int channels) {
    if (!call.release.flags.nvls_channels_add_to_start) { return 0; }
    return call.ledger.nvls("nvls.per_channel") * std::clamp(call.bytes / 4096, 1.0, static_cast<double>(channels));
}

// What the blocks' copies bind a stream to. They do not get faster with more GPUs in the domain, although each link
// then carries less of its own head's share: 64 GPUs of a GB300 rack reduce 472 GB/s of the buffer, eight 481 (Oracle's
// quick start). One crossing is a gather's or a scatter's, without a head's share. Fewer blocks than the release takes
// copy so much less, as a ring's do: 29, 59, 117 and 231 GB/s by 1, 2, 4 and 8 on a B300.
double rate_of_blocks(const Call& call, double crossings) {
    const double rate = call.ledger.nvls("nvls.rate");
    const double own = call.found.nvls_own_channels;
    const double share = own > 0 ? std::min(1.0, call.found.nvls_channels / own) : 1;
    return share * (crossings > 1 ? rate / std::max(crossings, 1 + 1.0 / 8) : rate);
}

// The stream of all heads, before what differs in one node and between nodes.
Pipeline heads_stream(const Call& call, int channels) {
    const int heads = heads_of(call);
    const double chunk = nccl::nvls_chunk(call.release, call.environment, call.found, call.shape, channels, call.bytes);
    Pipeline pipeline;
    pipeline.bytes_per_edge = call.bytes / channels;
    // The call's bytes are spread evenly over the loops of all channels and heads that it needs.
    const double loops = std::max(1.0, std::ceil(call.bytes / (channels * heads * chunk)));
    pipeline.chunk = call.bytes / loops / channels;
    pipeline.weight = channels;
    return pipeline;
}

LoweredCall one_node(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const int channels = channels_used(call);
    const bool reduces_and_spreads = call.workload.collective == Collective::all_reduce;
    // All-gather only multicasts, reduce-scatter only reduces: a link carries the whole buffer in one direction only.
    const double crossings = reduces_and_spreads ? 1 + 1.0 / call.shape.ranks : 1;
    Pipeline pipeline = heads_stream(call, channels);
    pipeline.slots = call.release.slots();
    const bool direct = registered_channels(call) > 0;
    if (!direct) {
        pipeline.fill = ledger.nvls("nvls.fill");
        pipeline.chunk_overhead = from_seconds(ledger.nvls("nvls.chunk_overhead"));
    }
    pipeline.edge_rate_cap = rate_of_blocks(call, crossings) / channels;
    pipeline.wire_ratio = ledger.nvls("nvls.wire");
    pipeline.start = from_seconds(ledger.nvls("nvls.start") + channel_start(call, channels));
    const Stage stage{1, {.src = gpu_at_pace(call, 0), .dst = call.fabric.nvswitch(call.fabric.pace())}, {}};
    LoweredCall lowered = streamed(call, schedule, pipeline, switch_edges(call.fabric, crossings), {stage}, channels,
                                   direct ? Evidence::formula_only : Evidence::measured_here);
    lowered.inside_crossings = crossings;
    return lowered;
}

// A head's channels leave by one NIC, message after message, and each is sent on as soon as it is there: they are the
// slices of one stream. (Were they to share the NIC evenly, each hop would take as long as all of them: 8 MiB on four
// DGX H100 would take 279 us, where 202 and 239 are measured.)
Pipeline joined(Pipeline pipeline, int channels) {
    pipeline.bytes_per_edge *= channels;
    pipeline.chunk *= channels;
    pipeline.edge_rate_cap *= channels;
    pipeline.weight = 1;
    pipeline.slices = channels;
    return pipeline;
}

LoweredCall several_nodes(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const int channels = channels_used(call);
    const double crossings = 1 + 1.0 / call.per_node();
    Pipeline pipeline = heads_stream(call, channels);
    pipeline.slots = call.release.slots();
    pipeline.edge_rate_cap = rate_of_blocks(call, crossings) * ledger.network("nvls_tree.rate_factor") / channels;
    pipeline.wire_ratio = ledger.nvls("nvls.wire") * ledger.network("nvls_tree.wire_inside");
    pipeline.network_wire_ratio = network_wire(ledger, nccl::Proto::simple);
    pipeline.start = from_seconds(ledger.nvls("nvls.start") + ledger.network("nvls_tree.per_gpu") * call.per_node());
    const bool network_reduces = call.algorithm == &nccl::nvls_model;
    pipeline.turns = network_reduces ? 1 : 2;
    // A head has all channels' edges to other nodes.
    const double messages = network_reduces ? 2 : tree_messages(call.shape.nodes);
    const double message = pipeline.chunk / heads_of(call);
    pipeline.chunk_posting = posting_pace(pipeline, posting(call, message, messages * channels));
    pipeline = joined(pipeline, channels);
    const nccl::Ring& ring = call.found.rings.front();
    const double hops = network_reduces ? 2 : 2 * tree_depth(call.shape.nodes);
    // The first chunk's messages are posted one after another too, once for all hops.
    const Stage between{hops, rail_hop(call, ring, ring.order.front()),
                        network_hop(call, NetworkHop::tree, nccl::Proto::simple, message, (channels - 1) / hops)};
    // A chunk passes the switch once on its way up and once down. A block's pass takes as long for all channels as for
    // one: it waits for the other slices.
    const Stage inside{
        2, {.src = gpu_at_pace(call, 0), .dst = call.fabric.nvswitch(call.fabric.pace())}, rest_of_chunk(pipeline)};
    return streamed(
        call, schedule, pipeline, network_edges(call, crossings, network_reduces), {inside, between}, channels,
        network_reduces || registered_channels(call) > 0 ? Evidence::formula_only : Evidence::measured_here);
}

LoweredCall plan_nvls(const Call& call, Schedule& schedule) {
    return call.several_nodes() ? several_nodes(call, schedule) : one_node(call, schedule);
}

// NCCL's tuning model of NVLS and NVLSTree (src/graph/tuning.cc, ncclTopoTuneModel).

using nccl::Proto;
using nccl::TuningCase;

bool pipelined(const TuningCase& c) { return c.release.is("nvls_model", "pipelined"); }
bool linear_hops(const TuningCase& c) { return c.release.is("nvls_tree_hops", "linear"); }

// The model from 2.28 on, for both.
double pipelined_channel(const TuningCase& c, double inter, double most) {
    const double channels = c.graph.channels;
    const double intra = c.graph.intra * c.release.item_of("nvls.efficiency", c.gpu(), 0) * (channels - 1) / channels *
                         (c.all_reduce() ? 2 : (c.per_node() - 1) / c.per_node());
    return std::min({intra, inter, most});
}

double nvls_bandwidth(const TuningCase& c) {
    const auto [intra, inter] = std::pair{c.graph.intra, c.graph.inter};
    double channel = std::min(intra, inter);
    if (pipelined(c)) {
        channel = pipelined_channel(c, inter, std::numeric_limits<double>::infinity());
    } else if (linear_hops(c)) {  // 2.18: no rule of its own
        channel = c.comm.nodes <= 2 ? intra : inter;
    } else if (c.gathers() && c.release.flags.nvls_gathers_leave_out_own) {
        channel = std::min(intra * (c.per_node() - 1) / c.per_node(), inter * 0.9);
    }
    const double bus = c.bus(channel);
    return c.gathers() ? bus : pipelined(c) ? bus * c.ranks() / c.steps() : bus * c.release.number_or_0("nvls.ratio");
}

double nvls_tree_bandwidth(const TuningCase& c) {
    const auto [intra, inter] = std::pair{c.graph.intra, c.graph.inter};
    const bool pair = c.comm.nodes <= 2;
    if (pipelined(c)) {
        const double most = c.of_system("per_channel.nvls_tree");
        return c.bus(pipelined_channel(c, inter * (pair ? 2 : 1), most)) * c.ranks() / c.steps();
    }
    if (linear_hops(c)) { return c.bus(pair ? intra : inter) * 0.7 * c.nodes() / (2 * (c.nodes() - 1)); }
    return c.bus(std::min(intra, pair ? inter : inter / 2)) * c.release.number_or_0("nvls.ratio");
}

double nvls_seconds(const TuningCase& c, Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    return c.seconds(base + intra + (c.several() ? inter : 0), nvls_bandwidth(c), bytes);
}

double nvls_tree_seconds(const TuningCase& c, Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    const double hops = linear_hops(c) ? c.nodes() - 1 : c.log2_nodes();
    const bool corrected =
        c.release.flags.corrects_nvls_tree && c.comm.cpu != nccl::CpuVendor::other && c.comm.compute_capability >= 100;
    const double rate = nvls_tree_bandwidth(c) * (corrected ? c.correction("tree", proto, bytes) : 1);
    return c.seconds(base + intra + 2 * hops * inter, rate, bytes);
}

nccl::Graph nvls_graph(const nccl::TopologySearchResult& found, const nccl::NodeBandwidths&) { return found.nvls; }

// Across nodes the network itself must reduce.
bool nvls_runs(const TuningCase& c) {
    const bool serves = c.all_reduce() || (c.gathers() && c.release.flags.nvls_gathers);
    return serves && c.comm.nvls && (!c.several() || c.comm.collnet);
}

}  // namespace

constinit const nccl::AlgorithmModel nccl::nvls_model{.name = "NVLS",
                                                      .key = "nvls",
                                                      .word = Algorithm::nvls,
                                                      .graph = nvls_graph,
                                                      .runs = nvls_runs,
                                                      .seconds = nvls_seconds,
                                                      .plan = plan_nvls};

constinit const nccl::AlgorithmModel nccl::nvls_tree_model{
    .name = "NVLSTree",
    .key = "nvls_tree",
    .word = Algorithm::nvls_tree,
    .graph = nvls_graph,
    .runs = [](const TuningCase& c) { return c.all_reduce() && c.comm.nvls && c.several(); },
    .seconds = nvls_tree_seconds,
    .plan = plan_nvls};

}  // namespace fabricast::inline collectives
