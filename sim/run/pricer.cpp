#include "sim/run/pricer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "sim/plan/transfers/exchange_plan.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline run {

namespace {

// More sets of transfers than these are not remembered: the oldest are as likely to come again as the newest.
constexpr std::size_t most_sets = 100'000;

Scenario with_group(Scenario scenario, const PricedCall& call) {
    CollectiveWorkload workload;
    if (const auto* own = std::get_if<CollectiveWorkload>(&scenario.workload)) { workload.dtype = own->dtype; }
    workload.collective = call.collective;
    workload.sizes = {call.size};
    scenario.workload = workload;
    scenario.scaling.reset();
    scenario.cluster.nodes = call.nodes;
    scenario.cluster.gpus_per_node = call.gpus_per_node;
    return scenario;
}

// Grids of sizes, in steps an octave; the finer one where NCCL changes its ways between two sizes of the coarser.
constexpr int coarse = 8, fine = 64;

std::int64_t grid_size(int step, int per_octave) {
    return std::llround(std::exp2(static_cast<double>(step) / per_octave));
}

}  // namespace

Collective collective_named(const std::string& name) {
    const auto found = std::ranges::find(collective_names, name);
    if (found != collective_names.end()) { return static_cast<Collective>(found - collective_names.begin()); }
    const std::vector<std::string> names(collective_names.begin(), collective_names.end());
    throw UnknownCollective(error_message("no such collective", shown(name), joined(names), nearest_word(name, names)));
}

struct Pricer::Group {
    struct Price {
        double seconds = 0;
        std::string way;  // algorithm, protocol and channels
    };

    Group(const Scenario& asked, const Catalog& catalog, const Fabric& built)
        : job(with_engine(asked, built, catalog, 1), catalog, built) {}

    const Price& at(std::int64_t size) {
        const auto known = prices.find(size);
        if (known != prices.end()) { return known->second; }
        const Report report = forecast(job, Bytes{size}, {}, {.judged = false});
        const Row& row = report.rows.back();
        return prices
            .emplace(size, Price{row.time_s, fmt::format("{} {} {}", row.algorithm, row.protocol, row.channels)})
            .first->second;
    }

    double between(std::int64_t size, int per_octave) {
        const int step = static_cast<int>(std::floor(std::log2(static_cast<double>(size)) * per_octave));
        const std::int64_t low = grid_size(step, per_octave), high = grid_size(step + 1, per_octave);
        if (size <= low || high <= low + 1) { return at(size).seconds; }
        const Price& below = at(low);
        const Price& above = at(high);
        if (below.way != above.way && per_octave < fine) { return between(size, fine); }
        const double share = std::log(static_cast<double>(size) / static_cast<double>(low)) /
                             std::log(static_cast<double>(high) / static_cast<double>(low));
        return below.seconds * std::pow(above.seconds / below.seconds, share);
    }

    const Job job;
    std::map<std::int64_t, Price> prices;
};

Pricer::Pricer(Scenario scenario, Catalog catalog)
    : scenario_(std::move(scenario)),
      catalog_(std::move(catalog)),
      built_(pointing_into(scenario_, [&] { return Fabric(build(scenario_, catalog_)); })) {}

Pricer::~Pricer() = default;

Pricer::Group& Pricer::group(const PricedCall& asked) {
    PricedCall call = asked;
    if (call.nodes == 0) { call.nodes = built_.node_count(); }
    if (call.gpus_per_node == 0) { call.gpus_per_node = built_.gpus_per_node(); }
    if (call.nodes > built_.node_count() || call.gpus_per_node > built_.gpus_per_node()) {
        fail_at(
            scenario_, "cluster",
            fmt::format("the group is larger than the cluster (found {} nodes of {} GPUs; accepted: up to {} of {})",
                        call.nodes, call.gpus_per_node, built_.node_count(), built_.gpus_per_node()));
    }
    std::unique_ptr<Group>& group = groups_[{call.collective, call.nodes, call.gpus_per_node}];
    if (!group) {
        const Scenario asked = with_group(scenario_, call);
        group = std::make_unique<Group>(asked, catalog_, Fabric(build(asked, catalog_, call.nodes)));
    }
    return *group;
}

double Pricer::seconds(const PricedCall& call, bool exact) {
    const std::lock_guard lock(mutex_);
    return pointing_into(scenario_, [&] {
        if (call.size.count < 1) { throw PlanError("a call moves at least one byte", "workload.sizes"); }
        Group& own = group(call);
        return exact ? own.at(call.size.count).seconds : own.between(call.size.count, coarse);
    });
}

std::vector<double> Pricer::seconds(const std::vector<PricedTransfer>& transfers) {
    std::vector<std::tuple<std::string, std::string, std::int64_t>> key;
    for (const PricedTransfer& each : transfers) { key.emplace_back(each.from, each.to, each.size.count); }
    const std::lock_guard lock(mutex_);
    const auto known = transfers_.find(key);
    if (known != transfers_.end()) { return known->second; }
    std::vector<double> found = pointing_into(scenario_, [&] { return replayed(transfers); });
    if (transfers_.size() < most_sets) { transfers_.emplace(std::move(key), found); }
    return found;
}

std::vector<double> Pricer::replayed(const std::vector<PricedTransfer>& transfers) const {
    if (transfers.empty()) { return {}; }
    const Fabric fabric = transfer_fabric(built_, {}, catalog_);
    Schedule schedule;
    for (const PricedTransfer& each : transfers) {
        TransferWorkload workload;
        workload.from = each.from;
        workload.to = each.to;
        workload.sizes = {each.size};
        Exchanger(workload, fabric, catalog_).add_message(each.size, schedule);
    }
    const Scenario scenario = with_engine(scenario_, fabric, catalog_, 1);
    const Timeline timeline = replay(scenario.engine, fabric, schedule, link_events(scenario, fabric, catalog_));
    std::vector<double> seconds;
    for (const OpTimes& times : timeline.kept) { seconds.push_back(to_seconds(times.finish)); }
    return seconds;
}

}  // namespace fabricast::inline run
