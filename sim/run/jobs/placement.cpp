#include "sim/run/jobs/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "base/hostlist.hpp"
#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/traffic.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/jobs/leaf_sets.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline jobs {

namespace {

struct Outcome {
    double seconds = 0;
    std::string what, bottleneck;
};

Outcome forecast_on(const Fabric& fabric, const Scenario& scenario, const Catalog& catalog, const Watch& watch) {
    const run::Job job(scenario, catalog, fabric);
    const std::vector<Bytes>* sizes = sizes_of(scenario.workload);
    const Plan plan = job.planner(sizes == nullptr ? Bytes{} : sizes->front(), {false, watch});
    const Timelines timelines = replay(scenario.engine, job.fabric, plan, job.events, watch);
    return {timed_part(plan, timelines.timeline).seconds, plan.what, busiest_text(timelines.traffic(), job.fabric, 0)};
}

class Search {
public:
    Search(const Scenario& scenario, const Catalog& catalog, const PlacementOptions& options, const Watch& watch)
        : asked_(node_numbers(scenario, "cluster.place", scenario.cluster.place)),
          catalog_(catalog),
          built_(Fabric(build(scenario, catalog)).whole()),
          scenario_(prepared(scenario, options.threads)),
          hosts_(host_names(scenario)),
          options_(options),
          threads_(threads_for(scenario_.engine, options.threads)),
          watch_(watch),
          sets_(leaf_sets(built_, allowed())) {}

    PlacementSearch search() {
        PlacementSearch out;
        out.interchangeable = built_.cluster().fabric.choice != PathChoice::ecmp;
        std::vector<std::size_t> own(sets_.nodes.size()), all;
        for (const std::uint32_t node : asked_) { ++own[sets_.of_node[node]]; }
        for (const Nodes& nodes : sets_.nodes) { all.push_back(nodes.size()); }
        const Outcome asked = evaluate(asked_);
        // The order of the asked nodes with a third of the tries, then both ends of all placements.
        out.every_order = explore(own, {sequence_of(asked_)}, options_.tries / 3, true);
        const Sequence order = extreme(own, true);
        out.every_placement = explore(all, {sequence_of(asked_), order}, options_.tries / 3, true);
        if (!out.every_placement) { explore(all, {sequence_of(asked_), order}, options_.tries / 3, false); }
        const Nodes ordered = nodes_of(order, asked_);
        add(out, "as asked", asked_, asked);
        const auto again = [&](const Nodes& nodes) { return nodes == asked_ ? asked : evaluate(nodes); };
        Outcome of_order = again(ordered);
        const bool kept = of_order.seconds >= asked.seconds;  // with a hash, alike is only alike on average
        add(out, "these nodes, best order", kept ? asked_ : ordered, kept ? asked : std::move(of_order));
        for (const bool best : {true, false}) {
            const Nodes nodes = nodes_of(extreme(all, best), {});
            add(out, best ? "best" : "worst", nodes, again(nodes));
        }
        out.what = asked.what;
        out.tried = tried_;
        for (const std::uint32_t node : out.placed[1].nodes) { out.order.push_back(host(node)); }
        out.bound_s = on_one_switch();
        return out;
    }

private:
    Scenario prepared(Scenario scenario, std::size_t threads) const {
        scenario.cluster.place.clear();
        if (std::vector<Bytes>* sizes = sizes_of(scenario.workload)) { *sizes = {std::ranges::max(*sizes)}; }
        return with_engine(std::move(scenario), built_, catalog_, threads);
    }

    Nodes allowed() const {
        Nodes nodes = options_.among;
        if (nodes.empty()) {
            nodes.resize(built_.node_count());
            std::iota(nodes.begin(), nodes.end(), 0U);
        }
        for (const std::uint32_t node : asked_) {
            if (std::ranges::find(nodes, node) == nodes.end()) { nodes.push_back(node); }
        }
        return nodes;
    }

    std::string host(std::uint32_t node) const { return hosts_.empty() ? fmt::format("node{}", node) : hosts_[node]; }

    Outcome evaluate(const Nodes& nodes) const { return forecast_on(built_.on(nodes), scenario_, catalog_, watch_); }

    Sequence sequence_of(const Nodes& nodes) const {
        Sequence sequence;
        for (const std::uint32_t node : nodes) { sequence.push_back(sets_.of_node[node]); }
        return sequence;
    }

    // Nodes of these sets; of `own` if there are any, else of all that may be taken.
    Nodes nodes_of(const Sequence& sequence, const Nodes& own) const {
        std::vector<Nodes> left = sets_.nodes;
        if (!own.empty()) {
            for (Nodes& nodes : left) { nodes.clear(); }
            for (const std::uint32_t node : own) { left[sets_.of_node[node]].push_back(node); }
        }
        std::vector<std::size_t> used(left.size());
        Nodes nodes;
        for (const std::uint32_t set : sequence) { nodes.push_back(left[set][used[set]++]); }
        return nodes;
    }

    // Forecasts of these sequences, each once.
    void forecast(const std::set<Sequence>& wanted) {
        std::vector<Sequence> fresh;
        for (const Sequence& sequence : wanted) {
            if (!seconds_.contains(sequence)) { fresh.push_back(sequence); }
        }
        const std::vector<double> seconds = parallel_map(
            fresh.size(), threads_, [&](std::size_t i) { return evaluate(nodes_of(fresh[i], {})).seconds; });
        for (std::size_t i = 0; i < fresh.size(); ++i) { seconds_[fresh[i]] = seconds[i]; }
        tried_ += fresh.size();
    }

