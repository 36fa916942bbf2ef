#include <set>
#include <sstream>

#include "sim/report/result_file.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/table.hpp"
#include "sim/report/trace.hpp"
#include "sim/report/traffic.hpp"
#include "sim/run/scaling.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"

using namespace fabricast;

namespace {

Row row_of(std::int64_t size, double time, Evidence evidence) {
    return {{size},
            time,
            time * 0.9,
            time * 1.1,
            static_cast<double>(size) / time,
            static_cast<double>(size) / time * 1.5,
            "ring",
            "ll128",
            4,
            "node0.gpu0 -> node0.gpu1 97 %",
            evidence};
}

Scenario small_scenario() {
    Scenario scenario;
    scenario.name = "small";
    scenario.cluster.node = "dgx-h100";
    collective_of(scenario).sizes = {{8}, {1024}};
    return scenario;
}

Report small_report() {
    Report report;
    report.scenario = "small";
    report.rows = {row_of(8, 12.345e-6, Evidence::same_family), row_of(1024, 1234e-6, Evidence::measured_here)};
    report.figures = {{"nccl-2.27", "hop", "s", "fitted", "a, \"b\"", 1e-6, 0.9e-6, 1.1e-6}};
    report.evidence_notes = {"nearest data 4 nodes"};
    report.notes = {"an assumption"};
    return report;
}

Timing iterations(int count) { return {count, 0}; }

}  // namespace

TEST_CASE("no interval reaches past what the links can carry") {
    // Over two nodes each of the eight NICs carries an eighth of a tree's bytes once, a ring's 15/8 of it.
    for (const auto& [algorithm, crossings] : {std::pair("nvls-tree", 1.0), {"tree", 1.0}, {"ring", 15.0 / 8}}) {
        const Scenario scenario = parse_scenario(
            std::string("name: t\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: collective, algorithm: ") +
                algorithm + ", sizes: [1 MiB, 256 MiB, 8 GiB]}\n",
            "t.yaml");
        const Fabric fabric(build(scenario, catalogue()));
        const Path path = fabric.path({.src = fabric.nic(0, 0), .dst = fabric.nic(1, 0)});
        for (const Row& row : simulate(scenario, catalogue()).rows) {
            INFO(algorithm << " " << row.size.count);
            const double least =
                crossings * static_cast<double>(row.size.count) / 8 / fabric.link(path.links[0]).capacity;
            CHECK(row.time_low80_s >= 0.999 * least);
            CHECK(row.time_low80_s < row.time_s);
        }
    }
}

TEST_CASE("a chain of packets takes no less than its slowest cable needs, however fast its first hop is") {
    // Over one EDR port of 12.36 GB/s; the first hop is an NVLink.
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: power9-v100-4x, nodes: 2}\nworkload: {kind: collective, collective: broadcast, "
        "sizes: [32 MiB]}\nengine: packet\n",
        "t.yaml");
    const Row row = simulate(scenario, catalogue()).rows.at(0);
    CHECK(row.algbw <= 12.37e9);
    CHECK(row.algbw > 11e9);
}

TEST_CASE("of calls that overlap the average counts, with half of the last one's way to the far end: ranks' mean") {
    Timeline timeline;
    timeline.kept = {{OpId{0}, {}, {}, microseconds(10)},
                     {OpId{1}, {}, {}, microseconds(15)},
                     {OpId{2}, {}, {}, microseconds(20)},
                     {OpId{3}, {}, {}, microseconds(60)}};
    CHECK(iteration_time({3, 20}, timeline) == Approx((40e-6 + 17 * 5e-6) / 20));
}

TEST_CASE("the time of one iteration is the distance of the last two ends") {
    Timeline timeline;
    timeline.kept = {
        {OpId{0}, {}, {}, microseconds(30)}, {OpId{1}, {}, {}, microseconds(50)}, {OpId{0}, {}, {}, microseconds(1)}};
    CHECK(iteration_time(iterations(2), timeline) == Approx(20e-6));  // what --trace keeps behind them does not count
    CHECK(iteration_time(iterations(1), timeline) == Approx(30e-6));
}

