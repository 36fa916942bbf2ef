// The probes as their users run them, built by the test before this one. probe-ucx moves real bytes over shared memory
// and TCP loopback; a probe whose device is not here says so in one line.

#include <set>
#include <utility>
#include <vector>

#include "tests/probes/probe_run.hpp"
#include "validate/import/formats.hpp"
#include "validate/transfers/ucx_self.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fabricast::test;
using fabricast::Measurement;
using Scratch = ProbeFolder;

const fs::path build = FABRICAST_PROBES;

ProbeRan run(const Scratch& scratch, const std::string& probe, const std::string& arguments,
             const std::string& before = "") {
    return run_probe(scratch, build / "bin" / probe, arguments, before);
}

bool is_built(const std::string& probe) { return fs::exists(build / "bin" / probe); }

void check_rows(const Measurement& m) {
    for (std::size_t row = 0; row < m.rows.size(); ++row) { check_row(m, row); }
}

}  // namespace

TEST_CASE("the build names every probe, built or left out") {
    const std::string told = text_of(build / "built.txt");
    CHECK_THAT(told, ContainsSubstring("probe-ucx: "));
    for (const char* probe : {"probe-ucx", "probe-rdma", "probe-cuda", "probe-nccl"}) {
        const bool left_out = told.find(std::string(probe) + ": left out") != std::string::npos;
        CHECK(is_built(probe) != left_out);
    }
}

TEST_CASE("probe-ucx moves checked data over shared memory and TCP and writes what fabricast reads") {
    REQUIRE(is_built("probe-ucx"));
    const Scratch scratch;
    const ProbeRan ran = run(
        scratch, "probe-ucx",
        "--sizes 8:1MiB:32 --rounds 2 --samples 3 --budget 3 --directions to --devices lo --output ucx.yaml --name ci");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(ran.err.empty());  // no terminal, no progress line
    const Measurement m = fabricast::read_measurement(scratch.path / "ucx.yaml");
    CHECK(m.kind == "ucx");
    CHECK_FALSE(fabricast::text(m.software, "ucx").empty());
    CHECK_FALSE(fabricast::text(m.system, "cpu").empty());
    CHECK(fabricast::text(m.benchmark, "options").find("--rounds 2") != std::string::npos);
    CHECK_THAT(std::string(fabricast::text(m.benchmark, "lanes_tcp")), ContainsSubstring("tcp/"));
    // 2 transports x (3 latencies + 3 rates) x 5 sizes x 2 rounds.
    REQUIRE(m.rows.size() == std::size_t{2} * 6 * 5 * 2);
    check_rows(m);
    std::set<std::vector<std::string>> points;
    for (const auto& row : m.rows) {
        points.insert({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(column(m, "iterations"))});
    }
    CHECK(points.size() == m.rows.size());
    // How well its rounds foretell each other is not a question for a test: neighbours decide it (a factor of 3.1 was
    // seen). `fabricast-ucx-self` prints it, and ucx_self_test holds the rule against planted rounds.
    CHECK(fabricast::forecast_itself(m).curves == std::size_t{2} * 6);
    // And readers take each curve as a measurement of its own.
    CHECK(fabricast::read_measurements((scratch.path / "ucx.yaml").string()).size() == std::size_t{2} * 6);
}

TEST_CASE("probe-ucx measures from the other end, and both ways at once") {
    REQUIRE(is_built("probe-ucx"));
    const Scratch scratch;
    const ProbeRan ran = run(scratch, "probe-ucx",
                             "--sizes 64KiB --rounds 1 --samples 3 --budget 3 --directions from,both --devices lo "
                             "--peer thread --output both.yaml");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Measurement m = fabricast::read_measurement(scratch.path / "both.yaml");
    CHECK(m.rows.size() == std::size_t{2} * 9);  // 2 transports x (3 latencies + 3 rates x 2 directions)
    check_rows(m);
}

