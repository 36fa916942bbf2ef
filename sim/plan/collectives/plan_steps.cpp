#include "sim/plan/collectives/plan_steps.hpp"

// Algorithms that NCCL does not have, lowered message by message: what another library could reach.

#include <utility>

#include "sim/plan/collectives/algorithms/exchanges.hpp"
#include "sim/plan/collectives/algorithms/rings.hpp"
#include "sim/plan/collectives/algorithms/trees.hpp"
#include "sim/plan/collectives/algorithms/unroll.hpp"

namespace fabricast {

namespace {

// A message takes about 100 B in a schedule of three iterations.
constexpr std::size_t most_messages = 2'000'000;

Program program_for(const Call& call) {
    const std::uint32_t ranks = call.shape.ranks;
    const Collective collective = call.workload.collective;
    switch (call.workload.algorithm) {
        case Algorithm::recursive_doubling:
            if (collective == Collective::all_reduce) {
                // Small calls: whole buffers in log2 steps, because latency dominates. Large ones: halving and
                // doubling, because bytes do.
                return call.bytes <= 64 * 1024 ? recursive_doubling_all_reduce(ranks)
                                               : halving_doubling_all_reduce(ranks);
            }
            if (collective == Collective::all_gather) {
                return pat_all_gather(ranks);
            }
            if (collective == Collective::reduce_scatter) {
                return pat_reduce_scatter(ranks);
            }
            break;
        case Algorithm::pairwise:
            if (collective == Collective::all_to_all || collective == Collective::all_to_all_v) {
                return pairwise_all_to_all(ranks);
            }
            break;
        case Algorithm::hierarchical:
            if (collective == Collective::all_reduce) {
                return hierarchical_all_reduce(call.shape.nodes, call.per_node());
            }
            break;
        default:
            break;
    }
    throw PlanError(std::string(to_string(call.workload.algorithm)) + " has no form of " +
                    std::string(to_string(collective)) +
                    "; recursive-doubling has all_reduce, all_gather and reduce_scatter, pairwise all_to_all, " +
                    "hierarchical all_reduce");
}

// Estimates the number of messages without building the program, so that a million ranks are refused at once.
double estimated_messages(const Call& call) {
    const double ranks = call.shape.ranks;
    switch (call.workload.algorithm) {
        case Algorithm::pairwise:
            return ranks * ranks;
        case Algorithm::hierarchical:
            return 2 * ranks * (call.per_node() + call.shape.nodes);
        default:
            return call.workload.collective == Collective::all_reduce ? 64 * ranks : ranks * ranks;
    }
}

Unrolling costs_of(const Call& call, std::uint32_t pieces) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    const bool several = call.several_nodes();
    const Duration network = several ? network_hop(ledger, NetworkHop::ring, nccl::Proto::simple) : Duration{};
    const double network_ratio = several ? network_wire(ledger, nccl::Proto::simple) : 1;
    const double rate_cap = cost.channel_rate * call.found.channels;
    const std::uint32_t per_node = call.per_node();
    const double bytes = call.bytes / pieces;
    const Fabric fabric = call.fabric;
    const bool gpu_direct = call.gpu_direct;
    const PathRules rules = call.rules;
    Unrolling as;
    as.bytes = [bytes](std::uint32_t) { return bytes; };
    as.overhead = [=](std::uint32_t src, std::uint32_t dst, double) {
        return src / per_node == dst / per_node ? cost.hop : network;
    };
    as.connection = [=](std::uint32_t src, std::uint32_t dst) {
        Connection connection;
        connection.path.src = fabric.gpu(src);
        connection.path.dst = fabric.gpu(dst);
        connection.path.flow_label = src;
        connection.path.gpu_direct = gpu_direct;
        rules.apply(connection.path);
        connection.wire_ratio = src / per_node == dst / per_node ? cost.wire : network_ratio;
        connection.rate_cap = rate_cap;
        return connection;
    };
    return as;
}

}  // namespace

LoweredCall plan_steps(const Call& call, Schedule& schedule) {
    (void)schedule;  // every iteration adds its own connections
    if (estimated_messages(call) > static_cast<double>(most_messages)) {
        throw PlanError(std::string(to_string(call.workload.algorithm)) + " over " + std::to_string(call.shape.ranks) +
                        " GPUs would be more than " + std::to_string(most_messages) +
                        " messages; use fewer GPUs or an algorithm that is planned as a stream (ring, tree, direct)");
    }
    const Program program = program_for(call);
    // nccl-tests' size of an all-to-all is a rank's whole buffer: each piece of it goes to one peer.
    const bool to_all = call.workload.algorithm == Algorithm::pairwise;
    const Unrolling as = costs_of(call, to_all ? call.shape.ranks : program.pieces);
    const ProtocolCost cost = protocol_cost(call.ledger, nccl::Proto::simple);
    const Duration start = kernel_start(call.ledger, nccl::Proto::simple, cost, call.found.channels, 0);
    constexpr std::uint32_t kernel_lane = 2;
    const Body body = [program, as, start](Schedule& into, std::span<const Schedule::Dependency> after) {
        const Schedule::Dependency started{into.add(Delay{kernel_lane, start}, after), DependsOn::finish};
        return unroll(program, as, into, {&started, 1});
    };
    return {body, call.found.channels, false, Evidence::same_family};
}

}  // namespace fabricast
