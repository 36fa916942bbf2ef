// What the clocks hold: beyond it each engine refuses, and says which operation needs it.

#include <limits>

#include "sim/engines/engine.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

constexpr std::int64_t hour = 3'600'000'000'000'000;

const Fabric& star() {
    static const Fabric fabric(tiny::cluster(2, 1, tiny::fabric(FabricKind::single_switch)));
    return fabric;
}

Connection there() {
    Connection connection;
    connection.path.src = star().gpu(0);
    connection.path.dst = star().gpu(1);
    return connection;
}

// One that ends in time before the one that does not.
std::vector<Schedule> too_long() {
    std::vector<Schedule> schedules(4);
    schedules[0].connections = {there()};
    schedules[0].add(Transfer{0, {1000}, {}});
    schedules[0].add(Transfer{0, {std::int64_t{1} << 62}, {}});  // 25 GB/s: 1.8e8 s, five years
    schedules[1].add(Delay{0, {1000}});
    schedules[1].add(Delay{0, {2000 * hour}});
    const Schedule::Dependency after[] = {{OpId{1}}};
    schedules[1].add(Delay{0, {1000 * hour}}, after);  // 3000 h in all
    for (const double flops : {1e6, 1e300}) { schedules[2].add(Compute{star().gpu(0), 0, 0, flops, 0, 1e15}); }
    schedules[3].connections = {there()};
    schedules[3].add(Transfer{0, {1000}, {}});
    schedules[3].add(Transfer{0, {1000}, {std::numeric_limits<std::int64_t>::max()}});  // software latency
    return schedules;
}

std::string refusal(const Engine& engine, const Schedule& schedule) {
    try {
        replay(engine, star(), schedule);
    } catch (const OutOfRange& error) { return error.what(); }
    return "accepted";
}

}  // namespace

TEST_CASE("every engine refuses a time beyond its clock, and names the operation that takes it") {
    for (const Schedule& schedule : too_long()) {
        for (const Engine& engine : {Engine{Flow{}}, Engine{Analytic{}}, Engine{Packet{}}}) {
            CAPTURE(engine.index());
            CHECK_THAT(refusal(engine, schedule), ContainsSubstring("operation 1 ("));
        }
    }
}

TEST_CASE("engine simgrid refuses a time beyond the clock, and names the operation that takes it") {
    try {
        for (const Schedule& schedule : too_long()) {
            CHECK_THAT(refusal(SimGrid{}, schedule), ContainsSubstring("operation 1 ("));
        }
    } catch (const MissingEngine&) { SKIP_TEST("this build has no SimGrid"); }
}

TEST_CASE("what a pipeline takes alone, a refusal says with its start") {
    Schedule schedule;
    schedule.edge_sets.push_back(EdgeList{{{{.src = star().gpu(0), .dst = star().gpu(1)}}}});
    Pipeline pipeline;  // 5e6 s at 25 GB/s, after as long
    pipeline.bytes_per_edge = pipeline.chunk = 25e9 * 5e6;
    pipeline.start = from_seconds(5e6);
    schedule.add(pipeline);
    CHECK_THAT(refusal(Flow{}, schedule), ContainsSubstring("alone takes 1e+07 s"));
}

TEST_CASE("what a message takes alone is its start, its path's latency and its bytes at the path's rate") {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link.latency = from_seconds(1.5e6);  // of two cables
    const Fabric far(tiny::cluster(2, 1, spec));
    Schedule schedule;
    schedule.connections = {{.path = {.src = far.nic(0, 0), .dst = far.nic(1, 0)}}};
    schedule.add(Transfer{0, {static_cast<std::int64_t>(25e9 * 2.5e6)}, from_seconds(4.5e6)});
    try {
        replay(Flow{}, far, schedule);
        FAIL("accepted");
    } catch (const OutOfRange& error) { CHECK_THAT(error.what(), ContainsSubstring("alone takes 1e+07 s")); }
}

TEST_CASE("engine packet refuses beyond its 70 s what the others run") {
    Schedule schedule;
    schedule.connections = {there()};
    schedule.add(Transfer{0, {1000}, {hour}});
    CHECK(replay(Flow{}, star(), schedule).makespan > Duration{hour});
    CHECK_THAT(refusal(Packet{}, schedule), ContainsSubstring("70 s"));
}

TEST_CASE("a prediction beyond the clock is none: the link recovers before") {
    Schedule schedule;
    schedule.connections = {there()};
    schedule.add(Transfer{0, {25'000'000}, {}});  // 1 ms at 25 GB/s
    const Path path = star().path(schedule.connections[0].path);
    const LinkId link = path.span().front();
    // At 25 GB/s x 1e-15 it would take 32,000 years.
    const Timeline timeline = replay(
        Flow{}, star(), schedule, {{.at = {}, .link = link, .share = 1e-15}, {.at = {hour}, .link = link, .share = 1}});
    CHECK(to_seconds(timeline.makespan) == Approx(3600.001));
}
