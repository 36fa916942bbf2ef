// Blame on clusters whose figures are round (NVLink 100 GB/s and 1 us a path; see tests/support/tiny_clusters.hpp), and
// over the shipped scenarios: it adds up to the whole.

#include <filesystem>
#include <map>

#include "sim/engines/engine.hpp"
#include "sim/report/trace.hpp"
#include "sim/run/explain/explained_run.hpp"
#include "sim/run/explain/explanation.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

Connection between(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
    Connection connection;
    connection.path.src = fabric.gpu(from);
    connection.path.dst = fabric.gpu(to);
    return connection;
}

// Seconds of each kind and word on the critical path to the last operation.
std::map<std::string, double> blamed(const Fabric& fabric, Schedule schedule, std::span<const LinkEvent> events = {}) {
    keep_all(schedule);
    const Timeline timeline = replay(Flow{}, fabric, schedule, {events.begin(), events.end()});
    const OpId last{static_cast<std::uint32_t>(schedule.size() - 1)};
    std::map<std::string, double> seconds;
    for (const Blame& blame : critical_path(fabric, schedule, timeline, last, Time{}, {}, events).sorted()) {
        seconds[std::string(to_string(blame.kind)) + " " + blame.what] += blame.seconds;
    }
    return seconds;
}

double sum(const std::map<std::string, double>& seconds) {
    double total = 0;
    for (const auto& [what, value] : seconds) { total += value; }
    return total;
}

}  // namespace

TEST_CASE("what rounding left of a time is no line of the table") {
    Explanation explanation;
    explanation.run.seconds = 1;
    explanation.run.blames = {{BlameKind::compute, "arithmetic", "forward", "", 1},
                              {BlameKind::latency, "window of buffers", "data-parallel", "", 1.7e-19}};
    const std::string table = blame_table(explanation);
    CHECK_THAT(table, ContainsSubstring(" 100.0 %  1 s        compute    arithmetic") && !ContainsSubstring("latency"));
}

TEST_CASE("a message is blamed on its issue cost, the latency of its links and the link's bandwidth") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, nanoseconds(250)});
    const auto seconds = blamed(fabric, schedule);
    CHECK(seconds.at("protocol start of the message") == Approx(250e-9));
    CHECK(seconds.at("latency nvlink") == Approx(1e-6));
    CHECK(seconds.at("bandwidth nvlink") == Approx(1e-6));  // 100,000 B at 100 GB/s
    CHECK(seconds.size() == 3);
}

TEST_CASE("a message behind another of its connection waits on the wire, and its latency is hidden") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {1'000'000}, {}});
    schedule.add(Transfer{0, {1'000'000}, {}});
    const auto seconds = blamed(fabric, schedule);
    CHECK(seconds.at("bandwidth nvlink") == Approx(20e-6));
    CHECK(seconds.at("latency nvlink") == Approx(1e-6));
    CHECK(sum(seconds) == Approx(21e-6));
}

TEST_CASE("what a message loses to another on its link is waiting for others") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1), between(fabric, 0, 2)};
    schedule.add(Transfer{0, {1'000'000}, {}});
    schedule.add(Transfer{1, {1'000'000}, {}});
    const auto seconds = blamed(fabric, schedule);
    CHECK(seconds.at("bandwidth nvlink") == Approx(10e-6));
    CHECK(seconds.at("wait others on nvlink") == Approx(10e-6));
}

TEST_CASE("a slow link is blamed itself, at the rate that its events leave it, and others only for their part") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1), between(fabric, 0, 2)};
    schedule.add(Transfer{0, {1'000'000}, {}});
    const LinkId link = fabric.path(schedule.connections[0].path).links[0];
    const LinkEvent slow[] = {{Time{}, link, 0.1}};
    const auto alone = blamed(fabric, schedule, slow);
    CHECK(alone.at("bandwidth nvlink") == Approx(100e-6));
    CHECK(alone.at("latency nvlink") == Approx(1e-6));
    CHECK(alone.size() == 2);
    // For half of the bytes: 0.1 for 50 us, then all of it.
    const LinkEvent mended[] = {{Time{}, link, 0.1}, {Time{} + microseconds(51), link, 1}};
    CHECK(blamed(fabric, schedule, mended).contains("wait others on nvlink") == false);
    schedule.add(Transfer{1, {1'000'000}, {}});
    const auto shared = blamed(fabric, schedule, slow);
    CHECK(shared.at("bandwidth nvlink") == Approx(100e-6));
    CHECK(shared.at("wait others on nvlink") == Approx(100e-6));
}

