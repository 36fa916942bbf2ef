// Files of our own that say their form's version: this one's is read, every other is refused at its place.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;

const std::string whole =
    "name: s\ncluster: {node: dgx-h100, nodes: 1}\n"
    "workload: {kind: collective, collective: all_reduce, sizes: [1 MiB]}\n";

// What reads parts/file.yaml, its text with @ where the version stands.
struct Kind {
    std::string arguments, text;
};

const std::string own = "schema_version: @\n";
const std::string figure = "figures: {latency.transmit: {value: 1 us, origin: measured, source: [here, 2026]}}}\n";

const std::vector<Kind> kinds = {
    {"run parts/file.yaml", own + whole},
    {"run including.yaml", own + whole},
    {"run scenario.yaml --calibration parts/file.yaml", own + "connectx-7: {" + figure},
    {"run scenario.yaml --catalog parts", own + "my-nic: {base: connectx-7, " + figure},
    {"run scenario.yaml --catalog parts --set cluster.node=mine",
     own + "name: mine\nnote: two\ngpus: {part: h100-sxm, count: 2, joined: nvswitch}\n"
           "cpus: {part: xeon-sapphire-rapids, count: 2}\npcie: two GPUs and two NICs a switch\n"
           "nics: {part: connectx-7, count: 2}\n"},
    {"compare parts/file.yaml", own + text_of(root / "validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml")},
    {"run trace.yaml", "recording: @\nranks:\n  - rank: 0\n    records: [{compute: k, time: 1 ms}]\n"},
};

}  // namespace

TEST_CASE("a file says its version: this one is read, every other refused, whatever kind of file it is") {
    const ScratchFolder scratch("versions");
    std::filesystem::create_directory(scratch.path / "parts");
    scratch.write("scenario.yaml", whole);
    scratch.write("including.yaml", "include: [parts/file.yaml]\n");
    scratch.write("trace.yaml",
                  "name: t\ncluster: {node: dgx-h100, nodes: 1}\nworkload: {kind: trace, file: parts/file.yaml}\n");
    for (const Kind& kind : kinds) {
        const auto ran = [&](const std::string& version) {
            std::string text = kind.text;
            scratch.write("parts/file.yaml", text.replace(text.find('@'), 1, version));
            return run_program(kind.arguments, scratch.path, scratch);
        };
        INFO(kind.arguments);
        const Ran same = ran("1");
        CHECK(same.err == "");
        CHECK(same.code == 0);
        const Ran other = ran("2");
        CHECK(other.code == 2);
        CHECK(other.out.empty());
        CHECK_THAT(other.err, ContainsSubstring("parts/file.yaml:1:"));
        CHECK_THAT(other.err, ContainsSubstring("a version that this fabricast does not read (found '2'; accepted: 1"));
    }
}
