// Our own recording: what is written reads back, and its mistakes are refused where they stand.

#include "sim/plan/traces/recording_yaml.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("our own recording reads back as it was written") {
    const TempFolder folder;
    const Recording once = import_text(folder, "r.yaml", recording_trace);
    CHECK(once.steps == 2);
    CHECK(once.ranks[0].records[2].bytes == 155.5e6);
    CHECK(once.ranks[0].records[5].stream == no_stream);
    const std::string text = recording_yaml(once);
    const Recording twice = import_text(folder, "again.yaml", text);
    CHECK(recording_yaml(twice) == text);
    REQUIRE(twice.ranks.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
        REQUIRE(twice.ranks[k].records.size() == once.ranks[k].records.size());
        for (std::size_t i = 0; i < once.ranks[k].records.size(); ++i) {
            const Record &a = once.ranks[k].records[i], &b = twice.ranks[k].records[i];
            CHECK((a.kind == b.kind && a.bytes == b.bytes && a.time == b.time && a.stream == b.stream));
            CHECK((a.idle == b.idle && a.delay == b.delay && a.bound == b.bound && a.root == b.root));
            CHECK(after(once.ranks[k], i) == after(twice.ranks[k], i));
        }
    }
}

TEST_CASE("an imported trace survives being kept as our own recording") {
    const TempFolder folder;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"rank0.json", kineto_trace()},
                                     {"t.0.et", chakra_trace(0)},
                                     {"t.goal", goal_trace},
                                     {"t.xml", msccl_trace},
                                     {"t.log", nccl_log},
                                     {"et.0.json", pytorch_et_trace}}) {
        INFO(name);
        const std::string ours = recording_yaml(import_text(folder, name, text));
        CHECK(recording_yaml(import_text(folder, "kept.yaml", ours)) == ours);
    }
}

TEST_CASE("a recording's mistakes are refused where they stand") {
    const TempFolder folder;
    const auto refused = [&](const std::string& record, const char* message) {
        const std::string text =
            "recording: 1\ngroups: [{name: g, size: 2}]\nranks:\n  - rank: 0\n    records:\n      - " + record + "\n";
        CHECK_THROWS_WITH(import_text(folder, "r.yaml", text), ContainsSubstring(message));
    };
    refused("{compute: k}", "r.yaml:6:9:");
    refused("{compute: k, time: 1 us, flops: 3}", "says either how long it took or what it does");
    refused("{compute: k, time: 1 us, after: [0]}", "r.yaml:6:42:");
    refused("{collective: all_redcue, size: 1 KiB}", "all_reduce");
    refused("{collective: all_reduce, group: h, size: 1 KiB}", "r.yaml:6:41:");
    refused("{collective: all_reduce, size: 0 B}", "moves nothing");
    refused("{compute: k, send: 1, size: 1 B}", "a record is of one kind");
    refused("{time: 1 us}", "says no kind");
}

TEST_CASE("a recording that is written can be read, and one that could not is not written") {
    const TempFolder folder;
    // A rank that did nothing, a name in no encoding, less than a byte, work in another type than its name tells.
    Recording odd = import_text(folder, "t.goal", "num_ranks 2\nrank 0 {\nl1: calc 5\n}\nrank 1 {\n}\n");
    odd.names.emplace_back("a\xff\x1b[31mname\n");
    Record work;
    work.name = static_cast<std::uint32_t>(odd.names.size() - 1);
    work.flops = 1e9;
    work.dtype = DataType::float64;
    odd.ranks[0].add(work);
    Record send;
    send.kind = RecordKind::send;
    send.other = 1;
    send.bytes = 0.25;
    send.protocol = Protocol::ll;
    odd.ranks[0].add(send);
    const Recording again = import_text(folder, "again.yaml", recording_yaml(odd));
    REQUIRE(again.ranks.size() == 2);
    CHECK(again.ranks[1].records.empty());
    CHECK(again.names[again.ranks[0].records[1].name] == "a  [31mname ");
    CHECK(again.ranks[0].records[1].dtype == DataType::float64);
    CHECK(again.ranks[0].records[2].bytes == 1);
    CHECK(again.ranks[0].records[2].protocol == Protocol::ll);
    // A record is a dozen of YAML's values: 20,000 are more than `run` would read.
    Recording large = import_text(folder, "t.goal", "num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n");
    for (int i = 0; i < 20'000; ++i) { large.ranks[0].add(send); }
    CHECK_THROWS_WITH(recording_yaml(large), ContainsSubstring("a scenario replays the trace itself"));
}

TEST_CASE("a recording's ranks are those of its world, and a group has each once") {
    const TempFolder folder;
    const auto refused = [&](const std::string& groups, const std::string& rank, const std::string& record,
                             const char* message) {
        const std::string text = "recording: 1\nworld: 2\ngroups: [" + groups + "]\nranks:\n  - rank: " + rank +
                                 "\n    records:\n      - " + record + "\n";
        CHECK_THROWS_WITH(import_text(folder, "r.yaml", text), ContainsSubstring(message));
    };
    refused("{name: g, ranks: [0, 0]}", "0", "{compute: k, time: 1 us}", "r.yaml:3:27: 'ranks' lists rank 0 twice");
    refused("{name: g, ranks: [0, 2]}", "0", "{compute: k, time: 1 us}", "accepted: a whole number from 0 to 1");
    refused("{name: g, size: 3}", "0", "{compute: k, time: 1 us}", "accepted: a whole number from 1 to 2");
    refused("{name: g, size: 2}", "2", "{compute: k, time: 1 us}", "r.yaml:5:11:");
    refused("{name: g, size: 2}", "0", "{send: 2, size: 1 B}", "accepted: a whole number from 0 to 1");
    refused("{name: g, size: 2}", "0", "{compute: k, time: 1 us, after: [0]}", "accepted: nothing: there is none");
}
