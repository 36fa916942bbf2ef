// fabricast sweep, from outside: killed at any moment, stopped, in shards, under mpirun.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "tests/cli/mpirun.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;
using namespace std::string_literals;

namespace {

namespace fs = std::filesystem;

// 48 points of some hundredths of a second each.
constexpr const char* many = R"(name: many
cluster: {node: dgx-h100, nodes: 64, fabric: {kind: fat-tree}}
workload: {kind: collective, collective: all_reduce, sizes: {from: 1 KiB, to: 1 GiB, factor: 2}}
sweep: {grid: {cluster.nodes: [16, 24, 32, 48, 64, 72, 80, 96], workload.algorithm: [auto, ring, tree]}}
)";
constexpr const char* vary = " --vary cluster.fabric.oversubscription=1,2 --vary workload.root=0";

std::size_t lines_of(const fs::path& path) {
    const std::string text = text_of(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Waits until the journal has so many lines, or the process is gone.
void wait_for_lines(const fs::path& journal, std::size_t lines, Process& process) {
    while (process.running() && (!fs::exists(journal) || lines_of(journal) < lines)) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
}

std::string resumed(const std::string& out) { return "sweep many.yaml" + std::string(vary) + " --resume --out " + out; }

}  // namespace

TEST_CASE("killed twenty times at random moments, a sweep ends with the same bytes and ran nothing twice") {
    const ScratchFolder scratch("sweep_killed");
    scratch.write("many.yaml", many);
    const Ran whole = run_program("sweep many.yaml" + std::string(vary) + " --out whole.csv", scratch.path, scratch);
    REQUIRE(whole.code == 0);
    REQUIRE(lines_of(scratch.path / "whole.csv") == 1 + 48 * 21);
    const fs::path journal = scratch.path / "killed.csv.journal";
    std::uint64_t state = 20261121;
    std::set<std::size_t> seen;
    for (int kill = 0; kill < 20; ++kill) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::size_t before = fs::exists(journal) ? lines_of(journal) : 0;
        Process process(resumed("killed.csv"), scratch.path);
        wait_for_lines(journal, before + (state >> 33U) % 4, process);
        std::this_thread::sleep_for(std::chrono::microseconds((state >> 40U) % 20000));
        process.end(SIGKILL);
        seen.insert(lines_of(journal));
    }
    CHECK(seen.size() > 5);  // kills did fall between points
    Process last(resumed("killed.csv"), scratch.path);
    wait_for_lines(journal, 1000, last);  // none: until it has ended
    CHECK(last.end(SIGCONT) == 0);
    CHECK(text_of(scratch.path / "killed.csv") == text_of(scratch.path / "whole.csv"));
    std::set<std::string> keys;
    std::istringstream lines(text_of(journal));
    std::size_t points = 0;
    for (std::string line; std::getline(lines, line);) {
        const Json json = Json::parse(line);
        points += json.contains("key") ? 1 : 0;
        keys.insert(json.value("key", ""));
    }
    CHECK(points == 48);
    CHECK(keys.size() == 48 + 1);  // with the empty one of header and end
    CHECK(fs::exists(scratch.path / "whole.csv.journal"));
    // Resumed once more there is nothing to do, and the same result stands there.
    const auto size = fs::file_size(journal);
    const Ran again =
        run_program("sweep many.yaml" + std::string(vary) + " --out killed.csv --resume", scratch.path, scratch);
    CHECK(again.code == 0);
    CHECK(fs::file_size(journal) == size);
}

TEST_CASE("a second sweep into a file that one is writing is refused, and the first ends whole") {
    const ScratchFolder scratch("sweep_twice");
    scratch.write("many.yaml", many);
    REQUIRE(run_program("sweep many.yaml" + std::string(vary) + " --out whole.csv", scratch.path, scratch).code == 0);
    Process first(resumed("twice.csv"), scratch.path);
    wait_for_lines(scratch.path / "twice.csv.journal", 3, first);
    first.stop();
    REQUIRE(first.running());
    const std::string journal = text_of(scratch.path / "twice.csv.journal");
    for (const std::string& arguments : {resumed("twice.csv"), "sweep many.yaml --out twice.csv"s}) {
        const Ran second = run_program(arguments, scratch.path, scratch);
        CHECK(second.code == 2);
        CHECK_THAT(second.err, ContainsSubstring("is being written by another sweep"));
        CHECK(std::ranges::count(second.err, '\n') == 1);
        CHECK(text_of(scratch.path / "twice.csv.journal") == journal);
        CHECK_FALSE(fs::exists(scratch.path / "twice.csv"));
    }
    CHECK(first.end(SIGCONT) == 0);
    CHECK(text_of(scratch.path / "twice.csv") == text_of(scratch.path / "whole.csv"));
}

