#pragma once
// NCCL's kernels for buffers in symmetric windows of one NVLink domain, and which of them it picks (those of several:
// rail_kernels.hpp). Source: NVIDIA/nccl src/sym_kernels.cc.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/nccl/release.hpp"

namespace fabricast::inline collectives::nccl {

struct WindowKernel {
    std::string_view name;  // as NCCL_SYM_KERNEL spells it
    Collective collective;
    bool ll;         // data with flags, no barrier
    bool multicast;  // the switch copies what a GPU writes, or reduces what it reads
    bool reduces;    // in the switch
};

std::span<const WindowKernel> window_kernels();

// A call that may take one of them.
struct WindowCall {
    Collective collective = Collective::all_reduce;
    DataType dtype = DataType::float32;
    double bytes = 0;  // nccl-tests' size
    std::uint32_t ranks = 1;
    Generation gpu = Generation::hopper;
    bool multicast = false;  // the switch has it
    std::string kernel{};    // NCCL_SYM_KERNEL; empty: the fastest
    int blocks = 0;          // NCCL_SYM_CTAS; 0: as few as are nearly as fast
};

struct WindowPick {
    const WindowKernel* kernel = nullptr;
    int blocks = 0;
    double latency = 0, moving = 0;  // seconds
    double seconds() const { return latency + moving; }
};

// A figure of the catalogue's part `nccl-windows`.
using WindowFigure = std::function<double(std::string_view)>;

// "hopper" or "blackwell", as figures are named.
std::string_view era(const WindowCall& call);
// Whether a sum of these is computed, by GPUs or in the switch, which before Blackwell does not reduce FP8.
bool reduces(const WindowCall& call, bool in_switch);
// Whether the kernel does what is called, here.
bool serves(const WindowKernel& kernel, const WindowCall& call);
// Seconds of a kernel with barriers that moves nothing.
double barriers(const WindowCall& call, const WindowFigure& figure);
// Bytes per second that one block moves.
double block_rate(const WindowCall& call, const WindowFigure& figure);

// The kernel that NCCL picks; none if no kernel serves the call.
std::optional<WindowPick> pick_window_kernel(const WindowCall& call, const WindowFigure& figure);

// How long it takes by NCCL's model on so many blocks.
WindowPick window_time(const WindowKernel& kernel, const WindowCall& call, int blocks, const WindowFigure& figure);

}  // namespace fabricast::inline collectives::nccl
