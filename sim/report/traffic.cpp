#include "sim/report/traffic.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/cable_names.hpp"
#include "sim/report/columns.hpp"

namespace fabricast::inline report {

namespace {

Columns<PacketUse> use_columns() {
    using C = Column<PacketUse>;
    using U = PacketUse;
    return {
        C("packet_hops", "Packets, each counted once for every link that it crossed.", &U::hops),
        C("delivered_packets", "Packets that reached their receivers.", &U::delivered),
        C("delivered_bytes", "Bytes of these packets, retransmissions included.", &U::delivered_bytes),
        C("marked_packets", "Packets that a switch marked with ECN (congestion experienced).", &U::marks),
        C("notices", "Congestion notification packets.", &U::notices),
        C("dropped_packets", "Packets dropped because a buffer was full.", &U::drops),
        C("trimmed_packets", "Packets cut to their header because a queue was full.", &U::trimmed),
        C("resent_packets", "Packets that were retransmitted.", &U::resent),
        C("timeouts", "Retransmission timeouts of senders.", &U::timeouts),
        C("pauses", "PFC frames that paused a port.", &U::pauses),
        C("watchdog", "Pauses that the PFC watchdog overrode.", &U::watchdog),
        C("paused_s", "Time that ports were paused, summed over ports.", &U::paused),
        C("starved_s", "Time that ports had packets but no credit, summed over ports.", &U::starved),
        C("throttled",
          "Share of the time between its first and its last packet that congestion control held a flow back, over all "
          "flows under congestion control.",
          &U::throttled),
        C("timed_out",
          "Share of the time between its first and its last packet that a flow waited to send again what nobody asked "
          "for, over all flows.",
          &U::timed_out),
        C("victim_pairs", "Pairs of devices that are victims; `victims` has the first of them.", &U::victim_pairs),
        C("fct_p50_s", "Median time of an operation, from ready to its last byte.", &U::fct_p50),
        C("fct_p99_s", "99th percentile of that time.", &U::fct_p99),
        C("fct_max_s", "Time of the slowest operation.", &U::fct_max),
    };
}

Columns<PortUse> port_columns() {
    using C = Column<PortUse>;
    using P = PortUse;
    return {
        C("bytes", "Bytes sent.", &P::bytes),
        C("most_queued_bytes", "Most bytes in its queue at one time.", &P::most_queued),
        C("most_headroom_bytes", "Most bytes above the pause threshold in the buffer that it sends to.",
          &P::most_headroom),
        C("marked_packets", "Packets that it marked with ECN.", &P::marks),
        C("dropped_packets", "Packets dropped by the buffer that it sends to.", &P::drops),
        C("pauses", "Pause frames from the buffer that it sends to.", &P::pauses),
        C("paused_s", "Time that they paused it.", &P::paused),
        C("starved_s", "Time that it had packets but no credit.", &P::starved),
    };
}

// Adds `more` to what the columns say.
template <class Record> Json record_schema(const Columns<Record>& columns, Json more) {
    more.update(properties_schema(columns));
    return {{"type", "object"}, {"properties", std::move(more)}, {"additionalProperties", false}};
}

Json series_json(const PortSeries& series, const std::string& name) {
    return {{"link", name},
            {"width_s", series.width},
            {"queued_bytes", series.queued},
            {"paused_s", series.paused},
            {"sent_bytes", series.sent}};
}

Json list_of(const char* type) { return {{"type", "array"}, {"items", {{"type", type}}}}; }

}  // namespace

LinkTraffic link_traffic(std::string row, const ReplayedPlan& replayed) {
    const Timeline& timeline = replayed.timelines.traffic();
    return {std::move(row),
            replayed.fabric.cluster().nodes,
            to_seconds(timeline.makespan),
            timeline.busiest,
            timeline.classes,
            timeline.busy};
}

std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least) {
    if (timeline.busiest.empty() || timeline.busiest.front().utilisation < least) { return ""; }
    const LinkUse& use = timeline.busiest.front();
    return fabric.link_name(use.link) + " " + percent(std::min(use.utilisation, 1.0));
}

void add_packets(Report& report, Bytes size, const Timeline& timeline, const Fabric& fabric, int calls) {
    if (!timeline.packets) { return; }
    PacketTraffic& traffic = report.packets.emplace_back(PacketTraffic{size, *timeline.packets, {}, {}});
    for (std::size_t call = 0; call < static_cast<std::size_t>(calls); ++call) {
        traffic.call_ends.push_back(timeline.kept[call].finish);
    }
    const CableNames cables(fabric);
    const auto name = [&](const auto& port) {
        return cables.name(port.link) + (port.lane < 0 ? "" : " lane " + std::to_string(port.lane));
    };
    for (const PortUse& port : traffic.use.ports) { traffic.ports.push_back(name(port)); }
    for (const PortSeries& series : traffic.use.series) { traffic.series.push_back(name(series)); }
}

