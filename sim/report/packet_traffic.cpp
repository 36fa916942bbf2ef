#include "sim/report/packet_traffic.hpp"

#include <algorithm>
#include <functional>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

// One member of a record; defines both its value and its schema.
template <class Record>
struct Member {
    std::string name, type, meaning;
    std::function<Json(const Record&)> value;
};

const std::vector<Member<PacketUse>>& members() {
    using U = PacketUse;
    static const std::vector<Member<U>> all = {
        {"packet_hops", "integer", "Packets times the links that they crossed.", [](const U& u) { return u.hops; }},
        {"delivered_packets", "integer", "At their receivers.", [](const U& u) { return u.delivered; }},
        {"delivered_bytes", "number", "Their bytes, repeats included.", [](const U& u) { return u.delivered_bytes; }},
        {"marked_packets", "integer", "ECN: congestion experienced.", [](const U& u) { return u.marks; }},
        {"notices", "integer", "Congestion notification packets.", [](const U& u) { return u.notices; }},
        {"dropped_packets", "integer", "For want of room.", [](const U& u) { return u.drops; }},
        {"resent_packets", "integer", "Sent once more.", [](const U& u) { return u.resent; }},
        {"timeouts", "integer", "Of senders.", [](const U& u) { return u.timeouts; }},
        {"pauses", "integer", "PFC frames that paused somebody.", [](const U& u) { return u.pauses; }},
        {"watchdog", "integer", "Pauses that a watchdog overrode.", [](const U& u) { return u.watchdog; }},
        {"paused_s", "number", "Summed over ports.", [](const U& u) { return to_seconds(u.paused); }},
        {"starved_s", "number", "Ports with packets and without credit, summed.",
         [](const U& u) { return to_seconds(u.starved); }},
        {"throttled", "number",
         "By congestion control: share of the time between a flow's first packet and its last, over all flows under "
         "it.",
         [](const U& u) { return u.throttled; }},
        {"fct_p50_s", "number", "Median time of an operation, from ready to its last byte.",
         [](const U& u) { return to_seconds(u.fct_p50); }},
        {"fct_p99_s", "number", "Its 99th percentile.", [](const U& u) { return to_seconds(u.fct_p99); }},
        {"fct_max_s", "number", "The slowest.", [](const U& u) { return to_seconds(u.fct_max); }},
    };
    return all;
}

const std::vector<Member<PortUse>>& port_members() {
    using P = PortUse;
    static const std::vector<Member<P>> all = {
        {"bytes", "number", "Sent.", [](const P& p) { return p.bytes; }},
        {"most_queued_bytes", "integer", "In its queue at once.", [](const P& p) { return p.most_queued; }},
        {"most_headroom_bytes", "integer", "Above the pause threshold behind it.",
         [](const P& p) { return p.most_headroom; }},
        {"marked_packets", "integer", "ECN.", [](const P& p) { return p.marks; }},
        {"dropped_packets", "integer", "By the buffer behind it.", [](const P& p) { return p.drops; }},
        {"pauses", "integer", "Sent by the buffer behind it.", [](const P& p) { return p.pauses; }},
        {"paused_s", "number", "By them.", [](const P& p) { return to_seconds(p.paused); }},
        {"starved_s", "number", "Without credit.", [](const P& p) { return to_seconds(p.starved); }},
    };
    return all;
}

template <class Record>
Json record_json(const Record& record, const std::vector<Member<Record>>& members) {
    Json json = Json::object();
    for (const Member<Record>& member : members) {
        json[member.name] = member.value(record);
    }
    return json;
}

template <class Record>
Json record_schema(const std::vector<Member<Record>>& members, const Json& more) {
    Json properties = more;
    for (const Member<Record>& member : members) {
        properties[member.name] = {{"type", member.type}, {"description", member.meaning}};
    }
    return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json series_json(const PortSeries& series, const std::string& name) {
    Json queued = Json::array();
    Json paused = Json::array();
    for (std::size_t i = 0; i < series.queued.size(); ++i) {
        queued.push_back(series.queued[i]);
        paused.push_back(to_seconds(series.paused[i]));
    }
    return {{"link", name},
            {"width_s", to_seconds(series.width)},
            {"queued_bytes", queued},
            {"paused_s", paused},
            {"sent_bytes", series.sent}};
}

Json list_of(const char* type) { return {{"type", "array"}, {"items", {{"type", type}}}}; }

}  // namespace

std::optional<PacketTraffic> packet_traffic(Bytes size, const Timeline& timeline, const Fabric& fabric, int calls) {
    if (!timeline.packets) {
        return std::nullopt;
    }
    PacketTraffic traffic{size, *timeline.packets, {}, {}};
    for (std::size_t call = 0; call < static_cast<std::size_t>(calls); ++call) {
        traffic.call_ends.push_back(timeline.kept[call].finish);
    }
    const auto name = [&](const auto& port) {
        return fabric.link_name(port.link) + (port.lane < 0 ? "" : " lane " + std::to_string(port.lane));
    };
    for (const PortUse& port : traffic.use.ports) {
        traffic.ports.push_back(name(port));
    }
    for (const PortSeries& series : traffic.use.series) {
        traffic.series.push_back(name(series));
    }
    return traffic;
}

std::string calls_text(const PacketTraffic& traffic) {
    const std::size_t calls = traffic.call_ends.size();
    return calls > 1 ? ", " + std::to_string(calls) + " calls back to back" : "";
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
        const auto count = [](std::int64_t n, const char* what) { return ", " + std::to_string(n) + " " + what; };
        lines += "# packets at " + text(traffic.size) + calls_text(traffic) + ": " + std::to_string(use.delivered) +
                 " delivered" + count(use.marks, "marked") + count(use.notices, "notices") +
                 count(use.pauses, "pauses (") + text(use.paused) + " in all)" + count(use.drops, "dropped") +
                 count(use.resent, "sent again") + ", slowest message " + text(use.fct_max);
        for (std::size_t i = 0; i < use.victims.size(); ++i) {
            lines += (i == 0 ? "; victims " : ", ") + use.victims[i];
        }
        lines += "\n";
    }
    return lines;
}

Json packets_json(const std::vector<PacketTraffic>& packets) {
    Json list = Json::array();
    for (const PacketTraffic& traffic : packets) {
        Json json = record_json(traffic.use, members());
        json["size_bytes"] = traffic.size.count;
        json["victims"] = traffic.use.victims;
        for (const Time end : traffic.call_ends) {
            json["call_ends_s"].push_back(to_seconds(end - Time{}));
        }
        Json ports = Json::array();
        for (std::size_t i = 0; i < traffic.ports.size(); ++i) {
            Json port = record_json(traffic.use.ports[i], port_members());
            port["link"] = traffic.ports[i];
            ports.push_back(std::move(port));
        }
        json["ports"] = std::move(ports);
        Json series = Json::array();
        for (std::size_t i = 0; i < traffic.series.size(); ++i) {
            series.push_back(series_json(traffic.use.series[i], traffic.series[i]));
        }
        if (!series.empty()) {
            json["series"] = std::move(series);
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
    const Json port = record_schema(port_members(), {{"link", link}});
    const Json more = {
        {"size_bytes", {{"type", "integer"}}},
        {"victims", list_of("string")},
        {"call_ends_s",
         {{"type", "array"},
          {"items", {{"type", "number"}}},
          {"description", "When each call of the collective ended: counts and series are of them all."}}},
        {"ports", {{"type", "array"}, {"items", port}}},
        {"series", {{"type", "array"}, {"items", series}}}};
    return {{"type", "array"}, {"items", record_schema(members(), more)}};
}

}  // namespace fabricast
