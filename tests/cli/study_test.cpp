// fabricast study and explain as their users see them: tables, files, and what they refuse.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {
using fabricast::testing::root;
}  // namespace

TEST_CASE("study shows designs side by side, says whether they differ, and writes files") {
    const ScratchFolder scratch("study");
    const auto json = (scratch.path / "s.json").string();
    const auto csv = (scratch.path / "s.csv").string();
    const Ran ran =
        run_program("study scenarios/study-h100-1024.yaml --draws 64 --json " + json + " --csv " + csv, root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("rails-2to1 against rails-1to1: time +") && ContainsSubstring(": real;"));
    CHECK_THAT(ran.out, ContainsSubstring("48 (32 leaf, 16 spine)") && ContainsSubstring("40 (32 leaf, 8 spine)"));
    CHECK_THAT(ran.out, ContainsSubstring("of it guessed prices") && ContainsSubstring("ports left"));
    CHECK_THAT(text_of(json), ContainsSubstring("\"capital_usd\"") && ContainsSubstring("\"origin\": \"measured\""));
    CHECK_THAT(text_of(csv), ContainsSubstring("name,network,") && ContainsSubstring("\nrails-2to1,"));
}

TEST_CASE("study refuses what it cannot hold side by side") {
    const ScratchFolder scratch("study_bad");
    const auto bad = [&](const std::string& arguments) {
        const Ran ran = run_program("study " + arguments, root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        return ran.err;
    };
    CHECK_THAT(bad(""), ContainsSubstring("which designs?"));
    CHECK_THAT(bad("scenarios/nvl72.yaml scenarios/nvl72.yaml"), ContainsSubstring("two designs have one name"));
    CHECK_THAT(bad("scenarios/nvl72.yaml --by colour"), ContainsSubstring("no such order"));
    CHECK_THAT(bad("scenarios/nvl72.yaml --draws 2"), ContainsSubstring("--draws must be from 10"));
    CHECK_THAT(bad("scenarios/nvl72.yaml --set prices.quantum-7='1 USD'"), ContainsSubstring("no such part"));
    const auto file = scratch.write("d.yaml",
                                    "name: d\ncluster: {node: dgx-h100, nodes: 2}\n"
                                    "workload: {kind: collective, sizes: [1 MiB]}\n"
                                    "designs:\n  - {name: x, set: {cluster.fabric.kinds: torus}}\n");
    CHECK_THAT(bad(file.string()), ContainsSubstring("d.yaml:5:") && ContainsSubstring("design 'x'"));
}

TEST_CASE("a design sets lists and maps too, and is named where one of its values is refused later") {
    const ScratchFolder scratch("study_mixed");
    const auto study_of = [&](const std::string& set) {
        const auto file = scratch.write("d.yaml",
                                        "name: d\ncluster: {node: dgx-h100, nodes: 4}\n"
                                        "workload: {kind: collective, sizes: [1 MiB]}\n"
                                        "designs:\n  - {name: even, set: {}}\n  - {name: mixed, set: " +
                                            set + "}\n");
        return run_program("study --draws 10 " + file.string(), root, scratch);
    };
    const std::string kinds = "[{node: dgx-h100, count: 3}, {node: dgx-a100, count: 1}]";
    const Ran mixed = study_of("{cluster.node: null, cluster.nodes: " + kinds + "}");
    INFO(mixed.err);
    CHECK(mixed.code == 0);
    CHECK_THAT(mixed.out, ContainsSubstring("# mixed against even: "));
    CHECK(study_of("{workload: {kind: collective, sizes: [2 MiB]}}").code == 0);
    // Found when the cluster is built, and when the call is planned.
    for (const std::string set :
         {"{cluster.fabric: {kind: fat-tree, switch: quantum-9}}", "{cluster.nodes: 1, workload.algorithm: collnet}"}) {
        const Ran refused = study_of(set);
        CHECK(refused.code == 2);
        CHECK_THAT(refused.err, ContainsSubstring("d.yaml:") && ContainsSubstring(": design 'mixed': "));
    }
}

TEST_CASE("explain blames, asks what if and finds the knee; what it emits runs to the time that it says") {
    const ScratchFolder scratch("explain");
    const auto folder = scratch.path / "what-if";
    const Ran ran = run_program("explain scenarios/performance-cliff.yaml --set cluster.nodes=4 --emit " +
                                    folder.string() + " --json " + (scratch.path / "e.json").string(),
                                root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("100.0 %") && ContainsSubstring("in all") &&
                            ContainsSubstring("what would change it") && ContainsSubstring("it bends from"));
    const std::string explained = text_of(scratch.path / "e.json");
    for (const char* name : {"network-twice-as-fast", "one-nic-less", "as-it-is"}) {
        const auto result = scratch.path / (std::string(name) + ".json");
        const Ran again = run_program(
            "run " + (folder / (std::string(name) + ".yaml")).string() + " --quiet --json " + result.string(), root,
            scratch);
        CHECK(again.code == 0);
        const std::string text = text_of(result);
        const std::size_t at = text.find("\"time_s\": ");
        REQUIRE(at != std::string::npos);
        const std::string time = text.substr(at, text.find(',', at) - at);
        INFO(name << " " << time);
        CHECK_THAT(explained, ContainsSubstring(time));
    }
    CHECK(run_program("explain scenarios/trace-training-step.yaml", root, scratch).code == 0);
}
