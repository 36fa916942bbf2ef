#include "sim/engines/common/make_fluid_network.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/engines/common/edge_counts.hpp"
#include "sim/engines/common/engine_traits.hpp"
#include "sim/engines/common/rows.hpp"

namespace fabricast::inline engine_common {

namespace {

constexpr double uncapped = std::numeric_limits<double>::infinity();

// The distinct paths of a schedule's messages: each pair of path and rate cap once, however many connections use it.
class PathClasses {
public:
    // `most`: an upper bound on the number of calls of class_of.
    PathClasses(const Fabric& fabric, std::size_t most)
        : fabric_(fabric), slots_(std::bit_ceil(2 * most + 2), Network::no_row) {}

    // The class, and the path's latency. Throws Unreachable.
    std::pair<std::uint32_t, Duration> class_of(const PathQuery& query, double rate_cap) {
        fabric_.path(query, path_);
        const std::span<const LinkId> links = path_.span();
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = hash_of(links, rate_cap) & mask;; slot = (slot + 1) & mask) {
            std::uint32_t& cls = slots_[slot];
            if (cls == Network::no_row) {
                cls = static_cast<std::uint32_t>(end_.size());
                links_.insert(links_.end(), links.begin(), links.end());
                end_.push_back(links_.size());
                cap_.push_back(rate_cap);
                return {cls, path_.latency};
            }
            if (cap_[cls] == rate_cap && std::ranges::equal(path(cls), links)) { return {cls, path_.latency}; }
        }
    }

    std::size_t size() const { return end_.size(); }
    std::span<const LinkId> path(std::size_t cls) const {
        const std::size_t begin = cls == 0 ? 0 : end_[cls - 1];
        return std::span(links_).subspan(begin, end_[cls] - begin);
    }
    double rate_cap(std::size_t cls) const { return cap_[cls]; }

private:
    static std::uint64_t hash_of(std::span<const LinkId> path, double cap) {
        std::uint64_t hash = cap < uncapped ? static_cast<std::uint64_t>(cap) : 0;
        for (const LinkId link : path) {
            hash = (hash ^ static_cast<std::uint64_t>(link)) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29U;
        }
        return hash;
    }

    const Fabric& fabric_;
    std::vector<LinkId> links_;
    std::vector<std::size_t> end_;
    std::vector<double> cap_;
    std::vector<std::uint32_t> slots_;  // open addressing: an all-to-all of 1,024 ranks has a million distinct paths
    Path path_;
};

class NetworkBuilder {
public:
    NetworkBuilder(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events)
        : fabric_(fabric), schedule_(schedule), events_(events) {}

    Network build() {
        for (const LinkEvent& event : events_) { rows_.keep_apart(event.link); }
        for (const Connection& connection : schedule_.connections) {
            const auto [cls, latency] = class_of(connection, connection.path);
            network_.class_of_connection.push_back(cls);
            network_.latency_of_connection.push_back(latency);
        }
        add_message_detours();
        for (std::size_t cls = 0; cls < classes_.size(); ++cls) { rows_.add_path(classes_.path(cls)); }
        rows_.end_paths();
        for (const Pipeline& pipeline : schedule_.pipelines) {
            if (std::uint32_t& counted = counted_[pipeline.edges]; counted == Network::no_row) {
                count_edges(schedule_.edge_sets[pipeline.edges], fabric_, count_);
                counted = rows_.end_edge_set();
            }
        }
        count_detours();
        rows_.finish([&](LinkId link) { return fabric_.link(link); }, network_);
        for (std::size_t cls = 0; cls < classes_.size(); ++cls) { add_path_class(cls); }
        add_pipeline_classes();
        add_pipeline_detours();
        for (const LinkEvent& event : events_) { network_.row_of_event.push_back(rows_.row_of(event.link)); }
        divide_rows(network_, network_.row_of_event);
        return std::move(network_);
    }

private:
    std::pair<std::uint32_t, Duration> class_of(const Connection& connection, const PathQuery& path) {
        return classes_.class_of(path, connection.rate_cap * connection.wire_ratio);
    }