TEST_CASE("Ctrl-C ends a sweep with 130, keeps its points and leaves no half result") {
    const ScratchFolder scratch("sweep_stopped");
    scratch.write("many.yaml", many);
    const fs::path journal = scratch.path / "r.csv.journal";
    Process process(resumed("r.csv"), scratch.path);
    wait_for_lines(journal, 4, process);
    CHECK(process.end(SIGINT) == 130);
    CHECK(lines_of(journal) >= 4);
    CHECK_FALSE(fs::exists(scratch.path / "r.csv"));
    const Ran fresh = run_program("sweep many.yaml" + std::string(vary) + " --out r.csv", scratch.path, scratch);
    CHECK(fresh.code == 2);
    CHECK_THAT(fresh.err, ContainsSubstring("finished points of an unfinished sweep"));
}

TEST_CASE("shards that ran apart merge to the bytes of the whole, and not before all have run") {
    const ScratchFolder scratch("sweep_shards");
    scratch.write("many.yaml", many);
    const std::string sweep = "sweep many.yaml --set workload.sizes='[1 MiB]'" + std::string(vary);
    REQUIRE(run_program(sweep + " --out whole.csv", scratch.path, scratch).code == 0);
    CHECK(run_program(sweep + " --out r.csv --shard 1/3", scratch.path, scratch).code == 0);
    CHECK(run_program(sweep + " --out r.csv --shard 3/3", scratch.path, scratch).code == 0);
    const Ran early = run_program(sweep + " --out r.csv --merge", scratch.path, scratch);
    CHECK(early.code == 2);
    CHECK_THAT(early.err, ContainsSubstring("16 points in no journal"));
    CHECK_FALSE(fs::exists(scratch.path / "r.csv"));
    CHECK(run_program(sweep + " --out r.csv --shard 2/3", scratch.path, scratch).code == 0);
    CHECK(run_program(sweep + " --out r.csv --merge", scratch.path, scratch).code == 0);
    CHECK(text_of(scratch.path / "r.csv") == text_of(scratch.path / "whole.csv"));
}

TEST_CASE("what a sweep cannot do is said before it begins") {
    const ScratchFolder scratch("sweep_refused");
    scratch.write("many.yaml", many);
    const auto refused = [&](const std::string& arguments, int code, const std::string& words) {
        const Ran ran = run_program("sweep many.yaml " + arguments, scratch.path, scratch);
        INFO(arguments);
        CHECK(ran.code == code);
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK(ran.out.empty());
    };
    refused("--vary cluster.node_s=1 --out r.csv", 2, "--vary:1:1: no such key of a scenario");
    refused("--out r.txt", 2, "--out has no known ending");
    refused("--out no/r.csv", 1, "no such folder");
    refused("--resume", 2, "go with --out FILE");
    refused("--out r.csv --shard 4/3", 2, "--shard takes a part of a whole");
    refused("--out r.csv --threads 1025", 2, "--threads must be from 0 to 1024");
    CHECK(std::distance(fs::directory_iterator(scratch.path), {}) == 3);  // the scenario and what was printed
}

