#include "validate/score/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace fabricast::inline score {
namespace {

constexpr double margin_left = 74, margin_right = 18, margin_top = 40, margin_bottom = 50;
constexpr double row_height = 19;
constexpr const char* grid_color = "#e4e4e4";
constexpr const char* text_color = "#333333";

// Pixels, to a tenth.
std::string number(double value) { return fmt::format("{:g}", std::round(value * 10) / 10 + 0.0); }

std::string line_to(double x1, double y1, double x2, double y2) {
    return fmt::format("M{} {}L{} {}", number(x1), number(y1), number(x2), number(y2));
}

std::string path(const std::string& shape, std::string_view color, double width, std::string_view more = "") {
    return fmt::format("<path fill=\"none\" d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", shape, color,
                       number(width), more);
}

// The size is 11 unless `more` says otherwise.
std::string label(double x, double y, std::string_view words, std::string_view anchor, std::string_view more = "") {
    return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", number(x), number(y),
                       anchor == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor), more, markup_text(words));
}

// A line of no length, which round caps make a dot; many dots of one color are one path.
std::string dot(double x, double y) { return fmt::format("M{} {}h0", number(x), number(y)); }
std::string dots(const std::string& shape, std::string_view color, double radius = 3) {
    return shape.empty() ? "" : path(shape, color, 2 * radius, " stroke-linecap=\"round\"");
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
    const double span = axis.high - axis.low;
    const bool percent = axis.kind == AxisKind::percent, size = axis.kind == AxisKind::size;
    double step = !size ? 1 : span > 24 ? 6 : span > 12 ? 4 : 2;
    if (percent) {
        for (const double s : {2.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 200.0, 500.0, 1000.0}) {
            step = span / step > 8 ? s : step;
        }
    }
    for (int i = static_cast<int>(std::ceil(axis.low / step - 1e-9)); i * step <= axis.high + 1e-9; ++i) {
        const double value = percent ? i * step : std::pow(size ? 2.0 : 10.0, i * step);
        marks.push_back({value, percent ? fmt::format("{:.3g} %", value)
                                : size  ? size_label(value)
                                        : time_label(value)});
    }
    return marks;
}

// Sizes go to the right, everything else up.
Axis axis_over(AxisKind kind, const std::vector<Series>& series) {
    const bool vertical = kind != AxisKind::size;
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
    std::string line;
    std::string marks;
    for (const auto& [px, py] : series.points) {
        line += fmt::format("{}{} {}", line.empty() ? "M" : "L", number(x.at(px)), number(y.at(py)));
        marks += series.markers ? dot(x.at(px), y.at(py)) : "";
    }
    const bool joined = series.line && series.points.size() > 1;
    return (joined ? path(line, series.color, 2, series.dashed ? " stroke-dasharray=\"5 4\"" : "") : "") +
           dots(marks, series.color);
}

std::string draw_grid(const Panel& panel, const Axis& x, const Axis& y) {
    std::string grid, labels;
    for (const Tick& tick : ticks(x)) {
        grid += line_to(x.at(tick.value), y.from, x.at(tick.value), y.to);
        labels += label(x.at(tick.value), y.from + 16, tick.label, "middle");
    }
    std::string zero;
    for (const Tick& tick : ticks(y)) {
        (tick.value == 0 ? zero : grid) += line_to(x.from, y.at(tick.value), x.to, y.at(tick.value));
        labels += label(x.from - 6, y.at(tick.value) + 4, tick.label, "end");
    }
    const double left = x.from - 58, middle = (y.from + y.to) / 2;
    labels += label((x.from + x.to) / 2, y.from + 36, panel.x_label, "middle", " font-size=\"12\"");
    labels += label(left, middle, panel.y_label, "middle",
                    fmt::format(" font-size=\"12\" transform=\"rotate(-90 {} {})\"", number(left), number(middle)));
    return path(grid, grid_color, 1) + (zero.empty() ? "" : path(zero, "#888888", 1)) + labels;
}

std::string draw_legend(const Panel& panel, const Axis& x, const Axis& y) {
    std::string out;
    double top = y.to + 14;
    for (const Series& s : panel.series) {
        if (!s.label.empty()) {
            out += s.line ? path(line_to(x.from + 8, top - 4, x.from + 30, top - 4), s.color, 2) : "";
            out += s.markers ? dots(dot(x.from + 19, top - 4), s.color) : "";
            out += label(x.from + 36, top, s.label, "start");
            top += 15;
        }
    }
    return out;
}

std::string title(double x, double y, std::string_view words) {
    return label(x, y, words, "start", " font-size=\"14\" font-weight=\"600\"");
}

std::string draw(const Panel& panel, double left, double top) {
    Axis x = axis_over(AxisKind::size, panel.series);
    Axis y = axis_over(panel.y, panel.series);
    x.from = left + margin_left;
    x.to = left + panel.width - margin_right;
    y.from = top + panel.height - margin_bottom;
    y.to = top + margin_top;
    std::string out = title(x.from, top + 24, panel.title) + draw_grid(panel, x, y);
    for (const Series& s : panel.series) { out += draw(s, x, y); }
    return out + (panel.legend ? draw_legend(panel, x, y) : "");
}

std::string document(double width, double height, const std::string& body) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"{2}\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
        number(width), number(height), text_color, body);
}

std::string draw(const DotChart& chart, double left, double width, double top, double labels) {
    const Axis x{AxisKind::percent, 0, chart.limit, left + labels, left + width - margin_right};
    const double first = top + margin_top + 24;
    const double bottom = first + row_height * static_cast<double>(chart.rows.size());
    std::string out = title(left + labels, top + 24, chart.title);
    double legend_x = left + labels;
    for (std::size_t i = 0; i < chart.legend.size(); ++i) {
        out += dots(dot(legend_x + 4, top + 41), chart.colors[i]);
        out += label(legend_x + 12, top + 45, chart.legend[i], "start");
        legend_x += 24 + 6.2 * static_cast<double>(chart.legend[i].size());
    }
    std::string grid;
    for (const Tick& tick : ticks(x)) {
        grid += line_to(x.at(tick.value), first - 8, x.at(tick.value), bottom);
        out += label(x.at(tick.value), bottom + 14, tick.label, "middle");
    }
    std::vector<std::string> near(chart.colors.size()), far(chart.colors.size());  // dots within the limit or above
    double y = first + 4;
    for (const DotRow& row : chart.rows) {
        out += labels > 60 ? label(left + labels - 8, y + 4, row.label, "end") : "";
        grid += line_to(x.from, y, x.to, y);
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            if (row.values[i] >= 0) { (row.values[i] > chart.limit ? far : near)[i] += dot(x.at(row.values[i]), y); }
        }
        y += row_height;
    }
    out += path(grid, grid_color, 1);
    for (std::size_t i = near.size(); i-- > 0;) {  // draws the first series last, on top
        out += dots(near[i], chart.colors[i], 4) + dots(far[i], chart.colors[i], 2);
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
    return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string time_label(double seconds) {
    if (seconds < 0.9995e-3) { return fmt::format("{:.3g} us", seconds * 1e6); }
    return seconds < 0.9995 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
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
        height = std::max(height, margin_top + 24 + row_height * static_cast<double>(charts[i].rows.size()) + 30);
    }
    return document(left, height, body);
}

}  // namespace fabricast::inline score
