// What each importer makes of a small trace that was written by hand.

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/traces/comm_names.hpp"
#include "sim/plan/traces/recording_yaml.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

std::vector<std::uint32_t> after(const RankRecording& rank, std::size_t record) {
    const auto list = rank.after(record);
    return {list.begin(), list.end()};
}

bool notes_say(const Recording& recording, std::string_view words) {
    return std::any_of(recording.notes.begin(), recording.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a PyTorch trace becomes kernels and calls that wait as they did") {
    const TempFolder folder;
    const Recording r = import_text(folder, "rank0.json", kineto_trace());
    CHECK(r.format == "kineto");
    CHECK(r.recorded_on == "NVIDIA A100-SXM4-40GB");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 4);
    CHECK(rank.span == microseconds(233));
    const Record &gemm = rank.records[0], &elementwise = rank.records[1], &reduce = rank.records[2],
                 &adam = rank.records[3];
    CHECK(gemm.bound == Bound::arithmetic);
    CHECK(gemm.time == microseconds(100));
    // The kernel beside the call starts 1 us behind its predecessor; the call 5 us behind what it waits for.
    CHECK((elementwise.idle == microseconds(1) && after(rank, 1).empty()));
    CHECK(elementwise.bound == Bound::memory);
    CHECK((reduce.kind == RecordKind::collective && reduce.collective == Collective::all_reduce));
    CHECK(reduce.bytes == 4 * 1048576);
    CHECK((reduce.delay == microseconds(5) && after(rank, 2) == std::vector<std::uint32_t>{0}));
    // The last one stood idle until the call had ended, and began 3 us later.
    CHECK((adam.delay == microseconds(3) && after(rank, 3) == std::vector<std::uint32_t>{2}));
    REQUIRE(r.groups.size() == 1);
    CHECK((r.groups[0].name == "0" && r.groups[0].ranks == std::vector<std::uint32_t>{0, 1}));
}

TEST_CASE("an older trace tells a call by its operator and the dimensions of its input") {
    const TempFolder folder;
    const Recording r = import_text(folder, "old.json", older_kineto_trace());
    REQUIRE(r.ranks[0].records.size() == 2);
    const Record& reduce = r.ranks[0].records[0];
    CHECK(reduce.kind == RecordKind::collective);
    CHECK(reduce.bytes == 512 * 1024 * 2);
    CHECK(reduce.dtype == DataType::float16);
    CHECK(r.groups[0].size == 0);  // not known: all
}

TEST_CASE("recorded stream waits stand above what the times suggest") {
    const TempFolder folder;
    // Stream 9 stands idle while stream 7's first kernel ends, but waits only for its second.
    const Recording r = import_text(folder, "sync.json", R"([
  {"ph": "X", "cat": "kernel", "name": "a", "ts": 0, "dur": 10, "args": {"stream": 7, "correlation": 1}},
  {"ph": "X", "cat": "kernel", "name": "b", "ts": 10, "dur": 10, "args": {"stream": 7, "correlation": 2}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "ts": 1, "dur": 0,
   "args": {"stream": 9, "correlation": 4, "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 3}},
  {"ph": "X", "cat": "kernel", "name": "c", "ts": 25, "dur": 10, "args": {"stream": 9, "correlation": 5}},
  {"ph": "X", "cat": "kernel", "name": "d", "ts": 22, "dur": 10, "args": {"stream": 7, "correlation": 6}}])");
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 4);
    CHECK(r.names[rank.records[3].name] == "c");
    CHECK(after(rank, 3) == std::vector<std::uint32_t>{1});
    CHECK(rank.records[3].delay == microseconds(5));
    CHECK(after(rank, 2).empty());
}

TEST_CASE("an NCCL kernel of unknown size keeps its time, and the recording says so") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.json", R"([
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "ts": 0, "dur": 10, "args": {
        "stream" : 7}
}])");
    CHECK(r.ranks[0].records[0].kind == RecordKind::compute);
    CHECK(r.ranks[0].records[0].bound == Bound::neither);
    CHECK(notes_say(r, "1 communication kernels without a size"));
}

