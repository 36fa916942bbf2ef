// fabricast run, from outside: exit codes, files, threads, Ctrl-C.

#include "base/json.hpp"
#include "sim/report/result_file.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* small = R"(name: small
cluster: {node: dgx-h100, nodes: 2, fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2}}
workload: {kind: collective, collective: all_reduce, sizes: [8 B, 64 KiB, 1 MiB, 64 MiB]}
scaling: {nodes: [1, 2, 4], step: {compute: 120 ms, bytes: 2 GiB, overlap: 0.5}}
)";

Json read_json(const fs::path& path) { return Json::parse(text_of(path)); }

std::size_t rows_of(const std::string& table) {
    std::istringstream lines(table);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) { rows += !line.empty() && line.front() != '#' ? 1 : 0; }
    return rows;
}

}  // namespace

TEST_CASE("a run prints a row a size, a point a cluster and what it rests on") {
    const ScratchFolder scratch("run");
    scratch.write("small.yaml", small);
    const Ran ran = run_program("run small.yaml", scratch.path, scratch);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());  // no progress where stderr is not a terminal
    CHECK(rows_of(ran.out) == 4 + 3);
    const std::string last = ran.out.substr(ran.out.rfind('\n', ran.out.size() - 2) + 1);
    CHECK(last.starts_with("# weakest evidence: dgx-h100 x 2"));
}

TEST_CASE("what a run does not read, and events that change nothing, are noted") {
    const ScratchFolder scratch("idle");
    const auto noted = [&](const std::string& workload, const std::string& more) {
        scratch.write("idle.yaml", "name: idle\ncluster: {node: dgx-h100, nodes: 1}\nworkload: {" + workload +
                                       ", sizes: [8 B, 64 KiB]}\n" + more);
        const Ran ran = run_program("run idle.yaml", scratch.path, scratch);
        CHECK(ran.code == 0);
        return ran.out + ran.err;
    };
    const std::string transfer = "kind: transfer, from: node0.gpu0, to: node0.gpu1";
    const std::string collective = "kind: collective, collective: all_reduce";
    const auto nothing = ContainsSubstring("nothing here");
    const std::string both = noted(transfer, "library: {nccl: \"2.20\"}\nlaunch: {iterations: 2}\n");
    CHECK_THAT(both, ContainsSubstring("keys of `library:` change nothing here: a transfer reads none"));
    CHECK_THAT(both, ContainsSubstring("keys of `launch:` change nothing here"));
    CHECK_THAT(noted(collective, "library: {nccl: \"2.20\"}\nlaunch: {iterations: 2}\n"), !nothing);
    const std::string packet = "engine: packet\nlaunch: {iterations: 1}\npacket: ";
    CHECK_THAT(
        noted(collective, packet + "{congestion_control: dcqcn, swift: {base_target: 30 us}, trim_after: 9 us}\n"),
        ContainsSubstring("keys of `packet.swift:` change nothing here: only congestion_control swift") &&
            ContainsSubstring("`packet.trim_after` changes nothing here"));
    CHECK_THAT(noted(collective, packet + "{congestion_control: swift, swift: {base_target: 30 us}}\n"), !nothing);
    CHECK_THAT(noted(collective, "packet: {mtu: 1 KiB}\n"), ContainsSubstring("only engine packet reads them"));
    CHECK_THAT(noted(collective, "events: [{device: node0.gpu0, share: 0.5, at: 1000 s}]\n"),
               ContainsSubstring("events[0] changes nothing here: it comes after the end, at "));
    CHECK_THAT(
        noted(collective, "events: [{device: node0.gpu0, share: 0.5, at: 1 us}, {device: node0.nic0, share: 0}]\n"),
        ContainsSubstring("events[1] changes nothing here: one node sends nothing over its adapters") &&
            !ContainsSubstring("events[0]"));
    // Ranks end at different times only in chains; only copy engines have less to do in place.
    const std::string average = "launch: {average: max}\n";
    CHECK_THAT(noted(collective, average), ContainsSubstring("`launch.average` changes nothing here"));
    CHECK_THAT(noted("kind: collective, collective: broadcast", average), !nothing);
    CHECK_THAT(noted(collective + ", in_place: true", ""),
               ContainsSubstring("`workload.in_place` changes nothing here"));
    const std::string copied = "kind: collective, collective: all_gather, in_place: ";
    const std::string engines = "library: {nccl: \"2.28\", registered: window, env: {NCCL_CTA_POLICY: ZERO}}\n";
    CHECK_THAT(noted(copied + "true", engines), !nothing);
    CHECK(noted(copied + "true", engines) != noted(copied + "false", engines));
    CHECK_THAT(noted(collective, "prices: {quantum-2: 1 USD}\n"),
               ContainsSubstring("`prices` change nothing here: only `study` counts costs"));
    const Ran managed = run_program(
        "run scenarios/dgx-h100-128-rail.yaml --set cluster.nodes=127 --set "
        "workload.sizes='[1 MiB]' --set cluster.fabric.management_ports=4",
        fabricast::testing::root, scratch);
    CHECK(managed.code == 0);
    CHECK_THAT(managed.out, ContainsSubstring("`cluster.fabric.management_ports` changes nothing here"));
    // A variable that is modelled counts where some time hangs on it, whatever the engine.
    const std::string variables =
        "library: {nccl: \"2.20\", env: {NCCL_COLLNET_ENABLE: \"1\", NCCL_ALGO: tree, NCCL_CROSS_NIC: \"1\"}}\n";
    for (const std::string engine : {"", "engine: packet\n"}) {
        CHECK_THAT(noted(collective, variables + engine),
                   ContainsSubstring("NCCL_COLLNET_ENABLE=1 changes nothing here: all times are the same without it") &&
                       ContainsSubstring("NCCL_CROSS_NIC=1 changes") && !ContainsSubstring("NCCL_ALGO=tree changes"));
    }
}

