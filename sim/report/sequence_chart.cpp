#include "sim/report/sequence_chart.hpp"

#include <algorithm>
#include <vector>

#include "base/unit_text.hpp"
#include "sim/report/svg.hpp"

namespace fabricast::inline report {

namespace {

constexpr double left = 80, top = 40, width = sequence_width - left - 20, height = sequence_height - 130;
constexpr std::size_t ends_drawn = 64;

struct Axes {
    Time from, to;
    double bytes = 1;
    double x(Time at) const { return left + width * to_seconds(at - from) / to_seconds(to - from); }
    double y(double byte) const { return top + height * (1 - byte / bytes); }
};

Axes axes_of(const PacketSequence& sequence) {
    Axes axes{sequence.flights.front().sent, sequence.flights.front().sent + Duration{1}};
    for (const PacketFlight& flight : sequence.flights) {
        axes.to = std::max({axes.to, flight.sent, flight.ended});
        axes.bytes = std::max(axes.bytes, static_cast<double>(flight.first + flight.bytes));
    }
    for (const PacketSignal& signal : sequence.signals) { axes.to = std::max(axes.to, signal.at); }
    return axes;
}

// Marks of one kind: their number, how they look, and a path through all of them.
struct Marks {
    std::string label, style, path = {};
    std::size_t count = 0;
    void add(std::string mark) {
        path += mark;
        ++count;
    }
};

using Fate = PacketFlight::Fate;

// Indices into `lines_of()`.
std::size_t kind_of(const PacketFlight& flight) {
    switch (flight.fate) {
        case Fate::under_way: return 6;
        case Fate::arrived: return flight.again ? 2 : flight.marked ? 1 : 0;
        case Fate::refused: return 3;
        case Fate::trimmed: return 4;
        case Fate::dropped: break;
    }
    return 5;
}

std::vector<Marks> lines_of(const PacketSequence& sequence, const Axes& axes) {
    const double thick = std::clamp(height * sequence.flights.front().bytes / axes.bytes * 0.7, 1.0, 8.0);
    const auto line = [&](const char* color) { return fmt::format("stroke='{}' stroke-width='{:.1f}'", color, thick); };
    std::vector<Marks> kinds = {{"arrived", line("#2c6fbb")},
                                {"arrived marked", line("#d98e04")},
                                {"sent again, arrived", line("#7d3c98")},
                                {"refused by the receiver", line("#999")},
                                {"trimmed", line("#a0522d")},
                                {"dropped", line("#c0392b")},
                                {"under way at the end", line("#bbb")}};
    for (const PacketFlight& flight : sequence.flights) {
        const double y = axes.y(static_cast<double>(flight.first) + flight.bytes * 0.5);
        const double end = axes.x(flight.fate == Fate::under_way ? axes.to : flight.ended);
        std::string mark = fmt::format("M{:.2f} {:.2f}H{:.2f}", axes.x(flight.sent), y, end);
        if (flight.fate == Fate::dropped || flight.fate == Fate::trimmed) { mark += "m-3-3l6 6m0-6l-6 6"; }
        kinds[kind_of(flight)].add(std::move(mark));
    }
    return kinds;
}

// What the sender hears, as dots; timeouts and ends of messages as lines across.
std::vector<Marks> dots_of(const PacketSequence& sequence, const Axes& axes) {
    const auto dot = [](const char* color) {
        return fmt::format("stroke='{}' stroke-width='3.5' stroke-linecap='round'", color);
    };
    std::vector<Marks> kinds = {{"acknowledged", dot("#2f7d4f")},
                                {"asked for again", dot("#e8308a")},
                                {"congestion notices", dot("#111")},
                                {"timeouts", "stroke='#c0392b' stroke-dasharray='5 3'"}};
    for (const PacketSignal& signal : sequence.signals) {
        const double x = axes.x(signal.at);
        kinds[signal.kind].add(signal.kind == PacketSignal::timeout
                                   ? fmt::format("M{:.2f} {:.0f}v{:.0f}", x, top, height)
                               : signal.kind == PacketSignal::notice
                                   ? fmt::format("M{:.2f} {:.0f}h0", x, top + height)
                                   : fmt::format("M{:.2f} {:.2f}h0", x, axes.y(static_cast<double>(signal.byte))));
    }
    return kinds;
}

Marks pauses_of(const PacketSequence& sequence, const Axes& axes) {
    Marks marks{"its port paused", "style='fill:#c0392b;fill-opacity:0.18'"};
    for (const auto& [from, to] : sequence.pauses) {
        if (to <= axes.from || from >= axes.to) { continue; }
        const double x = axes.x(std::max(from, axes.from));
        marks.add(
            fmt::format("M{:.2f} {:.0f}H{:.2f}v{:.0f}H{:.2f}z", x, top, axes.x(std::min(to, axes.to)), height, x));
    }
    return marks;
}

Marks ends_of(const PacketSequence& sequence, const Axes& axes) {
    Marks marks{"", "stroke='#888' stroke-dasharray='2 4'"};
    for (const std::int64_t end : sequence.ends) {
        if (sequence.ends.size() > ends_drawn || static_cast<double>(end) > axes.bytes) { break; }
        marks.add(fmt::format("M{:.0f} {:.2f}h{:.0f}", left, axes.y(static_cast<double>(end)), width));
    }
    return marks;
}

std::string frame(const Axes& axes) {
    std::string drawn = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n", left,
                                    top, width, height);
    for (int tick = 0; tick <= 4; ++tick) {
        const double share = tick / 4.0;
        drawn += svg_text(left + width * share, top + height + 16,
                          tick == 0   ? "start"
                          : tick == 4 ? "end"
                                      : "middle",
                          (tick > 0 ? "+" : "") + time_words(share * to_seconds(axes.to - axes.from)));
        drawn += svg_text(left - 6, axes.y(axes.bytes * share) + 4, "end", size_words(axes.bytes * share));
    }
    return drawn;
}

}  // namespace

