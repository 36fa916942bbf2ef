#include "sim/report/html/packet_animation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/packet_animation_phases.hpp"
#include "sim/report/html/packet_animation_pieces.hpp"
#include "sim/report/html/packet_sequence.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report::html {

namespace {

constexpr std::size_t curves_shown = 6, lanes_shown = 24, trunks_shown = 32;

std::string at(const PacketTraffic& traffic) { return at_size(" At ", traffic, "."); }

// When a bin of a series begins.
Time beginning(Duration width, std::size_t bin) { return width * static_cast<std::int64_t>(bin); }

// The frame in which links are paused longest, then that with the most bytes queued: where the animation starts.
std::size_t worst_moment(const std::vector<PortSeries>& series) {
    std::vector<std::pair<double, double>> moments(series.front().queued.size());
    for (const PortSeries& port : series) {
        for (std::size_t b = 0; b < moments.size(); ++b) {
            moments[b].first += to_seconds(port.paused[b]);
            moments[b].second += static_cast<double>(port.queued[b]);
        }
    }
    return static_cast<std::size_t>(std::ranges::max_element(moments) - moments.begin());
}

std::string ends_of_calls(const PacketTraffic& traffic) {
    if (traffic.call_ends.size() < 2) { return ""; }
    std::vector<std::string> ends;
    for (const Time end : traffic.call_ends) { ends.push_back(text(end)); }
    return fmt::format(" The calls end at {} and {}; a row's time is that of one call in the steady state.",
                       fmt::join(ends.begin(), ends.end() - 1, ", "), ends.back());
}

// The bytes that a link could carry in a frame, by the share that events leave of it. Precondition: `events` by time.
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

Scene animation_of(const PacketTraffic& traffic, const Fabric& fabric, const std::vector<LinkEvent>& events,
                   const Activity& phases) {
    const std::vector<PortSeries>& series = traffic.use.series;
    const Duration width = series.front().width;
    std::map<LinkId, const PortSeries*> of_link;
    Animation animation;
    for (const PortSeries& port : series) {
        of_link.emplace(port.link, &port);
        animation.focus_links.push_back(port.link);
    }
    for (std::size_t b = 0; b < series.front().queued.size(); ++b) {
        const Time begin = beginning(width, b);
        animation.frames.push_back(text(begin) + call_at(traffic, begin) + running_at(phases, begin, begin + width));
    }
    animation.load = [&](std::size_t frame, LinkId link) {
        const auto found = of_link.find(link);
        if (found == of_link.end()) { return Load{0, 0, 0}; }
        const PortSeries& port = *found->second;
        const double could = room(link, fabric.link(link).capacity, beginning(width, frame), width, events);
        return Load{could > 0 ? std::min(1.0, static_cast<double>(port.sent[frame]) / could) : 0,
                    static_cast<double>(port.queued[frame]), to_seconds(port.paused[frame]) / to_seconds(width)};
    };
    Scene scene{"The animation",
                "Each frame is " + text(width) +
                    ": colour and width say how busy a cable is, its busier direction; a dot how much waits to be "
                    "sent, at the sender's end; bars and dashes that the receiver paused the sender." +
                    at(traffic) + ends_of_calls(traffic),
                draw_animation(fabric, animation), worst_moment(series)};
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
            line.points.push_back({to_seconds(beginning(port.width, b)), static_cast<double>(port.queued[b])});
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
        const double from = to_seconds(beginning(port.width, b));
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
    std::ranges::stable_sort(ports, {}, [](const auto& port) { return port.second.front().from; });
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
        Time last;
        for (std::size_t b = 0; b < rates.rate.size(); ++b) {
            const Time begin = beginning(rates.width, b);
            if (!(rates.rate[b] > 0)) { continue; }
            line.points.push_back({to_seconds(begin), rates.rate[b]});
            last = begin;
        }
        line.label += call_at(traffic, last);  // the first bin of a call may hold the end of the call before
        const auto same =
            std::ranges::count_if(curves.lines, [&](const Line& l) { return l.label.starts_with(line.label); });
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
            trunks.emplace_back(std::accumulate(port.sent.begin(), port.sent.end(), 0.0), names[i]);
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
    using C = report::Column<PacketTraffic>;
    const auto count = [](const char* label, std::int64_t PacketUse::*number) {
        return C([number](const PacketTraffic& t) { return t.use.*number; }).on_page(label, Unit::count);
    };
    const auto time = [](const char* label, Duration PacketUse::*span) {
        return C([span](const PacketTraffic& t) { return t.use.*span; }).on_page(label, Unit::time);
    };
    const auto calls = [](const PacketTraffic& t) { return t.call_ends.empty() ? Json() : Json(t.call_ends.size()); };
    return page_table("What the packets went through", "Over the whole replay, all its calls together.", packets,
                      {C([](const PacketTraffic& t) { return t.size.count; }).on_page("size", Unit::size),
                       C(calls).on_page("calls", Unit::count), count("packets", &PacketUse::delivered),
                       count("marked", &PacketUse::marks), count("notices", &PacketUse::notices),
                       count("pauses", &PacketUse::pauses), time("paused, all ports", &PacketUse::paused),
                       time("without credit, all ports", &PacketUse::starved), count("dropped", &PacketUse::drops),
                       count("sent again", &PacketUse::resent), time("slowest message", &PacketUse::fct_max)});
}

Table victims_of(const PacketTraffic& traffic) {
    Table table{"Victims",
                fmt::format("Held up by pauses, though no queue that began them is on their way: {} of {}.{}",
                            traffic.use.victims.size(), traffic.use.victim_pairs, at(traffic)),
                {{"message"}},
                {}};
    for (const std::string& victim : traffic.use.victims) { table.rows.push_back({victim}); }
    return table;
}

}  // namespace

void add_packet_animation(Page& page, const std::vector<PacketTraffic>& packets, const Fabric& fabric,
                          const std::vector<LinkEvent>& events, const std::vector<TraceSpan>& phases) {
    if (packets.empty()) { return; }
    page.sections.emplace_back(counts_of(packets));
    const PacketTraffic& worst = *std::ranges::max_element(
        packets, {}, [](const PacketTraffic& t) { return std::tuple(t.use.paused, t.use.drops, t.size); });
    if (worst.use.series.empty()) { return; }
    const Activity running = phases_of(phases);
    page.sections.emplace_back(animation_of(worst, fabric, events, running));
    const auto add = [&](auto section, bool any) {
        if (any) { page.sections.emplace_back(std::move(section)); }
    };
    add(running, !running.spans.empty());
    const std::vector<std::string>& names = worst.series;
    Curves queues = queues_of(worst, names);
    add(queues, !queues.lines.empty());
    Activity storm = storm_of(worst, names);
    add(storm, !storm.lanes.empty());
    add(victims_of(worst), !worst.use.victims.empty());
    add(rates_of(worst, fabric), !worst.use.rates.empty());
    Bars trunks = trunks_of(worst, fabric, names);
    add(trunks, trunks.labels.size() > 1);
    if (worst.use.sequence) { add_packet_sequence(page, *worst.use.sequence); }
    if (!worst.use.arrivals.empty()) { page.sections.emplace_back(pieces_of(worst, fabric)); }
}

}  // namespace fabricast::inline report::html