    // Messages whose path changes with an outage: the first part of Network::detours.
    void add_message_detours() {
        std::vector<std::uint32_t> now = network_.class_of_connection;
        for (const Outage& outage : outages_) {
            for (std::uint32_t c = 0; c < schedule_.connections.size(); ++c) {
                const Connection& connection = schedule_.connections[c];
                const auto [cls, latency] =
                    class_of(connection, way_round(fabric_, connection.path, outage).value_or(connection.path));
                if (cls != now[c]) { network_.detours.push_back({outage.event, false, c, now[c] = cls, latency, 0}); }
            }
        }
    }

    void count_detours() {
        for (const Outage& outage : outages_) {
            std::vector<std::uint32_t>& detours =
                counted_detours_.emplace_back(schedule_.edge_sets.size(), Network::no_row);
            for (std::uint32_t set = 0; set < detours.size() && !outage.down.empty(); ++set) {
                if (counted_[set] == Network::no_row) { continue; }
                const bool differs =
                    count_each_edge(schedule_.edge_sets[set], fabric_, count_,
                                    [&](const PathQuery& query) { return way_round(fabric_, query, outage); });
                const std::uint32_t number = rows_.end_edge_set();
                detours[set] = differs ? number : Network::no_row;
            }
        }
    }

    std::uint32_t crossings() const { return static_cast<std::uint32_t>(network_.crossing_row.size()); }

    // Adds the class of one path; it lists each row once. Links of one row are crossed equally often, so the first
    // link's count is valid for the row.
    void add_path_class(std::size_t cls) {
        const std::uint32_t begin = crossings();
        const std::span<const LinkId> path = classes_.path(cls);
        for (const LinkId link : path) {
            const std::uint32_t row = rows_.row_of(link);
            const auto mine = network_.crossing_row.begin() + begin;
            if (std::find(mine, network_.crossing_row.end(), row) == network_.crossing_row.end()) {
                network_.crossing_row.push_back(row);
                network_.crossing_times.push_back(static_cast<double>(std::ranges::count(path, link)));
            }
        }
        network_.classes.push_back({begin, begin, crossings(), uncapped, classes_.rate_cap(cls)});
    }

    // The class of a pipeline whose edges were counted as edge set `counted` of the rows.
    FlowClass pipeline_class(const Pipeline& pipeline, std::uint32_t counted) {
        FlowClass cls;
        const double costlier = costlier_wire_ratio(pipeline);
        cls.begin = cls.shared = crossings();
        for (const auto& [row, count] : rows_.crossings(counted)) {
            network_.crossing_row.push_back(row);
            network_.crossing_times.push_back(
                (count.inside * pipeline.wire_ratio + count.network * pipeline.network_wire_ratio) / costlier);
        }
        cls.end = crossings();
        return cls;
    }

    // The wire rate of one of the pipeline's channels on the links of a path; 0 if its edges cross none of them.
    double rate_on(std::span<const LinkId> path, const Pipeline& pipeline, const FlowClass& cls) const {
        double rate = uncapped;
        for (const LinkId link : path) {
            const std::uint32_t row = rows_.row_of(link);
            for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
                if (network_.crossing_row[x] == row) {
                    rate = std::min(rate, network_.capacity[row] / (network_.crossing_times[x] * pipeline.weight));
                }
            }
        }
        return rate < uncapped ? rate : 0;
    }

    // Appends the class, and the hops of its pipeline's stages, each on the path that `route` returns.
    template <class Route> void add_pipeline_class(const Pipeline& pipeline, FlowClass cls, Route&& route) {
        const std::size_t first_hop = network_.hops.size();
        for (const Stage& stage : schedule_.stages_of(pipeline)) {
            const Path path = fabric_.path(route(stage.hop));
            const bool crosses_network = std::ranges::any_of(
                path.span(), [&](LinkId link) { return fabric_.link(link).cls == LinkClass::nic_port; });
            network_.hops.push_back({path.latency, rate_on(path.span(), pipeline, cls), crosses_network});
        }
        cls.cap = PipelineForm(schedule_, pipeline, std::span(network_.hops).subspan(first_hop)).rate_cap();
        network_.classes.push_back(cls);
    }

