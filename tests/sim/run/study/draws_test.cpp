// Draws: by name, the same everywhere, and as wide as the intervals say.

#include "sim/run/study/draws.hpp"

#include <algorithm>
#include <cmath>

#include "sim/scenario/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

TEST_CASE("a draw depends on seed, index and name alone") {
    CHECK(normal({1, 0}, "a/b") == normal({1, 0}, "a/b"));
    CHECK(normal({1, 0}, "a/b") != normal({1, 1}, "a/b"));
    CHECK(normal({1, 0}, "a/b") != normal({2, 0}, "a/b"));
    CHECK(normal({1, 0}, "a/b") != normal({1, 0}, "a/c"));
}

TEST_CASE("a tenth of the draws lies below the interval's lower end and a tenth above its upper") {
    Figure figure;
    figure.value = {10};
    figure.low80 = 8;
    figure.high80 = 20;
    int below = 0;
    int above = 0;
    constexpr int draws = 20'000;
    for (std::uint32_t k = 0; k < draws; ++k) {
        const double x = drawn(figure, {7, k}, "part", "figure");
        below += x < 8 ? 1 : 0;
        above += x > 20 ? 1 : 0;
        CHECK(x > 0);
    }
    // A share p of n draws has a standard deviation of sqrt(p (1 - p) / n): 0.2 points here.
    CHECK(std::abs(below / double{draws} - 0.1) < 0.01);
    CHECK(std::abs(above / double{draws} - 0.1) < 0.01);
    CHECK(at_deviation({10, 8, 20}, 0) == 10);
    CHECK(at_deviation({10, 8, 20}, 1.2815515655446004) == Approx(20));
    CHECK(at_deviation({0, -1, 2}, -1.2815515655446004) == Approx(-1));
}

TEST_CASE("a drawn catalogue moves constants and leaves counts, prices and forecast intervals") {
    const Catalog& catalog = catalogue();
    const Catalog other = drawn_catalog(catalog, {1, 3});
    int moved = 0;
    for (const auto& [name, part] : catalog.parts) {
        for (const auto& [path, figure] : part.figures) {
            INFO(name << "/" << path);
            const double value = other.parts.at(name).figure(path).value.front();
            const bool stays = figure.unit == "USD" || figure.unit == "W" || part.kind == "interval" ||
                               figure.low80 == figure.high80 || path.starts_with("data.");
            if (stays) { CHECK(value == figure.value.front()); }
            moved += value != figure.value.front() ? 1 : 0;
        }
    }
    CHECK(moved > 300);
    CHECK(other.at("switch", "aws-efa-switch").number("radix") == 64);
    // One name, one draw: as many deviations from its value in any catalogue.
    const Figure& hop = catalog.at("transport", "transport-ib-ndr").figure("hop");
    CHECK(other.at("transport", "transport-ib-ndr").number("hop") == drawn(hop, {1, 3}, "transport-ib-ndr", "hop"));
}

TEST_CASE("the range of draws lies between their first and ninth decile") {
    std::vector<double> draws;
    for (int i = 0; i <= 100; ++i) { draws.push_back(100 - i); }
    const Range range = range_of(50, draws);
    CHECK(range.low80 == Approx(10));
    CHECK(range.high80 == Approx(90));
    CHECK(range.value == 50);
}

TEST_CASE("what is built of the catalogue is built of every draw: ports hold their links") {
    // Nobody published the port rate of the switches behind EFA: 100 to 800 Gb/s for links of 400. Aries' link has an
    // interval itself.
    Scenario efa;
    efa.cluster.node = "dgx-b200";
    efa.cluster.nodes = 2;
    efa.cluster.node_options["nic"] = "efa-v4-nic";
    efa.cluster.link = "efa-v4";
    efa.cluster.switch_part = "aws-efa-switch";
    REQUIRE_NOTHROW(build(efa, catalogue()));
    for (std::uint32_t k = 0; k < 30; ++k) {
        INFO("draw " << k);
        const Catalog other = drawn_catalog(catalogue(), {1, k});
        CHECK_NOTHROW(build(efa, other));
        CHECK(other.at("switch", "aries-router").number("port_rate") >= other.at("link", "aries").number("rate"));
    }
}
