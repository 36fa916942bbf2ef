// What commands write and where: never over what they read, nor twice over one file; what goes to the terminal.

#include <fmt/format.h>

#include "base/json.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "tests/support/trace_files.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

namespace fs = std::filesystem;

using fabricast::testing::root;

constexpr const char* two_nodes = R"(name: small
cluster: {node: dgx-h100, nodes: 1}
workload: {kind: collective, sizes: [1 MiB]}
)";

constexpr const char* goal = "num_ranks 2\nrank 0 {\nl1: send 1024b to 1\n}\nrank 1 {\nl1: recv 1024b from 0\n}\n";

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

}  // namespace

TEST_CASE("no command writes over what it reads") {
    const ScratchFolder scratch("outputs_input");
    const std::string measured = text_of(root / "validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml");
    const auto kept = [&](const std::string& arguments, const std::string& file, const std::string& content) {
        scratch.write(file, content);
        INFO(arguments);
        const Ran ran = run_program(arguments, scratch.path, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring("would be written over what is read from it"));
        CHECK(text_of(scratch.path / file) == content);
    };
    scratch.write("base.yaml", two_nodes);
    scratch.write("whole.yaml", "include: [base.yaml]\nname: whole\n");
    scratch.write("overlay.yaml", "");
    kept("run s.yaml --json s.yaml", "s.yaml", two_nodes);
    kept("run s.yaml --json ./../" + scratch.path.filename().string() + "/s.yaml", "s.yaml", two_nodes);
    kept("run whole.yaml --csv base.yaml", "base.yaml", two_nodes);
    kept("run base.yaml --calibration o.yaml --json o.yaml", "o.yaml", "{}\n");
    kept("topo s.yaml --dot s.yaml", "s.yaml", two_nodes);
    kept("explain s.yaml --html s.yaml", "s.yaml", two_nodes);
    kept("study s.yaml --csv s.yaml", "s.yaml", two_nodes);
    kept("sweep s.csv --out s.csv", "s.csv", two_nodes);
    kept("import goal t.goal -o t.goal", "t.goal", goal);
    kept("compare m.yaml --json m.yaml", "m.yaml", measured);
    kept("diagnose m.yaml --json m.yaml", "m.yaml", measured);
    scratch.write("t.yaml", "name: t\ncluster: {node: dgx-h100}\nworkload: {kind: trace, file: t.goal}\n");
    kept("run t.yaml --json t.goal", "t.goal", goal);
    fs::create_symlink("s.yaml", scratch.path / "link.yaml");
    kept("run s.yaml --json link.yaml", "s.yaml", two_nodes);
}

TEST_CASE("two results do not go to one file, nor any to a folder, and that is known before the run") {
    const ScratchFolder scratch("outputs_twice");
    scratch.write("s.yaml", two_nodes);
    fs::create_directory(scratch.path / "folder");
    const auto refused = [&](const std::string& arguments, int code, const std::string& words) {
        INFO(arguments);
        const Ran ran = run_program(arguments, scratch.path, scratch);
        CHECK(ran.code == code);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(fs::exists(scratch.path / "x"));
    };
    refused("run s.yaml --json x --csv x", 2, "two results would be written to 'x'");
    refused("run s.yaml --json x --csv ./x", 2, "two results would be written to './x'");
    refused("run s.yaml --json - --csv -", 2, "two results would be written to '-'");
    refused("run s.yaml --json folder", 1, "'folder': cannot be written (it is a folder)");
    refused("study s.yaml --html folder", 1, "it is a folder");
    refused("explain s.yaml --json nowhere/x", 1, "no such folder");
    refused("sweep s.yaml --out folder/../folder", 1, "it is a folder");
    CHECK(run_program("run s.yaml --json /dev/null --csv /dev/null", scratch.path, scratch).code == 0);
}

TEST_CASE("a single dash is standard output, which then holds nothing else") {
    const ScratchFolder scratch("outputs_dash");
    scratch.write("s.yaml", two_nodes);
    const Ran file = run_program("run s.yaml --json r.json", scratch.path, scratch);
    const Ran dash = run_program("run s.yaml --json -", scratch.path, scratch);
    CHECK(dash.code == 0);
    CHECK(dash.out == text_of(scratch.path / "r.json"));
    CHECK(dash.err == file.out);  // the table goes to people
    CHECK_FALSE(fs::exists(scratch.path / "-"));
    CHECK(parsed(run_program("study s.yaml --json - --draws 10", scratch.path, scratch).out).is_object());
    CHECK(parsed(run_program("explain s.yaml --json -", scratch.path, scratch).out).is_object());
    CHECK(run_program("topo s.yaml --dot -", scratch.path, scratch).out.find("graph") != std::string::npos);
    CHECK(
        run_program("sweep s.yaml --vary cluster.nodes=1,2 --out -", scratch.path, scratch).out.starts_with("point,"));
    scratch.write("t.goal", goal);
    CHECK(run_program("import goal t.goal -o -", scratch.path, scratch).out.starts_with("recording: 1\n"));
    const std::string measured = (root / "validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml").string();
    CHECK(parsed(run_program("compare " + measured + " --json -", scratch.path, scratch).out).is_object());
    CHECK_FALSE(fs::exists(scratch.path / "-"));
}

