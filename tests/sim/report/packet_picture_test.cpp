#include "sim/report/packet_picture.hpp"

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

}  // namespace fabricast