    void add_pipeline_classes() {
        for (std::size_t p = 0; p < schedule_.pipelines.size(); ++p) {
            const Pipeline& pipeline = schedule_.pipelines[p];
            network_.class_of_pipeline.push_back(static_cast<std::uint32_t>(network_.classes.size()));
            const auto crossed = [](const Pipeline& of) {
                return std::tie(of.edges, of.wire_ratio, of.network_wire_ratio);
            };
            const bool crosses_the_same = p > 0 && crossed(schedule_.pipelines[p - 1]) == crossed(pipeline);
            network_.first_hop.push_back(static_cast<std::uint32_t>(network_.hops.size()));
            add_pipeline_class(
                pipeline,
                crosses_the_same ? network_.classes.back() : pipeline_class(pipeline, counted_[pipeline.edges]),
                [](const PathQuery& hop) { return hop; });
        }
    }

    // Pipelines whose edges change their paths with an outage: the second part of Network::detours.
    void add_pipeline_detours() {
        std::vector<std::uint32_t> now(schedule_.pipelines.size(), Network::no_row);
        for (std::size_t o = 0; o < outages_.size(); ++o) {
            const std::uint32_t event = outages_[o].event;
            for (std::uint32_t p = 0; p < schedule_.pipelines.size(); ++p) {
                const Pipeline& pipeline = schedule_.pipelines[p];
                const std::uint32_t next = counted_detours_[o][pipeline.edges];
                if (next == std::exchange(now[p], next)) { continue; }
                if (next == Network::no_row) {  // back on the original paths
                    network_.detours.push_back(
                        {event, true, p, network_.class_of_pipeline[p], {}, network_.first_hop[p]});
                    continue;
                }
                const auto cls = static_cast<std::uint32_t>(network_.classes.size());
                const auto first_hop = static_cast<std::uint32_t>(network_.hops.size());
                network_.detours.push_back({event, true, p, cls, {}, first_hop});
                add_pipeline_class(pipeline, pipeline_class(pipeline, next), [&](const PathQuery& hop) {
                    return way_round(fabric_, hop, outages_[o]).value_or(hop);
                });
            }
        }
    }

    const Fabric& fabric_;
    const Schedule& schedule_;
    std::span<const LinkEvent> events_;
    const std::vector<Outage> outages_ = outages_of(events_);
    RowMerger rows_{fabric_.link_count()};
    PathClasses classes_{fabric_, schedule_.connections.size() * (1 + outages_.size())};
    const CountCrossings count_ = [this](std::span<const LinkId> links, double times, bool between_nodes) {
        for (const LinkId link : links) { rows_.count(link, times, between_nodes); }
    };
    // Per edge set: the edge set of RowMerger that counts it; no_row: no pipeline uses it.
    std::vector<std::uint32_t> counted_ = std::vector<std::uint32_t>(schedule_.edge_sets.size(), Network::no_row);
    // The same per outage, for its time; no_row: no edge takes a detour.
    std::vector<std::vector<std::uint32_t>> counted_detours_;
    Network network_;
};

}  // namespace

// Measured (GCC 12, glibc 2.36, x86-64): 23.5 to 27.6 B per link, from 1 to 5.5 million links, in rings, trees and
// all-to-alls; tests/sim/engines/memory_test.cpp repeats the measurement.
MemoryNeed memory_of_links(const Fabric& fabric, const Schedule&) {
    return {static_cast<double>(fabric.link_count()), "links", 26, true};
}

Network make_fluid_network(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events) {
    return NetworkBuilder(fabric, schedule, events).build();
}

}  // namespace fabricast::inline engine_common
