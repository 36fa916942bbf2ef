#include "validate/score/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"

namespace fabricast {
namespace {

constexpr double margin_left = 74, margin_right = 18, margin_top = 40, margin_bottom = 50;
constexpr const char* grid_color = "#e4e4e4";
constexpr const char* text_color = "#333333";

std::string number(double value) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
    return buffer.data();
}

std::string three_digits(double value) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.3g", value);
    return buffer.data();
}

std::string line(double x1, double y1, double x2, double y2, const std::string& color, double width) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
           "\" stroke=\"" + color + "\" stroke-width=\"" + number(width) + "\"/>\n";
}

std::string label(double x, double y, const std::string& words, const char* anchor, double size,
                  const char* more = "") {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" font-size=\"" +
           number(size) + "\" fill=\"" + text_color + "\"" + more + ">" + markup_text(words) + "</text>\n";
}

std::string dot(double x, double y, const std::string& color, double radius = 3) {
    return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" fill=\"" + color +
           "\"/>\n";
}

// One axis: maps values to pixels and lists its ticks.
struct Axis {
    AxisKind kind = AxisKind::size;
    double low = 0, high = 1;  // in the unit of the axis: log2 bytes, log10 seconds, percent
    double from = 0, to = 1;   // pixels

    double measure(double value) const {
        return kind == AxisKind::size ? std::log2(value) : kind == AxisKind::time ? std::log10(value) : value;
    }
    double at(double value) const {
        const double part = (std::clamp(measure(value), low, high) - low) / (high - low);
        return from + part * (to - from);
    }
};

struct Tick {
    double value;
    std::string label;
};

std::vector<Tick> ticks(const Axis& axis) {
    std::vector<Tick> marks;
    if (axis.kind == AxisKind::percent) {
        const double span = axis.high - axis.low;
        double step = 1;
        for (const double s : {2.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 200.0, 500.0, 1000.0}) {
            step = span / step > 8 ? s : step;
        }
        const auto first = static_cast<int>(std::ceil(axis.low / step));
        for (int i = first; i * step <= axis.high + 1e-9; ++i) {
            marks.push_back({i * step, three_digits(i * step) + " %"});
        }
        return marks;
    }
    const bool size = axis.kind == AxisKind::size;
    const double span = axis.high - axis.low;
    const double step = !size ? 1 : span > 24 ? 6 : span > 12 ? 4 : 2;
    const auto first = static_cast<int>(std::ceil(axis.low / step - 1e-9));
    for (int i = first; i * step <= axis.high + 1e-9; ++i) {
        const double value = std::pow(size ? 2.0 : 10.0, i * step);
        marks.push_back({value, size ? size_label(value) : time_label(value)});
    }
    return marks;
}

Axis axis_over(AxisKind kind, const std::vector<Series>& series, bool vertical) {
    Axis axis{kind, 1e300, -1e300};
    for (const Series& s : series) {
        for (const auto& [x, y] : s.points) {
            const double m = axis.measure(vertical ? y : x);
            axis.low = std::min(axis.low, m);
            axis.high = std::max(axis.high, m);
        }
    }
    if (axis.low > axis.high) {
        axis.low = 0;
        axis.high = 1;
    }
    if (kind == AxisKind::percent) {
        const double reach = std::clamp(1.1 * std::max(std::abs(axis.low), std::abs(axis.high)), 5.0, 150.0);
        axis.high = reach;
        axis.low = axis.low < 0 ? -reach : 0;
    } else if (vertical) {
        axis.low = std::floor(axis.low);
        axis.high = std::max(std::ceil(axis.high), axis.low + 1);
    } else {
        axis.high = std::max(axis.high, axis.low + 1);
    }
    return axis;
}

std::string draw(const Series& series, const Axis& x, const Axis& y) {
    std::string out;
    if (series.line && series.points.size() > 1) {
        out += "<polyline fill=\"none\" stroke=\"" + series.color + "\" stroke-width=\"2\"" +
               (series.dashed ? " stroke-dasharray=\"5 4\"" : "") + " points=\"";
        for (const auto& [px, py] : series.points) {
            out += number(x.at(px)) + "," + number(y.at(py)) + " ";
        }
        out += "\"/>\n";
    }
    for (const auto& [px, py] : series.points) {
        out += series.markers ? dot(x.at(px), y.at(py), series.color) : "";
    }
    return out;
}

