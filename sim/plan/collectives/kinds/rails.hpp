#pragma once
// Kernels over symmetric windows between nodes: which, and what they ask of a call.

#include <optional>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl/rail_kernels.hpp"

namespace fabricast::inline collectives {

// What NCCL's choice of a kernel over windows reads of a call of `bytes`.
nccl::WindowCall window_call(const CollectiveWorkload& workload, const nccl::Environment& environment,
                             const nccl::TopologySearchResult& found, const Fabric& fabric, double bytes);

bool has_rail_kernels(Collective collective, const nccl::Release& release);

// NCCL's choice for a call on several nodes; none if no kernel serves it.
std::optional<nccl::Estimate> rail_choice(const nccl::WindowCall& call, const Fabric& fabric,
                                          const nccl::Release& release, const nccl::WindowFigure& figure);

// Edges of rails: from each GPU's NIC to that of the same GPU in the next node, or in every other node.
enum class RailPeers : bool { next, all };
void visit_rails(const Fabric& fabric, RailPeers peers, double count, const std::function<void(const Edge&)>& visit);
// Edges from each GPU to the others of its node.
void visit_pairs_inside(const Fabric& fabric, double count, const std::function<void(const Edge&)>& visit);
std::uint64_t rail_edges(const Fabric& fabric, RailPeers peers);

// One way of a put over the network, beside its path: by the GPU itself or by a thread of the host.
Duration put_hop(const Call& call, bool by_proxy);

}  // namespace fabricast::inline collectives