TEST_CASE("the table has nccl-tests' columns and ends with the weakest evidence") {
    const Scenario scenario = small_scenario();
    const Report report = small_report();
    std::istringstream row(table_row(report.rows[0]));
    double size = 0, time = 0, algbw = 0, busbw = 0;
    std::string interval;
    row >> size >> time >> interval >> algbw >> busbw;
    CHECK(interval.find('/') != std::string::npos);  // "-9/+14": the ends of the 80 % interval, in percent
    CHECK(size == 8);
    CHECK(time == Approx(12.35).margin(0.011));
    CHECK(busbw == Approx(algbw * 1.5).margin(0.01));
    CHECK_THAT(table_row(report.rows[1]), ContainsSubstring("1234 "));
    CHECK_THAT(table_row(report.rows[0]),
               ContainsSubstring("ring") && ContainsSubstring("ll128") && ContainsSubstring("same family"));
    const std::string footer = table_footer(scenario, report);
    CHECK(footer ==
          "# an assumption\n# weakest evidence: dgx-h100 x 1: same family, at 1 of 2 sizes (8 B); nearest data 4 "
          "nodes\n");
    for (const std::string& text : {table_header(scenario), footer}) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            CHECK(line.starts_with('#'));  // so that nccl-tests' parsers skip it
        }
    }
}

TEST_CASE("the heading names the GPU that is really used") {
    Scenario scenario = small_scenario();
    CHECK_THAT(table_header(scenario), ContainsSubstring("on dgx-h100 x 1"));
    scenario.cluster.node_options["gpu"] = "h20";
    CHECK_THAT(table_header(scenario), ContainsSubstring("on dgx-h100 with h20 x 1"));
    scenario.library.nccl = "2.22";
    CHECK_THAT(table_header(scenario), ContainsSubstring(", NCCL 2.22\n"));
    CHECK_THAT(table_header(scenario, 0, "RCCL"), ContainsSubstring(", RCCL 2.22\n"));
}

TEST_CASE("the result as JSON meets its schema, and says what it rests on") {
    Report report = small_report();
    report.points = {{1, 8, 2e10, 1, {}, {}, {}}, {2, 16, 1e10, 0.5, 0.2, 0.1, 0.5}};
    const Json result = result_json(small_scenario(), report);
    CHECK(test::violation(result, result_json_schema()) == "");
    CHECK(result.at("rows")[1].at("time_s") == 1234e-6);
    CHECK(result.at("figures")[0].at("origin") == "fitted");
    CHECK(result.at("engine") == "flow");
    CHECK_FALSE(result.at("points")[0].contains("efficiency"));
    // The schema can say no.
    Json broken = result;
    broken["rows"][0].erase("time_s");
    CHECK(test::violation(broken, result_json_schema()) == "$.rows[0] lacks \"time_s\"");
}

TEST_CASE("CSV has a line a row, and quotes what needs it") {
    Report report = small_report();
    report.rows[0].bottleneck = "a, \"b\"";
    std::istringstream lines(csv_text(result_records(small_scenario(), report)));
    std::string header, first, second, none;
    std::getline(lines, header);
    std::getline(lines, first);
    std::getline(lines, second);
    CHECK(header ==
          "size_bytes,time_s,time_low80_s,time_high80_s,algbw_Bps,busbw_Bps,algorithm,protocol,channels,bottleneck,"
          "evidence");
    CHECK_THAT(first, ContainsSubstring("\"a, \"\"b\"\"\""));
    CHECK(second.starts_with("1024,"));
    CHECK_FALSE(std::getline(lines, none));
}