TEST_CASE("a trace with nothing to replay is refused") {
    const TempFolder folder;
    CHECK_THROWS_WITH(import_text(folder, "t.json", R"({"traceEvents": []})"), ContainsSubstring("nothing to replay"));
    CHECK_THROWS_WITH(import_text(folder, "t.json", R"({"traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "k", "ts": "soon", "dur": 1}]})"),
                      ContainsSubstring("t.json:2:"));
}

TEST_CASE("an archive of ranks is read as the files in it") {
    const TempFolder folder;
    const std::string tar = test::archived({{"run/t.0.et", chakra_trace(0)}, {"run/t.1.et", chakra_trace(1)}});
    const Recording r = import_trace({folder.write("run.tar.gz", test::gzipped(tar)), nullptr, {}});
    CHECK(r.format == "chakra");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    CHECK(r.ranks[1].rank == 1);
}

TEST_CASE("a Chakra graph is put in order, whatever the file's") {
    const TempFolder folder;
    folder.write("t.0.et", chakra_trace(0));
    folder.write("t.1.et", chakra_trace(1));
    const Recording r = import_trace({folder.path() / "t.*.et", nullptr, {}});
    CHECK(r.format == "chakra");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    CHECK(r.ranks[1].rank == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 5);
    const auto named = [&](std::string_view name) {
        const auto found = std::find_if(rank.records.begin(), rank.records.end(),
                                        [&](const Record& record) { return r.names[record.name] == name; });
        return static_cast<std::uint32_t>(found - rank.records.begin());
    };
    CHECK(after(rank, named("gather")) == std::vector<std::uint32_t>{named("matmul")});
    CHECK(after(rank, named("optimizer")).size() == 2);
    CHECK(rank.records[named("matmul")].time == microseconds(10));
    const Record& gather = rank.records[named("gather")];
    CHECK((gather.collective == Collective::all_gather && gather.bytes == 1 << 20));
    CHECK(rank.records[named("s")].other == 1);
    CHECK(rank.records[named("r")].kind == RecordKind::receive);
}

TEST_CASE("Chakra nodes that wait for each other in a circle are refused by record") {
    const TempFolder folder;
    std::string file = delimited(text_field(1, "0.0.4"));
    file += delimited(whole_field(1, 1) + text_field(2, "a") + whole_field(3, 4) + text_field(5, "\x02"));
    file += delimited(whole_field(1, 2) + text_field(2, "b") + whole_field(3, 4) + text_field(5, "\x01"));
    CHECK_THROWS_WITH(import_text(folder, "c.0.et", file), ContainsSubstring("record 1: node 1 waits for itself"));
}

TEST_CASE("GOAL's statements become records of each rank") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.goal", goal_trace);
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    CHECK(r.ranks[0].records[0].time == nanoseconds(5000));
    CHECK((r.ranks[0].records[1].kind == RecordKind::send && r.ranks[0].records[1].bytes == 1024));
    CHECK(after(r.ranks[0], 1) == std::vector<std::uint32_t>{0});
    CHECK(r.ranks[1].records[0].root == 3);
}

TEST_CASE("GOAL's mistakes are refused at their line and column") {
    const TempFolder folder;
    const auto refused = [&](const char* text, const char* message) {
        CHECK_THROWS_WITH(import_text(folder, "t.goal", text, format_named("goal")), ContainsSubstring(message));
    };
    refused("num_ranks 2\nrank 0 {\nl1: sned 1b to 1\n}\n", "t.goal:3:5: no such operation (found 'sned'");
    refused("num_ranks 2\nrank 2 {\n}\n",
            "t.goal:2:6: a rank is not a whole number in range (found '2'; accepted: 0 to 1)");
    refused("num_ranks 2\nrank 0 {\nl1: calc 5\nl1 requires l2\n}\n",
            "t.goal:4:13: no operation of rank 0 is called 'l2'");
    refused("num_ranks 2\nrank 0 {\nl1: calc 5\nl2: calc 6\nl1 requires l2\nl2 requires l1\n}\n", "requires itself");
    refused("num_ranks 2\nrank 0 {\nl1: calc 5\nl1 irequires l1\n}\n", "requires itself");
    refused("num_ranks 2\nrank 0 {\nl1: calc 5\nl2: calc 6\nl1 irequires l2\nl2 irequires l1\n}\n", "requires itself");
    refused("num_ranks 2\nrank 0 {\nl1: calc 5\n", "the file ends inside rank 0");
    refused("rank 0 {\n}\n", "'num_ranks' must stand before");
}