TEST_CASE("a name's control characters do not reach the terminal") {
    const ScratchFolder scratch("name");
    scratch.write("n.yaml",
                  "name: \"x\\ny\"\ncluster: {node: dgx-h100}\n"
                  "workload: {kind: collective, sizes: [8 B]}\n");
    CHECK_THAT(run_program("run n.yaml", scratch.path, scratch).out, ContainsSubstring("# x\\x0ay: all_reduce"));
}

TEST_CASE("the threads change nothing") {
    const ScratchFolder scratch("threads");
    scratch.write("small.yaml", small);
    const Ran one = run_program("run small.yaml --threads 1 --json one.json", scratch.path, scratch);
    const Ran four = run_program("run small.yaml --threads 4 --json four.json", scratch.path, scratch);
    CHECK(one.code == 0);
    CHECK(one.out == four.out);
    CHECK(text_of(scratch.path / "one.json") == text_of(scratch.path / "four.json"));
}

TEST_CASE("files hold the whole result and meet the schema") {
    const ScratchFolder scratch("files");
    scratch.write("small.yaml", small);
    const Ran ran =
        run_program("run small.yaml --quiet --json r.json --csv r.csv --trace t.json", scratch.path, scratch);
    CHECK(ran.code == 0);
    const Json result = read_json(scratch.path / "r.json");
    CHECK(violation(result, result_json_schema()) == "");
    CHECK(result.at("rows").size() == 4);
    CHECK(result.at("points").size() == 3);
    CHECK(result.at("figures").size() > 0);
    const std::string csv = text_of(scratch.path / "r.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
    const Json trace = read_json(scratch.path / "t.json");
    CHECK(trace.at("traceEvents").size() > 4);
    // The resolved scenario runs again, to the same rows.
    scratch.write("again.yaml", result.at("scenario").dump(2));
    const Ran again = run_program("run again.yaml --quiet --json again.json", scratch.path, scratch);
    CHECK(again.code == 0);
    CHECK(read_json(scratch.path / "again.json").at("rows") == result.at("rows"));
}

TEST_CASE("an override asks a what-if") {
    const ScratchFolder scratch("override");
    scratch.write("small.yaml", small);
    const Ran ran = run_program(
        "run small.yaml --set workload.sizes='[1 MiB]' --set workload.algorithm=ring "
        "--set scaling.nodes='[2]' --engine analytic --quiet --json r.json",
        scratch.path, scratch);
    CHECK(ran.code == 0);
    const Json result = read_json(scratch.path / "r.json");
    CHECK(result.at("rows").size() == 1);
    CHECK(result.at("rows")[0].at("algorithm") == "ring");
    CHECK(result.at("engine") == "analytic");
}

TEST_CASE("a failed assert is said with its place and ends with 5, after the result is written") {
    const ScratchFolder scratch("assert");
    scratch.write("small.yaml", std::string(small) + "assert: [\"busbw(64 MiB) > 1 TB/s\", \"time(8 B) < 1 s\"]\n");
    const Ran ran = run_program("run small.yaml --json r.json", scratch.path, scratch);
    CHECK(ran.code == 5);
    CHECK(ran.first_error_line().starts_with("small.yaml:5:9: assert failed: busbw(64 MiB) > 1 TB/s: found "));
    CHECK(ran.err.find("time(8 B)") == std::string::npos);
    CHECK(fs::exists(scratch.path / "r.json"));
}

TEST_CASE(
    "a link that slows down slows the result; one that is down is gone round, or ends the run with 3 and its name") {
    const ScratchFolder scratch("events");
    scratch.write("small.yaml", small);
    const auto time_with = [&](const std::string& events) {
        const Ran ran =
            run_program("run small.yaml --set workload.sizes='[1 GiB]' --set workload.algorithm=ring --set events='[" +
                            events + "]' --quiet --json r.json",
                        scratch.path, scratch);
        REQUIRE(ran.code == 0);
        return read_json(scratch.path / "r.json").at("rows")[0].at("time_s").get<double>();
    };
    const double whole = time_with("");
    const double half = time_with("{at: 0 ps, link: leaf0 -> node0.nic0, share: 0.5}");
    CHECK(half > 1.5 * whole);
    CHECK(half < 2.1 * whole);
    // Seven rails carry on, one of them with two rings' traffic.
    const double rerouted = time_with("{at: 0 ps, link: leaf0 -> node0.nic0, share: 0}");
    CHECK(rerouted > 1.5 * whole);
    CHECK(rerouted < 2.5 * whole);
    const Ran down = run_program(
        "run small.yaml --set cluster.node=gh200-1x --set scaling.nodes='[2]' "
        "--set events='[{at: 0 ps, link: leaf0 -> node0.nic0, share: 0}]'",
        scratch.path, scratch);
    CHECK(down.code == 3);
    CHECK(down.err.starts_with("small.yaml:2:10: the run cannot end: "));
    CHECK_THAT(down.err, ContainsSubstring("leaf0 -> node0.nic0"));
    const Ran unknown = run_program("run small.yaml --set events='[{at: 0 ps, link: leaf0 -> node0.nci0, share: 0}]'",
                                    scratch.path, scratch);
    CHECK(unknown.code == 2);
    CHECK_THAT(unknown.err, ContainsSubstring("nearest: 'leaf0 -> node0.nic0'"));
}

TEST_CASE("devices that no path joins end the run with 3, named") {
    const ScratchFolder scratch("unreachable");
    scratch.write(
        "cut.yaml",
        "name: cut\n"
        "cluster: {node: dgx-h100, nodes: 2, graph: {devices: [{name: leaf0}], cables: [{a: node0.nic0, b: leaf0, "
        "link: infiniband-ndr}]}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const Ran ran = run_program("run cut.yaml --json r.json", scratch.path, scratch);
    CHECK(ran.code == 3);
    CHECK(ran.out.empty());
    CHECK_FALSE(fs::exists(scratch.path / "r.json"));
    CHECK(ran.first_error_line().starts_with("cut.yaml:2:10: the run cannot end: no path from node0.gpu"));
}

TEST_CASE("a wrong command line is refused with 2 and says what is accepted") {
    const ScratchFolder scratch("usage");
    scratch.write("small.yaml", small);
    const auto refused = [&](const std::string& arguments) {
        const Ran ran = run_program(arguments, scratch.path, scratch);
        INFO(arguments << ": " << ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        return ran.first_error_line();
    };
    CHECK_THAT(refused("rnu small.yaml"), ContainsSubstring("nearest: 'run'"));
    CHECK_THAT(refused("run"), ContainsSubstring("which scenario?"));
    CHECK_THAT(refused("run small.yaml --thread 2"), ContainsSubstring("usage: fabricast run"));
    CHECK_THAT(refused("run small.yaml --threads 1025"), ContainsSubstring("from 0 to 1024"));
    CHECK_THAT(refused("run small.yaml --threads two"), ContainsSubstring("threads"));
    CHECK_THAT(refused("run small.yaml other.yaml"), ContainsSubstring("usage: fabricast run"));
    CHECK_THAT(refused("run small.yaml --set cluster.nodes"), ContainsSubstring("--set:1:1: not an assignment"));
    CHECK_THAT(refused("run small.yaml --engine parcel"), ContainsSubstring("--set:1:8: 'engine'"));
    CHECK_THAT(refused("run small.yaml --calibration gone.yaml"), ContainsSubstring("gone.yaml:1:1: cannot be read"));
    refused("");
}

TEST_CASE("help and version are printed and end with 0") {
    const ScratchFolder scratch("help");
    CHECK_THAT(run_program("--help", scratch.path, scratch).out, ContainsSubstring("  run  "));
    CHECK(run_program("--help", scratch.path, scratch).code == 0);
    CHECK_THAT(run_program("run --help", scratch.path, scratch).out, ContainsSubstring("--trace FILE"));
    CHECK(run_program("--version", scratch.path, scratch).out.starts_with("fabricast "));
}

TEST_CASE("a file that cannot be written ends with 1, before the run") {
    const ScratchFolder scratch("unwritable");
    scratch.write("small.yaml", small);
    const Ran ran = run_program("run small.yaml --json no/such/folder/r.json", scratch.path, scratch);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("no/such/folder/r.json"));
    CHECK(run_program("run small.yaml >/dev/full; test $? = 1", scratch.path, scratch).code == 0);
}

TEST_CASE("bad input leaves an older result untouched") {
    const ScratchFolder scratch("untouched");
    scratch.write("r.json", "older");
    scratch.write("small.yaml", small);
    const Ran ran = run_program("run small.yaml --set cluster.node=dgx-h1000 --json r.json", scratch.path, scratch);
    CHECK(ran.code == 2);
    CHECK(text_of(scratch.path / "r.json") == "older");
}

TEST_CASE("Ctrl-C keeps whole rows and ends with 130") {
    const ScratchFolder scratch("interrupt");
    // Far longer than a second on any machine: a millisecond and more for each of 6,500 rows.
    scratch.write("long.yaml",
                  "name: long\n"
                  "cluster: {node: dgx-h100, nodes: 1024}\n"
                  "workload: {kind: collective, sizes: {from: 8 B, to: 1 PiB, factor: 1.005}}\n");
    // The program gets the signal while it runs; `wait` gives its exit code.
    const Ran ran = run_program("run long.yaml --threads 1 --csv r.csv & p=$!; sleep 1; kill -INT $p; wait $p",
                                scratch.path, scratch);
    CHECK(ran.code == 130);
    CHECK((ran.out.empty() || ran.out.back() == '\n'));
    const std::string csv = text_of(scratch.path / "r.csv");
    CHECK(rows_of(ran.out) + 1 == static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')));
    CHECK_THAT(ran.err, ContainsSubstring("stopped"));
}
