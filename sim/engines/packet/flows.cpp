#include "sim/engines/packet/flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/packet/make_network.hpp"

namespace fabricast::inline packet {

namespace {

// What the streams of pipelines depend on: all but when they start, and what they take from kernels.
auto shape_key(const Pipeline& p) {
    return std::tuple(p.edges, p.bytes_per_edge, p.chunk, p.slots, p.slices, p.cyclic, p.first_stage, p.stage_count,
                      p.fill, p.chunk_overhead, p.chunk_posting, p.edge_rate_cap, p.wire_ratio, p.network_wire_ratio,
                      p.weight, p.occupancy_count > 0);
}
using ShapeKey = decltype(shape_key(std::declval<const Pipeline&>()));

class TrafficBuilder {
public:
    TrafficBuilder(const ReplayTask& task, const Packet& options) : task_(task), options_(options) {
        // Detours and reads are numbered by flow, so that every flow needs a pattern of its own.
        traffic_.all_begun = options_.pcie.transactions || !task_.events.empty();
        for (const std::string& name : options_.sequence) { watched_ends_.push_back(fabric_.device(name)); }
    }

    Traffic build() {
        for (const Connection& connection : schedule_.connections) {
            add_flow(connection.path, connection.wire_ratio, connection.rate_cap);
        }
        traffic_.first_stream_flow = static_cast<std::uint32_t>(traffic_.flow_patterns.size());
        add_messages();
        for (std::uint32_t p = 0; p < schedule_.pipelines.size(); ++p) { add_pipeline(p); }
        number_streams();
        const auto first_request = static_cast<std::uint32_t>(traffic_.flow_patterns.size());
        add_reads();
        traffic_.network = make_network(task_, options_, queries_, first_request, traffic_.route_patterns);
        for (std::size_t f = 0; f < traffic_.flow_patterns.size(); ++f) { place(f); }
        complete_shapes();
        add_controllers(first_request);
        reserve(first_request);
        place_readers();
        return std::move(traffic_);
    }

private:
    std::uint32_t add_flow(const PathQuery& path, double wire_ratio, double rate_cap) {
        Flow flow;
        const double wire_rate = rate_cap * wire_ratio;
        flow.pace = wire_rate < 1e18 ? 1e12 / wire_rate : 0;
        queries_.push_back(path);
        ratios_.push_back(wire_ratio);
        traffic_.flow_patterns.push_back(flow);
        return static_cast<std::uint32_t>(traffic_.flow_patterns.size() - 1);
    }

    void add_messages() {
        traffic_.connections.resize(schedule_.connections.size());
        for (const Transfer& transfer : schedule_.transfers) {
            ++traffic_.connections[transfer.connection].end;
            traffic_.message_bytes.push_back(rounded_bytes(schedule_.wire_bytes(transfer)).count);
        }
        std::uint32_t sum = 0;
        for (Messages& messages : traffic_.connections) {
            messages.begin = messages.next = messages.arrived = sum;
            sum += messages.end;
            messages.end = messages.begin;
        }
        traffic_.message_ops.resize(sum);
        traffic_.message_ready.assign(schedule_.transfers.size(), never);
        for (std::uint32_t t = 0; t < schedule_.transfers.size(); ++t) {
            traffic_.message_ops[traffic_.connections[schedule_.transfers[t].connection].end++] = t;
        }
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            if (schedule_.kind(OpId{op}) == OpKind::transfer) { traffic_.op_of_transfer.push_back(OpId{op}); }
            if (schedule_.kind(OpId{op}) == OpKind::pipeline) { traffic_.op_of_pipeline.push_back(OpId{op}); }
        }
    }

    // Whether a stream waits for those that lead to it. It does if edges run one way, and at a switch, which sends on
    // the sum or what it multicasts. Elsewhere, edges that run both ways stream on their own.
    bool waits(const PipelineStreams& found, const PipelineStream& stream) const {
        const DeviceKind from = fabric_.kind(stream.path.src);
        return found.layered || from == DeviceKind::nvswitch || from == DeviceKind::fabric_switch;
    }