TEST_CASE("GOAL's irequires waits for what the other waits for, through others too") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.goal",
                                    "num_ranks 1\nrank 0 {\nl4: calc 4\nl3: calc 3\nl2: calc 2\nl1: calc 1\n"
                                    "l2 requires l1\nl3 irequires l2\nl4 irequires l3\n}\n");
    REQUIRE(r.ranks.front().records.size() == 4);
    CHECK(r.ranks.front().records[0].time == nanoseconds(1));  // only l1 waits for nothing
    for (const std::size_t i : {1U, 2U, 3U}) { CHECK(after(r.ranks.front(), i) == std::vector<std::uint32_t>{0}); }
}

TEST_CASE("an MSCCL algorithm becomes the sends and receives of its thread blocks") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.xml", msccl_trace);
    REQUIRE(r.ranks.size() == 2);
    REQUIRE(r.ranks[0].records.size() == 3);
    CHECK(r.ranks[0].records[0].kind == RecordKind::compute);
    CHECK(r.ranks[0].records[1].bytes == 1024);  // 2048 bytes in 2 chunks
    CHECK(r.ranks[0].records[2].kind == RecordKind::receive);
    CHECK(after(r.ranks[1], 1) == std::vector<std::uint32_t>{0});  // depid, deps
    const Recording larger = import_trace({folder.path() / "t.xml", format_named("msccl"), Bytes{1 << 20}});
    CHECK(larger.ranks[0].records[1].bytes == 1 << 19);
}

TEST_CASE("MSCCL's mistakes are refused at their element") {
    const TempFolder folder;
    const auto refused = [&](const std::string& steps, const char* message) {
        const std::string text =
            "<algo name='a' ngpus='2' coll='allgather'>\n<gpu id='0'>\n<tb id='0' send='1' recv='-1' chan='0'>\n" +
            steps + "</tb>\n</gpu>\n<gpu id='1'/>\n</algo>\n";
        CHECK_THROWS_WITH(import_text(folder, "t.xml", text, format_named("msccl")), ContainsSubstring(message));
    };
    refused("<step s='0' type='r'/>\n", "t.xml:4:2: step 'r' of a thread block that has no peer to receive from");
    refused("<step s='0' type='send'/>\n", "no such step (found 'send'; accepted: s, r, rrc");
    refused("<step s='0' type='s'/>\n<step s='0' type='s'/>\n", "t.xml:5:2: step 0 of thread block 0 is there twice");
    refused("<step s='0' type='s' depid='1' deps='0'/>\n", "waits for step 0 of thread block 1, which is not there");
    refused("<step s='0' type='s' depid='0' deps='1'/>\n<step s='1' type='s'/>\n", "waits for itself, through others");
    refused("<stop/>\n", "<stop> where a <step> should stand");
    refused("</tb>\n<ta>\n</ta>\n<tb id='1' send='1' recv='1' chan='0'>\n", "<ta> where a <tb> should stand");
    const auto whole = [&](const char* text, const char* message) {
        CHECK_THROWS_WITH(import_text(folder, "t.xml", text, format_named("msccl")), ContainsSubstring(message));
    };
    whole("<program ngpus='2'/>", "no MSCCL algorithm (found <program>; accepted: <algo>)");
    whole("<algo ngpus='3'><gpu id='0'/><gpu id='1'/></algo>", "ngpus is 3 but 2 <gpu> are described");
}

