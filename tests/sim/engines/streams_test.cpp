// Streams of a pipeline against the obvious way to join and order them, which takes the cube of their number.

#include "sim/engines/common/streams.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

struct SlowStream {
    PathQuery path;
    std::vector<std::size_t> before;
};

std::vector<SlowStream> slow_join(const std::vector<Edge>& edges) {
    std::vector<SlowStream> streams;
    for (const Edge& edge : edges) {
        for (long copy = 0; copy < std::lround(edge.count); ++copy) { streams.push_back({edge.path, {}}); }
    }
    std::map<std::tuple<DeviceId, DeviceId, std::uint32_t>, std::size_t> channel;
    for (SlowStream& stream : streams) {
        const std::size_t mine = channel[{stream.path.src, stream.path.dst, stream.path.flow_label}]++;
        bool labelled = false;
        for (const SlowStream& other : streams) {
            labelled |= other.path.dst == stream.path.src && other.path.flow_label == stream.path.flow_label;
        }
        std::map<std::pair<DeviceId, std::uint32_t>, std::size_t> theirs;
        for (std::size_t s = 0; s < streams.size(); ++s) {
            const PathQuery& other = streams[s].path;
            if (other.dst != stream.path.src) { continue; }
            const bool same = !labelled || other.flow_label == stream.path.flow_label;
            if (theirs[{other.src, other.flow_label}]++ == mine && same) { stream.before.push_back(s); }
        }
    }
    return streams;
}

// Round after round places every stream that can be; nullopt if some never can.
std::optional<std::vector<SlowStream>> slow_sort(const std::vector<SlowStream>& streams) {
    std::vector<SlowStream> sorted;
    std::vector<std::optional<std::size_t>> place(streams.size());
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < streams.size(); ++s) {
            bool ready = !place[s];
            for (const std::size_t before : streams[s].before) { ready = ready && place[before]; }
            if (ready) {
                place[s] = sorted.size();
                sorted.push_back(streams[s]);
                moved = true;
            }
        }
    }
    if (sorted.size() < streams.size()) { return std::nullopt; }
    for (SlowStream& stream : sorted) {
        for (std::size_t& before : stream.before) { before = *place[before]; }
    }
    return sorted;
}

std::vector<Edge> random_edges(const Fabric& fabric, bool one_way, std::mt19937& random) {
    std::vector<Edge> edges;
    for (int i = 0; i < 14; ++i) {
        auto from = static_cast<std::uint32_t>(random() % 6), to = static_cast<std::uint32_t>(random() % 6);
        if (from == to) { continue; }
        if (one_way && from > to) { std::swap(from, to); }
        edges.push_back({.path = {.src = fabric.gpu(from),
                                  .dst = fabric.gpu(to),
                                  .flow_label = static_cast<std::uint32_t>(random() % 3)},
                         .count = 1.0 + static_cast<double>(random() % 3)});
    }
    return edges;
}

}  // namespace

TEST_CASE("an edge of one and a half channels is one stream as wide, of three it is three") {
    const Fabric fabric(tiny::one_node(2));
    const auto streams = [&](double channels) {
        Schedule schedule;
        schedule.edge_sets.push_back(
            EdgeList{{{.path = {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, .count = channels}}});
        Pipeline pipeline;
        pipeline.chunk = 1000;
        pipeline.bytes_per_edge = 10'000;
        return streams_of(fabric, schedule, pipeline).streams;
    };
    REQUIRE(streams(1.5).size() == 1);
    CHECK(streams(1.5)[0].scale == Approx(1.5));
    REQUIRE(streams(3).size() == 3);
    CHECK(streams(3)[0].scale == Approx(1));
    CHECK(streams(0.5).size() == 1);
}

TEST_CASE("streams follow each other and are ordered as the obvious way has it") {
    const Fabric fabric(tiny::cluster(2, 3, tiny::fabric(FabricKind::rail_optimized)));
    std::mt19937 random(7);
    int layered = 0, circular = 0;
    for (int round = 0; round < 400; ++round) {
        Schedule schedule;
        EdgeList list;
        list.edges = random_edges(fabric, round % 2 == 0, random);
        schedule.edge_sets.emplace_back(list);
        schedule.stages.push_back({1, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
        Pipeline pipeline;
        pipeline.chunk = 1000;
        pipeline.bytes_per_edge = 10'000;
        pipeline.stage_count = 1;
        pipeline.cyclic = round % 5 == 0;
        const PipelineStreams found = streams_of(fabric, schedule, pipeline);
        const std::vector<SlowStream> joined = slow_join(list.edges);
        const auto sorted = slow_sort(joined);
        CHECK(found.layered == (pipeline.cyclic || sorted.has_value()));
        ++(found.layered ? layered : circular);
        const std::vector<SlowStream>& slow = !pipeline.cyclic && sorted ? *sorted : joined;
        REQUIRE(found.streams.size() == slow.size());
        for (std::size_t s = 0; s < slow.size(); ++s) {
            INFO("round " << round << ", stream " << s);
            const PathQuery& path = found.streams[s].path;
            CHECK(std::tuple{path.src, path.dst, path.flow_label} ==
                  std::tuple{slow[s].path.src, slow[s].path.dst, slow[s].path.flow_label});
            // What runs both ways streams on its own; nobody reads whom it would follow.
            CHECK(found.streams[s].before == (found.layered ? slow[s].before : std::vector<std::size_t>{}));
        }
    }
    CHECK(layered > 100);
    CHECK(circular > 100);
}
