#include "sim/report/packet_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/pattern.hpp"
#include "sim/report/sequence_chart.hpp"
#include "sim/report/svg.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

namespace {

constexpr std::size_t ports_drawn = 6;  // the worst ports of each row

constexpr double left = 80, width = 800, strip = 84, gap = 34;

struct Axes {
    double top, seconds, bytes;
    double x(double at) const { return left + width * std::min(1.0, at / seconds); }
    double y(double queued) const { return top + strip * (1 - queued / bytes); }
};

std::string shade(const PortSeries& series, const Axes& axes) {
    std::string text;
    const double bin = to_seconds(series.width);
    for (std::size_t b = 0; b < series.paused.size(); ++b) {
        const double share = to_seconds(series.paused[b]) / bin;
        if (share > 0) {
            const double from = axes.x(static_cast<double>(b) * bin);
            text += fmt::format(
                "<rect x='{:.2f}' y='{:.1f}' width='{:.2f}' height='{:.1f}' fill='#c0392b' fill-opacity='{:.2f}'/>\n",
                from, axes.top, axes.x(static_cast<double>(b + 1) * bin) - from, strip, 0.6 * share);
        }
    }
    return text;
}

std::string curve(const PortSeries& series, const Axes& axes) {
    const double bin = to_seconds(series.width);
    std::string points = fmt::format("{:.1f},{:.1f}", left, axes.y(0));
    for (std::size_t b = 0; b < series.queued.size(); ++b) {
        points += fmt::format(" {:.2f},{:.2f}", axes.x((static_cast<double>(b) + 0.5) * bin),
                              axes.y(static_cast<double>(series.queued[b])));
    }
    points += fmt::format(" {:.2f},{:.1f}", axes.x(static_cast<double>(series.queued.size()) * bin), axes.y(0));
    return "<polygon points='" + points + "' fill='#2c6fbb' fill-opacity='0.35' stroke='#2c6fbb'/>\n";
}

// Dashed lines at the ends of a collective's calls, except the last, which ends with the replay.
std::string ends_of_calls(const PacketTraffic& traffic, const Axes& axes) {
    std::string lines;
    for (std::size_t i = 0; i + 1 < traffic.call_ends.size(); ++i) {
        const double x = axes.x(to_seconds(traffic.call_ends[i]));
        lines += fmt::format(
            "<line x1='{:.2f}' x2='{:.2f}' y1='{:.1f}' y2='{:.1f}' stroke='#444' stroke-dasharray='4 3'/>\n", x, x,
            axes.top, axes.top + strip);
    }
    return lines;
}

std::string port_strip(const PortSeries& series, const std::string& name, const Axes& axes) {
    const auto most = static_cast<double>(std::ranges::max(series.queued));
    const Duration paused = std::accumulate(series.paused.begin(), series.paused.end(), Duration{});
    return svg_text(left, axes.top - 6, "start",
                    name + ": queue up to " + size_words(most) + ", paused " + time_words(to_seconds(paused))) +
           shade(series, axes) + curve(series, axes) +
           fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='#888'/>\n", left,
                       axes.top, width, strip) +
           svg_text(left - 6, axes.top + 10, "end", size_words(axes.bytes)) +
           svg_text(left - 6, axes.top + strip, "end", "0");
}

constexpr double box_width = 170, box_height = 44;

struct Point {
    double x, y;
};

// A deadlock names the first port again at the end, which is dropped.
std::vector<std::string> ports_of(const std::string& message) {
    std::vector<std::string> ports;
    for (const QuotedLink& quoted : quoted_links(message)) { ports.push_back(quoted.name + quoted.lane); }
    if (ports.size() > 1 && ports.front() == ports.back()) { ports.pop_back(); }
    return ports;
}

std::string box(const Point& at, const std::string& name) {
    return fmt::format(
               "<rect x='{:.1f}' y='{:.1f}' width='{:.0f}' height='{:.0f}' rx='6' fill='#f6d5d1' stroke='#c0392b'/>\n",
               at.x - box_width / 2, at.y - box_height / 2, box_width, box_height) +
           svg_text(at.x, at.y + 4, "middle", name);
}

