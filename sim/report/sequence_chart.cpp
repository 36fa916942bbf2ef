#include "sim/report/sequence_chart.hpp"

#include <algorithm>
#include <vector>

#include "base/unit_text.hpp"
#include "sim/report/svg.hpp"

namespace fabricast::inline report {

namespace {

constexpr double plot_left = 80, plot_top = 40, plot_width = sequence_width - plot_left - 20,
                 plot_height = sequence_height - 130;
constexpr std::size_t ends_drawn = 64;

struct Scales {
    Time from, to;
    double bytes = 1;
    double x(Time at) const { return plot_left + plot_width * to_seconds(at - from) / to_seconds(to - from); }
    double y(double byte) const { return plot_top + plot_height * (1 - byte / bytes); }
};

Scales scales_of(const PacketSequence& sequence) {
    Scales scales{sequence.flights.front().sent, sequence.flights.front().sent + Duration{1}};
    for (const PacketFlight& flight : sequence.flights) {
        scales.to = std::max({scales.to, flight.sent, flight.ended});
        scales.bytes = std::max(scales.bytes, static_cast<double>(flight.first + flight.bytes));
    }
    for (const PacketSignal& signal : sequence.signals) { scales.to = std::max(scales.to, signal.at); }
    return scales;
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

std::vector<Marks> lines_of(const PacketSequence& sequence, const Scales& scales) {
    const double thick = std::clamp(plot_height * sequence.flights.front().bytes / scales.bytes * 0.7, 1.0, 8.0);
    const auto line = [&](const char* color) { return fmt::format("stroke='{}' stroke-width='{:.1f}'", color, thick); };
    std::vector<Marks> kinds = {{"arrived", line("#2c6fbb")},
                                {"arrived marked", line("#d98e04")},
                                {"sent again, arrived", line("#7d3c98")},
                                {"refused by the receiver", line("#999")},
                                {"trimmed", line("#a0522d")},
                                {"dropped", line("#c0392b")},
                                {"under way at the end", line("#bbb")}};
    for (const PacketFlight& flight : sequence.flights) {
        const double y = scales.y(static_cast<double>(flight.first) + flight.bytes * 0.5);
        const double end = scales.x(flight.fate == Fate::under_way ? scales.to : flight.ended);
        std::string mark = fmt::format("M{:.2f} {:.2f}H{:.2f}", scales.x(flight.sent), y, end);
        if (flight.fate == Fate::dropped || flight.fate == Fate::trimmed) { mark += "m-3-3l6 6m0-6l-6 6"; }
        kinds[kind_of(flight)].add(std::move(mark));
    }
    return kinds;
}

// What the sender hears, as dots; timeouts and ends of messages as lines across.
std::vector<Marks> dots_of(const PacketSequence& sequence, const Scales& scales) {
    const auto dot = [](const char* color) {
        return fmt::format("stroke='{}' stroke-width='3.5' stroke-linecap='round'", color);
    };
    std::vector<Marks> kinds = {{"acknowledged", dot("#2f7d4f")},
                                {"asked for again", dot("#e8308a")},
                                {"congestion notices", dot("#111")},
                                {"timeouts", "stroke='#c0392b' stroke-dasharray='5 3'"}};
    for (const PacketSignal& signal : sequence.signals) {
        const double x = scales.x(signal.at);
        kinds[signal.kind].add(signal.kind == PacketSignal::timeout
                                   ? fmt::format("M{:.2f} {:.0f}v{:.0f}", x, plot_top, plot_height)
                               : signal.kind == PacketSignal::notice
                                   ? fmt::format("M{:.2f} {:.0f}h0", x, plot_top + plot_height)
                                   : fmt::format("M{:.2f} {:.2f}h0", x, scales.y(static_cast<double>(signal.byte))));
    }
    return kinds;
}

Marks pauses_of(const PacketSequence& sequence, const Scales& scales) {
    Marks marks{"its port paused", "style='fill:#c0392b;fill-opacity:0.18'"};
    for (const auto& [from, to] : sequence.pauses) {
        if (to <= scales.from || from >= scales.to) { continue; }
        const double x = scales.x(std::max(from, scales.from));
        marks.add(fmt::format("M{:.2f} {:.0f}H{:.2f}v{:.0f}H{:.2f}z", x, plot_top, scales.x(std::min(to, scales.to)),
                              plot_height, x));
    }
    return marks;
}

Marks ends_of(const PacketSequence& sequence, const Scales& scales) {
    Marks marks{"", "stroke='#888' stroke-dasharray='2 4'"};
    for (const std::int64_t end : sequence.ends) {
        if (sequence.ends.size() > ends_drawn || static_cast<double>(end) > scales.bytes) { break; }
        marks.add(fmt::format("M{:.0f} {:.2f}h{:.0f}", plot_left, scales.y(static_cast<double>(end)), plot_width));
    }
    return marks;
}

std::string frame(const Scales& scales) {
    std::string drawn = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                                    plot_left, plot_top, plot_width, plot_height);
    for (int tick = 0; tick <= 4; ++tick) {
        const double share = tick / 4.0;
        drawn += svg_text(plot_left + plot_width * share, plot_top + plot_height + 16,
                          tick == 0   ? "start"
                          : tick == 4 ? "end"
                                      : "middle",
                          (tick > 0 ? "+" : "") + time_words(share * to_seconds(scales.to - scales.from)));
        drawn += svg_text(plot_left - 6, scales.y(scales.bytes * share) + 4, "end", size_words(scales.bytes * share));
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
    std::string drawn = svg_text(plot_left, 24, "start", sequence_words(sequence));
    if (sequence.flights.empty()) { return drawn; }
    const Scales scales = scales_of(sequence);
    std::vector<Marks> all = {pauses_of(sequence, scales), ends_of(sequence, scales)};
    std::ranges::move(lines_of(sequence, scales), std::back_inserter(all));
    std::ranges::move(dots_of(sequence, scales), std::back_inserter(all));
    drawn += frame(scales);
    double x = plot_left;
    double y = plot_top + plot_height + 44;
    for (const Marks& marks : all) {
        if (marks.count == 0) { continue; }
        drawn += fmt::format("<path d='{}' fill='none' {}/>\n", marks.path, marks.style);
        if (marks.label.empty()) { continue; }
        const std::string label = fmt::format("{} {}", marks.count, marks.label);
        const double wide = 30 + 7.0 * static_cast<double>(label.size());
        if (x + wide > plot_left + plot_width) {
            x = plot_left;
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