std::string calls_text(const PacketTraffic& traffic) {
    const std::size_t calls = traffic.call_ends.size();
    return calls > 1 ? ", " + std::to_string(calls) + " calls back to back" : "";
}

std::string calls_differ(const PacketTraffic& traffic) {
    const PacketUse& use = traffic.use;
    const bool by_chance = use.drops > 0 || use.trimmed > 0 || (use.marks > 0 && use.throttled > 0);
    if (!by_chance || traffic.call_ends.size() < 2) { return ""; }
    std::vector<Duration> calls;
    Time before;
    for (const Time end : traffic.call_ends) {
        calls.push_back(end - before);
        before = end;
    }
    const auto [least, most] = std::ranges::minmax(calls);
    if (to_seconds(most) <= 1.05 * to_seconds(least)) { return ""; }
    return fmt::format("the calls{} take {} to {}, as marks and losses fall; the row is the last of {}",
                       traffic.size.count == 0 ? "" : " at " + text(traffic.size), text(least), text(most),
                       calls.size());
}

std::string at_size(std::string_view before, const PacketTraffic& traffic, std::string_view after) {
    return traffic.size.count == 0 ? ""
                                   : fmt::format("{}{}{}{}", before, text(traffic.size), calls_text(traffic), after);
}

std::string call_at(const PacketTraffic& traffic, Time time) {
    const auto& ends = traffic.call_ends;
    const auto running = std::find_if(ends.begin(), ends.end(), [&](Time end) { return time < end; });
    return ends.size() < 2 || running == ends.end()
               ? ""
               : ", call " + std::to_string(running - ends.begin() + 1) + " of " + std::to_string(ends.size());
}

std::string packet_lines(const std::vector<PacketTraffic>& packets) {
    std::string lines;
    for (const PacketTraffic& traffic : packets) {
        const PacketUse& use = traffic.use;
        lines += fmt::format(
            "# packets{}: {} delivered, {} marked, {} notices, {} pauses ({} in all), {} dropped, {} sent again, "
            "slowest message {}{}{}{}{}\n",
            at_size(" at ", traffic), use.delivered, use.marks, use.notices, use.pauses, text(use.paused), use.drops,
            use.resent, text(use.fct_max), use.trimmed > 0 ? fmt::format("; {} trimmed", use.trimmed) : "",
            use.victims.empty() ? "" : "; victims ", fmt::join(use.victims, ", "),
            use.victims.size() < use.victim_pairs ? fmt::format(" ({} of {})", use.victims.size(), use.victim_pairs)
                                                  : "");
    }
    return lines;
}

Json packets_json(const std::vector<PacketTraffic>& packets) {
    Json list = Json::array();
    const Columns<PacketUse> uses = use_columns();
    const Columns<PortUse> of_port = port_columns();
    for (const PacketTraffic& traffic : packets) {
        Json json = record_json(traffic.use, uses);
        json["size_bytes"] = traffic.size.count;
        json["victims"] = traffic.use.victims;
        if (!traffic.call_ends.empty()) { json["call_ends_s"] = traffic.call_ends; }
        json["ports"] = Json::array();
        for (std::size_t i = 0; i < traffic.ports.size(); ++i) {
            json["ports"].push_back(record_json(traffic.use.ports[i], of_port));
            json["ports"].back()["link"] = traffic.ports[i];
        }
        for (std::size_t i = 0; i < traffic.series.size(); ++i) {
            json["series"].push_back(series_json(traffic.use.series[i], traffic.series[i]));
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json packets_schema() {
    const Json link = {{"type", "string"}, {"description", "As `topo` names it, with its lane where it has several."}};
    const Json series = {{"type", "object"},
                         {"properties",
                          {{"link", link},
                           {"width_s", {{"type", "number"}}},
                           {"queued_bytes", list_of("integer")},
                           {"paused_s", list_of("number")},
                           {"sent_bytes", list_of("integer")}}},
                         {"additionalProperties", false}};
    const Json port = record_schema(port_columns(), {{"link", link}});
    const Json more = {
        {"size_bytes", {{"type", "integer"}}},
        {"victims", list_of("string")},
        {"call_ends_s",
         {{"type", "array"},
          {"items", {{"type", "number"}}},
          {"description", "When each call of the collective ended: counts and series are of them all."}}},
        {"ports", {{"type", "array"}, {"items", port}}},
        {"series", {{"type", "array"}, {"items", series}}}};
    return {{"type", "array"}, {"items", record_schema(use_columns(), more)}};
}

}  // namespace fabricast::inline report
