#include "sim/report/packet_picture.hpp"

#include <regex>

#include "sim/report/sequence_chart.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

TEST_CASE("a picture has a strip for each port, its queue as a curve and its pauses as shade") {
    Report report;
    report.scenario = "two <ports>";
    PacketTraffic traffic;
    traffic.series = {"a -> b", "c -> d"};
    traffic.use.series = {{LinkId{1}, -1, microseconds(1), {0, 4000, 8000, 0}, {{}, {}, microseconds(1), {}}, {}},
                          {LinkId{2}, -1, microseconds(1), {0, 0, 0, 0}, {{}, {}, {}, {}}, {}}};
    traffic.call_ends = {microseconds(1), microseconds(2), microseconds(4)};
    report.packets.push_back(traffic);
    const std::string svg = packet_picture(report);
    const auto count = [&](const std::string& what) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) { ++found; }
        return found;
    };
    CHECK(count("<polygon") == 2);
    CHECK(count("fill='#c0392b'") == 1);  // one bin of one port was paused
    CHECK(count("a -&gt; b: queue up to 8 KB, paused 1 us") == 1);
    CHECK(count("two &lt;ports&gt;") == 1);
    CHECK(count("4 us") == 1);
    CHECK(count("3 calls back to back") == 1);
    CHECK(count("stroke-dasharray") == 2 * 2);  // the ends of two calls, in both strips
    CHECK(packet_picture({}).find("</svg>") != std::string::npos);
}

TEST_CASE("a sequence chart has a line for each sending, a dot for each answer and says what is not drawn") {
    PacketSequence sequence;
    sequence.src = "a";
    sequence.dst = "b";
    CHECK(sequence_words(sequence) == "No packets went from a -> b.");
    CHECK(sequence_chart(sequence).find("<path") == std::string::npos);
    const Time later = Time{} + microseconds(2);
    sequence.flights = {{0, 1000, false, false, PacketFlight::arrived, {}, later},
                        {1000, 1000, false, false, PacketFlight::dropped, {}, later},
                        {1000, 1000, true, true, PacketFlight::arrived, later, Time{} + microseconds(4)}};
    sequence.signals = {{PacketSignal::asked_for, later, 1000}, {PacketSignal::acknowledged, later, 1000}};
    sequence.pauses = {{{}, later}, {Time{} + microseconds(9), Time{} + microseconds(10)}};  // one is after the end
    sequence.bytes = 2000;
    sequence.left_out = 7;
    const std::string svg = sequence_chart(sequence);
    for (const char* label : {">1 arrived<", ">1 dropped<", ">1 sent again, arrived<", ">1 asked for again<",
                              ">1 acknowledged<", ">1 its port paused<", "7 later sendings are not drawn"}) {
        CHECK_THAT(svg, ContainsSubstring(label));
    }
    CHECK_THAT(svg, ContainsSubstring("M80.00 137.50H480.00m-3-3l6 6m0-6l-6 6"));  // lost half-way, at three quarters
    CHECK_FALSE(std::regex_search(svg, std::regex("<[^>]* fill=[^>]* fill=")));    // a browser shows no such document
}

}  // namespace fabricast
