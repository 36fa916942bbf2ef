// What the importers make of GOAL's statements and of MSCCL's algorithms.

#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

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