std::string draw_grid(const Panel& panel, const Axis& x, const Axis& y) {
    std::string out;
    for (const Tick& tick : ticks(x)) {
        out += line(x.at(tick.value), y.from, x.at(tick.value), y.to, grid_color, 1);
        out += label(x.at(tick.value), y.from + 16, tick.label, "middle", 11);
    }
    for (const Tick& tick : ticks(y)) {
        out += line(x.from, y.at(tick.value), x.to, y.at(tick.value), tick.value == 0 ? "#888888" : grid_color, 1);
        out += label(x.from - 6, y.at(tick.value) + 4, tick.label, "end", 11);
    }
    out += label((x.from + x.to) / 2, y.from + 36, panel.x_label, "middle", 12);
    const std::string turn =
        " transform=\"rotate(-90 " + number(x.from - 58) + " " + number((y.from + y.to) / 2) + ")\"";
    out += label(x.from - 58, (y.from + y.to) / 2, panel.y_label, "middle", 12, turn.c_str());
    return out;
}

std::string draw_legend(const Panel& panel, const Axis& x, const Axis& y) {
    std::string out;
    double top = y.to + 14;
    for (const Series& s : panel.series) {
        if (!s.label.empty()) {
            out += line(x.from + 8, top - 4, x.from + 30, top - 4, s.color, s.line ? 2 : 0);
            out += s.markers ? dot(x.from + 19, top - 4, s.color) : "";
            out += label(x.from + 36, top, s.label, "start", 11);
            top += 15;
        }
    }
    return out;
}

std::string draw(const Panel& panel, double left, double top) {
    Axis x = axis_over(panel.x, panel.series, false);
    Axis y = axis_over(panel.y, panel.series, true);
    x.from = left + margin_left;
    x.to = left + panel.width - margin_right;
    y.from = top + panel.height - margin_bottom;
    y.to = top + margin_top;
    std::string out = label(x.from, top + 24, panel.title, "start", 14, " font-weight=\"600\"");
    out += draw_grid(panel, x, y);
    for (const Series& s : panel.series) {
        out += draw(s, x, y);
    }
    return out + (panel.legend ? draw_legend(panel, x, y) : "");
}

std::string document(double width, double height, const std::string& body) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
           "\" viewBox=\"0 0 " + number(width) + " " + number(height) +
           "\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           body + "</svg>\n";
}

std::string draw(const DotChart& chart, double left, double width, double top, double labels) {
    constexpr double row_height = 19;
    Axis x{AxisKind::percent, 0, chart.limit, left + labels, left + width - margin_right};
    const double first = top + margin_top + 24;
    const double bottom = first + row_height * static_cast<double>(chart.rows.size());
    std::string out = label(left + labels, top + 24, chart.title, "start", 14, " font-weight=\"600\"");
    double legend_x = left + labels;
    for (std::size_t i = 0; i < chart.legend.size(); ++i) {
        out += dot(legend_x + 4, top + 41, chart.colors[i]);
        out += label(legend_x + 12, top + 45, chart.legend[i], "start", 11);
        legend_x += 24 + 6.2 * static_cast<double>(chart.legend[i].size());
    }
    for (const Tick& tick : ticks(x)) {
        out += line(x.at(tick.value), first - 8, x.at(tick.value), bottom, grid_color, 1);
        out += label(x.at(tick.value), bottom + 14, tick.label, "middle", 11);
    }
    double y = first + 4;
    for (const DotRow& row : chart.rows) {
        out += labels > 60 ? label(left + labels - 8, y + 4, row.label, "end", 11) : "";
        out += line(x.from, y, x.to, y, grid_color, 1);
        for (std::size_t i = row.values.size(); i-- > 0;) {  // draws the first series last, on top
            if (row.values[i] >= 0) {
                out += dot(x.at(row.values[i]), y, chart.colors[i], row.values[i] > chart.limit ? 2 : 4);
            }
        }
        y += row_height;
    }
    return out;
}

}  // namespace

std::string size_label(double bytes) {
    constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return three_digits(bytes) + " " + units[unit];
}

std::string time_label(double seconds) {
    if (seconds < 0.9995e-3) {
        return three_digits(seconds * 1e6) + " us";
    }
    return seconds < 0.9995 ? three_digits(seconds * 1e3) + " ms" : three_digits(seconds) + " s";
}

std::string svg(const std::vector<Panel>& panels, std::size_t columns) {
    std::string body;
    double width = 0;
    double top = 0;
    for (std::size_t first = 0; first < panels.size(); first += columns) {
        double left = 0;
        double height = 0;
        for (std::size_t i = first; i < std::min(first + columns, panels.size()); ++i) {
            body += draw(panels[i], left, top);
            left += panels[i].width;
            height = std::max(height, panels[i].height);
        }
        width = std::max(width, left);
        top += height;
    }
    return document(width, top, body);
}

std::string svg(const std::vector<DotChart>& charts) {
    constexpr double labels = 150;
    constexpr double plain = 260;
    std::string body;
    double left = 0;
    double height = 0;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        const double side = i == 0 ? labels : 24;
        body += draw(charts[i], left, side + plain, 0, side);
        left += side + plain;
        height = std::max(height, margin_top + 24 + 19 * static_cast<double>(charts[i].rows.size()) + 30);
    }
    return document(left, height, body);
}

}  // namespace fabricast
