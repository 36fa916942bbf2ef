// What people expect of a program in a shell: pipes, terminals of any width, colours that can be turned off, help.

#include <algorithm>
#include <sstream>

#include "base/json.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

constexpr const char* sizes = R"(name: small
cluster: {node: dgx-h100, nodes: 2}
workload: {kind: collective, sizes: {from: 1 KiB, to: 1 GiB, factor: 2}}
)";

// A line of bash in which $F is the program.
Ran run_bash(const std::string& line, const ScratchFolder& scratch) {
    scratch.write("line.sh", "set -o pipefail\nF='" FABRICAST_PROGRAM "'\n" + line + "\n");
    const std::string in = "cd '" + scratch.path.string() + "' && ";
    const int status = std::system((in + "bash line.sh >out.txt 2>err.txt").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(scratch.path / "out.txt"),
            text_of(scratch.path / "err.txt")};
}

// The same on a terminal of `columns` characters.
Ran run_on_terminal(int columns, const std::string& line, const ScratchFolder& scratch) {
    scratch.write("inner.sh", "stty cols " + std::to_string(columns) + "\nF='" FABRICAST_PROGRAM "'\n" + line + "\n");
    return run_bash("TERM=xterm script -qec 'bash inner.sh' /dev/null </dev/null", scratch);
}

std::size_t longest_row(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        while (!line.empty() && line.back() == '\r') { line.pop_back(); }
        if (!line.starts_with("#")) { longest = std::max(longest, line.size()); }
    }
    return longest;
}

}  // namespace

TEST_CASE("a run whose reader leaves early ends well, and writes its files all the same") {
    const ScratchFolder scratch("shell_head");
    scratch.write("s.yaml", sizes);
    const Ran ran = run_bash("$F run s.yaml --threads 1 | head -1", scratch);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(std::ranges::count(ran.out, '\n') == 1);
    const Ran with_file = run_bash("$F run s.yaml --json r.json | true", scratch);
    CHECK(with_file.code == 0);
    CHECK(with_file.err.empty());
    CHECK(Json::parse(text_of(scratch.path / "r.json")).at("rows").size() == 21);
    CHECK(run_bash("$F run s.yaml --csv - --json r.json | true", scratch).code == 0);
    // A full disk is still an error.
    CHECK(run_bash("$F run s.yaml >/dev/full", scratch).code == 1);
}

TEST_CASE("a table is shortened to the terminal's width, and is whole in a pipe") {
    const ScratchFolder scratch("shell_width");
    scratch.write("s.yaml", sizes);
    const std::string whole = run_bash("$F run s.yaml --no-progress", scratch).out;
    REQUIRE(longest_row(whole) > 140);
    for (const int columns : {100, 120, 140}) {
        const Ran ran = run_on_terminal(columns, "$F run s.yaml --no-progress --color never", scratch);
        INFO(ran.out);
        CHECK(ran.code == 0);
        CHECK(longest_row(ran.out) <= static_cast<std::size_t>(columns));
        CHECK_THAT(ran.out, ContainsSubstring(".."));
    }
    std::string wide = run_on_terminal(400, "$F run s.yaml --no-progress --color never", scratch).out;
    std::erase(wide, '\r');
    CHECK(wide == whole);
}

TEST_CASE("colours are for terminals, and for who asks for them") {
    const ScratchFolder scratch("shell_colour");
    scratch.write("s.yaml", sizes);
    const auto coloured = [](const Ran& ran) { return ran.out.find("\x1b[") != std::string::npos; };
    CHECK_FALSE(coloured(run_bash("$F run s.yaml --no-progress", scratch)));
    CHECK(coloured(run_bash("$F run s.yaml --no-progress --color always", scratch)));
    CHECK(coloured(run_on_terminal(200, "$F run s.yaml --no-progress", scratch)));
    CHECK_FALSE(coloured(run_on_terminal(200, "NO_COLOR=1 $F run s.yaml --no-progress", scratch)));
    CHECK(coloured(run_on_terminal(200, "NO_COLOR= $F run s.yaml --no-progress", scratch)));
    CHECK_FALSE(coloured(run_on_terminal(200, "TERM=dumb $F run s.yaml --no-progress", scratch)));
    CHECK_FALSE(coloured(run_on_terminal(200, "$F run s.yaml --no-progress --color never", scratch)));
    const Ran wrong = run_bash("$F run s.yaml --no-progress --color alway", scratch);
    CHECK(wrong.code == 2);
    CHECK_THAT(wrong.err, ContainsSubstring("nearest: 'always'"));
}