TEST_CASE("an NCCL log becomes calls by communicator, with grouped messages side by side") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.log", nccl_log);
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 4);
    CHECK(rank.records[0].bytes == 4096);
    CHECK(rank.records[1].bytes == 2 * 4096 * 2);  // NCCL counts one rank's part
    CHECK(rank.records[1].dtype == DataType::bfloat16);
    CHECK(r.groups[rank.records[0].other].ranks == std::vector<std::uint32_t>{0, 1});
    CHECK((rank.records[2].kind == RecordKind::send && rank.records[3].kind == RecordKind::receive));
    CHECK(after(rank, 2) == std::vector<std::uint32_t>{1});
    CHECK(after(rank, 3) == std::vector<std::uint32_t>{1});  // not behind the send of its own group
    CHECK_THROWS_WITH(
        import_text(folder, "t.log", "n0:1:1 [0] NCCL INFO Bootstrap : Using eth0\n", format_named("nccl-log")),
        ContainsSubstring("no call in this log"));
}

TEST_CASE("an NCCL log counts one rank's part of what ranks have a part of, and the whole of the rest") {
    const TempFolder folder;
    const std::pair<const char*, double> calls[] = {{"AllReduce", 1}, {"Broadcast", 1},     {"Reduce", 1},
                                                    {"AllGather", 2}, {"ReduceScatter", 2}, {"AllToAll", 2},
                                                    {"Gather", 2},    {"Scatter", 2}};
    for (const auto& [call, parts] : calls) {
        std::string text;
        for (const char* rank : {"0", "1"}) {
            const std::string who = std::string("n0:1") + rank + ":1" + rank + " [" + rank + "] NCCL INFO ";
            text += who + "ncclCommInitRank comm 0xa" + rank + " rank " + rank + " nranks 2 cudaDev " + rank +
                    " nvmlDev 0 busId 1000 commId 0xfeed - Init START\n" + who + call +
                    ": opCount 0 sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 root 0 comm 0xa" + rank +
                    " [nranks=2] stream 0x5\n";
        }
        const Recording r = import_text(folder, "t.log", text.c_str(), format_named("nccl-log"));
        INFO(call);
        REQUIRE(r.ranks.at(0).records.size() == 1);
        CHECK(r.ranks[0].records[0].bytes == 4096 * parts);
    }
}

TEST_CASE("an execution trace computes by the shapes of its tensors") {
    const TempFolder folder;
    const Recording r = import_text(folder, "et.0.json", pytorch_et_trace);
    REQUIRE(r.ranks.size() == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 3);
    CHECK(rank.records[0].flops == 2.0 * 64 * 32 * 16);
    CHECK(rank.records[0].bytes == 4 * (1024 + 512 + 2048));
    CHECK((rank.records[1].kind == RecordKind::collective && rank.records[1].bytes == 8192));
    CHECK(after(rank, 1) == std::vector<std::uint32_t>{0});
    CHECK(rank.records[2].bytes == 4 * (2048 + 1));
    CHECK(after(rank, 2) == std::vector<std::uint32_t>{1});
    CHECK(r.groups[0].size == 2);
}

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

TEST_CASE("the beginning of a file tells its format") {
    const TempFolder folder;
    CHECK(guess_format(folder.write("a", kineto_trace())).name == "kineto");
    CHECK(guess_format(folder.write("b", pytorch_et_trace)).name == "pytorch-et");
    CHECK(guess_format(folder.write("c", gzipped(kineto_trace()))).name == "kineto");
    CHECK(guess_format(folder.write("d", goal_trace)).name == "goal");
    CHECK(guess_format(folder.write("e", msccl_trace)).name == "msccl");
    CHECK(guess_format(folder.write("f", nccl_log)).name == "nccl-log");
    CHECK(guess_format(folder.write("g", recording_trace)).name == "recording");
    CHECK(guess_format(folder.write("h.et", chakra_trace(0))).name == "chakra");
    CHECK(guess_format(folder.write("i", chakra_trace(0))).name == "chakra");
    CHECK_THROWS_WITH(guess_format(folder.write("j", "hello")), ContainsSubstring("no trace format is like this file"));
    CHECK_THROWS_AS(guess_format(folder.write("k", "")), InputError);
}

