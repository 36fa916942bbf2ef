// One kernel over symmetric windows: every GPU reads and writes its peers' buffers, or has the switch do it.

#include "sim/plan/collectives/kinds/windows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/collectives/kinds/rails.hpp"

namespace fabricast::inline collectives {

namespace {

using nccl::WindowCall;
using nccl::WindowKernel;

// Of the bytes that a rank sends to each peer, or to the switch and back.
double bytes_on_edge(const WindowKernel& kernel, const WindowCall& call) {
    const double share = call.bytes / call.ranks;
    const bool all = call.collective == Collective::all_reduce;
    if (kernel.multicast) { return call.bytes; }
    return all ? (kernel.ll ? call.bytes : 2 * share) : share;
}

// What one GPU's link to the switch carries up and down, in buffers. A multicast goes up once and comes down from all;
// a reduction is read by the switch from all and goes down once.
EdgeSet switch_edges(const Call& call, const WindowKernel& kernel) {
    const double n = call.shape.ranks;
    const bool all = kernel.collective == Collective::all_reduce;
    double up = all ? 1 + 1 / n : kernel.reduces ? 1 : 1 / n;
    double down = all ? 1 + 1 / n : kernel.reduces ? 1 / n : 1;
    if (kernel.ll && all) {
        up = 1;
        down = n;
    }
    EdgeList list;
    for (std::uint32_t g = 0; g < call.shape.ranks; ++g) {
        Edge edge{.path = {.src = call.fabric.gpu(g), .dst = call.fabric.nvswitch(0)}, .count = up};
        list.edges.push_back(edge);
        std::swap(edge.path.src, edge.path.dst);
        edge.count = down;
        list.edges.push_back(edge);
    }
    return list;
}

LoweredCall plan_window_kernel(const Call& call, Schedule& schedule) {
    const WindowCall asked = window_call(call.workload, call.environment, call.found, call.fabric, call.bytes);
    const auto told = [&](std::string_view figure) { return call.ledger.window(figure); };
    const auto plain = [&](std::string_view figure) { return call.ledger.parts().windows->number(figure); };
    const nccl::WindowPick chosen = nccl::pick_window_kernel(asked, plain).value();
    const WindowKernel& kernel = *chosen.kernel;
    const nccl::WindowPick time = nccl::window_time(kernel, asked, chosen.blocks, told);
    Pipeline pipeline;
    pipeline.bytes_per_edge = bytes_on_edge(kernel, asked);
    constexpr int loops = 64;  // a kernel streams in cells of 1 KiB: enough to be smooth, few enough to replay
    pipeline.chunk = pipeline.bytes_per_edge / loops;
    pipeline.slots = loops;
    // Half of LL's bytes are flags; what the switch copies or reduces takes the links as NVLS does.
    pipeline.wire_ratio = kernel.ll ? 2 : kernel.multicast ? call.ledger.nvls("nvls.wire") : 1;
    pipeline.edge_rate_cap = pipeline.bytes_per_edge / time.moving;
    pipeline.start = from_seconds(time.latency);
    EdgeSet edges = kernel.multicast ? switch_edges(call, kernel)
                                     : EdgeSet(AllPairs{.first = 0, .ranks = call.shape.ranks, .pxn = false});
    const Stage stage{1,
                      kernel.multicast ? PathQuery{.src = call.fabric.gpu(0), .dst = call.fabric.nvswitch(0)}
                                       : local_hop(call, call.found.rings.front()),
                      {}};
    LoweredCall lowered =
        streamed(call, schedule, pipeline, std::move(edges), {stage}, chosen.blocks, Evidence::formula_only);
    lowered.inside_crossings = kernel.multicast ? 1 : call.shape.ranks - 1;
    return lowered;
}

constexpr nccl::AlgorithmModel model(std::string_view key, Algorithm word) {
    return {key, key, word, false, nullptr, nullptr, nullptr, plan_window_kernel};
}
// Reported as the way its data take: to all peers, or through the switch.
constexpr nccl::AlgorithmModel to_peers = model("window", Algorithm::direct);
constexpr nccl::AlgorithmModel by_switch = model("window_multicast", Algorithm::nvls);

bool has_kernels(Collective collective) {
    using enum Collective;
    return collective == all_reduce || collective == all_gather || collective == reduce_scatter;
}

// Whether any two GPUs of the node have NVLink between them without a third.
bool direct_nvlink(const PathRules& rules) {
    const Fabric& fabric = rules.fabric;
    if (rules.peers && *rules.peers < nccl::PeerLevel::nvl) { return false; }
    if (fabric.node().nvlink == NvlinkShape::nvswitch) { return true; }
    const nccl::Locality& places = rules.places(0);
    const auto unlinked = std::ranges::count(places.nvlinks, 0);  // a GPU has none to itself
    return unlinked == static_cast<std::ptrdiff_t>(places.gpus);
}

// Why no call takes one; empty if nothing stands against it. `copied`: the copy engines serve it.
std::string obstacle(Collective collective, const nccl::Release& release, const PathRules& rules, bool gin, bool copied,
                     const nccl::Environment& environment) {
    if (!environment.windows) { return "NCCL_WIN_ENABLE or NCCL_CUMEM_ENABLE turns them off"; }
    if (!direct_nvlink(rules)) { return "not all GPUs have NVLink to each other"; }
    if (rules.fabric.node_count() == 1) {
        return copied || has_kernels(collective) ? "" : fmt::format("NCCL has none for {}", to_string(collective));
    }
    if (!gin) { return "those between nodes need NCCL's own network over InfiniBand or RoCE with GPUDirect"; }
    if (!environment.gin) { return "NCCL_GIN_ENABLE or NCCL_SYM_GIN_KERNELS_ENABLE turns those between nodes off"; }
    if (copied || has_rail_kernels(collective, release)) { return ""; }
    return fmt::format("NCCL {} has none for {} between nodes", release.entry->word("version"), to_string(collective));
}

}  // namespace

bool has_gin(const Part* transport, bool gpu_direct) {
    return gpu_direct && transport != nullptr && transport->word_or("posted_by", "") == "net_ib";
}

bool takes_windows(const CollectiveWorkload& workload, const LibrarySpec& library, const nccl::Release& release,
                   const PathRules& rules, bool gin, nccl::Environment& environment) {
    const bool named = !environment.window_kernel.empty() || environment.window_blocks > 0 || !environment.windows ||
                       environment.zero_cta || !environment.gin || environment.gin_by_proxy;
    if (library.registered != Registered::window) {
        if (named) { environment.notes.emplace_back("NCCL's settings of windows change nothing: none is registered"); }
        return false;
    }
    if (!release.flags.windows) {
        throw PlanError(
            fmt::format("windows came with NCCL 2.27: `registered: window` has no effect in {}", release.entry->name),
            "library.registered");
    }
    if (workload.algorithm != Algorithm::automatic || workload.protocol != Protocol::automatic) {
        throw PlanError("kernels over windows have no algorithm or protocol to choose (accepted: auto)",
                        "library.registered");
    }
    const bool copied = copies(workload, environment, release, rules.fabric, 0);
    if (environment.zero_cta && !copied) {
        environment.notes.push_back(fmt::format("NCCL_CTA_POLICY=ZERO: the copy engines of NCCL {} do no {}{}",
                                                library.nccl, to_string(workload.collective),
                                                rules.fabric.node_count() > 1 ? " between nodes" : ""));
    }
    const std::string why = obstacle(workload.collective, release, rules, gin, copied, environment);
    if (!why.empty()) { environment.notes.push_back("no kernel over the registered windows: " + why); }
    return why.empty();
}

std::optional<nccl::Estimate> window_choice(const CollectiveWorkload& workload, const nccl::Environment& environment,
                                            const nccl::Release& release, const nccl::TopologySearchResult& found,
                                            const Fabric& fabric, double bytes, const Part& figures) {
    if (copies(workload, environment, release, fabric, bytes)) { return by_copy_engine(); }
    const WindowCall call = window_call(workload, environment, found, fabric, bytes);
    const nccl::WindowFigure figure = [&](std::string_view name) { return figures.number(name); };
    if (fabric.node_count() > 1) { return rail_choice(call, fabric, release, figure); }
    if (!has_kernels(workload.collective)) { return std::nullopt; }
    const auto pick = nccl::pick_window_kernel(call, figure);
    if (!pick) { return std::nullopt; }
    return nccl::Estimate{pick->kernel->multicast ? &by_switch : &to_peers,
                          pick->kernel->ll ? nccl::Proto::ll : nccl::Proto::simple, pick->seconds()};
}

}  // namespace fabricast::inline collectives