TEST_CASE("a ring's blame is its closed form taken apart") {
    const Fabric fabric(tiny::one_node());
    NodeRing ring;
    ring.order = {0, 1, 2, 3};
    Schedule schedule;
    schedule.edge_sets.push_back(ring);
    Pipeline p;
    p.chunk = 10'000;
    p.bytes_per_edge = 6 * p.chunk;  // six steps, all of them stages
    p.cyclic = true;
    p.stage_count = 1;
    p.start = microseconds(3);
    PathQuery hop;
    hop.src = fabric.gpu(0);
    hop.dst = fabric.gpu(1);
    schedule.stages.push_back({6, hop, nanoseconds(500)});
    schedule.add(p);
    const auto seconds = blamed(fabric, schedule);
    CHECK(seconds.at("protocol start of the call") == Approx(3e-6));
    CHECK(seconds.at("latency nvlink") == Approx(6e-6));
    CHECK(seconds.at("protocol hop inside the node") == Approx(3e-6));
    CHECK(seconds.at("bandwidth nvlink") == Approx(0.6e-6));  // 6 x 10,000 B at 100 GB/s
    CHECK(seconds.size() == 4);

    // A copy loop of 5 GB/s takes 2 us for a chunk at each hop, in place of the link's 0.1 us.
    schedule.pipelines[0].edge_rate_cap = 5e9;
    const auto slow = blamed(fabric, schedule);
    CHECK(slow.at("protocol channel rate") == Approx(12e-6));
    CHECK(slow.at("latency nvlink") == Approx(6e-6));
    CHECK(sum(slow) == Approx(24e-6));
}

TEST_CASE("the critical path follows the dependency that was met last, through kernels and the host") {
    Cluster cluster = tiny::one_node();
    cluster.node.gpu.sms = 100;
    cluster.node.gpu.memory_bandwidth = 1e12;
    const Fabric fabric(cluster);
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1), between(fabric, 2, 3)};
    const OpId host = schedule.add(Delay{0, microseconds(5)});
    const Schedule::Dependency after_host[] = {{host}};
    Compute kernel;
    kernel.device = fabric.gpu(0);
    kernel.flops = 1e9;
    kernel.peak = 1e14;
    const OpId computed = schedule.add(kernel, after_host);  // 10 us
    const OpId sent = schedule.add(Transfer{1, {100'000}, {}});
    const Schedule::Dependency both[] = {{sent}, {computed}};
    schedule.add(Transfer{0, {100'000}, {}}, both);
    const auto seconds = blamed(fabric, schedule);
    CHECK(seconds.at("launch host") == Approx(5e-6));
    CHECK(seconds.at("compute arithmetic") == Approx(10e-6));
    CHECK(seconds.at("latency nvlink") == Approx(1e-6));
    CHECK(seconds.at("bandwidth nvlink") == Approx(1e-6));
}

TEST_CASE("the shares of every shipped scenario add up to 100 %, of the time that run gives") {
    int explained = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICAST_SOURCE_DIR "/scenarios")) {
        if (entry.path().extension() != ".yaml") { continue; }
        INFO(entry.path().filename().string());
        Scenario scenario = single_point(read_scenario(entry.path()));
        if (std::holds_alternative<Packet>(scenario.engine)) { scenario.engine = Flow{}; }
        const ExplainedRun run = explain_run(scenario, catalogue());
        double total = 0;
        for (const Blame& blame : run.blames) {
            CHECK(blame.seconds >= 0);
            total += blame.seconds;
        }
        CHECK(total == Approx(run.seconds).epsilon(1e-9));
        CHECK(run.seconds == seconds_of(simulate(scenario, catalogue())));
        ++explained;
    }
    CHECK(explained > 20);
}

TEST_CASE("an explanation says that a key has an old name") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: dgx-a100}\nworkload: {kind: transfer, from: node0.gpu0, to: node0.memory0, beside: "
        "[node0.gpu1 -> node0.memory0], sizes: [1 MiB]}\n",
        "t.yaml");
    CHECK_THAT(explain_run(scenario, catalogue()).notes.back(), ContainsSubstring("`workload.beside` is now called"));
}
