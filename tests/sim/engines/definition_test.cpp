// The fast engines against the definition of max-min sharing, on schedules at random.

#include <cmath>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/replays.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/sim/engines/slow_replay.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using testing::nics;
using testing::Random;
using testing::star;
using testing::times;

TEST_CASE("where nothing contends flow equals analytic within a picosecond an operation") {
    const Fabric fabric = star(16);
    Random random{3};
    for (int i = 0; i < 200; ++i) {
        // A shifted permutation: every port sends one stream and receives one.
        Schedule schedule;
        const std::uint32_t shift = 1 + random.below(15);
        for (std::uint32_t node = 0; node < 16; ++node) {
            Connection connection;
            connection.path = {.src = fabric.nic(node, 0), .dst = fabric.nic((node + shift) % 16, 0)};
            connection.wire_ratio = 1 + random.unit();
            schedule.connections.push_back(connection);
        }
        std::vector<int> depth;  // roundings accumulate along a chain of dependencies
        for (std::uint32_t op = 0; op < 100; ++op) {
            std::vector<Schedule::Dependency> after;
            for (std::uint32_t d = random.below(3); d > 0 && op > 0; --d) { after.push_back({OpId{random.below(op)}}); }
            if (random.below(8) == 0) {
                schedule.add(Delay{random.below(4), {static_cast<std::int64_t>(random.below(5'000'000))}}, after);
            } else {
                const Duration start{static_cast<std::int64_t>(random.below(1'000'000))};
                schedule.add(Transfer{random.below(16), {random.below(1'000'000)}, start}, after);
            }
        }
        const std::vector<OpTimes> flow = times(Flow{}, fabric, schedule);
        const std::vector<OpTimes> analytic = times(Analytic{}, fabric, schedule);
        for (std::size_t op = 0; op < flow.size(); ++op) {
            INFO("case " << i << " operation " << op);
            REQUIRE(flow[op].start == analytic[op].start);
            REQUIRE(flow[op].finish == analytic[op].finish);
        }
    }
}

TEST_CASE("under contention flow equals the slow replay of the definition") {
    const Fabric fabric = star(6);
    Random random{4};
    for (int i = 0; i < 40; ++i) {
        Schedule schedule;
        for (std::uint32_t c = 0; c < 12; ++c) {
            const std::uint32_t from = random.below(6);
            Connection connection;
            connection.path = {.src = fabric.nic(from, 0), .dst = fabric.nic((from + 1 + random.below(5)) % 6, 0)};
            connection.wire_ratio = 1 + random.below(2);
            if (random.below(4) == 0) { connection.rate_cap = 1e9 * (1 + random.below(10)); }
            schedule.connections.push_back(connection);
        }
        for (std::uint32_t op = 0; op < 80; ++op) {
            std::vector<Schedule::Dependency> after;
            for (std::uint32_t d = random.below(3); d > 0 && op > 0; --d) { after.push_back({OpId{random.below(op)}}); }
            schedule.add(Transfer{random.below(12), {1 + random.below(1'000'000)}, {}}, after);
        }
        const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
        const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
        for (std::size_t op = 0; op < fast.size(); ++op) {
            INFO("case " << i << " operation " << op);
            // Each operation may round up by one picosecond, and passes it on.
            REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 80e-12);
        }
    }
}

TEST_CASE("where every flow depends on every other the coupled solver equals the slow replay") {
    FabricSpec thin = tiny::fabric(FabricKind::fat_tree, 8, 3);  // leaves of 6 nodes with 2 ways up
    thin.choice = PathChoice::ecmp;
    FabricSpec even = tiny::fabric(FabricKind::fat_tree, 8);
    even.choice = PathChoice::ecmp;
    const FabricSpec specs[] = {tiny::fabric(FabricKind::single_switch), thin, even};
    for (const FabricSpec& spec : specs) {
        const Fabric fabric(tiny::cluster(14, 1, spec));
        for (const Duration latest : {Duration{}, microseconds(200)}) {
            const Schedule schedule = testing::all_to_all(nics(fabric), 400'000, 0.5, latest);
            const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
            const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
            for (std::size_t op = 0; op < fast.size(); ++op) {
                INFO(to_string(spec.kind) << " starts within " << latest.ps << " ps, operation " << op);
                REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 180e-12);
            }
        }
    }
}

TEST_CASE("phases of different kinds follow each other, and each is exact") {
    const Fabric fabric(tiny::cluster(10, 1, tiny::fabric(FabricKind::single_switch)));
    Schedule schedule;
    std::vector<Schedule::Dependency> after;
    for (int phase = 0; phase < 4; ++phase) {
        const bool ring = phase % 2 == 1;
        const Schedule part = ring ? testing::ring(nics(fabric), 18, 100'000, 0.3)
                                   : testing::all_to_all(nics(fabric), 100'000, 0.5, microseconds(20));
        const auto first = static_cast<std::uint32_t>(schedule.size());
        const auto connections = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.insert(schedule.connections.end(), part.connections.begin(), part.connections.end());
        for (std::uint32_t op = 0; op < part.size(); ++op) {
            std::vector<Schedule::Dependency> mine = after;
            for (std::size_t i = 0; i < part.dependency_count(OpId{op}); ++i) {
                mine.push_back({OpId{first + static_cast<std::uint32_t>(part.dependency(OpId{op}, i).op)}});
            }
            Transfer transfer = part.transfers[op];
            transfer.connection += connections;
            schedule.add(transfer, mine);
        }
        after = {{OpId{static_cast<std::uint32_t>(schedule.size() - 1)}}};
    }
    const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
    const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
    for (std::size_t op = 0; op < fast.size(); ++op) {
        REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 400e-12);
    }
}

TEST_CASE("the same schedule twice gives the same times") {
    const Fabric fabric = star(12);
    const Schedule schedule = testing::all_to_all(nics(fabric), 500'000, 0.5, microseconds(100));
    const std::vector<OpTimes> first = times(Flow{}, fabric, schedule);
    const std::vector<OpTimes> second = times(Flow{}, fabric, schedule);
    for (std::size_t op = 0; op < first.size(); ++op) { REQUIRE(first[op].finish == second[op].finish); }
}
