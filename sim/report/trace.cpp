#include "sim/report/trace.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/unit_text.hpp"

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

std::string chrome_trace(const std::vector<TraceSpan>& spans) {
    Json events = Json::array();
    std::map<std::string, int> processes;
    std::map<std::pair<int, std::string>, int> lanes;
    const auto name_event = [&](const char* what, int pid, int tid, const std::string& name) {
        events.push_back({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
    };
    for (const TraceSpan& span : spans) {
        const auto [process, new_process] = processes.emplace(span.row, static_cast<int>(processes.size()));
        const int pid = process->second;
        if (new_process) { name_event("process_name", pid, 0, span.row); }
        const auto [lane, new_lane] = lanes.emplace(std::pair{pid, span.lane}, static_cast<int>(lanes.size()));
        if (new_lane) { name_event("thread_name", pid, lane->second, span.lane); }
        events.push_back({{"ph", "X"},
                          {"name", span.name},
                          {"pid", pid},
                          {"tid", lane->second},
                          {"ts", to_seconds(span.start) * 1e6},
                          {"dur", to_seconds(span.finish - span.start) * 1e6}});
    }
    return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump();
}

}  // namespace fabricast::inline report
