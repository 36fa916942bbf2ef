#include "sim/plan/collectives/nccl/tuning.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::nccl {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Everything one cell of the table depends on.
struct Case {
    const Release& release;
    const TuningTables& t;
    const Communicator& comm;
    const Graphs& graphs;
    Collective collective;

    double ranks() const { return comm.ranks; }
    double nodes() const { return comm.nodes; }
    double per_node() const { return ranks() / nodes(); }
    bool several() const { return comm.nodes > 1; }
    std::size_t column() const { return std::min(comm.nodes, 3U) - 1; }
    std::size_t row() const { return static_cast<std::size_t>(generation(comm.compute_capability)); }
    bool all_reduce() const { return collective == Collective::all_reduce; }
    bool gathers() const { return collective == Collective::all_gather || collective == Collective::reduce_scatter; }
    const Graph& graph(Algo algo) const { return graphs[index(algo)]; }
    double log2_nodes() const { return std::bit_width(comm.nodes) - 1; }
    double steps() const { return all_reduce() ? 2 * (ranks() - 1) : gathers() ? ranks() - 1 : ranks(); }
    double hop(Wire wire, Algo algo, Proto proto) const {
        return t.hop_latency[static_cast<std::size_t>(wire)][index(algo)][index(proto)];
    }
    Wire inside() const { return comm.nvlink ? Wire::nvlink : Wire::pci; }
};

// Which collectives an algorithm serves. Source: ncclTopoTuneModel, first lines of its loop.
bool serves(const Case& c, Algo algo, Proto proto) {
    const bool simple_only = algo != Algo::ring && algo != Algo::tree;
    if (simple_only && proto != Proto::simple) {
        return false;
    }
    if (c.all_reduce()) {
        return algo != Algo::pat;
    }
    if (!c.gathers()) {
        return algo == Algo::ring;
    }
    switch (algo) {
        case Algo::ring:
            return true;
        case Algo::nvls:
            return at_least(c.release.version, 19);
        case Algo::collnet_direct:
            return at_least(c.release.version, 21);
        case Algo::pat:
            return c.comm.nodes == c.comm.ranks;  // one GPU per node
        default:
            return false;
    }
}

// What the machine has. Source: ncclTopoTuneModel "disable", updateCollCostTable.
bool present(const Case& c, Algo algo) {
    const Communicator& comm = c.comm;
    if (!c.t.has[index(algo)] || c.graph(algo).channels == 0) {
        return false;
    }
    switch (algo) {
        case Algo::tree:
        case Algo::ring:
        case Algo::pat:
            return true;
        case Algo::collnet_direct:
            return comm.collnet && c.several() && comm.nvswitch && c.per_node() <= 8;
        case Algo::collnet_chain:
            return comm.collnet && c.several();
        case Algo::nvls:
            return comm.nvls && (!c.several() || comm.collnet);  // across nodes the network itself must reduce
        case Algo::nvls_tree:
            return comm.nvls && c.several();
    }
    return false;
}

double nvls_channel_bandwidth(const Case& c, Algo algo) {
    const Graph& graph = c.graph(algo);
    const bool tree = algo == Algo::nvls_tree;
    const bool pair = c.comm.nodes <= 2;
    if (c.t.nvls_pipelined) {
        const double channels = graph.channels;
        const double intra = graph.intra * c.t.nvls_efficiency[c.row()] * (channels - 1) / channels *
                             (c.all_reduce() ? 2 : (c.per_node() - 1) / c.per_node());
        const double most = tree ? c.t.nvls_tree_channel[c.row()][c.column()] : unlimited;
        return std::min({intra, graph.inter * (pair && tree ? 2 : 1), most});
    }
    if (c.t.nvls_tree_hops_linear) {  // 2.18: no rule of its own
        return pair ? graph.intra : graph.inter;
    }
    if (tree) {
        return std::min(graph.intra, pair ? graph.inter : graph.inter / 2);
    }
    const bool counts_own_share = c.gathers() && at_least(c.release.version, 24);
    return counts_own_share ? std::min(graph.intra * (c.per_node() - 1) / c.per_node(), graph.inter * 0.9)
                            : std::min(graph.intra, graph.inter);
}

double ll128_channel_limit(const Case& c, Algo algo) {
    const std::array<double, 5>& by = c.t.ll128_channel_by_collective;
    if (by.back() > 0) {
        switch (c.collective) {
            case Collective::broadcast:
                return by[0];
            case Collective::reduce:
                return by[1];
            case Collective::all_gather:
                return by[2];
            case Collective::reduce_scatter:
                return by[3];
            default:
                return by[4];
        }
    }
    return (algo == Algo::ring ? c.t.ring_ll128_channel : c.t.tree_ll128_channel)[c.row()][c.column()];
}

