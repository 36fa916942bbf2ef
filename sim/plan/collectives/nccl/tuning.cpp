#include "sim/plan/collectives/nccl/tuning.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives::nccl {

double TuningCase::hop(std::string_view wire, std::string_view algorithm, Proto proto) const {
    return release.item(fmt::format("hw_latency.{}.{}", wire, algorithm), index(proto));
}

double TuningCase::bus(double channel) const {
    const double bus = graph.channels * channel;
    return gpu() == Generation::ampere ? std::min(bus, release.number("bus_limit.ampere")) : bus;
}

double TuningCase::ll_limit() const {
    const Generation host = comm.cpu == CpuVendor::amd ? Generation::ampere : Generation::volta;
    return release.item_of("ll_max_bandwidth", several() ? host : gpu(), column());
}

double TuningCase::ll128_channel_limit(std::string_view figure) const {
    const bool by_generation = release.entry->has("per_channel.ring_ll128.volta");
    return by_generation ? of_system(figure)
                         : release.number(fmt::format("per_channel.ll128.{}", fabricast::to_string(collective)));
}

double TuningCase::correction(std::string_view algorithm, Proto proto, double bytes) const {
    const auto doublings = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(bytes) >> 6U)) - 1;
    const double found = doublings < 0 ? 0
                                       : release.item(fmt::format("{}_correction.{}", algorithm, figure_prefix(proto)),
                                                      static_cast<std::size_t>(doublings));
    return found > 0 ? found : 1;  // a size beyond the list
}

TuningCase::Latency TuningCase::latency(Proto proto) const {
    Latency out{release.item(fmt::format("base_latency.{}", key), index(proto)), hop(inside(), key, proto), 0};
    if (several() && proto == Proto::ll) { out.intra *= release.number("ll_several_nodes_factor"); }
    // With one GPU per node nothing hides the network's latency.
    const bool exposed = per_node() == 1 && release.is("single_gpu_net_latency", "tree");
    out.inter = hop("net", exposed ? "tree" : key, proto);
    if (release.is("plugin_latency", "added")) {
        out.inter += comm.plugin_latency * (proto == Proto::simple ? 2 : 1);
    } else if (release.is("plugin_latency", "instead") && comm.plugin_latency > 0) {
        out.inter = comm.plugin_latency;
    }
    return out;
}

namespace {

bool permitted(const AlgorithmModel& algorithm, Proto proto, const Communicator& comm, const Graph& graph,
               const Allowed& allowed) {
    const bool refused = allowed.refused.contains(algorithm.key) || !allowed.proto[index(proto)];
    const bool has = proto == Proto::simple || !algorithm.simple_only;
    return has && !refused && (proto != Proto::ll128 || (comm.ll128 && graph.ll128) || allowed.ll128_by_name);
}

}  // namespace

std::vector<Estimate> estimates(Algorithms algorithms, const Release& release, const Communicator& comm,
                                const Graphs& graphs, Collective collective, double bytes, DataType dtype,
                                const Allowed& allowed) {
    // A long ring loses precision when it sums FP8 values, so NCCL avoids it (updateCollCostTable).
    const bool lossy_ring = dtype == DataType::float8 && comm.ranks > 8;
    std::vector<Estimate> all;
    for (const AlgorithmModel* algorithm : algorithms) {
        const auto graph = graphs.find(algorithm->key);
        if (graph == graphs.end() || graph->second.channels == 0 || !release.has(algorithm->key)) { continue; }
        const TuningCase c{release, comm, graph->second, collective, algorithm->key};
        for (const Proto proto : every_proto) {
            if (!algorithm->runs(c) || !permitted(*algorithm, proto, comm, graph->second, allowed)) { continue; }
            const bool avoided = lossy_ring && algorithm->word == Algorithm::ring;
            const double time = algorithm->seconds(c, proto, bytes) * (avoided ? 1024 : 1);
            if (std::isfinite(time)) { all.push_back({algorithm, proto, time}); }
        }
    }
    return all;
}

Proto protocol_by_size(const Release& release, const Communicator& comm, Collective collective, double bytes,
                       const Allowed& allowed, Proto chosen) {
    const std::string figure = fmt::format("protocol_range.{}", fabricast::to_string(collective));
    const bool free = std::ranges::all_of(allowed.proto, std::identity{}) && !allowed.ll128_by_name;
    if (comm.nodes == 1 || !free || !release.entry->has(figure)) { return chosen; }
    const bool reduces_all = collective == Collective::all_reduce;
    const double size = reduces_all ? bytes : bytes / comm.ranks;
    const double trees = reduces_all && comm.nodes > 2 ? 3.8 : 1;  // LL128 of a tree reaches further than at two nodes
    if (size > release.item(figure, 1) && size <= trees * release.item(figure, 2)) { return Proto::ll128; }
    return size <= release.item(figure, 0) ? Proto::ll : Proto::simple;
}

Estimate choose(const std::vector<Estimate>& estimates) {
    const auto best = std::ranges::min_element(estimates, {}, &Estimate::seconds);
    if (best == estimates.end()) { throw PlanError("no algorithm and protocol is left to choose from"); }
    return *best;
}

}  // namespace fabricast::inline collectives::nccl