TEST_CASE("a replayed trace is a line of CSV, with the columns that a sweep has") {
    Scenario scenario = small_scenario();
    scenario.workload = TraceWorkload{};
    Report report;
    CHECK(csv_text(result_records(scenario, report)) == "makespan_s,recorded_s,ranks,bottleneck\n");
    report.replay = ReplayReport{};
    report.replay->makespan_s = 0.5;
    report.replay->ranks = 16;
    report.replay->bottleneck = "kernels of rank 3: 81 %";
    CHECK(csv_text(result_records(scenario, report)) ==
          "makespan_s,recorded_s,ranks,bottleneck\n0.5,,16,kernels of rank 3: 81 %\n");
    report.replay->recorded_s = 0.25;
    CHECK_THAT(tsv_text(result_records(scenario, report)), ContainsSubstring("\n0.5\t0.25\t16\t"));
    CHECK(test::violation(result_json(scenario, report), result_json_schema()) == "");
}

TEST_CASE("a step's exposed communication is what computation does not hide") {
    // 120 ms of work and 40 ms of communication: half of it may hide, so 20 ms are exposed and 120 / 140 is left.
    ScalingPoint point;
    add_step(point, {{120'000'000'000}, {1}, 0.5}, 0.040);
    CHECK(*point.exposed_comm_s == Approx(0.020));
    CHECK(*point.step_time_s == Approx(0.140));
    CHECK(*point.efficiency == Approx(120.0 / 140.0));
    // No more can hide than there is work to hide behind.
    add_step(point, {{10'000'000'000}, {1}, 1.0}, 0.040);
    CHECK(*point.exposed_comm_s == Approx(0.030));
}

TEST_CASE("a trace names each row and lane once and keeps microseconds") {
    const std::vector<TraceSpan> spans = {{"8 B", "host 0", "delay", {}, microseconds(2)},
                                          {"8 B", "host 0", "delay", microseconds(2), microseconds(5)},
                                          {"1 KiB", "host 0", "delay", {}, microseconds(1)}};
    const Json events = parse_json(chrome_trace(spans), "trace").at("traceEvents");
    int names = 0;
    double busy = 0;
    for (const Json& event : events) {
        names += event.at("ph") == "M" ? 1 : 0;
        busy += event.at("ph") == "X" ? event.at("dur").get<double>() : 0;
    }
    CHECK(names == 4);  // two processes, a lane in each
    CHECK(busy == Approx(6));
}

TEST_CASE("a trace has a lane for each pipeline, named by who sends to whom") {
    const auto lanes = [](const std::string& workload) {
        const Scenario scenario =
            parse_scenario("name: t\ncluster: {node: dgx-h100, nodes: 4}\nworkload: {kind: collective, " + workload +
                               ", sizes: [1 MiB]}\n",
                           "t.yaml");
        std::string all;
        for (const TraceSpan& span : simulate(scenario, catalogue(), {}, {}, {1, true}).trace) {
            CHECK(span.start <= span.finish);
            CHECK(span.row == "1 MiB");
            all += span.lane + ": " + span.name + "\n";
        }
        return all;
    };
    CHECK_THAT(lanes("collective: all_to_all"),
               ContainsSubstring("pipeline 0: all pairs of 32 ranks: pipeline of 32.77 kB an edge"));
    CHECK_THAT(lanes("collective: sendrecv"), ContainsSubstring("pipeline 0: ring over 4 nodes: pipeline of "));
    CHECK_THAT(lanes("collective: all_reduce, algorithm: ring"), ContainsSubstring("pipeline 0: 256 edges: "));
    CHECK_THAT(lanes("collective: all_reduce, algorithm: ring"), ContainsSubstring("host 0: delay"));
}

// Lab 7: marks at a tenth of the queue that belongs to a port of 400 Gb/s cut fifteen senders so far that the
// receiver's cable idles for most of the time. No latency is the cause.
TEST_CASE("line 18: a row that congestion control holds back says so") {
    const auto row = [](const std::string& packet) {
        const Scenario scenario = parse_scenario(
            "name: incast\ncluster: {node: gh200-1x, nodes: 16, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
            "tomahawk-4, radix: 8, routing: ecmp}}\n"
            "workload: {kind: collective, collective: gather, sizes: [32 MiB]}\nengine: packet\npacket: " +
                packet + "\n",
            "incast.yaml");
        const Report report = simulate(scenario, catalogue());
        return std::pair(report.rows.at(0).bottleneck, report.packets.at(0).use.throttled);
    };
    const auto [throttled, share] = row("{preset: dcqcn-paper, buffer: 1 MiB, ecn: {k_min: 100, k_max: 400}}");
    CHECK(throttled.starts_with("congestion control "));
    CHECK(share > 0.5);
    CHECK(share <= 1);
    const auto [paused, none] = row("{preset: pfc-only, buffer: 1 MiB}");
    CHECK(paused.starts_with("leaf0 -> node0.nic0 "));
    CHECK(none == 0);
    // Nobody is told to send again what was dropped last: its sender waits.
    const auto [timeouts, nobody] =
        row("{flow_control: lossy, congestion_control: none, buffer: 1 MiB, retransmit_timeout: 2 ms}");
    CHECK(timeouts.starts_with("timeouts "));
    CHECK(nobody == 0);
}

TEST_CASE("congestion control that holds flows back for longer than a link is busy stands before the link") {
    const Report report =
        simulate(read_scenario(FABRICAST_SOURCE_DIR "/scenarios/packet-thresholds.yaml"), catalogue());
    CHECK(report.rows.at(0).bottleneck.starts_with("congestion control 71 %, leaf0 -> node0.nic0 5"));
}

TEST_CASE("cables between the same switches have names of their own in every list") {
    Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: gh200-1x, nodes: 16, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4, radix: 8, routing: ecmp}}\n"
        "workload: {kind: collective, collective: all_to_all, sizes: [256 KiB]}\nengine: packet\npacket: {preset: "
        "pfc-only, series: true}\n",
        "t.yaml");
    const Report report = simulate(scenario, catalogue());
    const std::vector<std::string>& names = report.packets.at(0).series;
    CHECK(std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(" (cable 2)"); }));
    CHECK(std::set(names.begin(), names.end()).size() == names.size());
    CHECK_THAT(chrome_trace({}, report.packets), ContainsSubstring("(cable 1)"));
    CHECK_THAT(packets_json(report.packets).dump(), ContainsSubstring("(cable 1)"));

    // Each of these cables is a path of its own. With adaptive routing they are one link, and no packet has a choice.
    const auto notes = [&](const char* fabric, PacketRouting packets) {
        scenario.cluster.routing = fabric;
        scenario.packet.routing = packets;
        const std::vector<std::string> all = simulate(scenario, catalogue()).notes;
        return std::ranges::count_if(all, [](const std::string& n) { return n.starts_with("packet.routing: "); });
    };
    CHECK(notes("adaptive", PacketRouting::spray) == 1);
    CHECK(notes("ecmp", PacketRouting::spray) == 0);
    CHECK(notes("adaptive", PacketRouting::ecmp) == 0);
}

TEST_CASE("calls that differ by chance are noted, by more than a twentieth") {
    PacketTraffic traffic;
    traffic.size = {1024};
    traffic.call_ends = {Time{} + microseconds(100), Time{} + microseconds(204), Time{} + microseconds(300)};
    CHECK(calls_differ(traffic).empty());  // nothing was drawn
    traffic.use.drops = 1;
    CHECK(calls_differ(traffic) ==
          "the calls at 1 KiB take 96 us to 104 us, as marks and losses fall; the row is the last of 3");
    traffic.call_ends[2] = Time{} + microseconds(304);
    CHECK(calls_differ(traffic).empty());  // 100, 104 and 100 us
}

TEST_CASE("figures are listed once") {
    std::vector<FigureUsed> all;
    merge_figures(all, small_report().figures);
    merge_figures(all, small_report().figures);
    CHECK(all.size() == 1);
}
