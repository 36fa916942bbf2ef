#include "sim/engines/unroll.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "sim/engines/flow/network.hpp"
#include "sim/engines/pipeline_form.hpp"

namespace fabricast {

namespace {

using After = std::vector<Schedule::Dependency>;

// A channel on an edge of the pipeline being unrolled.
struct Stream {
    std::uint32_t connection = 0;
    DeviceId from{}, to{};
    double scale = 1;                 // of its bytes, where edge counts or weights are not whole
    Duration overhead;                // of its hop
    std::vector<std::size_t> before;  // streams that lead to its sender, of the same channel
    std::vector<OpId> pieces;
};

bool is_whole(double x) { return std::abs(x - std::round(x)) < 1e-9 && x >= 1; }

class PipelineUnroller {
public:
    PipelineUnroller(const Fabric& fabric, const Schedule& from, const Pipeline& pipeline, Schedule& to,
                     std::uint32_t& next_host)
        : fabric_(fabric), from_(from), pipeline_(pipeline), to_(to), next_host_(next_host) {}

    Unrolled::Ends unroll(const After& after, double draining) {
        const OpId start = wait(pipeline_.start, after);
        make_streams();
        const bool layered = pipeline_.cyclic || sort_streams();
        const double chunks = pipeline_.bytes_per_edge / pipeline_.chunk + pipeline_.fill;
        const auto whole = static_cast<std::size_t>(std::ceil(chunks - 1e-9));
        if (static_cast<double>(whole) * pipeline_.slices * static_cast<double>(streams_.size()) > 50e6) {
            throw std::length_error("a pipeline of more than 50 million messages is too long to unroll");
        }
        for (std::size_t chunk = 0; chunk < whole; ++chunk) {
            const double bytes = pipeline_.chunk * std::min(1.0, chunks - static_cast<double>(chunk));
            for (std::size_t slice = 0; slice < slices(); ++slice) {
                for (Stream& stream : streams_) {
                    send(stream, chunk, slice, bytes / pipeline_.slices, start, layered);
                }
            }
        }
        return join(start, layered ? 0 : draining);
    }

private:
    std::size_t slices() const { return static_cast<std::size_t>(pipeline_.slices); }

    // A host of its own: nothing queues with it.
    OpId wait(Duration duration, const After& after) { return to_.add(Delay{next_host_++, duration}, after); }

    bool between_nodes(const PathQuery& path) const { return fabric_.node_of(path.src) != fabric_.node_of(path.dst); }

    Duration overhead_of(bool network) const {
        Duration largest;
        for (std::uint32_t s = pipeline_.first_stage; s < pipeline_.first_stage + pipeline_.stage_count; ++s) {
            if (between_nodes(from_.stages[s].hop) == network) {
                largest = std::max(largest, from_.stages[s].overhead);
            }
        }
        return largest;
    }

    void make_streams() {
        for_each_edge(from_.edge_sets[pipeline_.edges], fabric_, [&](const Edge& edge) {
            const bool network = between_nodes(edge.path);
            const double channels = edge.count * pipeline_.weight;
            const long copies = is_whole(channels) ? std::lround(channels) : 1;
            Stream stream;
            stream.from = edge.path.src;
            stream.to = edge.path.dst;
            stream.scale = channels / static_cast<double>(copies);
            stream.overhead = overhead_of(network);
            Connection connection;
            connection.path = edge.path;
            connection.wire_ratio = network ? pipeline_.network_wire_ratio : pipeline_.wire_ratio;
            const double seconds = pipeline_.chunk / pipeline_.edge_rate_cap + to_seconds(pipeline_.chunk_overhead);
            connection.rate_cap = stream.scale * pipeline_.chunk / seconds;
            for (long copy = 0; copy < copies; ++copy) {
                stream.connection = static_cast<std::uint32_t>(to_.connections.size());
                to_.connections.push_back(connection);
                streams_.push_back(stream);
            }
            longest_ = std::max(longest_, fabric_.path(edge.path).latency + stream.overhead);
        });
        // Channels of one edge lead to the same channels of the next.
        std::map<DeviceId, std::vector<std::size_t>> arriving;
        for (std::size_t s = 0; s < streams_.size(); ++s) {
            arriving[streams_[s].to].push_back(s);
        }
        std::map<std::pair<DeviceId, DeviceId>, std::size_t> channel;
        for (Stream& stream : streams_) {
            const std::size_t mine = channel[{stream.from, stream.to}]++;
            std::map<DeviceId, std::size_t> theirs;
            for (const std::size_t s : arriving[stream.from]) {
                if (theirs[streams_[s].from]++ == mine) {
                    stream.before.push_back(s);
                }
            }
        }
    }

