// When threads share the windows of a replay, by a clock of its own; and that two threads cost little where they cannot
// help.

#include <sys/resource.h>

#include "sim/engines/packet/threads.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/sim/engines/random_sharing.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"

namespace fabricast::inline packet {

namespace {

// Seconds that 100,000 windows of so many hops take, each hop a tenth of a microsecond; shared, a window's work is done
// by two and costs `hand_over` besides.
double replayed(std::int64_t hops_each, double hand_over) {
    packet::Sharing sharing(false);
    double now = 100;
    std::int64_t hops = 0;
    for (int window = 0; window < 100'000; ++window) {
        const bool shared = sharing.shares(hops, [&] { return now; });
        hops += hops_each;
        const double work = static_cast<double>(hops_each) * 1e-7;
        now += shared ? work / 2 + hand_over : work;
    }
    return now - 100;
}

double alone(std::int64_t hops_each) { return static_cast<double>(hops_each) * 1e-7 * 100'000; }

std::int64_t context_switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

}  // namespace

TEST_CASE("threads that cost more than they help take no tenth more than one alone") {
    for (const std::int64_t hops : {1, 3, 50, 1000}) {
        for (const double hand_over : {5e-6, 50e-6, 5e-3}) {
            CAPTURE(hops, hand_over);
            const double work = static_cast<double>(hops) * 1e-7;
            if (work / 2 + hand_over > work) { CHECK(replayed(hops, hand_over) < 1.1 * alone(hops)); }
        }
    }
}

TEST_CASE("threads that help are used nearly all the time") {
    CHECK(replayed(1000, 5e-6) < 1.1 * (alone(1000) / 2 + 0.5));
    CHECK(replayed(20'000, 20e-6) < 1.1 * (alone(20'000) / 2 + 2));
}

TEST_CASE("threads that help are not given up for a phase of slower hops, nor for single windows that are late") {
    packet::Sharing sharing(false);
    testing::Random random;
    double now = 100, best = 0;
    std::int64_t hops = 0;
    constexpr std::int64_t each = 8000;
    for (int window = 0; window < 40'000; ++window) {
        const bool shared = sharing.shares(hops, [&] { return now; });
        hops += each;
        const double pace = (window / 500 % 2 == 0 ? 45e-9 : 90e-9) * (0.85 + 0.3 * random.unit());
        const double late = random.unit() < 0.02 ? (shared ? 3 : 1.5) : 1;  // one of two threads is, or the only one
        now += each * pace * late * (shared ? 0.55 : 1);
        best += each * pace * 0.55;
    }
    CHECK(now - 100 < 1.08 * best);  // 2 % are late by twice their time
}

TEST_CASE("the first hops are one thread's, whatever the clock says") {
    packet::Sharing sharing(false);
    int asked = 0;
    double now = 0;
    const auto clock = [&] {
        ++asked;
        return now;
    };
    for (std::int64_t hops = 0; hops < packet::Sharing::little; hops += 1000) {
        now += 1;
        CHECK_FALSE(sharing.shares(hops, clock));
    }
    CHECK(asked == 0);
    bool shared = false;
    for (std::int64_t hops = packet::Sharing::little; hops < 3 * packet::Sharing::little && !shared; hops += 1000) {
        now += 1;
        shared = sharing.shares(hops, clock);
    }
    CHECK(shared);
}

TEST_CASE("a replay of little work a window does not hand it over, and threads that come and go change nothing",
          "[threads]") {
    const Fabric fabric = testing::star(2);
    const Schedule small = testing::messages(fabric, {{0, 1}}, 8 << 20);
    const Fabric tree = testing::leaf_spine(32, 8, 1, 3);
    std::vector<DeviceId> hosts;
    for (std::uint32_t host = 0; host < 32; ++host) { hosts.push_back(tree.nic(host, 0)); }
    Packet options = testing::packets();
    const Timeline one = replay(options, fabric, small);
    const Timeline many = replay(options, tree, testing::all_to_all(hosts, 1'000'000));
    options.threads = 2;
    const std::int64_t before = context_switches();
    const Timeline two = replay(options, fabric, small);
    CHECK(context_switches() - before < two.packets->windows / 10 + 100);  // one or two a window otherwise
    CHECK(one.makespan == two.makespan);
    CHECK(one.packets->windows == two.packets->windows);
    const Timeline mixed = replay(options, tree, testing::all_to_all(hosts, 1'000'000));
    CHECK(many.makespan == mixed.makespan);
    CHECK(many.packets->windows == mixed.packets->windows);
}

TEST_CASE("a trial is given up after four times a batch's time alone, and waits until so much is 4 % of the time") {
    packet::Sharing sharing(false);
    double now = 100;
    const auto clock = [&] { return now; };
    constexpr std::int64_t batch = 4096;
    constexpr double alone = batch * 1e-7;  // seconds
    std::int64_t hops = packet::Sharing::little;
    CHECK_FALSE(sharing.shares(hops, clock));  // begins the clock
    int batches = 0;
    bool shared = false;
    while (!shared && batches < 1000) {
        ++batches;
        now += alone;
        shared = sharing.shares(hops += batch, clock);
    }
    constexpr int enough = 75 - packet::Sharing::little / batch;  // three batches may be lost: 3 / 0.04, first hops too
    CHECK(batches >= enough);
    CHECK(batches <= enough + 1);
    now += 3.9 * alone;
    CHECK(sharing.shares(hops + 1, clock));
    now += 0.2 * alone;
    CHECK_FALSE(sharing.shares(hops + 1, clock));
}

}  // namespace fabricast::inline packet
