#include "sim/report/packet_picture.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/report/packet_traffic.hpp"
#include "sim/report/svg.hpp"

namespace fabricast {

namespace {

constexpr std::size_t ports_drawn = 6;  // the worst ports of each row

constexpr double left = 80, width = 800, strip = 84, gap = 34;

std::string size_words(double bytes) {
    return bytes >= 1e6 ? fmt::format("{:.3g} MB", bytes * 1e-6) : fmt::format("{:.3g} KB", bytes * 1e-3);
}

std::string time_words(double seconds) {
    return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} us", seconds * 1e6);
}

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
    const auto most = static_cast<double>(*std::max_element(series.queued.begin(), series.queued.end()));
    Duration paused;
    for (const Duration& each : series.paused) {
        paused += each;
    }
    return svg_text(left, axes.top - 6, "start",
                    name + ": queue up to " + size_words(most) + ", paused " + time_words(to_seconds(paused))) +
           shade(series, axes) + curve(series, axes) +
           fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='#888'/>\n", left,
                       axes.top, width, strip) +
           svg_text(left - 6, axes.top + 10, "end", size_words(axes.bytes)) +
           svg_text(left - 6, axes.top + strip, "end", "0");
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
            for (const std::int64_t queued : series.queued) {
                axes.bytes = std::max(axes.bytes, static_cast<double>(queued));
            }
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
    }
    const std::string title =
        report.scenario + ": bytes queued (blue) and time paused (red) at the worst ports" + calls;
    return svg_document(left + width + 20, y + 10, 12, "", svg_text(left, 24, "start", title) + strips);
}

}  // namespace fabricast