TEST_CASE("tabs part the cells that commas part, and nothing is quoted") {
    const ScratchFolder scratch("shell_tsv");
    scratch.write("s.yaml", sizes);
    const Ran cut = run_bash("$F run s.yaml --tsv - | cut -f 1,8 | head -3", scratch);
    CHECK(cut.code == 0);
    CHECK_THAT(cut.out, Catch::Matchers::StartsWith("size_bytes\tprotocol\n1024\tll\n"));
    std::string csv = run_bash("$F run s.yaml --csv -", scratch).out;
    std::ranges::replace(csv, ',', '\t');
    std::erase(csv, '"');
    std::string tsv = run_bash("$F run s.yaml --tsv -", scratch).out;
    std::ranges::replace(tsv, ',', '\t');  // of a name such as "same GPU, era and fabric"
    CHECK(tsv == csv);
    CHECK(run_bash("$F sweep s.yaml --vary cluster.nodes=1,2 --out s.tsv --quiet && $F sweep s.yaml --vary "
                   "cluster.nodes=1,2 --out s.csv --quiet && cut -f 1,3 --output-delimiter=, s.tsv | diff - <(cut -d, "
                   "-f 1,3 s.csv)",
                   scratch)
              .code == 0);
}

TEST_CASE("a mistyped option or topic names the nearest, and how the command is used") {
    const ScratchFolder scratch("shell_nearest");
    const Ran option = run_bash("$F run s.yaml --thread 2", scratch);
    CHECK(option.code == 2);
    CHECK(option.err ==
          "fabricast: unrecognised option '--thread'; did you mean '--threads'? (usage: fabricast run SCENARIO "
          "[OPTION...])\n");
    CHECK_THAT(run_bash("$F help exit-code", scratch).err, ContainsSubstring("nearest: 'exit-codes'"));
    CHECK_THAT(run_bash("$F rnu", scratch).err, ContainsSubstring("nearest: 'run'"));
}

TEST_CASE("every command and topic has a page of help, and every command one of the manual") {
    const ScratchFolder scratch("shell_help");
    const Ran all = run_bash(
        "$F help | awk '/^  [a-z]/ {print $1}' | while read -r name; do $F help $name >page || exit 1\n"
        "[[ -s page ]] || exit 1\necho $name; done",
        scratch);
    CHECK(all.code == 0);
    CHECK(std::ranges::count(all.out, '\n') >= 20);
    CHECK(run_bash("diff <($F help run) <($F run --help)", scratch).code == 0);
    const std::string manual = run_bash("$F help run --man", scratch).out;
    CHECK_THAT(manual, Catch::Matchers::StartsWith(".TH fabricast\\-run 1 "));
    CHECK_THAT(manual, ContainsSubstring("\\-\\-trace\\fR \\fIFILE\\fR"));
    // roff's own complaints, where it is installed.
    CHECK(run_bash("command -v groff >/dev/null || exit 0\nfor page in '' run sweep import; do $F help $page --man | "
                   "groff -man -ww -z 2>&1 | diff - /dev/null || exit 1; done",
                   scratch)
              .code == 0);
}

