#include "sim/report/html/packet_animation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/html/cables.hpp"
#include "sim/report/html/packet_animation_pieces.hpp"
#include "sim/report/packet_traffic.hpp"

namespace fabricast::inline report::html {

namespace {

constexpr std::size_t curves_shown = 6, lanes_shown = 24, trunks_shown = 32;

std::string at(const PacketTraffic& traffic) { return " At " + text(traffic.size) + calls_text(traffic) + "."; }

// The names of the links of the series, with cable numbers and lanes.
std::vector<std::string> names_of(const PacketTraffic& traffic, const Fabric& fabric) {
    const CableNames cables(fabric);
    std::vector<std::string> names;
    for (const PortSeries& port : traffic.use.series) {
        names.push_back(cables.name(port.link) + (port.lane < 0 ? "" : " lane " + std::to_string(port.lane)));
    }
    return names;
}

// The frame in which links are paused longest in total, then that with the most bytes queued: where the animation
// starts.
std::size_t worst_moment(const PacketUse& use) {
    std::size_t worst = 0;
    std::tuple<double, double> most{0, 0};
    for (std::size_t b = 0; !use.series.empty() && b < use.series.front().queued.size(); ++b) {
        std::tuple<double, double> now{0, 0};
        for (const PortSeries& port : use.series) {
            std::get<0>(now) += to_seconds(port.paused[b]);
            std::get<1>(now) += static_cast<double>(port.queued[b]);
        }
        if (now > most) {
            most = now;
            worst = b;
        }
    }
    return worst;
}

std::string ends_of_calls(const PacketTraffic& traffic) {
    if (traffic.call_ends.size() < 2) { return ""; }
    std::string words = " The calls end at ";
    for (std::size_t i = 0; i < traffic.call_ends.size(); ++i) {
        words += (i == 0                              ? ""
                  : i + 1 == traffic.call_ends.size() ? " and "
                                                      : ", ") +
                 text(traffic.call_ends[i] - Time{});
    }
    return words + "; a row's time is that of one call in the steady state.";
}

// The bytes that a link could carry in a frame, given the share that events leave of it. Precondition: `events` are in
// the order of time.
double room(LinkId link, double capacity, Time begin, Duration width, const std::vector<LinkEvent>& events) {
    double share = 1;
    double seconds = 0;
    Time from = begin;
    for (const LinkEvent& event : events) {
        if (!event.of_device() && event.link == link && event.at < begin + width) {
            const Time at = std::max(begin, event.at);
            seconds += share * to_seconds(at - from);
            from = at;
            share = event.share;
        }
    }
    return capacity * (seconds + share * to_seconds(begin + width - from));
}

Scene film_of(const PacketTraffic& traffic, const Fabric& fabric, const std::vector<LinkEvent>& events) {
    const std::vector<PortSeries>& series = traffic.use.series;
    const Duration width = series.front().width;
    std::map<LinkId, const PortSeries*> of_link;
    Film animation;
    for (const PortSeries& port : series) {
        of_link.emplace(port.link, &port);
        animation.focus_links.push_back(port.link);
    }
    for (std::size_t b = 0; b < series.front().queued.size(); ++b) {
        const Duration begin = width * static_cast<std::int64_t>(b);
        animation.frames.push_back(text(begin) + call_at(traffic, Time{} + begin));
    }
    animation.load = [&](std::size_t frame, LinkId link) {
        const auto found = of_link.find(link);
        if (found == of_link.end()) { return Load{0, 0, 0}; }
        const PortSeries& port = *found->second;
        const double could =
            room(link, fabric.link(link).capacity, width * static_cast<std::int64_t>(frame), width, events);
        return Load{could > 0 ? std::min(1.0, static_cast<double>(port.sent[frame]) / could) : 0,
                    static_cast<double>(port.queued[frame]), to_seconds(port.paused[frame]) / to_seconds(width)};
    };
    Scene scene{"The film",
                "Each frame is " + text(width) +
                    ": colour and width say how busy a cable is, its busier direction; a dot how much waits to be "
                    "sent, at the sender's end; bars and dashes that the receiver paused the sender." +
                    at(traffic) + ends_of_calls(traffic),
                draw_film(fabric, animation), worst_moment(traffic.use)};
    scene.drawing.frame_kind = "time";
    return scene;
}

Curves queues_of(const PacketTraffic& traffic, const std::vector<std::string>& names) {
    Curves curves{
        "Queues",
        "The most bytes waiting for a link in each moment: the links that held traffic up most." + at(traffic),
        {"time", Unit::time},
        {"queued", Unit::size},
        {}};
    for (std::size_t i = 0; i < std::min(traffic.use.series.size(), curves_shown); ++i) {
        const PortSeries& port = traffic.use.series[i];
        if (*std::max_element(port.queued.begin(), port.queued.end()) == 0) { continue; }
        Line line{names[i], {}};
        for (std::size_t b = 0; b < port.queued.size(); ++b) {
            line.points.push_back(
                {to_seconds(port.width * static_cast<std::int64_t>(b)), static_cast<double>(port.queued[b])});
        }
        curves.lines.push_back(std::move(line));
    }
    return curves;
}

// Adjacent intervals in which the port was paused are one span.
std::vector<Span> pauses_of(const PortSeries& port) {
    std::vector<Span> spans;
    for (std::size_t b = 0; b < port.paused.size(); ++b) {
        if (port.paused[b].ps == 0) { continue; }
        const double from = to_seconds(port.width * static_cast<std::int64_t>(b));
        const double to = from + to_seconds(port.width);
        if (!spans.empty() && spans.back().to >= from * (1 - 1e-9)) {
            spans.back().to = to;
        } else {
            spans.push_back({0, "paused", from, to});
        }
    }
    return spans;
}

// Lanes in the order of their first pause, so that a pause storm spreads downwards.
Activity storm_of(const PacketTraffic& traffic, const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::vector<Span>>> ports;
    for (std::size_t i = 0; i < traffic.use.series.size(); ++i) {
        if (std::vector<Span> spans = pauses_of(traffic.use.series[i]); !spans.empty()) {
            ports.emplace_back(names[i], std::move(spans));
        }
    }
    std::stable_sort(ports.begin(), ports.end(),
                     [](const auto& a, const auto& b) { return a.second.front().from < b.second.front().from; });
    Activity activity{"Who was paused when",
                      "PFC: the link's receiver told its sender to stop. In the order of their first pause: a storm "
                      "spreads from the first line down." +
                          at(traffic),
                      {},
                      {}};
    if (ports.size() > lanes_shown) {
        activity.caption += " The first " + std::to_string(lanes_shown) + " of " + std::to_string(ports.size()) + ".";
        ports.resize(lanes_shown);
    }
    for (auto& [name, spans] : ports) {
        for (Span& span : spans) {
            span.lane = activity.lanes.size();
            activity.spans.push_back(std::move(span));
        }
        activity.lanes.push_back(name);
    }
    return activity;
}

Curves rates_of(const PacketTraffic& traffic, const Fabric& fabric) {
    Curves curves{
        "Senders' rates",
        "What congestion control let the most throttled flows send: cut at a notice, then raised step by step." +
            at(traffic),
        {"time", Unit::time},
        {"rate", Unit::rate},
        {}};
    for (const RateSeries& rates : traffic.use.rates) {
        Line line{fabric.device_name(rates.src) + " -> " + fabric.device_name(rates.dst), {}};
        for (std::size_t b = 0; b < rates.rate.size(); ++b) {
            if (rates.rate[b] > 0) {
                line.points.push_back({to_seconds(rates.width * static_cast<std::int64_t>(b)), rates.rate[b]});
            }
        }
        if (!line.points.empty()) {
            const auto first = std::find_if(rates.rate.begin(), rates.rate.end(), [](double rate) { return rate > 0; });
            line.label += call_at(traffic, rates.width * (first - rates.rate.begin()));
        }
        const auto same = std::count_if(curves.lines.begin(), curves.lines.end(),
                                        [&](const Line& l) { return l.label.starts_with(line.label); });
        line.label += same > 0 ? " (" + std::to_string(same + 1) + ")" : "";
        curves.lines.push_back(std::move(line));
    }
    return curves;
}

// Bytes in each direction of the cables between switches: uneven if hashes of flows collide.
Bars trunks_of(const PacketTraffic& traffic, const Fabric& fabric, const std::vector<std::string>& names) {
    std::vector<std::pair<double, std::string>> trunks;
    for (std::size_t i = 0; i < traffic.use.series.size(); ++i) {
        const PortSeries& port = traffic.use.series[i];
        const LinkEnds ends = fabric.ends(port.link);
        if (fabric.kind(ends.from) == DeviceKind::fabric_switch && fabric.kind(ends.to) == DeviceKind::fabric_switch) {
            double bytes = 0;
            for (const std::int64_t sent : port.sent) { bytes += static_cast<double>(sent); }
            trunks.emplace_back(bytes, names[i]);
        }
    }
    std::stable_sort(trunks.begin(), trunks.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    trunks.resize(std::min(trunks.size(), trunks_shown));
    Bars bars{"How the fabric's cables share the traffic",
              "Bytes over each cable between switches that carried any, the fullest first: flows whose hashes collide "
              "share one while another stays empty." +
                  at(traffic),
              Unit::size,
              {},
              {{"bytes", {}}}};
    for (const auto& [bytes, name] : trunks) {
        bars.labels.push_back(name);
        bars.parts[0].values.push_back(bytes);
    }
    return bars;
}

Table counts_of(const std::vector<PacketTraffic>& packets) {
    Table table{"What the packets went through",
                "Over the whole replay, all its calls together.",
                {{"size", Unit::size},
                 {"calls", Unit::count},
                 {"packets", Unit::count},
                 {"marked", Unit::count},
                 {"notices", Unit::count},
                 {"pauses", Unit::count},
                 {"paused, all ports", Unit::time},
                 {"without credit, all ports", Unit::time},
                 {"dropped", Unit::count},
                 {"sent again", Unit::count},
                 {"slowest message", Unit::time}},
                {}};
    for (const PacketTraffic& t : packets) {
        const PacketUse& u = t.use;
        const auto number = [](std::int64_t count) { return static_cast<double>(count); };
        const Cell calls = t.call_ends.empty() ? Cell() : Cell(static_cast<double>(t.call_ends.size()));
        table.rows.push_back({number(t.size.count), calls, number(u.delivered), number(u.marks), number(u.notices),
                              number(u.pauses), to_seconds(u.paused), to_seconds(u.starved), number(u.drops),
                              number(u.resent), to_seconds(u.fct_max)});
    }
    return table;
}

Table victims_of(const PacketTraffic& traffic) {
    Table table{"Victims",
                "Held up by pauses, though no queue that began them is on their way: the first eight." + at(traffic),
                {{"message"}},
                {}};
    for (const std::string& victim : traffic.use.victims) { table.rows.push_back({victim}); }
    return table;
}

}  // namespace

void add_packet_animation(Page& page, const std::vector<PacketTraffic>& packets, const Fabric& fabric,
                          const std::vector<LinkEvent>& events) {
    if (packets.empty()) { return; }
    page.sections.emplace_back(counts_of(packets));
    const auto trouble = [](const PacketTraffic& t) { return std::tuple(t.use.paused, t.use.drops, t.size); };
    const PacketTraffic& worst =
        *std::max_element(packets.begin(), packets.end(),
                          [&](const PacketTraffic& a, const PacketTraffic& b) { return trouble(a) < trouble(b); });
    if (worst.use.series.empty()) { return; }
    page.sections.emplace_back(film_of(worst, fabric, events));
    const auto add = [&](auto section, bool any) {
        if (any) { page.sections.emplace_back(std::move(section)); }
    };
    const std::vector<std::string> names = names_of(worst, fabric);
    Curves queues = queues_of(worst, names);
    add(queues, !queues.lines.empty());
    Activity storm = storm_of(worst, names);
    add(storm, !storm.lanes.empty());
    add(victims_of(worst), !worst.use.victims.empty());
    add(rates_of(worst, fabric), !worst.use.rates.empty());
    Bars trunks = trunks_of(worst, fabric, names);
    add(trunks, trunks.labels.size() > 1);
    if (!worst.use.arrivals.empty()) { page.sections.emplace_back(pieces_of(worst, fabric)); }
}

}  // namespace fabricast::inline report::html
