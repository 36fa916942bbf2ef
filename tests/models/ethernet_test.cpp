// Ethernet, RoCE v2 and priority flow control against the standards' figures.

#include "models/ethernet.hpp"

#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

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
        CHECK(roce::efficiency({row.mtu}) == Approx(row.share).margin(0.0006));
    }
    CHECK(roce::efficiency({1024}, {roce::Ip::v4, true}) == Approx(1024.0 / 1110));
    CHECK(roce::efficiency({1024}, {roce::Ip::v6, false}) == Approx(1024.0 / 1126));
}

TEST_CASE("an IP MTU of 9000 gives RDMA packets of 4096 B, one of 1500 gives 1024") {
    CHECK(roce::path_mtu({9000}) == Bytes{4096});
    CHECK(roce::path_mtu({4156}) == Bytes{4096});
    CHECK(roce::path_mtu({4155}) == Bytes{2048});
    CHECK(roce::path_mtu({4156}, roce::Ip::v6) == Bytes{2048});
    CHECK(roce::path_mtu({1500}) == Bytes{1024});
}

TEST_CASE("a RoCE adapter on 100 Gb/s is bound to 96.2 and 98.0 Gb/s of payload, and measures a little less") {
    CHECK(100 * roce::efficiency({2048}) == Approx(96.2).margin(0.1));
    CHECK(100 * roce::efficiency({4096}) == Approx(98.0).margin(0.1));
    // RNIC to memory: 97.5 Gb/s at MTU 4096 (J. Synchrotron Rad. 2020).
    CHECK(goodput(link_spec(testing::part("link", "ethernet-100g"))) * 8e-9 == Approx(97.5).margin(0.1));
}

TEST_CASE("the longest pause lasts as long as 65,535 quanta of 512 bits") {
    struct Row {
        std::int64_t gigabits;
        double microseconds;
    };
    const Row rows[] = {{10, 3355}, {25, 1342}, {100, 335.5}, {200, 167.8}, {400, 83.9}, {800, 41.9}};
    for (const Row& row : rows) {
        INFO(row.gigabits);
        const Duration pause = pfc::pause_time(pfc::largest_pause, Rate::megabits(row.gigabits * 1000));
        CHECK(to_seconds(pause) * 1e6 == Approx(row.microseconds).epsilon(0.0011));
    }
}

TEST_CASE("a receiver of PAUSE stops within the standard's quanta") {
    CHECK(pfc::response_quanta(Rate::megabits(10'000)) == 60);
    CHECK(pfc::response_quanta(Rate::megabits(25'000)) == 80);
    CHECK(pfc::response_quanta(Rate::megabits(40'000)) == 118);
    CHECK(pfc::response_quanta(Rate::megabits(100'000)) == 394);
    CHECK(pfc::response_quanta(Rate::megabits(400'000)) == 905);
    CHECK(pfc::response_quanta(Rate::megabits(800'000)) == 1810);
}

TEST_CASE("headroom per port and priority is what its parts sum up to") {
    struct Row {
        std::int64_t gigabits;
        std::int64_t at_5m, at_40m, at_100m, at_300m;
    };
    // MTU 9216, fibre of 5 ns/m.
    const Row rows[] = {{10, 22'418, 22'856, 23'606, 26'106},
                        {25, 23'792, 24'886, 26'761, 33'011},
                        {40, 26'318, 28'068, 31'068, 41'068},
                        {100, 44'357, 48'732, 56'232, 81'232},
                        {400, 78'936, 96'436, 126'436, 226'436}};
    for (const Row& row : rows) {
        const auto at = [&](double metres) {
            return pfc::headroom({.rate = Rate::megabits(row.gigabits * 1000), .metres = metres}).count;
        };
        INFO(row.gigabits << " Gb/s");
        CHECK(std::abs(at(5) - row.at_5m) <= 1);
        CHECK(std::abs(at(40) - row.at_40m) <= 1);
        CHECK(std::abs(at(100) - row.at_100m) <= 1);
        CHECK(std::abs(at(300) - row.at_300m) <= 1);
    }
}

TEST_CASE("small packets in large cells multiply headroom") {
    CHECK(pfc::headroom_cells({64'000}, {64}, {256}) == 1000);  // each 64 B packet takes a cell of 256: four times
    CHECK(pfc::headroom_cells({64'000}, {1024}, {256}) == 252);
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