    // Puts streams behind those that lead to them. False: they run in circles.
    bool sort_streams() {
        std::vector<Stream> sorted;
        std::vector<std::optional<std::size_t>> place(streams_.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t s = 0; s < streams_.size(); ++s) {
                const auto placed = [&](std::size_t before) { return place[before].has_value(); };
                if (!place[s] && std::all_of(streams_[s].before.begin(), streams_[s].before.end(), placed)) {
                    place[s] = sorted.size();
                    sorted.push_back(streams_[s]);
                    moved = true;
                }
            }
        }
        if (sorted.size() < streams_.size()) {
            return false;
        }
        for (Stream& stream : sorted) {
            for (std::size_t& before : stream.before) {
                before = *place[before];
            }
        }
        streams_ = std::move(sorted);
        return true;
    }

    void send(Stream& stream, std::size_t chunk, std::size_t slice, double bytes, OpId start, bool layered) {
        After after = {{start}};
        const std::size_t piece = chunk * slices() + slice;
        const bool dependent = !pipeline_.cyclic || (chunk > 0 && static_cast<double>(chunk) < steps());
        if (layered && dependent) {
            for (const std::size_t before : stream.before) {
                after.push_back({streams_[before].pieces[pipeline_.cyclic ? piece - slices() : piece]});
            }
        }
        const auto slots =
            static_cast<std::size_t>(std::max(1L, std::lround(pipeline_.slots)));  // a fraction is rounded
        if (slice == 0 && chunk >= slots && longest_.ps > 0) {
            after.push_back({wait(longest_, {{stream.pieces[piece - (slots - 1) * slices() - 1]}})});
        }
        const auto size = static_cast<std::int64_t>(std::llround(bytes * stream.scale));
        stream.pieces.push_back(to_.add(Transfer{stream.connection, {size}, stream.overhead}, after));
    }

    double steps() const {
        double sum = 0;
        for (std::uint32_t s = pipeline_.first_stage; s < pipeline_.first_stage + pipeline_.stage_count; ++s) {
            sum += from_.stages[s].count;
        }
        return sum;
    }

    // Released when the first senders are through, over when all are.
    Unrolled::Ends join(OpId start, double draining) {
        After all = {{start}};
        After first = {{start}};
        for (const Stream& stream : streams_) {
            if (!stream.pieces.empty()) {
                all.push_back({stream.pieces.back()});
                if (stream.before.empty() || pipeline_.cyclic || draining > 0) {
                    first.push_back({stream.pieces.back()});
                }
            }
        }
        const OpId release = wait({}, first);
        return {start, release, wait(from_seconds(draining), all)};
    }

    const Fabric& fabric_;
    const Schedule& from_;
    const Pipeline& pipeline_;
    Schedule& to_;
    std::uint32_t& next_host_;
    std::vector<Stream> streams_;
    Duration longest_;  // latency of a hop
};

}  // namespace

Unrolled unroll(const Fabric& fabric, const Schedule& schedule) {
    Unrolled result;
    Schedule& to = result.schedule;
    to.connections = schedule.connections;
    std::uint32_t next_host = 0;
    for (const Delay& delay : schedule.delays) {
        next_host = std::max(next_host, delay.host + 1);
    }
    const Network network = schedule.pipelines.empty() ? Network{} : lower(fabric, schedule, {});
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        After after;
        for (std::size_t i = 0; i < schedule.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = schedule.dependency(OpId{op}, i);
            const Unrolled::Ends& ends = result.ends[static_cast<std::uint32_t>(d.op)];
            after.push_back({d.when == DependsOn::release ? ends.release : ends.finish});
        }
        const std::uint32_t detail = schedule.detail(OpId{op});
        OpId copy{};
        switch (schedule.kind(OpId{op})) {
            case OpKind::pipeline: {
                const Pipeline& pipeline = schedule.pipelines[detail];
                const PipelineForm form(schedule, pipeline, network.hops_of(detail));
                const double tau = form.tau(rate_alone(network, network.class_of_pipeline[detail], pipeline.weight));
                result.ends.push_back(
                    PipelineUnroller(fabric, schedule, pipeline, to, next_host).unroll(after, form.draining(tau)));
                continue;
            }
            case OpKind::transfer:
                copy = to.add(schedule.transfers[detail], after);
                break;
            case OpKind::compute:
                copy = to.add(schedule.computes[detail], after);
                break;
            case OpKind::delay:
                copy = to.add(schedule.delays[detail], after);
                break;
        }
        result.ends.push_back({copy, copy, copy});
    }
    return result;
}

}  // namespace fabricast
