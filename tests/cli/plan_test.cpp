// fabricast plan, from outside: stopped and resumed, its files, and what it refuses.

#include "base/json.hpp"
#include "tests/cli/program.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("Ctrl-C ends a search for layouts with 130 and whole rows; resumed it ends as if it had not been stopped") {
    const ScratchFolder scratch("plan_stopped");
    scratch.write("small.yaml", small);
    const std::string search = "plan small.yaml --draws 0 --threads 1";
    const Ran whole = run_program(search + " --csv whole.csv", scratch.path, scratch);
    REQUIRE(whole.code == 0);
    const std::string stopped =
        "cd '" + scratch.path.string() + "' && { '" FABRICAST_PROGRAM "' " + search +
        " --journal j >part.txt 2>said.txt & child=$!; until [ \"$(wc -l <j 2>/dev/null)\" -gt 3 "
        "] 2>/dev/null; do sleep 0.005; done; kill -INT $child; wait $child; }";
    const int status = std::system(stopped.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    CHECK_THAT(text_of(scratch.path / "part.txt"), ContainsSubstring("then stopped"));
    const Ran fresh = run_program(search + " --journal j", scratch.path, scratch);
    CHECK(fresh.code == 2);
    CHECK_THAT(fresh.err, ContainsSubstring("--resume to go on"));
    const Ran rest = run_program(search + " --journal j --resume --csv rest.csv", scratch.path, scratch);
    CHECK(rest.code == 0);
    CHECK(rest.out == whole.out);
    CHECK(text_of(scratch.path / "rest.csv") == text_of(scratch.path / "whole.csv"));
}

TEST_CASE("a search's JSON says what was searched, and its first layout is the fastest") {
    const ScratchFolder scratch("plan_json");
    scratch.write("small.yaml", small);
    const Ran ran = run_program("plan small.yaml --best 3 --draws 0 --json - --vary workload.sharding=zero-1 --quiet",
                                scratch.path, scratch);
    REQUIRE(ran.code == 0);
    const Json json = Json::parse(ran.out);
    CHECK(json.at("best").size() == 3);
    CHECK(json.at("best").at(0).at("step_time_s") <= json.at("best").at(1).at("step_time_s"));
    CHECK(json.at("layouts") == json.at("too_large").get<int>() + json.at("forecast").get<int>() +
                                    json.at("refused").get<int>() + json.at("pruned").get<int>());
    CHECK(run_program("plan small.yaml --resume", scratch.path, scratch).code == 2);
    CHECK(run_program("plan small.yaml --draws 5", scratch.path, scratch).code == 2);
}

// The layouts of 16,384 GPUs take seconds to bound; the search is stopped in the midst of that.
TEST_CASE("a search that is stopped before it has a layout leaves the files of an earlier one") {
    const ScratchFolder scratch("plan_early");
    scratch.write("a.csv", "earlier\n");
    const std::string stopped = "cd '" + scratch.path.string() +
                                "' && timeout -s INT 0.3 '" FABRICAST_PROGRAM "' plan '" +
                                (fabricast::testing::root / "scenarios/training-llama3-405b-16k.yaml").string() +
                                "' --csv a.csv --threads 1 >said.txt 2>&1";
    CHECK(std::system(stopped.c_str()) != 0);
    CHECK(text_of(scratch.path / "a.csv") == "earlier\n");
}
