#include "sim/engines/common/unroll.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/streams.hpp"

namespace fabricast::inline engine_common {

namespace {

using After = std::vector<Schedule::Dependency>;

// A stream of the pipeline being unrolled, and its messages so far.
struct Unrolling {
    const PipelineStream* stream = nullptr;
    std::uint32_t connection = 0;
    std::vector<OpId> pieces;
};

class PipelineUnroller {
public:
    PipelineUnroller(const Fabric& fabric, const Schedule& from, const Pipeline& pipeline, Schedule& to,
                     std::uint32_t& next_host)
        : pipeline_(pipeline), found_(streams_of(fabric, from, pipeline)), to_(to), next_host_(next_host) {}

    Unrolled::Ends unroll(const After& after, double draining) {
        const OpId start = wait(pipeline_.start, after);
        for (const PipelineStream& stream : found_.streams) {
            streams_.push_back({&stream, static_cast<std::uint32_t>(to_.connections.size()), {}});
            to_.connections.push_back({stream.path, stream.wire_ratio, stream.rate_cap});
        }
        const auto whole = static_cast<std::size_t>(std::ceil(found_.chunks - 1e-9));
        for (std::size_t chunk = 0; chunk < whole; ++chunk) {
            const double bytes = pipeline_.chunk * std::min(1.0, found_.chunks - static_cast<double>(chunk));
            for (std::size_t slice = 0; slice < slices(); ++slice) {
                for (Unrolling& stream : streams_) { send(stream, chunk, slice, bytes / pipeline_.slices, start); }
            }
        }
        return join(start, left_to_drain(found_, draining, found_.longest));
    }

private:
    std::size_t slices() const { return static_cast<std::size_t>(pipeline_.slices); }

    // Each delay is on a host of its own, so nothing queues behind it.
    OpId wait(Duration duration, const After& after) { return to_.add(Delay{next_host_++, duration}, after); }

    void send(Unrolling& unrolling, std::size_t chunk, std::size_t slice, double bytes, OpId start) {
        After after = {{start}};
        const PipelineStream& stream = *unrolling.stream;
        const std::size_t piece = chunk * slices() + slice;
        const bool takes_slot = static_cast<double>(chunk + found_.fill_chunks) < found_.chunks - 1e-9;
        const bool dependent = !pipeline_.cyclic || (chunk > 0 && takes_slot);
        if (found_.layered && dependent) {
            for (const std::size_t before : stream.before) {
                after.push_back({streams_[before].pieces[pipeline_.cyclic ? piece - slices() : piece]});
            }
        }
        const auto before = slot_before(chunk, std::max(1.0, pipeline_.slots));
        if (slice == 0 && takes_slot && before && found_.credit.ps > 0) {
            after.push_back({wait(found_.credit, {{unrolling.pieces[(*before + 1) * slices() - 1]}})});
        }
        const Bytes size = rounded_bytes(bytes * stream.scale);
        unrolling.pieces.push_back(to_.add(Transfer{unrolling.connection, size, stream.overhead}, after));
    }

    // Released when the first senders have sent everything, finished when all have.
    Unrolled::Ends join(OpId start, double draining) {
        After all = {{start}};
        After first = {{start}};
        for (const Unrolling& unrolling : streams_) {
            if (!unrolling.pieces.empty()) {
                all.push_back({unrolling.pieces.back()});
                if (unrolling.stream->before.empty() || pipeline_.cyclic || !found_.layered) {
                    first.push_back({unrolling.pieces.back()});
                }
            }
        }
        const OpId release = wait({}, first);
        return {start, release, wait(from_seconds(draining), all)};
    }

    const Pipeline& pipeline_;
    PipelineStreams found_;
    Schedule& to_;
    std::uint32_t& next_host_;
    std::vector<Unrolling> streams_;
};

}  // namespace

Unrolled unroll(const Fabric& fabric, const Schedule& schedule) {
    Unrolled result;
    Schedule& to = result.schedule;
    to.connections = schedule.connections;
    std::uint32_t next_host = 0;
    for (const Delay& delay : schedule.delays) { next_host = std::max(next_host, delay.host + 1); }
    const Network network = schedule.pipelines.empty() ? Network{} : make_fluid_network(fabric, schedule, {});
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        After after;
        for (std::size_t i = 0; i < schedule.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = schedule.dependency(OpId{op}, i);
            const Unrolled::Ends& ends = result.ends[index(d.op)];
            after.push_back({d.when == DependsOn::release ? ends.release : ends.finish});
        }
        const std::uint32_t detail = schedule.detail(OpId{op});
        OpId copy{};
        switch (schedule.kind(OpId{op})) {
            case OpKind::pipeline: {
                PipelineUnroller pipeline(fabric, schedule, schedule.pipelines[detail], to, next_host);
                result.ends.push_back(pipeline.unroll(after, pipeline_alone(network, schedule, detail).draining));
                continue;
            }
            case OpKind::transfer: copy = to.add(schedule.transfers[detail], after); break;
            case OpKind::compute: copy = to.add(schedule.computes[detail], after); break;
            case OpKind::delay: copy = to.add(schedule.delays[detail], after); break;
        }
        result.ends.push_back({copy, copy, copy});
    }
    return result;
}

}  // namespace fabricast::inline engine_common
