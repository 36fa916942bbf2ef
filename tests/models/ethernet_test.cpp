// Ethernet, RoCE v2 and priority flow control against the standards' figures.

#include "models/ethernet.hpp"

#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

using testing::payload_share;

TEST_CASE("each Ethernet rate is exact after its encoding") {
    for (const int gigabits : {25, 50, 100, 200, 400, 800}) {
        INFO(gigabits);
        const LinkSpec link = link_spec(testing::part("link", "ethernet-" + std::to_string(gigabits) + "g"));
        CHECK(link.rate == Rate::megabits(gigabits * 1000));
    }
}

TEST_CASE("the share of payload of RoCE v2 follows the path MTU") {
    struct Row {
        std::int64_t mtu;
        double share;
    };
    const Row rows[] = {{256, 0.757}, {512, 0.862}, {1024, 0.926}, {2048, 0.962}, {4096, 0.980}};
    for (const Row& row : rows) {
        INFO("MTU " << row.mtu);
        CHECK(payload_share(roce::framing({row.mtu})) == Approx(row.share).margin(0.0006));
    }
    CHECK(payload_share(roce::framing({1024}, {roce::Ip::v4, true})) == Approx(1024.0 / 1110));
    CHECK(payload_share(roce::framing({1024}, {roce::Ip::v6, false})) == Approx(1024.0 / 1126));
}

TEST_CASE("a RoCE adapter on 100 Gb/s is bound to 96.2 and 98.0 Gb/s of payload, and measures a little less") {
    CHECK(100 * payload_share(roce::framing({2048})) == Approx(96.2).margin(0.1));
    CHECK(100 * payload_share(roce::framing({4096})) == Approx(98.0).margin(0.1));
    // RNIC to memory: 97.5 Gb/s at MTU 4096 (J. Synchrotron Rad. 2020).
    CHECK(goodput(link_spec(testing::part("link", "ethernet-100g"))) * 8e-9 == Approx(97.5).margin(0.1));
}

TEST_CASE("a receiver of PAUSE stops within the standard's quanta") {
    CHECK(pfc::response_quanta(Rate::megabits(10'000)) == 60);
    CHECK(pfc::response_quanta(Rate::megabits(25'000)) == 80);
    CHECK(pfc::response_quanta(Rate::megabits(40'000)) == 118);
    CHECK(pfc::response_quanta(Rate::megabits(100'000)) == 394);
    CHECK(pfc::response_quanta(Rate::megabits(400'000)) == 905);
    CHECK(pfc::response_quanta(Rate::megabits(800'000)) == 1810);
}

TEST_CASE("N saturated queues share a buffer as alpha B / (1 + alpha N)") {
    for (const double alpha : {0.125, 1.0, 8.0}) {
        const int queues = 4;
        const Bytes buffer{16'000'000};
        const double each = alpha * 16e6 / (1 + alpha * queues);  // the fixed point
        const Bytes used{static_cast<std::int64_t>(queues * each)};
        CHECK(pfc::dynamic_threshold(alpha, buffer, used) == Approx(each).epsilon(1e-5));
    }
}

}  // namespace
}  // namespace fabricast
