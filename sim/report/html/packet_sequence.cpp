#include "sim/report/html/packet_sequence.hpp"

#include <algorithm>
#include <array>

#include "sim/report/sequence_chart.hpp"
#include "sim/report/svg.hpp"

namespace fabricast::inline report::html {

void add_packet_sequence(Page& page, const PacketSequence& sequence) {
    static constexpr std::array<std::string_view, 5> fates = {"under way", "arrived", "refused", "trimmed", "dropped"};
    page.sections.emplace_back(Picture{
        "A message's packets",
        "Each line is a packet on its way: from when its sender begins to send it, on the left, to when all of it has "
        "come, at the height of its place in the message. A longer line waited longer in queues. Dots are what the "
        "sender hears. " +
            sequence_words(sequence),
        svg_document(sequence_width, sequence_height, 12, "", sequence_chart(sequence))});
    constexpr std::size_t rows_shown = 2000;
    const std::size_t rows = std::min(rows_shown, sequence.flights.size());
    Table table{"The packets, one by one",
                "Each time that one was sent: " + std::to_string(rows) + " of " +
                    std::to_string(static_cast<std::int64_t>(sequence.flights.size()) + sequence.left_out) + ".",
                {{"from byte", Unit::count},
                 {"bytes", Unit::count},
                 {"sent", Unit::time},
                 {"ended", Unit::time},
                 {"what became of it"}},
                {},
                true};
    for (const PacketFlight& flight : std::span(sequence.flights).first(rows)) {
        const std::string fate(enum_name(fates, flight.fate));
        table.rows.push_back({static_cast<double>(flight.first), static_cast<double>(flight.bytes),
                              to_seconds(flight.sent), to_seconds(flight.ended),
                              (flight.again ? "sent again, " : "") + fate + (flight.marked ? ", marked" : "")});
    }
    if (rows > 0) { page.sections.emplace_back(std::move(table)); }
}

}  // namespace fabricast::inline report::html
