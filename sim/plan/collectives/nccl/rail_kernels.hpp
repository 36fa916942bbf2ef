#pragma once
// NCCL's kernels over symmetric windows on several NVLink domains, from 2.29 on: GPUs put data on their rails to the
// next node themselves (GIN), and spread or reduce them inside a node. Source: NVIDIA/nccl src/sym_kernels.cc
// (queryModel_gin) and src/device/symmetric/{all_gather,reduce_scatter}_gin.cuh.

#include <optional>
#include <span>

#include "sim/plan/collectives/nccl/windows.hpp"

namespace fabricast::inline collectives::nccl {

std::span<const WindowKernel> rail_kernels();

struct RailPick {
    const WindowKernel* kernel = nullptr;
    int blocks = 0;
    double chunk = 0;    // bytes of a block's put
    double blocked = 0;  // seconds that the blocks' own work takes
    double seconds = 0;  // of the call by NCCL's model
};

// The kernel that NCCL picks for a call on several nodes of `call.ranks / nodes` GPUs; none if none serves it.
// `network_rate`: of one NIC, in bytes per second.
std::optional<RailPick> pick_rail_kernel(const WindowCall& call, std::uint32_t nodes, double network_rate,
                                         const Release& release, const WindowFigure& figure);

}  // namespace fabricast::inline collectives::nccl
