#include "sim/engines/common/make_fluid_network.hpp"

#include <algorithm>
#include <tuple>

#include "sim/engines/common/edge_counts.hpp"
#include "sim/engines/common/engine_traits.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/path_classes.hpp"
#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/common/rows.hpp"

namespace fabricast::inline engine_common {

namespace {

// Adds the class of one path; it lists each row once. Links of one row are crossed equally often, so the first link's
// count is valid for the row.
void add_path_class(std::span<const LinkId> path, double cap, const RowMerger& rows, Network& network) {
    const auto begin = static_cast<std::uint32_t>(network.crossing_row.size());
    for (const LinkId link : path) {
        const std::uint32_t row = rows.row_of(link);
        const auto mine = network.crossing_row.begin() + begin;
        if (std::find(mine, network.crossing_row.end(), row) == network.crossing_row.end()) {
            network.crossing_row.push_back(row);
            network.crossing_times.push_back(static_cast<double>(std::ranges::count(path, link)));
        }
    }
    const auto end = static_cast<std::uint32_t>(network.crossing_row.size());
    network.classes.push_back({begin, begin, end, std::numeric_limits<double>::infinity(), cap});
}

// The wire rate of one of the pipeline's channels on the links of a path; 0 if its edges cross none of them.
double rate_on(std::span<const LinkId> path, const Pipeline& pipeline, const FlowClass& cls, const RowMerger& rows,
               const Network& network) {
    double rate = std::numeric_limits<double>::infinity();
    for (const LinkId link : path) {
        const std::uint32_t row = rows.row_of(link);
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
            if (network.crossing_row[x] == row) {
                rate = std::min(rate, network.capacity[row] / (network.crossing_times[x] * pipeline.weight));
            }
        }
    }
    return rate < std::numeric_limits<double>::infinity() ? rate : 0;
}

bool crosses_network(const Fabric& fabric, std::span<const LinkId> path) {
    return std::ranges::any_of(path, [&](LinkId link) { return fabric.link(link).cls == LinkClass::nic_port; });
}

// The class of a pipeline whose edges were counted as edge set `counted` of `rows`.
FlowClass pipeline_class(const Pipeline& pipeline, std::uint32_t counted, const RowMerger& rows, Network& network) {
    FlowClass cls;
    const double costlier = costlier_wire_ratio(pipeline);
    cls.begin = cls.shared = static_cast<std::uint32_t>(network.crossing_row.size());
    for (const RowMerger::Crossing& crossing : rows.crossings(counted)) {
        network.crossing_row.push_back(crossing.row);
        network.crossing_times.push_back(
            (crossing.count.inside * pipeline.wire_ratio + crossing.count.network * pipeline.network_wire_ratio) /
            costlier);
    }
    cls.end = static_cast<std::uint32_t>(network.crossing_row.size());
    return cls;
}

// Appends the class, and the hops of its pipeline's stages, each on the path that `route` returns.
template <class Route>
void add_pipeline_class(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline, FlowClass cls,
                        const RowMerger& rows, Network& network, Route&& route) {
    const std::size_t first_hop = network.hops.size();
    for (const Stage& stage : schedule.stages_of(pipeline)) {
        const Path path = fabric.path(route(stage.hop));
        network.hops.push_back(
            {path.latency, rate_on(path.span(), pipeline, cls, rows, network), crosses_network(fabric, path.span())});
    }
    cls.cap = PipelineForm(schedule, pipeline, std::span(network.hops).subspan(first_hop)).rate_cap();
    network.classes.push_back(cls);
}

void add_pipeline_classes(const Fabric& fabric, const Schedule& schedule, const std::vector<std::uint32_t>& counted,
                          const RowMerger& rows, Network& network) {
    for (std::size_t p = 0; p < schedule.pipelines.size(); ++p) {
        const Pipeline& pipeline = schedule.pipelines[p];
        network.class_of_pipeline.push_back(static_cast<std::uint32_t>(network.classes.size()));
        const auto crossed = [](const Pipeline& of) {
            return std::tie(of.edges, of.wire_ratio, of.network_wire_ratio);
        };
        const bool crosses_the_same = p > 0 && crossed(schedule.pipelines[p - 1]) == crossed(pipeline);
        network.first_hop.push_back(static_cast<std::uint32_t>(network.hops.size()));
        add_pipeline_class(fabric, schedule, pipeline,
                           crosses_the_same ? network.classes.back()
                                            : pipeline_class(pipeline, counted[pipeline.edges], rows, network),
                           rows, network, [](const PathQuery& hop) { return hop; });
    }
}

// Messages whose path changes with an outage: the first part of Network::detours.
void add_message_detours(const Fabric& fabric, const Schedule& schedule, std::span<const Outage> outages,
                         PathClasses& classes, Network& network) {
    std::vector<std::uint32_t> now = network.class_of_connection;
    for (const Outage& outage : outages) {
        for (std::uint32_t c = 0; c < schedule.connections.size(); ++c) {
            const Connection& connection = schedule.connections[c];
            const auto [cls, latency] =
                classes.class_of(way_round(fabric, connection.path, outage).value_or(connection.path),
                                 connection.rate_cap * connection.wire_ratio);
            if (cls != now[c]) { network.detours.push_back({outage.event, false, c, now[c] = cls, latency, 0}); }
        }
    }
}

CountCrossings crossings_of(RowMerger& rows) {
    return [&rows](std::span<const LinkId> links, double times, bool between_nodes) {
        for (const LinkId link : links) { rows.count(link, times, between_nodes); }
    };
}

// Per outage and edge set: the edge set of RowMerger that counts it during the outage; `Network::no_row` if no edge
// takes a detour.
using CountedDetours = std::vector<std::vector<std::uint32_t>>;

CountedDetours count_detours(const Fabric& fabric, const Schedule& schedule, std::span<const Outage> outages,
                             const std::vector<std::uint32_t>& counted, RowMerger& rows) {
    CountedDetours result(outages.size(), std::vector<std::uint32_t>(schedule.edge_sets.size(), Network::no_row));
    for (std::size_t o = 0; o < outages.size(); ++o) {
        for (std::uint32_t set = 0; set < schedule.edge_sets.size() && !outages[o].down.empty(); ++set) {
            if (counted[set] == Network::no_row) { continue; }
            const bool differs =
                count_each_edge(schedule.edge_sets[set], fabric, crossings_of(rows),
                                [&](const PathQuery& query) { return way_round(fabric, query, outages[o]); });
            const std::uint32_t number = rows.end_edge_set();
            result[o][set] = differs ? number : Network::no_row;
        }
    }
    return result;
}

// Pipelines whose edges change their paths with an outage: the second part of Network::detours.
void add_pipeline_detours(const Fabric& fabric, const Schedule& schedule, std::span<const Outage> outages,
                          const CountedDetours& counted, const RowMerger& rows, Network& network) {
    std::vector<std::uint32_t> now(schedule.pipelines.size(), Network::no_row);
    for (std::size_t o = 0; o < outages.size(); ++o) {
        for (std::uint32_t p = 0; p < schedule.pipelines.size(); ++p) {
            const Pipeline& pipeline = schedule.pipelines[p];
            const std::uint32_t next = counted[o][pipeline.edges];
            if (next == now[p]) { continue; }
            now[p] = next;
            if (next == Network::no_row) {  // back on the original paths
                network.detours.push_back(
                    {outages[o].event, true, p, network.class_of_pipeline[p], {}, network.first_hop[p]});
                continue;
            }
            const auto cls = static_cast<std::uint32_t>(network.classes.size());
            const auto first_hop = static_cast<std::uint32_t>(network.hops.size());
            network.detours.push_back({outages[o].event, true, p, cls, {}, first_hop});
            add_pipeline_class(fabric, schedule, pipeline, pipeline_class(pipeline, next, rows, network), rows, network,
                               [&](const PathQuery& hop) { return way_round(fabric, hop, outages[o]).value_or(hop); });
        }
    }
}

}  // namespace

