#include "sim/engines/packet/stream_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast::inline packet {

namespace {

// What the streams of pipelines depend on: all but when they start, and what they take from kernels.
auto shape_key(const Pipeline& p) {
    return std::tuple(p.edges, p.bytes_per_edge, p.chunk, p.slots, p.slices, p.cyclic, p.first_stage, p.stage_count,
                      p.fill, p.chunk_overhead, p.chunk_posting, p.edge_rate_cap, p.wire_ratio, p.network_wire_ratio,
                      p.weight, p.occupancy_count > 0);
}
using ShapeKey = decltype(shape_key(std::declval<const Pipeline&>()));

class StreamPatterns {
public:
    StreamPatterns(const ReplayTask& task, Traffic& traffic, const AddFlow& add_flow)
        : fabric_(task.fabric), schedule_(task.schedule), traffic_(traffic), add_flow_(add_flow) {}

    void add(std::uint32_t p) {
        const auto number = static_cast<std::uint32_t>(traffic_.shapes.size());
        const auto [known, fresh] = shape_of_.try_emplace(shape_key(schedule_.pipelines[p]), number);
        if (fresh || traffic_.all_begun) {
            known->second = number;
            add_shape(p);
        }
        traffic_.shape_of.push_back(known->second);
        ++traffic_.shapes[known->second].uses;
    }

private:
    // Of streams that are not layered: the longest time that a first piece takes for its hop, and for the one before it
    // if it waits for that.
    static Duration crossed(const PipelineStreams& found) {
        Duration longest;
        if (found.layered) { return longest; }
        for (const PipelineStream& stream : found.streams) {
            Duration before;
            for (const std::size_t b : stream.before) { before = std::max(before, found.streams[b].hop); }
            longest = std::max(longest, before + stream.hop);
        }
        return longest;
    }

    void add_shape(std::uint32_t p) {
        const Pipeline& pipeline = schedule_.pipelines[p];
        const PipelineStreams found = streams_of(fabric_, schedule_, pipeline);
        const PipelineAlone form = found.layered && pipeline.occupancy_count == 0
                                       ? PipelineAlone{0, 0}
                                       : pipeline_alone(alone(), schedule_, p);
        Shape shape;
        shape.first = static_cast<std::uint32_t>(traffic_.stream_patterns.size());
        shape.count = static_cast<std::uint32_t>(found.streams.size());
        shape.draining = left_to_drain(found, form.draining, crossed(found));
        shape.seconds_alone = form.running + form.draining;
        const double chunks = std::ceil(found.chunks - 1e-9);
        if (chunks * pipeline.slices > 4e9) {
            throw TooLarge("a pipeline of more than 4 billion pieces is too long for engine packet");
        }
        std::vector<std::vector<std::uint32_t>> leads_to(found.streams.size());
        std::vector<std::uint32_t> have(found.streams.size(), none);  // set if several lead to one
        for (std::uint32_t s = 0; s < found.streams.size(); ++s) {
            const PipelineStream& from = found.streams[s];
            Stream stream;
            stream.slices = static_cast<std::uint16_t>(pipeline.slices);
            stream.chunk_pieces = stream.slices;
            stream.pieces = static_cast<std::uint32_t>(chunks) * stream.slices;
            stream.slots = std::max(1.0F, static_cast<float>(pipeline.slots));
            stream.fill_chunks = static_cast<std::uint16_t>(std::min<std::uint32_t>(found.fill_chunks, 0xffff));
            const std::uint32_t with_slots = stream.pieces_with_slots();
            stream.slots_end = with_slots - std::min(with_slots, (stream.whole_slots() - 1) * stream.slices);
            stream.circular = pipeline.cyclic;
            stream.overhead = on_clock(from.overhead);
            stream.slot_delay = found.credit.ps;
            set_bytes(stream, pipeline, from, found.chunks);
            if (!from.before.empty()) {
                stream.follows = true;
                if (from.before.size() > 1) {
                    have[s] = shape.have_count;
                    shape.have_count += static_cast<std::uint32_t>(from.before.size());
                }
                for (const std::size_t before : from.before) { leads_to[before].push_back(s); }
            }
            stream.releases = from.before.empty() || pipeline.cyclic || !found.layered;
            add_flow_(from.path, from.wire_ratio, from.rate_cap);
            traffic_.stream_patterns.push_back(stream);
        }
        std::vector<std::uint32_t> taken(found.streams.size(), 0);
        for (std::uint32_t s = 0; s < leads_to.size(); ++s) {
            Stream& stream = traffic_.stream_patterns[shape.first + s];
            stream.first_follower = static_cast<std::uint32_t>(traffic_.followers.size());
            stream.follower_count = static_cast<std::uint32_t>(leads_to[s].size());
            for (const std::uint32_t next : leads_to[s]) {
                Follower follower{next};
                if (have[next] != none) {
                    const auto count = static_cast<std::uint32_t>(found.streams[next].before.size());
                    follower = {next, have[next] + taken[next]++, have[next], have[next] + count};
                }
                traffic_.followers.push_back(follower);
            }
            stream.tells = !leads_to[s].empty() || stream.slots_end > 0;
        }
        traffic_.shapes.push_back(shape);
    }

    const engine_common::Network& alone() {
        if (alone_.classes.empty()) { alone_ = make_fluid_network(fabric_, schedule_, {}); }
        return alone_;
    }

    static void set_bytes(Stream& stream, const Pipeline& pipeline, const PipelineStream& from, double chunks) {
        const double slice = from.scale * from.wire_ratio / pipeline.slices;
        if (pipeline.chunk * slice > 4e9) {
            throw TooLarge("a pipeline's slice of more than 4 GB is too long for engine packet");
        }
        const double last = chunks - (std::ceil(chunks - 1e-9) - 1);
        stream.piece_bytes = static_cast<std::uint32_t>(std::llround(pipeline.chunk * slice));
        stream.last_bytes = static_cast<std::uint32_t>(std::llround(pipeline.chunk * std::min(1.0, last) * slice));
    }

    const Fabric& fabric_;
    const Schedule& schedule_;
    Traffic& traffic_;
    const AddFlow& add_flow_;
    engine_common::Network alone_;
    std::map<ShapeKey, std::uint32_t> shape_of_;
};

}  // namespace

void add_stream_patterns(const ReplayTask& task, Traffic& traffic, const AddFlow& add_flow) {
    StreamPatterns patterns(task, traffic, add_flow);
    for (std::uint32_t p = 0; p < task.schedule.pipelines.size(); ++p) { patterns.add(p); }
}

double distinct_stream_count(const Schedule& schedule) {
    auto streams = static_cast<double>(schedule.connections.size());
    std::set<ShapeKey> known;
    for (const Pipeline& pipeline : schedule.pipelines) {
        if (known.insert(shape_key(pipeline)).second) { streams += stream_count(schedule, pipeline); }
    }
    return streams;
}

}  // namespace fabricast::inline packet
