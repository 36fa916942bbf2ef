// What the importer makes of NCCL's own log.

#include "base/unit_text.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

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
