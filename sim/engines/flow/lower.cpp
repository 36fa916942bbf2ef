#include <algorithm>
#include <bit>

#include "sim/engines/flow/edge_counts.hpp"
#include "sim/engines/flow/network.hpp"
#include "sim/engines/flow/rows.hpp"
#include "sim/engines/pipeline_form.hpp"

namespace fabricast {

namespace {

// Paths of the connections, each distinct (path, cap) once.
struct PathClasses {
    std::vector<LinkId> links;
    std::vector<std::size_t> end;
    std::vector<double> cap;

    std::size_t begin(std::size_t cls) const { return cls == 0 ? 0 : end[cls - 1]; }
    std::span<const LinkId> path(std::size_t cls) const { return {links.data() + begin(cls), end[cls] - begin(cls)}; }
};

std::uint64_t hash_of(std::span<const LinkId> path, double cap) {
    std::uint64_t hash = cap < std::numeric_limits<double>::infinity() ? static_cast<std::uint64_t>(cap) : 0;
    for (const LinkId link : path) {
        hash = (hash ^ static_cast<std::uint64_t>(link)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29U;
    }
    return hash;
}

// Open addressing: an all-to-all of 1,024 ranks has a million distinct paths.
class KnownPaths {
public:
    explicit KnownPaths(std::size_t most) : slots_(std::bit_ceil(2 * most + 2), empty) {}

    // The class with this hash that `same` accepts, or `fresh` after putting it there.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t fresh, Same&& same) {
        for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot] == empty) {
                return slots_[slot] = fresh;
            }
            if (same(slots_[slot])) {
                return slots_[slot];
            }
        }
    }

private:
    static constexpr std::uint32_t empty = 0xffffffffU;
    std::vector<std::uint32_t> slots_;
};

PathClasses find_path_classes(const Fabric& fabric, const Schedule& schedule, Network& network) {
    PathClasses classes;
    KnownPaths known(schedule.connections.size());
    Path path;
    for (const Connection& connection : schedule.connections) {
        fabric.path(connection.path, path);
        const double cap = connection.rate_cap * connection.wire_ratio;
        const auto fresh = static_cast<std::uint32_t>(classes.end.size());
        const std::uint32_t cls = known.find_or_add(hash_of(path.span(), cap), fresh, [&](std::uint32_t other) {
            return classes.cap[other] == cap && std::ranges::equal(classes.path(other), path.span());
        });
        if (cls == fresh) {
            classes.links.insert(classes.links.end(), path.span().begin(), path.span().end());
            classes.end.push_back(classes.links.size());
            classes.cap.push_back(cap);
        }
        network.class_of_connection.push_back(cls);
        network.latency_of_connection.push_back(path.latency);
    }
    return classes;
}

// Rows of one path, each once; equal rows follow from links that are always crossed together.
void add_path_class(std::span<const LinkId> path, double cap, const RowMerger& rows, Network& network) {
    const auto begin = static_cast<std::uint32_t>(network.crossing_row.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::uint32_t row = rows.row_of(path[i]);
        const auto mine = network.crossing_row.begin() + begin;
        if (std::find(mine, network.crossing_row.end(), row) == network.crossing_row.end()) {
            network.crossing_row.push_back(row);
            network.crossing_times.push_back(static_cast<double>(std::count(path.begin(), path.end(), path[i])));
        }
    }
    const auto end = static_cast<std::uint32_t>(network.crossing_row.size());
    network.classes.push_back({begin, begin, end, std::numeric_limits<double>::infinity(), cap});
}

// The wire rate of one of the pipeline's channels on the links of a path; 0 where its edges cross none of them.
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