TEST_CASE("a sweep whose points fail their asserts says which, and ends with 5 after the result is written") {
    const ScratchFolder scratch("sweep_asserts");
    scratch.write("many.yaml", std::string(many) + "assert: [\"time(1 MiB) < 1 s\", \"busbw(1 GiB) > 1 TB/s\"]\n");
    const Ran ran = run_program("sweep many.yaml --vary cluster.nodes=2,4 --vary workload.algorithm=ring --out r.csv",
                                scratch.path, scratch);
    CHECK(ran.code == 5);
    CHECK(ran.err.starts_with("point 0: assert failed: busbw(1 GiB) > 1 TB/s: found "));
    CHECK_THAT(ran.err, ContainsSubstring("\npoint 1: assert failed"));
    CHECK_THAT(text_of(scratch.path / "r.csv"), ContainsSubstring("failed_asserts"));
}

TEST_CASE("one, two and four ranks write the same bytes") {
    const ScratchFolder scratch("sweep_mpi");
    scratch.write("many.yaml", many);
    const std::string sweep = " sweep many.yaml --set workload.sizes='[1 MiB]' --threads 1" + std::string(vary);
    REQUIRE(run_program(sweep + " --out 1.csv", scratch.path, scratch).code == 0);
    const auto under_mpirun = [&](const std::string& ranks, const std::string& arguments) {
        return run_ranks(ranks, arguments, scratch).code;
    };
    if (!has_mpirun()) { SKIP_TEST("there is no mpirun here"); }
    const int two = under_mpirun("2", sweep + " --out 2.csv");
    if (two == 4) {
        CHECK_THAT(text_of(scratch.path / "err.txt"), ContainsSubstring("this build has no MPI"));
        SKIP_TEST("this build has no MPI");
    }
    INFO(text_of(scratch.path / "err.txt"));
    REQUIRE(two == 0);
    CHECK(text_of(scratch.path / "2.csv") == text_of(scratch.path / "1.csv"));
    REQUIRE(under_mpirun("4", sweep + " --out 4.csv") == 0);
    CHECK(text_of(scratch.path / "4.csv") == text_of(scratch.path / "1.csv"));
    // A journal of ranks and one of threads are the same thing.
    CHECK(run_program(sweep + " --out 4.csv --resume", scratch.path, scratch).code == 0);
    // One error, not one a rank.
    CHECK(under_mpirun("2", " sweep many.yaml --vary cluster.node_s=1 --out 5.csv") == 2);
    const std::string said = text_of(scratch.path / "err.txt");
    CHECK(said.find("no such key") != std::string::npos);
    CHECK(said.find("no such key") == said.rfind("no such key"));
}

TEST_CASE("a rank that dies ends the sweep, which goes on from what all ranks had finished") {
    const ScratchFolder scratch("sweep_rank_dies");
    scratch.write("many.yaml", many);
    if (!has_mpirun()) { SKIP_TEST("there is no mpirun here"); }
    const std::string sweep = "sweep many.yaml --threads 1" + std::string(vary);
    REQUIRE(run_program(sweep + " --out whole.csv", scratch.path, scratch).code == 0);
    scratch.write("kill.sh", mpirun + "3 sh -c 'echo $$ >pid$OMPI_COMM_WORLD_RANK; exec \"$0\" " + sweep +
                                 " --out '$1.csv '" FABRICAST_PROGRAM
                                 "' >out.txt 2>err.txt & job=$!\n"
                                 "until [ -e $1.csv.journal ] && [ $(wc -l <$1.csv.journal) -gt 3 ]; do\n"
                                 "kill -0 $job || exit 99; sleep 0.005; done\n"
                                 "kill -KILL $(cat pid$1); wait $job\n");
    for (const std::string rank : {"2", "0"}) {  // 0 leads the others
        const int status = std::system(("cd '" + scratch.path.string() + "' && sh kill.sh " + rank).c_str());
        if (text_of(scratch.path / "err.txt").find("this build has no MPI") != std::string::npos) {
            SKIP_TEST("this build has no MPI");
        }
        INFO("rank " << rank << ": " << text_of(scratch.path / "err.txt"));
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) != 0);
        REQUIRE(WEXITSTATUS(status) != 99);
        CHECK_FALSE(fs::exists(scratch.path / (rank + ".csv")));
        CHECK(run_program(sweep + " --resume --out " + rank + ".csv", scratch.path, scratch).code == 0);
        CHECK(text_of(scratch.path / (rank + ".csv")) == text_of(scratch.path / "whole.csv"));
    }
}