// Measured (GCC 12, glibc 2.36, x86-64): 23.5 to 27.6 B per link, from 1 to 5.5 million links, in rings, trees and
// all-to-alls; tests/sim/engines/memory_test.cpp repeats the measurement.
MemoryNeed memory_of_links(const Fabric& fabric, const Schedule&) {
    return {static_cast<double>(fabric.link_count()), "links", 26, true};
}

Network make_fluid_network(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events) {
    Network network;
    const std::vector<Outage> outages = outages_of(events);
    RowMerger rows(fabric.link_count());
    for (const LinkEvent& event : events) { rows.keep_apart(event.link); }
    PathClasses classes(fabric, schedule.connections.size() * (1 + outages.size()));
    for (const Connection& connection : schedule.connections) {
        const auto [cls, latency] = classes.class_of(connection.path, connection.rate_cap * connection.wire_ratio);
        network.class_of_connection.push_back(cls);
        network.latency_of_connection.push_back(latency);
    }
    add_message_detours(fabric, schedule, outages, classes, network);
    for (std::size_t cls = 0; cls < classes.size(); ++cls) { rows.add_path(classes.path(cls)); }
    rows.end_paths();

    std::vector<std::uint32_t> counted(schedule.edge_sets.size(), Network::no_row);
    for (const Pipeline& pipeline : schedule.pipelines) {
        if (counted[pipeline.edges] == Network::no_row) {
            count_edges(schedule.edge_sets[pipeline.edges], fabric, crossings_of(rows));
            counted[pipeline.edges] = rows.end_edge_set();
        }
    }
    const CountedDetours counted_detours = count_detours(fabric, schedule, outages, counted, rows);
    rows.finish([&](LinkId link) { return fabric.link(link); }, network);

    for (std::size_t cls = 0; cls < classes.size(); ++cls) {
        add_path_class(classes.path(cls), classes.rate_cap(cls), rows, network);
    }
    add_pipeline_classes(fabric, schedule, counted, rows, network);
    add_pipeline_detours(fabric, schedule, outages, counted_detours, rows, network);
    for (const LinkEvent& event : events) { network.row_of_event.push_back(rows.row_of(event.link)); }
    divide_rows(network, network.row_of_event);
    return network;
}

}  // namespace fabricast::inline engine_common