std::string sequence_words(const PacketSequence& sequence) {
    const std::string ends = sequence.src + " -> " + sequence.dst;
    if (sequence.flights.empty()) { return "No packets went from " + ends + "."; }
    const std::string cut =
        sequence.left_out > 0 ? fmt::format("; {} later sendings are not drawn", sequence.left_out) : "";
    return fmt::format("{}: {} on the wire, the first packet at {}{}.", ends,
                       size_words(static_cast<double>(sequence.bytes)), text(sequence.flights.front().sent), cut);
}

std::string sequence_chart(const PacketSequence& sequence) {
    std::string drawn = svg_text(left, 24, "start", sequence_words(sequence));
    if (sequence.flights.empty()) { return drawn; }
    const Axes axes = axes_of(sequence);
    std::vector<Marks> all = {pauses_of(sequence, axes), ends_of(sequence, axes)};
    std::ranges::move(lines_of(sequence, axes), std::back_inserter(all));
    std::ranges::move(dots_of(sequence, axes), std::back_inserter(all));
    drawn += frame(axes);
    double x = left;
    double y = top + height + 44;
    for (const Marks& marks : all) {
        if (marks.count == 0) { continue; }
        drawn += fmt::format("<path d='{}' fill='none' {}/>\n", marks.path, marks.style);
        if (marks.label.empty()) { continue; }
        const std::string label = fmt::format("{} {}", marks.count, marks.label);
        const double wide = 30 + 7.0 * static_cast<double>(label.size());
        if (x + wide > left + width) {
            x = left;
            y += 20;
        }
        const bool shade = &marks == &all.front();
        drawn += fmt::format("<path d='M{:.0f} {:.0f}h12{}' fill='none' {}/>\n", x, shade ? y - 9 : y - 4,
                             shade ? "v10h-12z" : "", marks.style) +
                 svg_text(x + 18, y, "start", label);
        x += wide;
    }
    return drawn;
}

}  // namespace fabricast::inline report
