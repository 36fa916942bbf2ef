#include "sim/plan/collectives/plan_call.hpp"

#include <algorithm>
#include <array>

#include "sim/plan/collectives/plan_network.hpp"
#include "sim/plan/collectives/plan_nvls.hpp"
#include "sim/plan/collectives/plan_p2p.hpp"
#include "sim/plan/collectives/plan_ring.hpp"
#include "sim/plan/collectives/plan_steps.hpp"
#include "sim/plan/collectives/plan_tree.hpp"

namespace fabricast {

namespace {

struct AlgorithmRow {
    nccl::Algo algo;
    LoweredCall (*plan)(const Call& call, Schedule& schedule);
};

constexpr std::array algorithms = {
    AlgorithmRow{nccl::Algo::ring, plan_ring},
    AlgorithmRow{nccl::Algo::tree, plan_tree},
    AlgorithmRow{nccl::Algo::nvls, plan_nvls},
    AlgorithmRow{nccl::Algo::nvls_tree, plan_nvls},
    AlgorithmRow{nccl::Algo::pat, plan_pat},
    AlgorithmRow{nccl::Algo::collnet_direct, plan_collnet},
    AlgorithmRow{nccl::Algo::collnet_chain, plan_collnet},
};

constexpr std::array p2p = {Collective::all_to_all, Collective::all_to_all_v, Collective::sendrecv, Collective::gather,
                            Collective::scatter};
constexpr std::array stepped = {Algorithm::recursive_doubling, Algorithm::pairwise, Algorithm::hierarchical};

}  // namespace

bool is_p2p(Collective collective) { return std::ranges::find(p2p, collective) != p2p.end(); }

bool is_stepped(Algorithm algorithm) { return std::ranges::find(stepped, algorithm) != stepped.end(); }

LoweredCall plan_call(const Call& call, Schedule& schedule) {
    if (is_stepped(call.workload.algorithm)) {
        return plan_steps(call, schedule);
    }
    if (is_p2p(call.workload.collective)) {
        return plan_p2p(call, schedule);
    }
    const auto row = std::ranges::find(algorithms, call.algo, &AlgorithmRow::algo);
    if (row == algorithms.end()) {
        throw PlanError("no plan for NCCL's algorithm " + std::string(nccl::to_string(call.algo)));
    }
    return row->plan(call, schedule);
}

}  // namespace fabricast