double ll_limit(const Case& c) {
    const auto amd = static_cast<std::size_t>(Generation::ampere);
    const auto others = static_cast<std::size_t>(Generation::volta);
    return c.t.ll_max[!c.several() ? c.row() : c.comm.cpu == CpuVendor::amd ? amd : others][c.column()];
}

double ring_bus(const Case& c, Proto proto, double bus) {
    if (proto == Proto::ll) {
        const bool first = c.all_reduce() || c.collective == Collective::reduce || c.several();
        return std::min(ll_limit(c), bus * c.t.ring_ll[first ? 0 : 1]);
    }
    if (proto == Proto::ll128) {
        const double channels = c.graph(Algo::ring).channels;
        return std::min(bus * c.t.ring_ll128[c.per_node() < 2 ? 1 : 0], channels * ll128_channel_limit(c, Algo::ring));
    }
    return bus;
}

double tree_bus(const Case& c, Proto proto, double bus) {
    const Graph& graph = c.graph(Algo::tree);
    bus = std::min(c.t.tree * bus, graph.channels * c.t.tree_channel[c.row()][c.column()]);
    if (proto == Proto::ll) {
        bus = std::min(bus * c.t.tree_ll, ll_limit(c));
    } else if (proto == Proto::ll128) {
        bus = std::min(bus * c.t.tree_ll128[c.several() ? 1 : 0], graph.channels * ll128_channel_limit(c, Algo::tree));
    }
    return graph.simple_tree ? bus * c.t.tree_pattern : bus;
}

double collnet_direct_bus(const Case& c, double bus) {
    const Graph& graph = c.graph(Algo::collnet_direct);
    if (c.gathers()) {
        return c.per_node() * std::min(graph.intra, 0.9 * graph.inter);
    }
    // CollNetDirect needs a NIC for each GPU to reach full speed.
    const double gpus_per_nic = c.per_node() / graph.channels;
    return bus / (gpus_per_nic - (gpus_per_nic - 1) / 2) * (c.comm.compute_capability >= 90 ? c.t.collnet_direct : 1);
}

// Bytes of the caller's buffer per second, over all channels: NCCL's comm->bandwidths.
double bandwidth(const Case& c, Algo algo, Proto proto) {
    const Graph& graph = c.graph(algo);
    const bool collnet = algo == Algo::collnet_direct || algo == Algo::collnet_chain;
    const bool nvls = algo == Algo::nvls || algo == Algo::nvls_tree;
    double channel = c.comm.nodes <= 2 || collnet ? graph.intra : graph.inter;
    if (nvls) {
        channel = nvls_channel_bandwidth(c, algo);
    }
    double bus = graph.channels * channel;
    if (c.row() == static_cast<std::size_t>(Generation::ampere)) {
        bus = std::min(bus, c.t.bus_limit_ampere);
    }
    switch (algo) {
        case Algo::ring:
            bus = ring_bus(c, proto, bus);
            break;
        case Algo::tree:
            bus = tree_bus(c, proto, bus);
            break;
        case Algo::collnet_direct:
            bus = collnet_direct_bus(c, bus);
            break;
        case Algo::collnet_chain:
            bus *= c.t.collnet_chain;
            break;
        case Algo::pat:
            bus *= c.t.pat;
            break;
        default:
            break;
    }
    // From the rate of the wires to the rate of the caller's buffer.
    if (c.gathers() && algo != Algo::ring) {
        return bus;
    }
    if (algo == Algo::ring || (nvls && c.t.nvls_pipelined)) {
        return bus * c.ranks() / c.steps();
    }
    if (algo == Algo::nvls_tree && c.t.nvls_tree_hops_linear) {
        return bus * 0.7 * c.nodes() / (2 * (c.nodes() - 1));
    }
    return bus * (nvls ? c.t.nvls_ratio : 0.5);
}

double ring_latency(const Case& c, Proto proto, double intra, double inter) {
    if (!c.all_reduce() && !c.gathers()) {
        const bool same = c.graph(Algo::ring).same_channels;
        const Algo like = proto == Proto::simple && !same ? Algo::tree : Algo::ring;
        const double hop = c.hop(c.several() ? Wire::network : c.inside(), like, proto);
        return same ? hop : c.steps() * hop;
    }
    double inter_steps = 0;
    if (c.several()) {
        inter_steps = c.all_reduce() ? 2 * (c.nodes() - 1) + c.t.extra_inter_steps : c.nodes() - 1;
        const double post = c.comm.cpu == CpuVendor::amd     ? c.t.net_overhead_amd
                            : c.comm.cpu == CpuVendor::intel ? c.t.net_overhead_intel
                                                             : c.t.net_overhead_other;
        intra = std::max(intra, post * (proto == Proto::simple ? c.t.net_overhead_simple_factor : 1));
    }
    return (c.steps() - inter_steps) * intra + inter_steps * inter;
}

