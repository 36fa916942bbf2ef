#include "sim/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/unit_text.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

namespace {

std::string arrow(const PathQuery& path, const Fabric& fabric) {
    return fabric.device_name(path.src) + " -> " + fabric.device_name(path.dst);
}

std::string edges_name(const EdgeList& list, const Fabric& fabric) {
    const std::string more = list.edges.size() > 1 ? " and " + std::to_string(list.edges.size() - 1) + " more" : "";
    return list.edges.empty() ? "no edge" : arrow(list.edges.front().path, fabric) + more;
}
std::string edges_name(const NodeRing& ring, const Fabric&) {
    return (ring.closed ? "ring over " : "chain over ") + std::to_string(ring.nodes) + " nodes";
}
std::string edges_name(const AllPairs& pairs, const Fabric&) {
    return "all pairs of " + std::to_string(pairs.ranks) + " ranks";
}
std::string edges_name(const GeneratedEdges& generator, const Fabric&) {
    return std::to_string(generator.edges) + " edges";
}

// The lane and the name of an operation.
std::pair<std::string, std::string> label(const Schedule& schedule, OpId op, const Fabric& fabric) {
    const std::uint32_t detail = schedule.detail(op);
    switch (schedule.kind(op)) {
        case OpKind::transfer: {
            const Transfer& transfer = schedule.transfers[detail];
            const std::string lane = arrow(schedule.connections[transfer.connection].path, fabric);
            return {lane, "transfer of " + text(transfer.bytes)};
        }
        case OpKind::pipeline: {
            const Pipeline& pipeline = schedule.pipelines[detail];
            const auto name = [&](const auto& edges) { return edges_name(edges, fabric); };
            return {"pipeline " + std::to_string(pipeline.edges) + ": " +
                        std::visit(name, schedule.edge_sets[pipeline.edges]),
                    "pipeline of " + text(pipeline.bytes_per_edge, Dimension::size) + " an edge"};
        }
        case OpKind::compute: {
            const Compute& compute = schedule.computes[detail];
            return {fabric.device_name(compute.device) + " stream " + std::to_string(compute.stream), "compute"};
        }
        case OpKind::delay: break;
    }
    return {"host " + std::to_string(schedule.delays[detail].host), "delay"};
}

// The counters of a link, at each time at which they change.
void add_counters(const PortSeries& port, const std::string& name, int pid, Json& events) {
    const bool queues = std::ranges::max(port.queued) > 0;
    const bool pauses = std::ranges::max(port.paused) > Duration{};
    Json before;
    for (std::size_t b = 0; b <= port.sent.size(); ++b) {
        const bool over = b == port.sent.size();
        Json now = {{"Gb/s", over ? 0 : static_cast<double>(port.sent[b]) * 8e-9 / to_seconds(port.width)}};
        if (queues) { now["queued bytes"] = over ? 0 : port.queued[b]; }
        if (pauses) { now["paused %"] = over ? 0 : 100 * to_seconds(port.paused[b]) / to_seconds(port.width); }
        if (now == before) { continue; }
        const Duration at = port.width * static_cast<std::int64_t>(b);
        events.push_back({{"ph", "C"}, {"name", name}, {"pid", pid}, {"ts", to_seconds(at) * 1e6}, {"args", now}});
        before = std::move(now);
    }
}

// The series' indices, those that carried most first.
std::vector<std::size_t> busiest_series(const PacketTraffic& traffic) {
    std::vector<std::pair<std::int64_t, std::size_t>> sent;
    for (const PortSeries& port : traffic.use.series) {
        sent.emplace_back(-std::accumulate(port.sent.begin(), port.sent.end(), std::int64_t{0}), sent.size());
    }
    std::ranges::sort(sent);
    std::vector<std::size_t> order;
    for (const auto& [bytes, i] : sent) { order.push_back(i); }
    order.resize(std::min(order.size(), most_counters_per_row));
    return order;
}

}  // namespace

void keep_all(Schedule& schedule) {
    for (std::size_t i = 0; i < schedule.size() && schedule.kept.size() < most_spans_per_row; ++i) {
        schedule.kept.push_back(OpId{static_cast<std::uint32_t>(i)});
    }
}

std::vector<TraceSpan> trace_spans(const Schedule& schedule, Bytes size, const Timeline& timeline,
                                   const Fabric& fabric) {
    std::vector<TraceSpan> spans;
    std::set<OpId> seen;
    for (const OpTimes& times : timeline.kept) {
        if (seen.insert(times.op).second) {
            auto [lane, name] = label(schedule, times.op, fabric);
            spans.push_back({text(size), std::move(lane), std::move(name), times.start, times.finish});
        }
    }
    return spans;
}

std::string chrome_trace(const std::vector<TraceSpan>& spans, const std::vector<PacketTraffic>& packets) {
    Json events = Json::array();
    std::map<std::string, int> processes;
    std::map<std::pair<int, std::string>, int> lanes;
    const auto name_event = [&](const char* what, int pid, int tid, const std::string& name) {
        events.push_back({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
    };
    const auto process_of = [&](const std::string& name) {
        const auto [process, new_process] = processes.emplace(name, static_cast<int>(processes.size()));
        if (new_process) { name_event("process_name", process->second, 0, name); }
        return process->second;
    };
    for (const TraceSpan& span : spans) {
        const int pid = process_of(span.row);
        const auto [lane, new_lane] = lanes.emplace(std::pair{pid, span.lane}, static_cast<int>(lanes.size()));
        if (new_lane) { name_event("thread_name", pid, lane->second, span.lane); }
        events.push_back({{"ph", "X"},
                          {"name", span.name},
                          {"pid", pid},
                          {"tid", lane->second},
                          {"ts", to_seconds(span.start) * 1e6},
                          {"dur", to_seconds(span.finish - span.start) * 1e6}});
    }
    Json shown = Json::object();  // how much of the traffic the counters show
    for (const PacketTraffic& traffic : packets) {
        const std::vector<std::size_t> series = busiest_series(traffic);
        if (series.empty()) { continue; }
        const std::string row = "links" + at_size(" at ", traffic);
        const int pid = process_of(row);
        shown[row] = fmt::format("the busiest {} of {}", series.size(), traffic.use.ports_used);
        for (const std::size_t i : series) { add_counters(traffic.use.series[i], traffic.series[i], pid, events); }
    }
    Json trace{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
    if (!shown.empty()) { trace["otherData"] = std::move(shown); }
    return trace.dump();
}

}  // namespace fabricast::inline report
