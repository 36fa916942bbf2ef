// fabricast run under mpirun: the bytes of one process, one error for all ranks, and no rank left waiting.

#include <vector>

#include "tests/cli/mpirun.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

const std::string shared_scenarios = FABRICAST_SOURCE_DIR "/scenarios/";

// Skips the test where ranks cannot run.
void require_ranks(const ScratchFolder& scratch) {
    if (!has_mpirun()) { SKIP_TEST("there is no mpirun here"); }
    const Ran ran = run_ranks(
        "2", "run '" + shared_scenarios + "packet-loss.yaml' --set workload.sizes='[64 KiB]' --quiet", scratch);
    if (ran.code == 4) {
        CHECK_THAT(ran.err, ContainsSubstring("this build has no MPI"));
        SKIP_TEST("this build has no MPI");
    }
    INFO(ran.err);
    REQUIRE(ran.code == 0);
}

}  // namespace

TEST_CASE("one, two and three ranks of a packet run write the same bytes") {
    const ScratchFolder scratch("run_ranks");
    require_ranks(scratch);
    std::vector<std::string> runs = {
        "packet-collisions.yaml --set workload.sizes='[256 KiB]'",   // an all-to-all with PFC
        "packet-infiniband-cc.yaml --set workload.sizes='[1 MiB]'",  // credits
        "packet-parking-lot.yaml --set workload.sizes='[2 MiB]'",    // an incast with PFC
        "packet-dcqcn.yaml --set workload.sizes='[1 MiB]'",          // an incast with PFC and DCQCN
        "packet-loss.yaml --set workload.sizes='[2 MiB]'",
        "packet-roce-ring.yaml --set packet.reuse=false --set workload.sizes='[64 KiB, 1 MiB]'",  // several sizes
        // a training step
        "packet-dense-step.yaml --set workload.global_batch=4 --set packet.reuse=false --set "
        "workload.dimensions.layers=2"
        " --set workload.dimensions.hidden=1536 --set workload.dimensions.vocabulary=8192",
    };
    if (!testing::thorough()) { runs.resize(3); }
    for (const std::string& run : runs) {
        INFO(run);
        const std::string command = "run '" + shared_scenarios + run.substr(0, run.find(' ')) + "'" +
                                    run.substr(run.find(' ')) + " --threads 1 --quiet";
        const Ran one = run_program(command + " --json 1.json", scratch.path, scratch);
        REQUIRE(one.code == 0);
        for (const std::string ranks : {"2", "3"}) {
            if (ranks == "3" && &run != &runs.front()) { continue; }  // more ranks than cores wait long for each other
            const Ran more = run_ranks(ranks, command + " --json " + ranks + ".json", scratch);
            INFO(more.err);
            REQUIRE(more.code == 0);
            CHECK(text_of(scratch.path / (ranks + ".json")) == text_of(scratch.path / "1.json"));
        }
    }
}

TEST_CASE("what ranks of a run do not share is refused, or said in the result") {
    const ScratchFolder scratch("run_ranks_refused");
    require_ranks(scratch);
    const auto refused = [&](const std::string& arguments, const char* why) {
        const Ran ran = run_ranks("2", "run '" + shared_scenarios + arguments, scratch);
        INFO(arguments << ": " << ran.err);
        CHECK(ran.code == 2);
        const auto said = ran.err.find(why);
        CHECK(said != std::string::npos);
        CHECK(said == ran.err.rfind(why));  // once, not once a rank
    };
    refused("packet-loss.yaml' --engine flow", "several ranks share a run of engine packet only");
    refused("packet-loss.yaml' --threads 2", "a rank of a run has one thread");
    refused("packet-loss.yaml' --best", "several ranks share neither jobs nor --best");
    refused("packet-loss.yaml' --set cluster.node_s=1", "unknown key in 'cluster'");
    const std::string storm =
        "run '" + shared_scenarios + "packet-pause-storm.yaml' --set workload.sizes='[256 KiB]' --json ";
    CHECK(run_ranks("2", storm + "2.json", scratch).code == 0);
    CHECK_THAT(text_of(scratch.path / "2.json"), ContainsSubstring("every rank simulates all of a replay"));
    const std::string ring =
        "run '" + shared_scenarios + "packet-roce-ring.yaml' --set workload.sizes='[64 KiB]' --json ";
    CHECK(run_ranks("2", ring + "2.json", scratch).code == 0);
    CHECK_THAT(text_of(scratch.path / "2.json"), ContainsSubstring("every packet is simulated"));
}

TEST_CASE("a deadlock over ranks ends as one of one process does") {
    const ScratchFolder scratch("run_ranks_deadlock");
    require_ranks(scratch);
    const std::string stuck =
        "run '" + shared_scenarios + "packet-deadlock-lanes.yaml' --set packet.lanes=null --threads 1";
    const Ran one = run_program(stuck, scratch.path, scratch);
    const Ran two = run_ranks("2", stuck, scratch);
    CHECK(one.code == 3);
    CHECK(two.code == 3);
    CHECK_THAT(two.err, ContainsSubstring(one.first_error_line()));
}

TEST_CASE("a rank of a run that dies or fails ends the others") {
    const ScratchFolder scratch("run_ranks_dies");
    require_ranks(scratch);
    // Some minutes of packets, killed when all ranks have begun.
    scratch.write("kill.sh",
                  mpirun + "3 sh -c 'echo $$ >pid$OMPI_COMM_WORLD_RANK; exec \"$0\" run " + shared_scenarios +
                      "packet-thresholds.yaml --set workload.sizes=[512GiB] --json out.json' '" FABRICAST_PROGRAM
                      "' >out.txt 2>err.txt & job=$!\n"
                      "until [ -e pid0 ] && [ -e pid1 ] && [ -e pid2 ]; do sleep 0.01; done; sleep 1\n"
                      "kill -0 $job || exit 99\n"
                      "kill -KILL $(cat pid$1); wait $job\n");
    for (const std::string rank : {"2", "0"}) {
        std::filesystem::remove(scratch.path / "pid0");
        std::filesystem::remove(scratch.path / "pid1");
        std::filesystem::remove(scratch.path / "pid2");
        const int status = std::system(("cd '" + scratch.path.string() + "' && sh kill.sh " + rank).c_str());
        INFO("rank " << rank << ": " << text_of(scratch.path / "err.txt"));
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) != 0);
        REQUIRE(WEXITSTATUS(status) != 99);
        CHECK_FALSE(std::filesystem::exists(scratch.path / "out.json"));
    }
    // One rank that cannot read the scenario: the other hears of it, and says so.
    scratch.write("one.sh", "cd rank$OMPI_COMM_WORLD_RANK && exec '" FABRICAST_PROGRAM "' run s.yaml\n");
    std::filesystem::create_directories(scratch.path / "rank0");
    std::filesystem::create_directories(scratch.path / "rank1");
    std::filesystem::copy_file(shared_scenarios + "packet-loss.yaml", scratch.path / "rank0/s.yaml");
    const int status =
        std::system(("cd '" + scratch.path.string() + "' && " + mpirun + "2 sh one.sh >out.txt 2>err.txt").c_str());
    CHECK(WEXITSTATUS(status) == 2);
    CHECK_THAT(text_of(scratch.path / "err.txt"), ContainsSubstring("rank 1: "));
}
