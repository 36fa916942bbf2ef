#include "sim/engines/common/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/engines/common/pipeline_form.hpp"

namespace fabricast::inline engine_common {

namespace {

bool is_whole(double x) { return std::abs(x - std::round(x)) < 1e-9 && x >= 1; }

class Streams {
public:
    Streams(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline)
        : fabric_(fabric), schedule_(schedule), pipeline_(pipeline) {}

    PipelineStreams make() {
        make_streams();
        join_channels();
        label_connections();
        result_.layered = pipeline_.cyclic || sort();
        const double moved = pipeline_.bytes_per_edge / pipeline_.chunk;
        result_.chunks = moved + pipeline_.fill;
        const double fill_chunks = std::ceil(result_.chunks - 1e-9) - std::ceil(moved - 1e-9);
        result_.fill_chunks = static_cast<std::uint32_t>(std::max(0.0, fill_chunks));
        for (const Stage& stage : schedule_.stages_of(pipeline_)) { result_.steps += stage.count; }
        return std::move(result_);
    }

private:
    bool between_nodes(const PathQuery& path) const {
        const auto is_switch = [&](DeviceId d) { return fabric_.kind(d) == DeviceKind::fabric_switch; };
        return is_switch(path.src) || is_switch(path.dst) || fabric_.node_of(path.src) != fabric_.node_of(path.dst);
    }

    Duration overhead_of(bool network) const {
        Duration largest;
        for (const Stage& stage : schedule_.stages_of(pipeline_)) {
            largest = between_nodes(stage.hop) == network ? std::max(largest, stage.overhead) : largest;
        }
        return largest;
    }

    void make_streams() {
        for_each_edge(schedule_.edge_sets[pipeline_.edges], fabric_, [&](const Edge& edge) {
            const bool network = between_nodes(edge.path);
            const double channels = edge.count * pipeline_.weight;
            const long copies = is_whole(channels) ? std::lround(channels) : 1;
            PipelineStream stream;
            stream.path = edge.path;
            stream.scale = channels / static_cast<double>(copies);
            stream.overhead = overhead_of(network);
            stream.wire_ratio = network ? pipeline_.network_wire_ratio : pipeline_.wire_ratio;
            stream.rate_cap = stream.scale * pipeline_.chunk / least_tau(pipeline_, network);
            for (long copy = 0; copy < copies; ++copy) {
                result_.streams.push_back(stream);
                connection_.push_back(static_cast<std::uint32_t>(copy) % edge.connections);
            }
            result_.longest = std::max(result_.longest, fabric_.path(edge.path).latency + stream.overhead);
        });
    }

    // Channel i of an edge leads to channel i of the next edges. Several rings may pass through a device, each with its
    // own flow labels: a stream follows the arriving streams that have its label, or all of them if none has it.
    void join_channels() {
        std::vector<PipelineStream>& streams = result_.streams;
        std::map<DeviceId, std::vector<std::size_t>> arriving;
        for (std::size_t s = 0; s < streams.size(); ++s) { arriving[streams[s].path.dst].push_back(s); }
        std::map<std::tuple<DeviceId, DeviceId, std::uint32_t>, std::size_t> channel;
        for (PipelineStream& stream : streams) {
            const std::uint32_t label = stream.path.flow_label;
            const std::size_t mine = channel[{stream.path.src, stream.path.dst, label}]++;
            const std::vector<std::size_t>& all = arriving[stream.path.src];
            const bool labelled =
                std::ranges::any_of(all, [&](std::size_t s) { return streams[s].path.flow_label == label; });
            std::map<std::pair<DeviceId, std::uint32_t>, std::size_t> theirs;
            for (const std::size_t s : all) {
                const PathQuery& other = streams[s].path;
                if (theirs[{other.src, other.flow_label}]++ == mine && (!labelled || other.flow_label == label)) {
                    stream.before.push_back(s);
                }
            }
        }
    }

    void label_connections() {
        for (std::size_t s = 0; s < connection_.size(); ++s) {
            PathQuery& path = result_.streams[s].path;
            path.flow_label = connection_label(path.flow_label, connection_[s]);
        }
    }

    // Sorts streams so that each comes after those that lead to it. Returns false if they form a cycle.
    bool sort() {
        std::vector<PipelineStream>& streams = result_.streams;
        std::vector<PipelineStream> sorted;
        std::vector<std::optional<std::size_t>> place(streams.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t s = 0; s < streams.size(); ++s) {
                const auto placed = [&](std::size_t before) { return place[before].has_value(); };
                if (!place[s] && std::ranges::all_of(streams[s].before, placed)) {
                    place[s] = sorted.size();
                    sorted.push_back(streams[s]);
                    moved = true;
                }
            }
        }
        if (sorted.size() < streams.size()) { return false; }
        for (PipelineStream& stream : sorted) {
            for (std::size_t& before : stream.before) { before = *place[before]; }
        }
        streams = std::move(sorted);
        return true;
    }

    const Fabric& fabric_;
    const Schedule& schedule_;
    const Pipeline& pipeline_;
    PipelineStreams result_;
    std::vector<std::uint32_t> connection_;  // of each stream, among those of its edge
};

}  // namespace

double left_to_drain(const PipelineStreams& streams, double draining) {
    return streams.layered ? 0 : std::max(0.0, draining - to_seconds(streams.longest));
}

std::optional<std::uint64_t> slot_before(std::uint64_t chunk, double slots) {
    // The chunks of window w are [ceil(w * slots), ceil((w + 1) * slots)); each takes the slot of the chunk at the same
    // position in the window before.
    const double window = std::floor(static_cast<double>(chunk) / slots + 1e-9);
    if (window < 1) { return std::nullopt; }
    const auto first = [&](double w) { return static_cast<std::uint64_t>(std::ceil(w * slots - 1e-9)); };
    return chunk - (first(window) - first(window - 1));
}

double stream_count(const Schedule& schedule, const Pipeline& pipeline) {
    const auto edges = static_cast<double>(edge_count(schedule.edge_sets[pipeline.edges]));
    return edges * (is_whole(pipeline.weight) ? std::round(pipeline.weight) : 1);
}

double stream_count(const Schedule& schedule) {
    auto streams = static_cast<double>(schedule.connections.size());
    for (const Pipeline& pipeline : schedule.pipelines) { streams += stream_count(schedule, pipeline); }
    return streams;
}

PipelineStreams streams_of(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline) {
    return Streams(fabric, schedule, pipeline).make();
}

}  // namespace fabricast::inline engine_common
