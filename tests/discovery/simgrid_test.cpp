// SimGrid's platforms: their zones as fabrics.

#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::testing;

TEST_CASE("SimGrid's torus and dragonfly have the links of its zones") {
    const auto platform = [](const std::string& topology, const std::string& radical) {
        return "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" "
               "radical=\"" +
               radical + "\" bw=\"125MBps\" lat=\"1us\" topology=" + topology + "/></zone></platform>";
    };
    // 12 hosts at 12 routers; in each of three dimensions one link from every router, two of them to the same in a
    // dimension of two.
    CHECK(seen_in(platform("\"TORUS\" topo_parameters=\"3,2,2\"", "0-11")).cables.size() == 12 + 3 * 12);
    // Two groups of two chassis of three routers with two hosts: 24 hosts; green 4 x 3 pairs x 1, black 2 x 3 x 2, blue
    // one pair x 4.
    const Observations dragonfly = seen_in(platform("\"DRAGONFLY\" topo_parameters=\"2,4;2,2;3,1;2\"", "0-23"));
    CHECK(dragonfly.cables.size() == 24 + 12 + 12 + 4);
    CHECK(dragonfly.cables.front().megabits == 1000);
    CHECK_THROWS_AS(seen_in(platform("\"TORUS\" topo_parameters=\"3,2\"", "0-11")), InputError);
    CHECK_THROWS_AS(seen_in(platform("\"VIVALDI\"", "0-11")), InputError);
}

TEST_CASE("SimGrid's zones are stars, joined by their routes") {
    const Observations seen = seen_in(R"(<platform version="4.1"><zone id="top" routing="Full">
      <zone id="one" routing="Cluster"><cabinet id="a" prefix="h-" radical="1-3" suffix=".one" bw="125MBps"/><router id="r1"/></zone>
      <zone id="two" routing="Cluster"><cabinet id="a" prefix="h-" radical="1-2" suffix=".two" bw="125MBps"/><router id="r2"/></zone>
      <link id="l" bandwidth="2.5GBps"/>
      <zoneRoute src="one" dst="two" gw_src="r1" gw_dst="r2"><link_ctn id="l"/></zoneRoute></zone></platform>)");
    CHECK(seen.devices.size() == 5 + 2);  // h-1 and h-2 are there twice
    REQUIRE(seen.cables.size() == 6);
    CHECK(std::ranges::count(seen.cables, 20'000, &CableSeen::megabits) == 1);
}

// As GB200 and GH200 print it: each GPU's memory is a NUMA node, and every NIC is SYS from it.