TEST_CASE("bash completes commands, options and the words that an option takes") {
    const ScratchFolder scratch("shell_bash");
    const auto completed = [&](const std::string& words) {
        const Ran ran = run_bash("source <($F completion bash)\nCOMP_WORDS=(" + words +
                                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_fabricast\necho \"${COMPREPLY[@]}\"",
                                 scratch);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        return ran.out;
    };
    CHECK(completed("fabricast stu") == "study\n");
    CHECK(completed("fabricast run --no-p") == "--no-progress\n");
    CHECK(completed("fabricast run --engine p") == "packet\n");
    CHECK(completed("fabricast catalog s") == "show\n");
    CHECK(completed("fabricast run scen") == "\n");  // files are bash's own
    CHECK(run_bash("$F completion fish | grep -c '^complete -c fabricast' && $F completion zsh | head -1", scratch)
              .code == 0);
    CHECK(run_bash("command -v zsh >/dev/null || exit 0\n$F completion zsh | zsh -n", scratch).code == 0);
    CHECK(run_bash("command -v fish >/dev/null || exit 0\n$F completion fish | fish -n", scratch).code == 0);
    CHECK(run_bash("$F completion tcsh", scratch).code == 2);
}

TEST_CASE("the doctor says what the build has, for people and for programs") {
    const ScratchFolder scratch("shell_doctor");
    const Ran people = run_bash("$F doctor", scratch);
    CHECK(people.code == 0);
    CHECK_THAT(people.out, ContainsSubstring("engine packet"));
    const Json found = Json::parse(run_bash("$F doctor --json -", scratch).out);
    CHECK(found.at("parts").get<int>() > 100);
    const auto of = [&](const char* what) {
        const auto& list = found.at("found");
        return *std::ranges::find_if(list, [&](const Json& one) { return one.at("what") == what; });
    };
    CHECK(of("engine flow").at("there") == true);
    // Without a PATH there is neither mpirun nor srun.
    const Json bare = Json::parse(run_bash("PATH=/nowhere $F doctor --json -", scratch).out);
    CHECK(bare.at("found").back().at("there") == false);
}

TEST_CASE("what commands print for people they also write for programs") {
    const ScratchFolder scratch("shell_json");
    scratch.write("s.yaml", sizes);
    const auto json = [&](const std::string& arguments) {
        const Ran ran = run_bash("$F " + arguments + " --json -", scratch);
        INFO(ran.err);
        CHECK(ran.code == 0);
        return Json::parse(ran.out, nullptr, false);
    };
    const Json part = json("catalog show infiniband-ndr");
    CHECK(part.at("kind") == "link");
    CHECK(part.at("figures").size() > 3);
    CHECK(json("catalog list link").size() > 10);
    const Json fabric = json("topo s.yaml --path node0.gpu0 node1.gpu3");
    CHECK(fabric.at("gpus") == 16);
    CHECK(fabric.at("path").at("links").size() > 3);
    // NDR is 400 Gb/s.
    CHECK(fabric.at("bisection_Bps").get<double>() == Approx(8 * 50e9).epsilon(0.05));
    REQUIRE(run_bash("$F topo s.yaml --ibnetdiscover net.txt", scratch).code == 0);
    const Json site = json("cluster net.txt --node dgx-h100");
    CHECK(site.at("nodes") == 2);
    CHECK(site.at("findings").is_array());
    scratch.write("again.yaml", site.at("scenario").get<std::string>());
    CHECK(json("topo again.yaml").at("gpus") == 16);
}

TEST_CASE("a question that cannot be asked is refused with the one that can") {
    const ScratchFolder scratch("shell_questions");
    scratch.write("s.yaml", sizes);
    const std::pair<const char*, const char*> asked[] = {
        {"$F explain s.yaml --without node0.nic0 leaf0 leaf1",
         "--without takes a device, or the two ends of a cable (found 3"},
        {"$F explain s.yaml --failures", "--failures: the scenario has no events (see --without)"},
        {"$F explain s.yaml --path node0.gpu0", "--path takes two devices, as in --path node0.gpu0 node1.gpu3"},
        {"$F explain s.yaml --path node0.gpu0 node0.gpu9", "node0.gpu9"},
        {"$F explain s.yaml --path node0.gpu0 node0.gpu1 --transport rdma-over-nothing", "rdma-over-nothing"}};
    for (const auto& [line, message] : asked) {
        const Ran ran = run_bash(line, scratch);
        INFO(line);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.find(message) != std::string::npos);
    }
}
