#include "sim/plan/collectives/nccl/rail_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fabricast::inline collectives::nccl {

namespace {

constexpr std::array all_rail_kernels{
    WindowKernel{"AllGather_RailRing_LsaSTMC", Collective::all_gather, false, true, false},
    WindowKernel{"ReduceScatter_RailA2A_LsaLD", Collective::reduce_scatter, false, false, false},
    WindowKernel{"ReduceScatter_RailA2A_LsaLDMC", Collective::reduce_scatter, false, true, true},
};

struct Rails {
    const WindowCall& call;
    const Release& release;
    const WindowFigure& figure;
    double gpus, nodes;  // of a node, and how many of these
    double network_rate, local_rate, latency;
    double share;  // bytes of a rank

    int blocks(double wanted, double most) const {
        if (call.blocks > 0) { return call.blocks; }
        return static_cast<int>(std::max(1.0, std::min(std::ceil(wanted), most)));
    }
};

// Each share goes round the ring of its rail, and every node's switch spreads it.
RailPick gather_time(const Rails& r, const WindowKernel& kernel) {
    RailPick pick{.kernel = &kernel, .chunk = r.release.number("rails.gather_chunk")};
    const double most = std::ceil(r.figure(fmt::format("blocks.multicast.{}", era(r.call))) / r.gpus);
    pick.blocks = r.blocks(r.share / pick.chunk, most);
    const double steps = std::ceil(r.share / pick.chunk) * (r.nodes - 1);
    const double moving = std::max(r.share * r.gpus * r.nodes / r.local_rate, r.share * (r.nodes - 1) / r.network_rate);
    pick.seconds = steps * r.latency + moving;
    // As the kernel of one node counts a block's multicast, for the shares of all nodes.
    const double one = block_rate(r.call, r.figure) * r.figure("copy.multicast") * r.gpus / (r.gpus - 1);
    pick.blocked = r.share * r.nodes / (pick.blocks * one);
    return pick;
}

// A node's GPUs' data for each rail peer are added up and sent; what comes from the peers is added to the own node's.
RailPick scatter_time(const Rails& r, const WindowKernel& kernel) {
    RailPick pick{.kernel = &kernel, .chunk = r.release.number("rails.scatter_chunk")};
    const double sources = kernel.multicast ? 1 : r.gpus;
    const double peers = r.nodes - 1;
    const double by_blocks = (r.gpus == 1 ? 0 : sources * peers) + sources + peers;  // times that they read a share
    const double inside = std::max((kernel.multicast ? r.gpus : r.gpus - 1) * r.nodes, (r.gpus - 1) * r.nodes);
    const double one = r.release.item_of("rails.block_rate", r.call.gpu, kernel.multicast ? 1 : 0) / by_blocks;
    const double links = std::min(r.local_rate / inside, r.network_rate / peers);
    pick.blocks = r.blocks(r.share / pick.chunk, std::min(r.figure("blocks"), std::ceil(links / one)));
    pick.blocked = r.share / (pick.blocks * one);
    const double first = std::min(r.share, pick.chunk * pick.blocks);
    pick.seconds =
        std::max(pick.blocked, r.share / links) + first * (inside / r.local_rate + peers / r.network_rate) + r.latency;
    return pick;
}

bool is_in(const Release& release, const WindowKernel& kernel) {
    const bool gathers = kernel.collective == Collective::all_gather;
    return release.number_or_0(gathers ? "rails.gather_chunk" : "rails.scatter_chunk") > 0;
}

}  // namespace

std::span<const WindowKernel> rail_kernels() { return all_rail_kernels; }

std::optional<RailPick> pick_rail_kernel(const WindowCall& call, std::uint32_t nodes, double network_rate,
                                         const Release& release, const WindowFigure& figure) {
    const Rails rails{.call = call,
                      .release = release,
                      .figure = figure,
                      .gpus = static_cast<double>(call.ranks) / nodes,
                      .nodes = static_cast<double>(nodes),
                      .network_rate = network_rate,
                      .local_rate = figure(fmt::format("rails.local_rate.{}", era(call))),
                      .latency = release.item("hw_latency.net.ring", 2),
                      .share = call.bytes / call.ranks};
    std::optional<RailPick> best;
    double least = std::numeric_limits<double>::infinity();
    for (const WindowKernel& kernel : all_rail_kernels) {
        if (!serves(kernel, call) || !is_in(release, kernel)) { continue; }
        const RailPick pick =
            kernel.collective == Collective::all_gather ? gather_time(rails, kernel) : scatter_time(rails, kernel);
        const double weighed = pick.seconds * (1 + figure("block_penalty") * pick.blocks);
        if (weighed < least) {
            best = pick;
            least = weighed;
        }
    }
    return best;
}

}  // namespace fabricast::inline collectives::nccl