    // Of streams that are not layered: the longest time that a first piece takes for its hop, and for the one before it
    // if it waits for that.
    Duration crossed(const PipelineStreams& found) const {
        Duration longest;
        if (found.layered) { return longest; }
        for (const PipelineStream& stream : found.streams) {
            Duration before;
            if (waits(found, stream)) {
                for (const std::size_t b : stream.before) { before = std::max(before, found.streams[b].hop); }
            }
            longest = std::max(longest, before + stream.hop);
        }
        return longest;
    }

    void add_pipeline(std::uint32_t p) {
        const auto number = static_cast<std::uint32_t>(traffic_.shapes.size());
        const auto [known, fresh] = shape_of_.try_emplace(shape_key(schedule_.pipelines[p]), number);
        if (fresh || traffic_.all_begun) {
            known->second = number;
            add_shape(p);
        }
        traffic_.shape_of.push_back(known->second);
        ++traffic_.shapes[known->second].uses;
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
            stream.slot_delay = found.longest.ps;
            set_bytes(stream, pipeline, from, found.chunks);
            if (waits(found, from) && !from.before.empty()) {
                stream.follows = true;
                if (from.before.size() > 1) {
                    have[s] = shape.have_count;
                    shape.have_count += static_cast<std::uint32_t>(from.before.size());
                }
                for (const std::size_t before : from.before) { leads_to[before].push_back(s); }
            }
            stream.releases = from.before.empty() || pipeline.cyclic || !found.layered;
            add_flow(from.path, from.wire_ratio, from.rate_cap);
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

    void number_streams() {
        std::uint64_t streams = 0, counts = 0;
        for (const std::uint32_t number : traffic_.shape_of) {
            traffic_.first_stream.push_back(static_cast<std::uint32_t>(streams));
            traffic_.first_have.push_back(static_cast<std::uint32_t>(counts));
            streams += traffic_.shapes[number].count;
            counts += traffic_.shapes[number].have_count;
        }
        if (streams + traffic_.first_stream_flow > 2'000'000'000 || counts > 4'000'000'000) {
            throw TooLarge("a schedule of more than 2 billion streams is too long for engine packet");
        }
        traffic_.first_stream.push_back(static_cast<std::uint32_t>(streams));
        traffic_.first_have.push_back(static_cast<std::uint32_t>(counts));
        traffic_.first_request_flow = traffic_.first_stream_flow + static_cast<std::uint32_t>(streams);
        watch();
    }

    // The first flow between the two ends: a connection's, or that of a stream of the first pipeline that has one.
    void watch() {
        if (watched_ends_.empty()) { return; }
        const auto found = std::ranges::find_if(queries_, [&](const PathQuery& path) {
            return std::vector{path.src, path.dst} == watched_ends_;
        });
        if (found == queries_.end()) { return; }
        const auto pattern = static_cast<std::uint32_t>(found - queries_.begin());
        traffic_.watched = pattern;
        for (std::uint32_t p = 0; p < traffic_.shape_of.size() && pattern >= traffic_.first_stream_flow; ++p) {
            const std::uint32_t first = traffic_.flow_pattern(traffic_.shape(p), 0);
            if (pattern >= first && pattern - first < traffic_.shape(p).count) {
                traffic_.watched = traffic_.first_stream_flow + traffic_.first_stream[p] + pattern - first;
                return;
            }
        }
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

    void place(std::size_t f) {
        Flow& flow = traffic_.flow_patterns[f];
        const Route& route = traffic_.route_patterns[f];
        if (route.hops == 0) { return; }
        const Network& net = traffic_.network;
        flow.port = net.port_of(route, 0, 0);
        flow.node = net.ports[flow.port].from_node;
        bool network = false;
        for (const std::uint32_t p : net.ports_of(route)) {
            network |= net.nodes[net.ports[p].from_node].network || net.nodes[net.ports[p].to_node].network;
        }
        const std::int64_t mtu = (network ? options_.mtu : options_.island_mtu).count;
        const long long unit = std::max(1LL, std::llround(static_cast<double>(mtu) * ratios_[f]));
        if (unit > 65535) {  // a frame's size has 16 bits
            throw TooLarge(
                "'packet.{}' makes packets that are too large, with what the protocol adds "
                "(found {} B; accepted: up to 65535 B)",
                network ? "mtu" : "island_mtu", unit);
        }
        flow.unit = static_cast<std::uint16_t>(unit);
    }

    // With link events, a flow may move to another NIC; reads are not modelled then.
    void add_reads() {
        if (!options_.pcie.transactions || !task_.events.empty()) { return; }
        const Lanes lanes(fabric_, options_);
        traffic_.read_request = options_.pcie.max_read_request.count;
        traffic_.request_bytes = lanes.pcie().request;
        const std::size_t flows = traffic_.flow_patterns.size();
        for (std::uint32_t f = 0; f < flows; ++f) {
            const Path path = fabric_.path(queries_[f]);
            const Read read = lanes.read_of(path.span());
            if (read.cables > 0) {
                Reader reader;
                reader.flow = f;
                reader.requests = add_flow({.src = read.requester, .dst = read.memory}, 1, 1e30);
                traffic_.readers.push_back(std::move(reader));
            }
        }
    }

    void place_readers() {
        if (traffic_.readers.empty()) { return; }
        const Network& net = traffic_.network;
        traffic_.reader_of.assign(traffic_.flows.size(), none);
        std::map<std::uint32_t, std::uint32_t> requesters;  // by node
        for (std::uint32_t r = 0; r < traffic_.readers.size(); ++r) {
            Reader& reader = traffic_.readers[r];
            const Route& data = traffic_.routes[reader.flow];
            Flow& requests = traffic_.flows[reader.requests];
            requests.unit = 65535;
            reader.node = requests.node;
            for (std::uint32_t hop = 0; hop < data.hops && traffic_.routes[reader.requests].hops > 0; ++hop) {
                const Port& port = net.ports[net.port_of(data, 0, hop)];
                reader.doorbell += port.latency;
                if (port.to_node == reader.node) {
                    reader.hop = static_cast<std::uint8_t>(hop + 1);
                    reader.ends = hop + 1U == data.hops;
                    break;
                }
            }
            if (reader.hop == 0) {
                continue;  // no cable with a latency between requester and memory
            }
            const auto known =
                requesters.try_emplace(reader.node, static_cast<std::uint32_t>(traffic_.requesters.size()));
            if (known.second) {
                traffic_.requesters.push_back({0, options_.pcie.tags * options_.pcie.max_read_request.count, {}});
            }
            reader.requester = known.first->second;
            traffic_.reader_of[reader.flow] = r;
            traffic_.reader_of[reader.requests] = r;
        }
    }

    // What is known of a shape's streams when its ports are.
    void complete_shapes() {
        for (Shape& shape : traffic_.shapes) {
            for (std::uint32_t i = 0; i < shape.count; ++i) {
                Stream& stream = traffic_.stream_patterns[shape.first + i];
                const std::uint32_t pattern = traffic_.flow_pattern(shape, i);
                stream.sender = traffic_.flow_patterns[pattern].node;
                if (traffic_.route_patterns[pattern].hops == 0) { continue; }
                ++shape.streams;
                shape.releasing += stream.releases ? 1U : 0U;
            }
        }
    }

    // A controller for each flow that crosses a port that marks, with congestion control; numbered in its pipeline.
    void add_controllers(std::uint32_t first_request) {
        CongestionControl control = options_.congestion_control;
        const LinkFamily family = fabric_.cluster().fabric.link.family;
        if (control == CongestionControl::automatic) {
            control = family == LinkFamily::ethernet ? CongestionControl::dcqcn : CongestionControl::none;
        }
        const Network& net = traffic_.network;
        const auto number = [&](std::uint32_t begin, std::uint32_t end) {
            std::uint32_t count = 0;
            for (std::uint32_t f = begin; f < end && control != CongestionControl::none; ++f) {
                const auto ports = net.ports_of(traffic_.route_patterns[f]);
                if (std::ranges::any_of(ports, [&](std::uint32_t p) { return net.ports[p].marks; })) {
                    traffic_.flow_patterns[f].controller = count++;
                }
            }
            return count;
        };
        std::uint32_t sum = number(0, traffic_.first_stream_flow);
        for (Shape& shape : traffic_.shapes) {
            const std::uint32_t first = traffic_.flow_pattern(shape, 0);
            shape.controlled = number(first, std::min(first + shape.count, first_request));
        }
        for (const std::uint32_t shape : traffic_.shape_of) {
            traffic_.first_controller.push_back(sum);
            sum += traffic_.shapes[shape].controlled;
        }
        traffic_.first_controller.push_back(sum);
        traffic_.control = control;
    }

    // Reserves what is made when pipelines start, and makes what is needed from the beginning.
    void reserve(std::uint32_t first_request) {
        std::uint32_t most = 1;
        for (const Stream& stream : traffic_.stream_patterns) {
            const std::uint32_t kept = 2 * (stream.whole_slots() + 1) * stream.slices;
            most = std::max(most, std::min(kept, stream.pieces + 1));
        }
        traffic_.times_each = std::bit_ceil(std::min(most, 64U));
        const std::size_t streams = traffic_.first_stream.back();
        const auto requests = static_cast<std::uint32_t>(traffic_.flow_patterns.size()) - first_request;
        const std::size_t flows = traffic_.first_request_flow + std::size_t{requests};
        traffic_.routes = Sparse<Route>(flows);
        traffic_.flows = Sparse<Flow>(flows);
        traffic_.receivers = Sparse<Receiver>(flows);
        traffic_.streams = Sparse<Stream>(streams);
        traffic_.have = Sparse<std::uint32_t>(traffic_.first_have.back());
        traffic_.times = Sparse<Ps>(2UL * traffic_.times_each * streams);
        traffic_.controlled = Sparse<std::uint32_t>(traffic_.first_controller.back());
        traffic_.controlled.claim(0, traffic_.first_controller.front());
        const auto claim = [&](std::size_t first, std::size_t count) {
            traffic_.routes.claim(first, count);
            traffic_.flows.claim(first, count);
            traffic_.receivers.claim(first, count);
        };
        claim(0, traffic_.first_stream_flow);
        claim(traffic_.first_request_flow, requests);
        for (std::uint32_t f = 0; f < traffic_.first_stream_flow; ++f) { traffic_.begin_flow(f, f, 0); }
        for (std::uint32_t p = 0; p < traffic_.shape_of.size() && traffic_.all_begun; ++p) { traffic_.begin(p); }
        for (std::uint32_t r = 0; r < requests; ++r) {
            traffic_.begin_flow(traffic_.first_request_flow + r, first_request + r, 0);
        }
    }

    const ReplayTask& task_;
    const Packet& options_;
    const Fabric& fabric_ = task_.fabric;
    const Schedule& schedule_ = task_.schedule;
    std::vector<DeviceId> watched_ends_;
    std::vector<PathQuery> queries_;
    std::vector<double> ratios_;
    engine_common::Network alone_;
    std::map<ShapeKey, std::uint32_t> shape_of_;
    Traffic traffic_;
};

}  // namespace

void Traffic::begin_flow(std::uint32_t f, std::uint32_t pattern, std::uint32_t controllers) {
    routes[f] = route_patterns[pattern];
    flows[f] = flow_patterns[pattern];
    receivers[f] = Receiver{};
    std::uint32_t& controller = flows[f].controller;
    if (controller != none) { controlled[controller += controllers] = f; }
}

void Traffic::begin(std::uint32_t pipeline) {
    const Shape& its = shape(pipeline);
    const std::uint32_t first = first_stream[pipeline];
    for_each_part(pipeline, [](auto& part, std::size_t begin, std::size_t count) { part.claim(begin, count); });
    for (std::uint32_t i = 0; i < its.count; ++i) {
        Stream& stream = streams[first + i] = stream_patterns[its.first + i];
        stream.pipeline = pipeline;
        stream.first = first;
        stream.first_have = first_have[pipeline];
        stream.flow = first_stream_flow + first + i;
        begin_flow(stream.flow, flow_pattern(its, i), first_controller[pipeline]);
    }
}

void Traffic::end(std::uint32_t pipeline) {
    for_each_part(pipeline, [](auto& part, std::size_t begin, std::size_t count) { part.release(begin, count); });
}

double distinct_stream_count(const Schedule& schedule) {
    auto streams = static_cast<double>(schedule.connections.size());
    std::set<ShapeKey> known;
    for (const Pipeline& pipeline : schedule.pipelines) {
        if (known.insert(shape_key(pipeline)).second) { streams += stream_count(schedule, pipeline); }
    }
    return streams;
}

Traffic make_traffic(const ReplayTask& task, const Packet& options) { return TrafficBuilder(task, options).build(); }

}  // namespace fabricast::inline packet