TEST_CASE("Ctrl-C leaves whole rows and exit 130") {
    REQUIRE(is_built("probe-ucx"));
    const Scratch scratch;
    const ProbeRan ran = run(scratch, "probe-ucx", "--sizes 8:64 --rounds 1000 --transports shm --output cut.yaml",
                             "timeout --foreground -s INT 6");
    // `timeout` itself tells 124; the line is the probe's. Without --foreground it signals the probe and then its
    // group: twice, and a second Ctrl-C kills.
    CHECK(ran.code == 124);
    CHECK_THAT(ran.err, ContainsSubstring("stopped; the rows measured so far are kept"));
    const Measurement m = fabricast::read_measurement(scratch.path / "cut.yaml");
    CHECK_FALSE(m.rows.empty());
    check_rows(m);
    CHECK_THAT(m.notes, ContainsSubstring("stopped before the end"));
}

TEST_CASE("two probes meet over TCP as two hosts would") {
    REQUIRE(is_built("probe-ucx"));
    const Scratch scratch;
    const std::string port = std::to_string(20000 + getpid() % 20000);
    const std::string probe = (build / "bin/probe-ucx").string();
    const std::string server = "'" + probe + "' --listen --address 127.0.0.1 --port " + port + " 2>/dev/null & ";
    const std::string common = " --port " + port + " --transports tcp --devices lo --sizes 8,64KiB --rounds 1";
    const std::string command = "cd '" + scratch.path.string() + "' && { " + server + "'" + probe +
                                "' --peer 127.0.0.1" + common + " --samples 3 --output pair.yaml >/dev/null; r=$?; " +
                                "wait; exit $r; }";
    REQUIRE(std::system(command.c_str()) == 0);
    const Measurement m = fabricast::read_measurement(scratch.path / "pair.yaml");
    CHECK(fabricast::text(m.system, "nodes") == "2");
    CHECK(m.rows.size() == std::size_t{9} * 2);
    check_rows(m);
}

TEST_CASE("a wrong command line is exit 2 and writes nothing") {
    const Scratch scratch;
    std::vector<std::pair<std::string, std::string>> commands = {
        {"probe-ucx", "--operations fly"}, {"probe-ucx", "--window many"},    {"probe-rdma", "--queue-pairs 0"},
        {"probe-rdma", "--sizes 2GiB"},    {"probe-cuda", "--tests upwards"}, {"probe-nccl", "--algorithms Ping"},
        {"probe-nccl", "--protocols LL3"}};
    for (const char* probe : {"probe-ucx", "probe-rdma", "probe-cuda", "probe-nccl"}) {
        for (const char* wrong : {"--size 8", "--sizes 8:x", "--rounds 0", "stray"}) {
            commands.emplace_back(probe, wrong);
        }
    }
    for (const auto& [probe, wrong] : commands) {
        if (!is_built(probe)) {
            continue;  // told by the first test here
        }
        const ProbeRan ran = run(scratch, probe, wrong);
        INFO(probe << ' ' << wrong << ": " << ran.err);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("accepted"));
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
        CHECK_FALSE(fs::exists(scratch.path / (probe + ".yaml")));
    }
}

TEST_CASE("a device that is not here is one line and exit 4") {
    const Scratch scratch;
    std::vector<std::pair<std::string, std::string>> commands = {{"probe-ucx", "--transports nonesuch --rounds 1"}};
    if (!fs::exists("/sys/class/infiniband") || fs::is_empty("/sys/class/infiniband")) {
        commands.emplace_back("probe-rdma", "--rdma-address 127.0.0.1");
        commands.emplace_back("probe-rdma", "--listen");
    }
    if (!fs::exists("/dev/nvidiactl")) {
        commands.emplace_back("probe-ucx", "--memory gpu");
        commands.emplace_back("probe-cuda", "--sizes 4");
        commands.emplace_back("probe-nccl", "--sizes 8");
    }
    for (const auto& [probe, arguments] : commands) {
        if (!is_built(probe)) {
            continue;  // told by the first test here
        }
        const ProbeRan ran = run(scratch, probe, arguments);
        INFO(probe << ' ' << arguments << ": " << ran.err);
        CHECK(ran.code == 4);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
        CHECK_FALSE(fs::exists(scratch.path / (probe + ".yaml")));
    }
}
