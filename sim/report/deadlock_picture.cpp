#include "sim/report/deadlock_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/report/svg.hpp"

namespace fabricast {

namespace {

constexpr double box_width = 170, box_height = 44;

struct Point {
    double x, y;
};

// The names in quotes, each with a lane that follows it (" lane 3"). A deadlock names the first port again at the end,
// which is dropped.
std::vector<std::string> ports_of(const std::string& message) {
    std::vector<std::string> ports;
    for (std::size_t at = message.find('\''); at != std::string::npos;) {
        const std::size_t end = message.find('\'', at + 1);
        if (end == std::string::npos) {
            break;
        }
        std::string port = message.substr(at + 1, end - at - 1);
        if (const std::size_t lane = message.find(" lane ", end); lane == end + 1) {
            port += message.substr(lane, message.find(' ', lane + 6) - lane);
        }
        ports.push_back(std::move(port));
        at = message.find('\'', end + 1);
    }
    if (ports.size() > 1 && ports.front() == ports.back()) {
        ports.pop_back();
    }
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
        if (circle && ports.size() > 1) {
            drawn += arrow(places[i], places[(i + 1) % ports.size()]);
        }
    }
    constexpr std::string_view tip =
        "<defs><marker id='tip' markerWidth='8' markerHeight='8' refX='6' refY='3' orient='auto'>"
        "<path d='M0,0 L6,3 L0,6 z' fill='#c0392b'/></marker></defs>\n";
    const std::string title =
        circle ? "Each port is full of packets for the next, whose buffer has no room:" : "Ports that hold packets:";
    return svg_document(std::max(width, 420.0), height, 13, tip, "<text x='12' y='24'>" + title + "</text>\n" + drawn);
}

}  // namespace fabricast
