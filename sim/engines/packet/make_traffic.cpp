#include "sim/engines/packet/make_traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sim/engines/common/watch.hpp"
#include "sim/engines/packet/make_network.hpp"
#include "sim/engines/packet/stream_patterns.hpp"

namespace fabricast::inline packet {

namespace {

class TrafficBuilder {
public:
    TrafficBuilder(const ReplayTask& task, const Packet& options) : task_(task), options_(options) {
        // Detours and reads are numbered by flow, so that every flow needs a pattern of its own.
        traffic_.all_begun = options_.pcie.transactions || !task_.events.empty();
        for (const std::string& name : options_.sequence) { watched_ends_.push_back(fabric_.device(name)); }
    }

    Traffic build() {
        const auto flows = static_cast<std::size_t>(distinct_stream_count(schedule_));
        queries_.reserve(flows);
        ratios_.reserve(flows);
        traffic_.flow_patterns.reserve(flows);
        traffic_.route_patterns.reserve(flows);
        traffic_.stream_patterns.reserve(flows - schedule_.connections.size());
        for (const Connection& connection : schedule_.connections) {
            add_flow(connection.path, connection.wire_ratio, connection.rate_cap);
        }
        traffic_.first_stream_flow = static_cast<std::uint32_t>(traffic_.flow_patterns.size());
        add_messages();
        add_stream_patterns(task_, traffic_, [&](auto&&... flow) { return add_flow(flow...); });
        number_streams();
        const auto first_request = static_cast<std::uint32_t>(traffic_.flow_patterns.size());
        add_reads();
        traffic_.network = make_network(task_, options_, queries_, first_request, traffic_.route_patterns);
        for (std::size_t f = 0; f < traffic_.flow_patterns.size(); ++f) { place(f); }
        set_policies(traffic_.network, fabric_, options_, longest_);
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
        traffic_.watched = traffic_.watched_pattern = pattern;
        for (std::uint32_t p = 0; p < traffic_.shape_of.size() && pattern >= traffic_.first_stream_flow; ++p) {
            const std::uint32_t first = traffic_.flow_pattern(traffic_.shape(p), 0);
            if (pattern >= first && pattern - first < traffic_.shape(p).count) {
                traffic_.watched = traffic_.first_stream_flow + traffic_.first_stream[p] + pattern - first;
                return;
            }
        }
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
        std::int64_t& longest = network ? longest_.between_nodes : longest_.inside;
        longest = std::max<std::int64_t>(longest, unit);
    }

    // With link events, a flow may move to another NIC; reads are not modelled then.
    void add_reads() {
        if (!options_.pcie.transactions || !task_.events.empty()) { return; }
        traffic_.read_request = options_.pcie.max_read_request.count;
        traffic_.request_bytes = pcie_form(fabric_, options_.pcie).request;
        const std::size_t flows = traffic_.flow_patterns.size();
        for (std::uint32_t f = 0; f < flows; ++f) {
            const Path path = fabric_.path(queries_[f]);
            const Read read = read_of(fabric_, path.span());
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
            if (reader.hop == 0) { continue; }  // no cable with a latency between requester and memory
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
    LongestPackets longest_;
    Traffic traffic_;
};

}  // namespace

Traffic make_traffic(const ReplayTask& task, const Packet& options) { return TrafficBuilder(task, options).build(); }

}  // namespace fabricast::inline packet