TEST_CASE("files of many ranks are read in the order of the numbers in their names") {
    const TempFolder folder;
    for (const int i : {10, 9, 0, 1, 11, 2}) { folder.write("rank_" + std::to_string(i) + ".json", "{}"); }
    const std::vector<std::filesystem::path> files = trace_files(folder.path() / "rank_*.json");
    REQUIRE(files.size() == 6);
    CHECK(files[3].filename() == "rank_9.json");
    CHECK(files[4].filename() == "rank_10.json");
    CHECK(trace_files(folder.path()).size() == 6);
    CHECK_THROWS_WITH(trace_files(folder.path() / "*.et"), ContainsSubstring("no file fits"));
    CHECK(rank_in_name("a/trace.12.et") == 12U);
    CHECK(rank_in_name("rank3.json.gz") == 3U);
    CHECK(rank_in_name("h100_rank-7_x2.json") == 7U);
    CHECK_FALSE(rank_in_name("trace.json"));
}

TEST_CASE("calls are known by every name that PyTorch and NCCL give them") {
    CHECK(comm_call("_allgather_base")->collective == Collective::all_gather);
    CHECK(comm_call("nccl:_reduce_scatter_base")->collective == Collective::reduce_scatter);
    CHECK(comm_call("all_to_allv")->collective == Collective::all_to_all_v);
    CHECK(comm_call("AlltoAll")->collective == Collective::all_to_all);
    CHECK(comm_call("reduce")->collective == Collective::reduce);
    CHECK(comm_call("recvAnySource")->kind == RecordKind::receive);
    CHECK(comm_call("barrier")->barrier);
    CHECK_FALSE(comm_call("wait"));
    CHECK_FALSE(comm_call("broadcastUniqueNCCLID"));
    CHECK(call_bytes(*comm_call("allgather"), 1024, 8192, DataType::bfloat16, 8) == 16384);
    CHECK(call_bytes(*comm_call("gather"), 1024, 0, DataType::float32, 8) == 8 * 4096);
    CHECK(call_bytes(*comm_call("barrier"), 0, 0, DataType::float32, 8) == 4);
}