    // Tries sequences that take no more than `free` of each set; true if it tried all that there are.
    bool explore(const std::vector<std::size_t>& free, std::set<Sequence> wanted, std::size_t tries, bool best) {
        std::set<Sequence> all;
        Sequence begun;
        if (every(free, begun, tries, all)) {
            forecast(all);
            return true;
        }
        for (std::uint32_t from = 0; from < free.size() && wanted.size() < tries / 2; ++from) {
            if (free[from] == 0) { continue; }
            wanted.insert(packed(sets_, free, asked_.size(), from));
            wanted.insert(interleaved(sets_, free, asked_.size(), from));
        }
        forecast(wanted);
        // From the best (worst) so far on, two places or a place and a free node are exchanged.
        Sequence at = extreme(free, best);
        for (std::size_t left = tries - std::min(tries, wanted.size()); left > 0;) {
            std::set<Sequence> near;
            for (std::size_t i = 0; i < std::min<std::size_t>(left, 8); ++i) { near.insert(exchanged(at, free)); }
            left -= std::min<std::size_t>(left, 8);
            forecast(near);
            at = extreme(free, best);
        }
        return false;
    }

    // All sequences into `all`; false if there are more than `most`.
    bool every(std::vector<std::size_t> free, Sequence& begun, std::size_t most, std::set<Sequence>& all) const {
        if (begun.size() == asked_.size()) { all.insert(begun); }
        for (std::uint32_t set = 0; set < free.size() && begun.size() < asked_.size(); ++set) {
            if (free[set] == 0) { continue; }
            --free[set];
            begun.push_back(set);
            const bool within = every(free, begun, most, all);
            begun.pop_back();
            ++free[set];
            if (!within) { return false; }
        }
        return all.size() <= most;
    }

    Sequence exchanged(Sequence at, const std::vector<std::size_t>& free) {
        std::vector<std::size_t> left = free;
        for (const std::uint32_t set : at) { --left[set]; }
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random_ = mix(random_ + 1)) % n; };
        const std::size_t place = below(at.size()), other = below(left.size());
        if (left[other] > 0 && below(2) == 0) {
            at[place] = static_cast<std::uint32_t>(other);
        } else {
            std::swap(at[place], at[below(at.size())]);
        }
        return at;
    }

    // The fastest (slowest) that was tried and fits into `free`; of equals that with the fewest (most) sets.
    Sequence extreme(const std::vector<std::size_t>& free, bool best) const {
        const Sequence* found = nullptr;
        std::pair<double, double> least;
        for (const auto& [sequence, seconds] : seconds_) {
            std::map<std::uint32_t, std::size_t> used;
            for (const std::uint32_t set : sequence) { ++used[set]; }
            if (std::ranges::any_of(used, [&](const auto& of) { return of.second > free[of.first]; })) { continue; }
            const double sign = best ? 1 : -1;
            const std::pair rank(sign * seconds, sign * static_cast<double>(used.size()));
            if (found == nullptr || rank < least) {
                found = &sequence;
                least = rank;
            }
        }
        return *found;
    }

    void add(PlacementSearch& out, const char* name, const Nodes& nodes, Outcome outcome) const {
        Placed placed;
        placed.name = name;
        placed.nodes = nodes;
        placed.hosts = hostlist_text(names_of(nodes, [&](std::uint32_t node) { return host(node); }));
        const Sequence sequence = sequence_of(nodes);
        placed.leaves = std::set<std::uint32_t>(sequence.begin(), sequence.end()).size();
        placed.time_s = outcome.seconds;
        placed.against_asked = out.placed.empty() ? 1 : outcome.seconds / out.placed.front().time_s;
        placed.bottleneck = std::move(outcome.bottleneck);
        out.placed.push_back(std::move(placed));
    }

    // The time with all nodes on one switch of enough ports.
    std::optional<double> on_one_switch() const {
        Scenario one = scenario_;
        ClusterRequest& cluster = one.cluster;
        cluster.graph.reset();
        cluster.hosts.clear();
        cluster.fabric_kind = "single-switch";
        cluster.nodes = static_cast<std::uint32_t>(asked_.size());
        cluster.radix = static_cast<int>(cluster.nodes * built_.nics_per_node() * 4);
        cluster.link = built_.cluster().fabric.link.name;
        cluster.trunk.clear();
        cluster.oversubscription = 1;
        cluster.tiers = 0;
        cluster.scalable_unit = cluster.spines = cluster.planes = cluster.management_ports = 0;
        cluster.shape.clear();
        try {
            return forecast_on(Fabric(build(one, catalog_)), one, catalog_, watch_).seconds;
        } catch (const Error&) { return std::nullopt; }  // no such switch can be built: nothing is known
    }

    const Nodes asked_;
    const Catalog& catalog_;
    const Fabric built_;
    const Scenario scenario_;
    const std::vector<std::string> hosts_;
    const PlacementOptions& options_;
    const std::size_t threads_;
    const Watch& watch_;
    const LeafSets sets_;
    std::map<Sequence, double> seconds_;
    std::uint64_t tried_ = 0, random_ = 1;
};

}  // namespace

PlacementSearch search_placements(const Scenario& scenario, const Catalog& catalog, const PlacementOptions& options,
                                  const Watch& watch) {
    return pointing_into(scenario, [&] { return Search(scenario, catalog, options, watch).search(); });
}

}  // namespace fabricast::inline jobs
