#pragma once
// The properties of a GPU that forecasts need: its generation as NCCL counts them, how fast it computes and copies.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace fabricast::inline models {

// NVIDIA generations in NCCL's order: its tuning tables are indexed by them.
enum class GpuArch : std::uint8_t { pascal, volta, turing, ampere, ada, hopper, blackwell };
inline constexpr std::array<std::string_view, 7> gpu_arch_names = {"pascal", "volta",  "turing",   "ampere",
                                                                   "ada",    "hopper", "blackwell"};

struct GpuSpec {
    std::string name;
    GpuArch arch = GpuArch::hopper;
    bool unlike = false;          // `arch` is the generation it is taken for, for want of its own
    int compute_capability = 90;  // 10 * major + minor
    int sms = 132;
    // Dense peaks, FLOP/s.
    double fp64 = 0, fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0, fp8 = 0, fp4 = 0;
    double memory_bandwidth = 0;  // bytes per second
    Bytes memory;
    int copy_engines = 2;
    double nvlink_rate = 0;  // line rate, packet headers included, per direction, all links, bytes per second; 0: none
    int nvlinks = 0;
    double tdp_watts = 0;
};

}  // namespace fabricast::inline models
