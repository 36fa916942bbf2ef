// Algorithms that NCCL does not have, message by message: recursive doubling, pairwise, hierarchical.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/plan/collectives/algorithms/program.hpp"
#include "sim/plan/collectives/plan_call.hpp"

namespace fabricast::inline collectives {

namespace {

// A message takes about 100 B in a schedule of three iterations.
constexpr std::size_t most_messages = 2'000'000;

// One form of an algorithm. The number of messages is estimated without the program, to refuse a million ranks at once.
struct Form {
    Algorithm algorithm;
    Collective collective;
    double (*messages)(double ranks, const Call& call);
    Program (*program)(std::uint32_t ranks, const Call& call);
};

double every_pair(double ranks, const Call&) { return ranks * ranks; }

// Small calls: whole buffers in log2 steps, for latency dominates. Large ones: halving and doubling, for bytes do.
Program doubling(std::uint32_t ranks, const Call& call) {
    return call.bytes <= 64 * 1024 ? recursive_doubling_all_reduce(ranks) : halving_doubling_all_reduce(ranks);
}

Program pairwise(std::uint32_t ranks, const Call&) { return pairwise_all_to_all(ranks); }

constexpr std::array forms{
    Form{Algorithm::recursive_doubling, Collective::all_reduce, [](double ranks, const Call&) { return 64 * ranks; },
         doubling},
    Form{Algorithm::recursive_doubling, Collective::all_gather, every_pair,
         [](std::uint32_t ranks, const Call&) { return pat_all_gather(ranks); }},
    Form{Algorithm::recursive_doubling, Collective::reduce_scatter, every_pair,
         [](std::uint32_t ranks, const Call&) { return pat_reduce_scatter(ranks); }},
    Form{Algorithm::pairwise, Collective::all_to_all, every_pair, pairwise},
    Form{Algorithm::pairwise, Collective::all_to_all_v, every_pair, pairwise},
    Form{Algorithm::hierarchical, Collective::all_reduce,
         [](double ranks, const Call& call) { return 2 * ranks * (call.per_node() + call.shape.nodes); },
         [](std::uint32_t, const Call& call) { return hierarchical_all_reduce(call.shape.nodes, call.per_node()); }},
};

Program program_for(const Call& call) {
    const Algorithm algorithm = call.workload.algorithm;
    const Collective collective = call.workload.collective;
    const auto form = std::ranges::find_if(
        forms, [&](const Form& f) { return f.algorithm == algorithm && f.collective == collective; });
    if (form == forms.end()) {
        throw PlanError(
            fmt::format("{} has no form of {}; recursive-doubling has all_reduce, all_gather and reduce_scatter, "
                        "pairwise all_to_all, hierarchical all_reduce",
                        to_string(algorithm), to_string(collective)));
    }
    if (form->messages(call.shape.ranks, call) > static_cast<double>(most_messages)) {
        throw PlanError(
            fmt::format("{} over {} GPUs would be more than {} messages; use fewer GPUs or an algorithm "
                        "that is planned as a stream (ring, tree, direct)",
                        to_string(algorithm), call.shape.ranks, most_messages));
    }
    return form->program(call.shape.ranks, call);
}

Unrolling costs_of(const Call& call, std::uint32_t pieces) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    const bool several = call.several_nodes();
    const double bytes = call.bytes / pieces;
    const Duration network = several ? network_hop(call, NetworkHop::ring, nccl::Proto::simple, bytes) : Duration{};
    const double network_ratio = several ? network_wire(ledger, nccl::Proto::simple) : 1;
    const double rate_cap = cost.channel_rate * call.found.channels;
    const std::uint32_t per_node = call.per_node();
    const bool gpu_direct = call.gpu_direct;
    const PathRules rules = call.rules;
    Unrolling as;
    as.bytes = [bytes](std::uint32_t) { return bytes; };
    as.overhead = [=](std::uint32_t src, std::uint32_t dst, double) {
        return src / per_node == dst / per_node ? cost.hop : network;
    };
    as.connection = [=](std::uint32_t src, std::uint32_t dst) {
        return Connection{.path = rules.applied({.src = rules.fabric.gpu(src),
                                                 .dst = rules.fabric.gpu(dst),
                                                 .flow_label = src,
                                                 .gpu_direct = gpu_direct}),
                          .wire_ratio = src / per_node == dst / per_node ? cost.wire : network_ratio,
                          .rate_cap = rate_cap};
    };
    return as;
}

}  // namespace

LoweredCall plan_steps(const Call& call, Schedule&) {  // every iteration adds its own connections
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

}  // namespace fabricast::inline collectives
