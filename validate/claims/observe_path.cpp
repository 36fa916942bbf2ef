#include "validate/claims/observe_path.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/input_error.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/plan/transfers/places.hpp"
#include "sim/scenario/build.hpp"
#include "topologies/bisection.hpp"

namespace fabricast::inline claims {

namespace {

constexpr std::array<std::string_view, 5> of_machines = {"gpus", "bisection", "pairs_without_nvlink", "slowest_pair",
                                                         "slowest_of_disjoint_pairs"};

double of_exchange(const Exchange& e, const Observation& o) {
    using Quantity = double (*)(const Exchange&);
    static const std::map<std::string_view, Quantity> quantities = {
        {"time", [](const Exchange& x) { return x.one_s; }},
        {"bandwidth", [](const Exchange& x) { return x.bandwidth; }},
        {"together", [](const Exchange& x) { return x.aggregate_bandwidth; }},
        {"dma", [](const Exchange& x) { return static_cast<double>(x.choice.path.dma_crossings()); }},
        {"copies", [](const Exchange& x) { return static_cast<double>(x.choice.path.copies()); }},
        {"sender_cores", [](const Exchange& x) { return x.sender_cores; }},
        {"receiver_cores", [](const Exchange& x) { return x.receiver_cores; }}};
    if (o.take == "transport") { return e.choice.path.transport == o.is ? 1 : 0; }
    if (const auto found = quantities.find(o.take); found != quantities.end()) { return found->second(e); }
    throw CatalogError("no quantity '" + o.take + "' of a transfer");
}

double of_transfer(const Observation& o, const Scenario& scenario, const Catalog& catalog) {
    const Workload& workload = scenario.workload;
    const Fabric fabric = fabric_for(workload, Fabric(build(scenario, catalog)), catalog);
    try {
        const Bytes size = o.at.empty() ? sizes_of(workload)->front() : parse_bytes(o.at);
        const PlanContext context{fabric, scenario.library, scenario.launch, catalog};
        return of_exchange(exchange_at(size, workload, context, scenario.engine), o);
    } catch (const NoDataPath&) {
        if (o.take == "transport") { return 0; }
        throw;
    }
}

// Rate of a copy that uses the NVLink path between two GPUs alone, bytes per second; 0 if NVLink does not connect them
// directly.
double nvlink_rate(const Fabric& fabric, std::uint32_t a, std::uint32_t b) {
    const auto path = path_between(fabric, query(fabric.gpu(a), fabric.gpu(b), PathKind::nvlink));
    const bool joined = path && path->count > 0 && !passes(fabric, *path, DeviceKind::gpu);
    return joined ? narrowest(fabric, *path) : 0;
}

// Each GPU of the first half of a node exchanges data with its counterpart in the second half, both ways, all at once.
// Returns the lowest rate of one direction.
double disjoint_pairs(const Fabric& fabric, const Scenario& scenario) {
    constexpr Bytes bytes{1 << 30};
    Schedule schedule;
    const std::uint32_t half = fabric.gpus_per_node() / 2;
    for (std::uint32_t g = 0; g < 2 * half; ++g) {
        const DeviceId from = fabric.gpu(g);
        const DeviceId to = fabric.gpu(g < half ? g + half : g - half);
        schedule.connections.push_back({query(from, to, PathKind::nvlink)});
        schedule.kept.push_back(schedule.add(Transfer{g, bytes, {}}));
    }
    const Timeline timeline = replay(scenario.engine, fabric, schedule, {});
    Time last{};
    for (const OpTimes& op : timeline.kept) { last = std::max(last, op.finish); }
    return static_cast<double>(bytes.count) / to_seconds(last - Time{});
}

double of_machine(const Observation& o, const Scenario& scenario, const Catalog& catalog) {
    const Fabric fabric(build(scenario, catalog));
    if (o.take == "gpus") { return fabric.gpus_per_node(); }
    if (o.take == "bisection") { return bisection_bandwidth(fabric); }
    if (o.take == "slowest_of_disjoint_pairs") { return disjoint_pairs(fabric, scenario); }
    int without = 0;
    double slowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t a = 0; a < fabric.gpus_per_node(); ++a) {
        for (std::uint32_t b = a + 1; b < fabric.gpus_per_node(); ++b) {
            const double rate = nvlink_rate(fabric, a, b);
            without += rate > 0 ? 0 : 1;
            slowest = std::min(slowest, rate);
        }
    }
    return o.take == "slowest_pair" ? slowest : without;
}

}  // namespace

bool is_path_quantity(const std::string& take, const Scenario& scenario) {
    return std::holds_alternative<TransferWorkload>(scenario.workload) ||
           std::ranges::find(of_machines, take) != of_machines.end();
}

double of_path(const Observation& o, const Scenario& scenario, const Catalog& catalog) {
    return std::ranges::find(of_machines, o.take) != of_machines.end() ? of_machine(o, scenario, catalog)
                                                                       : of_transfer(o, scenario, catalog);
}

}  // namespace fabricast::inline claims