void add_pipeline_classes(const Fabric& fabric, const Schedule& schedule, const std::vector<std::uint32_t>& counted,
                          const RowMerger& rows, Network& network) {
    for (std::size_t p = 0; p < schedule.pipelines.size(); ++p) {
        const Pipeline& pipeline = schedule.pipelines[p];
        network.class_of_pipeline.push_back(static_cast<std::uint32_t>(network.classes.size()));
        FlowClass cls;
        const Pipeline* before = p > 0 ? &schedule.pipelines[p - 1] : nullptr;
        if (before != nullptr && before->edges == pipeline.edges && before->wire_ratio == pipeline.wire_ratio &&
            before->network_wire_ratio == pipeline.network_wire_ratio) {
            cls = network.classes.back();  // the same crossings
        } else {
            const double costlier = costlier_wire_ratio(pipeline);
            cls.begin = cls.shared = static_cast<std::uint32_t>(network.crossing_row.size());
            for (const RowMerger::Crossing& crossing : rows.crossings(counted[pipeline.edges])) {
                network.crossing_row.push_back(crossing.row);
                network.crossing_times.push_back((crossing.count.inside * pipeline.wire_ratio +
                                                  crossing.count.network * pipeline.network_wire_ratio) /
                                                 costlier);
            }
            cls.end = static_cast<std::uint32_t>(network.crossing_row.size());
        }
        network.first_hop.push_back(static_cast<std::uint32_t>(network.hops.size()));
        for (std::uint32_t s = pipeline.first_stage; s < pipeline.first_stage + pipeline.stage_count; ++s) {
            const Path path = fabric.path(schedule.stages[s].hop);
            network.hops.push_back({path.latency, rate_on(path.span(), pipeline, cls, rows, network)});
        }
        cls.cap = PipelineForm(schedule, pipeline, network.hops_of(p)).rate_cap();
        network.classes.push_back(cls);
    }
}

}  // namespace

void divide_rows(Network& network, const std::vector<std::uint32_t>& shared_always) {
    std::vector<std::uint32_t> users(network.capacity.size(), 0);
    for (const FlowClass& cls : network.classes) {
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
            ++users[network.crossing_row[x]];
        }
    }
    for (const std::uint32_t row : shared_always) {
        users[row] += 2;
    }
    for (FlowClass& cls : network.classes) {
        cls.shared = cls.begin;
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
            const std::uint32_t row = network.crossing_row[x];
            if (users[row] == 1) {
                cls.own_capacity = std::min(cls.own_capacity, network.capacity[row] / network.crossing_times[x]);
                std::swap(network.crossing_row[x], network.crossing_row[cls.shared]);
                std::swap(network.crossing_times[x], network.crossing_times[cls.shared]);
                ++cls.shared;
            }
        }
    }
}

double rate_alone(const Network& network, std::uint32_t cls, double members) {
    const FlowClass& c = network.classes[cls];
    double rate = c.cap;
    for (std::uint32_t x = c.begin; x < c.end; ++x) {
        rate = std::min(rate, network.capacity[network.crossing_row[x]] / (network.crossing_times[x] * members));
    }
    return rate;
}

std::vector<double> bytes_of_classes(const Network& network, const Schedule& schedule) {
    std::vector<double> bytes(network.classes.size(), 0);
    for (const Transfer& t : schedule.transfers) {
        bytes[network.class_of_connection[t.connection]] +=
            static_cast<double>(t.bytes.count) * schedule.connections[t.connection].wire_ratio;
    }
    for (std::size_t p = 0; p < schedule.pipelines.size(); ++p) {
        const Pipeline& pipeline = schedule.pipelines[p];
        bytes[network.class_of_pipeline[p]] +=
            pipeline.bytes_per_edge * pipeline.weight * costlier_wire_ratio(pipeline);
    }
    return bytes;
}

Network lower(const Fabric& fabric, const Schedule& schedule, const std::vector<LinkId>& event_links) {
    Network network;
    RowMerger rows(fabric.link_count());
    for (const LinkId link : event_links) {
        rows.keep_apart(link);
    }
    const PathClasses classes = find_path_classes(fabric, schedule, network);
    for (std::size_t cls = 0; cls < classes.end.size(); ++cls) {
        rows.add_path(classes.path(cls));
    }
    rows.end_paths();

    std::vector<std::uint32_t> counted(schedule.edge_sets.size(), Network::no_row);
    for (const Pipeline& pipeline : schedule.pipelines) {
        if (counted[pipeline.edges] == Network::no_row) {
            count_edges(schedule.edge_sets[pipeline.edges], fabric,
                        [&](std::span<const LinkId> links, double times, bool between_nodes) {
                            for (const LinkId link : links) {
                                rows.count(link, times, between_nodes);
                            }
                        });
            counted[pipeline.edges] = rows.end_edge_set();
        }
    }
    rows.finish([&](LinkId link) { return fabric.link(link); }, network);

    for (std::size_t cls = 0; cls < classes.end.size(); ++cls) {
        add_path_class(classes.path(cls), classes.cap[cls], rows, network);
    }
    add_pipeline_classes(fabric, schedule, counted, rows, network);
    for (const LinkId link : event_links) {
        network.row_of_event.push_back(rows.row_of(link));
    }
    divide_rows(network, network.row_of_event);
    return network;
}

}  // namespace fabricast