TEST_CASE("--quiet prints no table, and --threads 0 is every core") {
    const ScratchFolder scratch("outputs_quiet");
    scratch.write("s.yaml", two_nodes);
    const Ran quiet = run_program("run s.yaml --quiet", scratch.path, scratch);
    CHECK(quiet.code == 0);
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());
    const Ran all = run_program("run s.yaml --threads 0", scratch.path, scratch);
    CHECK(all.code == 0);
    CHECK(all.out == run_program("run s.yaml", scratch.path, scratch).out);
    CHECK(run_program("run s.yaml --threads -1", scratch.path, scratch).code == 2);
}

TEST_CASE("a catalogue that is not a folder is refused by name, before anything runs") {
    const ScratchFolder scratch("outputs_catalog");
    scratch.write("s.yaml", two_nodes);
    const Ran ran = run_program("run s.yaml --catalog nowhere", scratch.path, scratch);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("no catalogue to add (found 'nowhere'; accepted: a folder"));
}

TEST_CASE("names reach the terminal without their escape sequences") {
    const ScratchFolder scratch("outputs_escape");
    scratch.write(
        "s.yaml",
        "name: \"a\\e[31mred\\x9bK\"\ncluster: {node: dgx-h100}\nworkload: {kind: collective, sizes: [1 MiB]}\n");
    const Ran ran = run_program("run s.yaml", scratch.path, scratch);
    CHECK(ran.code == 0);
    CHECK(ran.out.find('\x1b') == std::string::npos);
    CHECK(ran.out.find("\xc2\x9b") == std::string::npos);
    CHECK_THAT(ran.out, ContainsSubstring("a\\x1b[31mred\\x9bK"));
    // A file's name on standard error.
    const Ran missing = run_program("run \"$(printf 'no\\033[31m.yaml')\"", scratch.path, scratch);
    CHECK(missing.code == 2);
    CHECK_THAT(missing.err, ContainsSubstring("no\\x1b[31m.yaml"));
}

TEST_CASE("a file beyond the shell's limit is an error of writing and leaves nothing behind") {
    const ScratchFolder scratch("outputs_limit");
    scratch.write("s.yaml", two_nodes);
    scratch.write("limited.sh", "ulimit -f 1\nexec \"$@\"\n");  // blocks of 512 or 1024 bytes, by the shell
    const std::string command = "cd '" + scratch.path.string() +
                                "' && sh limited.sh '" FABRICAST_PROGRAM "' run s.yaml --quiet --json r.json 2>err.txt";
    CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
    CHECK_THAT(text_of(scratch.path / "err.txt"), ContainsSubstring("r.json: cannot be written"));
    for (const auto& entry : fs::directory_iterator(scratch.path)) {
        CHECK(entry.path().filename().string().find(".tmp") == std::string::npos);
    }
}

TEST_CASE("import tells packed, large and Chakra files by themselves") {
    const ScratchFolder scratch("outputs_auto");
    const auto kind = [&](const std::string& file) {
        const Ran ran = run_program("import auto " + file + " -o -", scratch.path, scratch);
        return ran.code == 0 ? ran.err.substr(ran.err.find(": ") + 2, 9) : ran.err;
    };
    scratch.write("t.goal.gz", gzipped(goal));
    CHECK(kind("t.goal.gz") == "2 records");
    const std::string log = text_of(root / "tests/validate/import/p2p_bandwidth_latency.txt");
    scratch.write("log.gz", gzipped(log));
    CHECK(run_program("import auto log.gz -o out.yaml", scratch.path, scratch).code == 0);
    std::string events = R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 1, "args": {}})";
    while (events.size() < (17U << 20U)) {
        events += R"(,{"ph": "M", "name": "process_name", "args": {"name": ")" + std::string(4096, 'x') + "\"}}";
    }
    scratch.write("large.json", events + "]}");
    CHECK(kind("large.json") == "1 records");
    // Chakra without a node: the schema's version (a length, then field 1), and nothing else to know it by but its
    // name.
    scratch.write("node.et", "\x07\x0a\x05" + std::string("0.0.4"));
    CHECK_THAT(run_program("import auto node.et -o -", scratch.path, scratch).err,
               !ContainsSubstring("no known program"));
}

TEST_CASE("explain refuses files that it has nothing to write into") {
    const ScratchFolder scratch("outputs_explain");
    scratch.write("s.yaml", two_nodes);
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        const Ran ran = run_program("explain s.yaml " + arguments, scratch.path, scratch);
        INFO(arguments);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(fs::exists(scratch.path / "f"));
    };
    refused("--without node0.nic0 --html f", "--without has no --html (accepted: --json)");
    refused("--without node0.nic0 --emit f", "--without has no --emit (accepted: --json)");
    refused("--failures --emit f", "--failures has no --emit (accepted: --json)");
    for (const char* option : {"json", "html", "emit"}) {
        refused(fmt::format("--path node0.gpu0 node0.gpu1 --{} f", option), fmt::format("--path has no --{}", option));
    }
    refused("--size 1MiB --html f", "--size has no --html");
}