// Seconds that a call takes besides moving its bytes: NCCL's comm->latencies.
double latency(const Case& c, Algo algo, Proto proto) {
    const double base = c.t.base_latency[index(algo)][index(proto)];
    const double others = c.per_node() - 1;
    double intra = c.hop(c.inside(), algo, proto);
    if (c.several() && proto == Proto::ll) {
        intra *= c.t.ll_several_nodes_factor;
    }
    // With one GPU per node nothing hides the network's latency.
    const bool exposed = c.per_node() == 1 && c.t.single_gpu_uses_tree_latency;
    double inter = c.hop(Wire::network, exposed ? Algo::tree : algo, proto);
    inter += c.graph(algo).latency_inter * (proto == Proto::simple ? 2 : 1);  // twice: the flush after a receive
    switch (algo) {
        case Algo::ring:
            return base + ring_latency(c, proto, intra, inter);
        case Algo::tree:
            return base + 2 * (others * intra + c.log2_nodes() * inter);
        case Algo::collnet_direct:
            return base + 2 * (std::min(1.0, others) * intra + others * c.t.arity_latency) + inter;
        case Algo::collnet_chain:
            return base + 2 * others * intra + inter;
        case Algo::nvls:
            return base + intra + (c.several() ? inter : 0);
        case Algo::nvls_tree:
            return base + intra + 2 * (c.t.nvls_tree_hops_linear ? c.nodes() - 1 : c.log2_nodes()) * inter;
        case Algo::pat:
            return base + c.log2_nodes() * inter / 3.5 + c.ranks() * 2.8e-6;
    }
    return base;
}

// "Plateau effect of ring" (ncclTopoGetAlgoTime).
double ring_plateau(const Case& c, double bytes) {
    if (!c.several() || !c.all_reduce()) {
        return 1;
    }
    const double shares = c.ranks() * (c.t.plateau_per_channel ? c.graph(Algo::ring).channels : 1);
    return bytes / shares < c.t.plateau_threshold ? 1 : c.t.plateau[c.comm.compute_capability < 80 ? 0 : 1];
}

double seconds(const Case& c, Algo algo, Proto proto, double bytes) {
    double rate = bandwidth(c, algo, proto);
    if (!(rate > 0)) {
        return unlimited;
    }
    const auto doublings = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(bytes) >> 6U)) - 1;
    const bool corrected = algo == Algo::tree || (algo == Algo::nvls_tree && at_least(c.release.version, 29) &&
                                                  c.comm.cpu != CpuVendor::other && c.comm.compute_capability >= 100);
    const std::vector<double>& correction = c.t.tree_correction[index(proto)];
    if (corrected && c.all_reduce() && doublings >= 0 && doublings < static_cast<std::int64_t>(correction.size())) {
        rate *= correction[static_cast<std::size_t>(doublings)];
    }
    const double plateau = algo == Algo::ring && proto == Proto::simple ? ring_plateau(c, bytes) : 1;
    return plateau * latency(c, algo, proto) + bytes / rate;
}

bool permitted(const Case& c, Algo algo, Proto proto, const Allowed& allowed) {
    if (!allowed.algo[index(algo)] || !allowed.proto[index(proto)]) {
        return false;
    }
    return proto != Proto::ll128 || c.comm.ll128 || allowed.ll128_by_name;
}

}  // namespace

std::vector<Estimate> estimates(const Release& release, const Communicator& comm, const Graphs& graphs,
                                Collective collective, double bytes, DataType dtype, const Allowed& allowed) {
    const Case c{release, release.tuning, comm, graphs, collective};
    // A long ring loses precision when it sums FP8 values, so NCCL avoids it (updateCollCostTable).
    const bool lossy_ring = dtype == DataType::float8 && comm.ranks > 8;
    std::vector<Estimate> all;
    for (const Algo algo : every_algo) {
        for (const Proto proto : every_proto) {
            if (!serves(c, algo, proto) || !present(c, algo) || !permitted(c, algo, proto, allowed)) {
                continue;
            }
            const double time = seconds(c, algo, proto, bytes) * (lossy_ring && algo == Algo::ring ? 1024 : 1);
            if (time < unlimited) {
                all.push_back({algo, proto, time});
            }
        }
    }
    return all;
}

Estimate choose(const std::vector<Estimate>& estimates) {
    const auto best = std::min_element(estimates.begin(), estimates.end(),
                                       [](const Estimate& a, const Estimate& b) { return a.seconds < b.seconds; });
    if (best == estimates.end()) {
        throw PlanError("no algorithm and protocol is left to choose from");
    }
    return *best;
}

}  // namespace fabricast::nccl