TEST_CASE("one process that drives two GPUs makes one call of both, by the communicators' addresses") {
    const TempFolder folder;
    // Both calls are logged while GPU 1 is current; the addresses tell which GPU each is on.
    const Recording r = import_text(
        folder, "t.log",
        R"(h0:100:150 [0] NCCL INFO ncclCommInitRankConfig comm 0x55aa rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 17000 commId 0x1 - Init COMPLETE
h0:100:151 [1] NCCL INFO ncclCommInitRankConfig comm 0x66aa rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 65000 commId 0x1 - Init COMPLETE
h0:100:100 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x7 recvbuff 0x9 count 2097152 datatype 7 op 0 root 0 comm 0x55aa [nranks=2] stream 0x5
h0:100:100 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x7 recvbuff 0x9 count 2097152 datatype 7 op 0 root 0 comm 0x66aa [nranks=2] stream 0x6
)");
    REQUIRE(r.ranks.size() == 2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        CHECK(r.ranks[rank].rank == rank);
        REQUIRE(r.ranks[rank].records.size() == 1);
        CHECK(r.ranks[rank].records[0].bytes == 8 << 20);
    }
    CHECK(r.groups[r.ranks[0].records[0].other].ranks == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("a time in front of a log's lines makes no new processes, a launcher's mark does") {
    const TempFolder folder;
    const auto line = [](const std::string& mark, int rank, const std::string& what) {
        return mark + "h0:7:9 [0] NCCL INFO " + what + " comm 0xa" + std::to_string(rank);
    };
    const auto log = [&](const std::string& first, const std::string& second, int rank) {
        return line(first, rank, "Init") + " rank " + std::to_string(rank) + " nranks 2 commId 0x1 - Init START\n" +
               line(second, rank, "AllReduce: opCount 0 count 4 datatype 7 op 0 root 0") + " [nranks=2] stream 0x5\n";
    };
    CHECK(import_text(folder, "timed.log", log("[10:00:01.5] ", "[10:00:02.5] ", 0)).ranks.size() == 1);
    CHECK(import_text(folder, "timed.log", log("[10:00:01.5] ", "[10:00:02.5] ", 1)).ranks.at(0).rank == 1);
    CHECK(import_text(folder, "marked.log", log("0: ", "0: ", 0) + log("1: ", "1: ", 1)).ranks.size() == 2);
}

TEST_CASE("a log that names no communicators has neighbours in one where their ranks in it say so") {
    const TempFolder folder;
    std::string text;
    for (const int rank : {0, 1, 2, 3}) {
        const std::string number = std::to_string(rank);
        const std::string who = "n0:1" + number + ":1" + number + " [" + number + "] NCCL INFO ";
        const auto init = [&](const std::string& address, int in, int ranks) {
            return who + "ncclCommInitRank comm " + address + number + " rank " + std::to_string(in) + " nranks " +
                   std::to_string(ranks) + " cudaDev " + number + " busId 1000 - Init COMPLETE\n";
        };
        text += init("0xa", rank, 4) + init("0xb", rank % 2, 2) + who +
                "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 7 op 0 root 0 comm 0xb" + number +
                " [nranks=2] stream 0x5\n";
    }
    const Recording r = import_text(folder, "t.log", text.c_str());
    REQUIRE(r.ranks.size() == 4);
    for (const RankRecording& rank : r.ranks) {
        const std::uint32_t first = rank.rank / 2 * 2;
        CHECK(r.groups[rank.records.at(0).other].ranks == std::vector<std::uint32_t>{first, first + 1});
    }
    CHECK(notes_say(r, "names no communicators"));
}

TEST_CASE("two GPUs in one PyTorch trace keep their streams apart, whatever their numbers") {
    const TempFolder folder;
    const auto kernel = [](int gpu, int at, int id) {
        return R"({"ph": "X", "cat": "kernel", "name": "gemm", "ts": )" + std::to_string(at) +
               R"(, "dur": 1000, "args": {"device": )" + std::to_string(gpu) + R"(, "stream": 7, "correlation": )" +
               std::to_string(id) + "}}";
    };
    const Recording r = import_text(
        folder, "rank0.json",
        "[" + kernel(0, 0, 1) + "," + kernel(1, 0, 2) + "," + kernel(0, 1000, 3) + "," + kernel(1, 1000, 4) + "]");
    REQUIRE(r.ranks.size() == 1);
    std::map<std::uint16_t, int> of_stream;
    for (const Record& record : r.ranks[0].records) {
        ++of_stream[record.stream];
        CHECK(record.idle == Duration{});
    }
    CHECK(of_stream == std::map<std::uint16_t, int>{{7, 2}, {8, 2}});
    CHECK(notes_say(r, "one process drives 2 GPUs"));
}

TEST_CASE("the annotation around its launch tells an NCCL kernel's call") {
    const TempFolder folder;
    const Recording r = import_text(folder, "rank0.json", R"([
  {"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 9, "tid": 4, "ts": 10, "dur": 20,
   "args": {"External id": 71, "Input Dims": [[512, 1024]], "Input type": ["c10::BFloat16"]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 4, "ts": 15, "dur": 2,
   "args": {"correlation": 3}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 5, "ts": 16, "dur": 2,
   "args": {"correlation": 4}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16", "ts": 40, "dur": 9,
   "args": {"device": 0, "stream": 20, "correlation": 3, "External id": 70}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16", "ts": 60, "dur": 9,
   "args": {"device": 0, "stream": 20, "correlation": 4, "External id": 70}}])");
    REQUIRE(r.ranks[0].records.size() == 2);
    CHECK(r.ranks[0].records[0].kind == RecordKind::collective);
    CHECK(r.ranks[0].records[0].bytes == 512 * 1024 * 2);
    CHECK(r.ranks[0].records[1].kind == RecordKind::compute);  // launched by another thread, beside the annotation
}

TEST_CASE("DeepEP's kernels are communication without a size, not computation") {
    const TempFolder folder;
    const auto kernel = [](const std::string& name, int at) {
        return R"json({"ph": "X", "cat": "kernel", "name": ")json" + name + R"json(", "dur": 10, "ts": )json" +
               std::to_string(at) + R"json(, "args": {"stream": 9}})json";
    };
    const Recording r =
        import_text(folder, "rank0.json",
                    "[" + kernel("void deep_ep::internode::dispatch<false, 8>(int4*)", 0) + "," +
                        kernel("void deep_ep::intranode::combine<__nv_bfloat16, 8>(__nv_bfloat16*)", 10) + "," +
                        kernel("deep_ep::internode::notify_dispatch(int const*)", 20) + "]");
    REQUIRE(r.ranks[0].records.size() == 3);
    for (const Record& record : r.ranks[0].records) {
        CHECK(record.bound == Bound::neither);  // another GPU makes none of them faster
    }
    CHECK(notes_say(r, "3 communication kernels without a size"));
}

TEST_CASE("a call of a type unknown here is no call of 4 bytes an element") {
    const TempFolder folder;
    const auto imported = [&](const std::string& dtype) {
        return import_text(folder, "rank0.json",
                           R"([{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce",
  "ts": 0, "dur": 10, "args": {"stream": 9, "correlation": 1, "Collective name": "allreduce", "In msg nelems": 1024,
  "Out msg nelems": 1024, "Group size": 2, "dtype": ")" +
                               dtype + "\"}}]");
    };
    CHECK(imported("Float").ranks[0].records[0].bytes == 4096);
    const Recording unknown = imported("ComplexDouble");
    CHECK(unknown.ranks[0].records[0].kind == RecordKind::compute);
    CHECK(unknown.ranks[0].records[0].time == microseconds(10));
    CHECK(notes_say(unknown, "without a size, a known type or a peer"));
}

TEST_CASE("an MSCCL algorithm's protocol is that of its steps") {
    const TempFolder folder;
    const auto with = [&](const std::string& protocol) {
        std::string text = msccl_trace;
        text.replace(text.find("Simple"), 6, protocol);
        return import_text(folder, "t.xml", text);
    };
    CHECK(with("LL").ranks[0].records[1].protocol == Protocol::ll);
    CHECK(with("LL128").ranks[0].records[1].protocol == Protocol::ll128);
    CHECK(with("Simple").ranks[0].records[1].protocol == Protocol::simple);
    CHECK_THROWS_WITH(with("LL64"), ContainsSubstring("no such protocol (found 'LL64'; accepted: LL, LL128, Simple)"));
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

TEST_CASE("what macOS puts beside the files of an archive or folder is not a rank") {
    const TempFolder folder;
    const std::string tar = test::archived(
        {{"run/._t.0.et", "AppleDouble"}, {"run/t.0.et", chakra_trace(0)}, {"run/t.1.et", chakra_trace(1)}});
    CHECK(import_trace({folder.write("run.tar", tar), nullptr, {}}).ranks.size() == 2);
    const TempFolder both;
    both.write("._t.0.et", "AppleDouble");
    both.write("t.0.et", chakra_trace(0));
    both.write("t.1.et", chakra_trace(1));
    CHECK(import_trace({both.path(), nullptr, {}}).ranks.size() == 2);
}

namespace {

bool fits_toy(const TraceStart& start) { return start.text.starts_with("toy trace"); }

// A kernel for each line behind the first, as long as the line says.
void read_toy(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    RankRecording rank(rank_of_file(recording, file), "");
    for_each_line(file, progress, [&](std::string_view line, int number) {
        if (number > 1) {
            Record kernel;
            kernel.time = parse_duration(line);
            rank.add(kernel);
        }
    });
    recording.ranks.push_back(std::move(rank));
}

}  // namespace

TEST_CASE("a format is a row of the table that the importer is given") {
    static constexpr TraceFormat toy = {"toy", "a toy", true, fits_toy, read_toy};
    static constexpr const TraceFormat* table[] = {&toy};
    const TempFolder folder;
    const auto file = folder.write("rank3.txt", "toy trace\n10 us\n20 us\n");
    CHECK(format_named("toy", table) == &toy);
    const Recording r = import_trace({file, nullptr, {}, table});
    CHECK(r.format == "toy");
    REQUIRE(r.ranks.size() == 1);
    CHECK(r.ranks.front().rank == 3);
    REQUIRE(r.ranks.front().records.size() == 2);
    CHECK(r.ranks.front().records.back().time == parse_duration("20 us"));
    CHECK_THROWS_WITH(import_trace({folder.write("other.txt", "else"), nullptr, {}, table}),
                      ContainsSubstring("no trace format is like this file") && ContainsSubstring("toy"));
}
