#include "sim/plan/collectives/nccl/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fabricast::inline collectives::nccl {

namespace {

using enum Collective;

double by_collective(const std::string& name, Collective own, const WindowCall& call, const WindowFigure& figure) {
    return figure(call.collective == own ? fmt::format("{}.{}", name, to_string(own)) : name);
}

constexpr std::array kernels{
    WindowKernel{"AllReduce_AGxLL_R", all_reduce, true, false, false},
    WindowKernel{"AllReduce_AGxLLMC_R", all_reduce, true, true, false},
    WindowKernel{"AllReduce_RSxLD_AGxST", all_reduce, false, false, false},
    WindowKernel{"AllReduce_RSxLDMC_AGxSTMC", all_reduce, false, true, true},
    WindowKernel{"AllGather_LL", all_gather, true, false, false},
    WindowKernel{"AllGather_LLMC", all_gather, true, true, false},
    WindowKernel{"AllGather_ST", all_gather, false, false, false},
    WindowKernel{"AllGather_STMC", all_gather, false, true, false},
    WindowKernel{"ReduceScatter_LL", reduce_scatter, true, false, false},
    WindowKernel{"ReduceScatter_LD", reduce_scatter, false, false, false},
    WindowKernel{"ReduceScatter_LDMC", reduce_scatter, false, true, true},
};

// Bytes that the busier direction of a GPU's links moves, as the model counts them.
double bus_bytes(const WindowKernel& kernel, const WindowCall& call, const WindowFigure& figure) {
    const double n = call.ranks;
    const double share = call.bytes / n;  // of one rank
    if (kernel.ll) { return (call.collective == all_reduce ? n * call.bytes : call.bytes) * figure("ll.cost"); }
    if (call.collective != all_reduce) { return (n - 1) * share; }
    return kernel.reduces ? share + call.bytes : 2 * (n - 1) * share;
}

double latency(const WindowKernel& kernel, const WindowCall& call, const WindowFigure& figure) {
    if (!kernel.ll) { return barriers(call, figure); }
    const std::string name = fmt::format("latency.ll.{}", era(call));
    return call.gpu == Generation::blackwell ? by_collective(name, all_gather, call, figure) : figure(name);
}

double gain(const WindowKernel& kernel, const WindowCall& call, const WindowFigure& figure) {
    if (!kernel.multicast) { return 1; }
    if (kernel.ll) { return figure("ll.multicast"); }
    return call.ranks * (call.collective == all_reduce ? 1 : figure("copy.multicast"));
}

int most_blocks(const WindowKernel& kernel, const WindowCall& call, const WindowFigure& figure) {
    const double all = figure("blocks");
    if (!kernel.multicast || kernel.ll) { return static_cast<int>(all); }
    return static_cast<int>(
        std::min(all, std::ceil(figure(fmt::format("blocks.multicast.{}", era(call))) / call.ranks)));
}

// Of several block counts that are nearly as fast, the least.
WindowPick best_blocks(const WindowKernel& kernel, const WindowCall& call, const WindowFigure& figure) {
    const int most = call.blocks > 0 ? call.blocks : most_blocks(kernel, call, figure);
    const WindowPick fastest = window_time(kernel, call, most, figure);
    for (int blocks = call.blocks > 0 ? most : 1; blocks < most; ++blocks) {
        const WindowPick fewer = window_time(kernel, call, blocks, figure);
        if (fewer.seconds() <= figure("enough") * fastest.seconds()) { return fewer; }
    }
    return fastest;
}

}  // namespace

std::string_view era(const WindowCall& call) { return call.gpu == Generation::blackwell ? "blackwell" : "hopper"; }

bool reduces(const WindowCall& call, bool in_switch) {
    using enum DataType;
    switch (call.dtype) {
        case float16:
        case bfloat16:
        case float32: return true;
        case float8: return !in_switch || call.gpu == Generation::blackwell;
        case int8:
        case uint8:
        case int32:
        case uint32:
        case int64:
        case uint64:
        case float64: return false;
    }
    return false;
}

bool serves(const WindowKernel& kernel, const WindowCall& call) {
    const bool named = call.kernel.empty() || call.kernel == kernel.name;
    return kernel.collective == call.collective && named && (!kernel.multicast || call.multicast) &&
           (kernel.collective == all_gather || reduces(call, kernel.reduces));
}

double barriers(const WindowCall& call, const WindowFigure& figure) {
    const std::string name = fmt::format("latency.copy.{}", era(call));
    return call.gpu == Generation::blackwell ? by_collective(name, all_reduce, call, figure) : figure(name);
}

double block_rate(const WindowCall& call, const WindowFigure& figure) {
    const std::string name = fmt::format("block_rate.{}", era(call));
    return call.gpu == Generation::blackwell ? figure(name) : by_collective(name, all_reduce, call, figure);
}

std::span<const WindowKernel> window_kernels() { return kernels; }

// Both bends are smooth: the rate of many blocks comes near the peak, and the first microsecond of moving hides behind
// the latency.
WindowPick window_time(const WindowKernel& kernel, const WindowCall& call, int blocks, const WindowFigure& figure) {
    const double one = block_rate(call, figure);
    const bool reduced = call.collective == all_reduce && kernel.reduces;
    const double peak = figure(fmt::format("rate.{}{}", era(call), reduced ? ".reduced" : ""));
    const double asked = blocks * one * gain(kernel, call, figure);
    const double rate = peak - one * std::log1p((std::exp(peak / one) - 1) * std::exp(-asked / one));
    constexpr double hidden = 1e-6;  // seconds
    const double beyond = bus_bytes(kernel, call, figure) / rate / hidden - 1;
    const double moving = hidden * (beyond > 100 ? beyond : std::log1p(std::exp(beyond)));
    return {&kernel, blocks, latency(kernel, call, figure), moving};
}

std::optional<WindowPick> pick_window_kernel(const WindowCall& call, const WindowFigure& figure) {
    std::optional<WindowPick> best;
    double least = std::numeric_limits<double>::infinity();
    constexpr double GiB = 1 << 30;
    for (const WindowKernel& kernel : kernels) {
        if (!serves(kernel, call) || call.bytes >= (kernel.ll ? 2 : 64) * GiB) { continue; }
        const WindowPick pick = best_blocks(kernel, call, figure);
        const double weighed = pick.seconds() * (1 + figure("block_penalty") * pick.blocks);
        if (weighed < least) {
            best = pick;
            least = weighed;
        }
    }
    return best;
}

}  // namespace fabricast::inline collectives::nccl