// The point where the line between two boxes leaves the first one.
Point edge(const Point& from, const Point& to) {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double share = 1 / std::max(std::abs(dx) / (box_width / 2 + 5), std::abs(dy) / (box_height / 2 + 5));
    return {from.x + dx * share, from.y + dy * share};
}

std::string arrow(const Point& from, const Point& to) {
    const Point a = edge(from, to);
    const Point b = edge(to, from);
    return fmt::format(
        "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#c0392b' stroke-width='2' "
        "marker-end='url(#tip)'/>\n",
        a.x, a.y, b.x, b.y);
}

}  // namespace

std::string packet_picture(const Report& report) {
    std::string strips;
    double y = 40;
    const bool several = !report.packets.empty() && report.packets.front().call_ends.size() > 1;
    const std::string calls = several ? calls_text(report.packets.front()) + " (dashed: the ends)" : "";
    for (const PacketTraffic& traffic : report.packets) {
        Axes axes{0, 0, 1};
        const std::size_t drawn = std::min(ports_drawn, traffic.use.series.size());
        for (const PortSeries& series : traffic.use.series) {
            axes.seconds = std::max(axes.seconds, to_seconds(series.width) * static_cast<double>(series.queued.size()));
            axes.bytes = std::max(axes.bytes, static_cast<double>(std::ranges::max(series.queued)));
        }
        for (std::size_t i = 0; i < drawn; ++i) {
            axes.top = y + gap;
            strips += port_strip(traffic.use.series[i], traffic.series[i], axes) + ends_of_calls(traffic, axes);
            y = axes.top + strip;
        }
        for (int tick = 0; tick <= 4; ++tick) {
            const double at = axes.seconds * tick / 4;
            strips += svg_text(axes.x(at), y + 16, tick == 0 ? "start" : tick == 4 ? "end" : "middle", time_words(at));
        }
        y += gap;
        if (traffic.use.sequence) {
            strips += fmt::format("<svg y='{:.0f}'>\n{}</svg>\n", y, sequence_chart(*traffic.use.sequence));
            y += sequence_height;
        }
    }
    const std::string title =
        report.scenario + ": bytes queued (blue) and time paused (red) at the worst ports" + calls;
    return svg_document(left + width + 20, y + 10, 12, "", svg_text(left, 24, "start", title) + strips);
}

std::vector<QuotedLink> quoted_links(const std::string& message) {
    static const Pattern quoted("'([^']*)'( lane [^ ]*)?");
    std::vector<QuotedLink> links;
    for (const Pattern::Groups& found : quoted.all_in(message)) {
        links.push_back({std::string(found[1].value()), std::string(found[2].value_or(""))});
    }
    return links;
}

std::string deadlock_picture(const std::string& message) {
    const bool circle = message.find("deadlock of") != std::string::npos;
    const std::vector<std::string> ports = ports_of(message);
    const auto count = static_cast<double>(ports.size());
    const double radius = std::max(120.0, count * (box_width + 30) / (2 * std::numbers::pi));
    const double width = circle ? 2 * radius + box_width + 40 : box_width + 40;
    const double height = circle ? 2 * radius + box_height + 80 : count * (box_height + 14) + 80;
    std::vector<Point> places;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto number = static_cast<double>(i);
        const double angle = 2 * std::numbers::pi * number / count - std::numbers::pi / 2;
        places.push_back(circle ? Point{width / 2 + radius * std::cos(angle),
                                        56 + box_height / 2 + radius + radius * std::sin(angle)}
                                : Point{width / 2, 56 + box_height / 2 + number * (box_height + 14)});
    }
    std::string drawn;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        drawn += box(places[i], ports[i]);
        if (circle && ports.size() > 1) { drawn += arrow(places[i], places[(i + 1) % ports.size()]); }
    }
    constexpr std::string_view tip =
        "<defs><marker id='tip' markerWidth='8' markerHeight='8' refX='6' refY='3' orient='auto'>"
        "<path d='M0,0 L6,3 L0,6 z' fill='#c0392b'/></marker></defs>\n";
    const std::string title =
        circle ? "Each port is full of packets for the next, whose buffer has no room:" : "Ports that hold packets:";
    return svg_document(std::max(width, 420.0), height, 13, tip, "<text x='12' y='24'>" + title + "</text>\n" + drawn);
}

}  // namespace fabricast::inline report
