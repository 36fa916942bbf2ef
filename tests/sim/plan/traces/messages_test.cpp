// Sends and receives of recordings: how long they take, which belong together, and which to nothing.

#include "tests/sim/plan/traces/replays.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("a message takes as long in either direction, and a receive waits for it") {
    const auto text = [](int from) {
        const std::string to = std::to_string(1 - from);
        return yaml_of("  - rank: " + std::to_string(from) +
                       "\n    records:\n"
                       "      - {compute: a, stream: 0, time: 50 us}\n"
                       "      - {send: " +
                       to +
                       ", size: 64 MiB, stream: 0}\n"
                       "  - rank: " +
                       to +
                       "\n    records:\n"
                       "      - {receive: " +
                       std::to_string(from) +
                       ", size: 64 MiB, stream: 0}\n"
                       "      - {compute: b, stream: 0, time: 10 us}\n");
    };
    const Run there = run_yaml(text(0), system_of("dgx-h100", 1, 2));
    const Run back = run_yaml(text(1), system_of("dgx-h100", 1, 2));
    CHECK(there.makespan() == back.makespan());
    // NVLink 4 moves 64 MiB in 150 us at its line rate of 450 GB/s; nothing is faster.
    CHECK(to_seconds(there.makespan()) > 60e-6 + 64 * MiB / 450e9);
    CHECK(to_seconds(there.makespan()) < 60e-6 + 4 * 64 * MiB / 450e9);
}

TEST_CASE("sends that nobody receives, or that go to the rank itself, are said") {
    const auto notes_of = [](const std::string& first, const std::string& second) {
        return run_yaml(
                   yaml_of("  - rank: 0\n    records: [" + first + "]\n  - rank: 1\n    records: [" + second + "]\n"),
                   system_of("dgx-h100", 1, 2))
            .replayed.notes;
    };
    using Notes = std::vector<std::string>;
    const std::string send = "{send: 1, size: 1 KiB, tag: 3}", receive = "{receive: 0, size: 1 KiB, tag: 3}";
    CHECK(notes_of(send, receive) == Notes{});
    CHECK(notes_of(send + ", " + send + ", " + send, receive) ==
          Notes{"2 sends without a receive: sent all the same (first: rank 0, record 1 (send))"});
    CHECK(notes_of("{send: 1, size: 1 KiB, tag: 4}, " + send, receive) ==
          Notes{"1 send without a receive: sent all the same (first: rank 0, record 0 (send))"});
    const Notes own = {
        "1 send of a rank to itself: a copy on its GPU, which takes no time here (first: rank 1, record 0 "
        "(send))"};
    CHECK(notes_of("{compute: a, time: 1 us}", "{send: 1, size: 1 MiB}") == own);
    // And what receives it goes on.
    CHECK(notes_of("{compute: a, time: 1 us}", "{send: 1, size: 1 MiB}, {receive: 1, size: 1 MiB}") == own);
    const Run alone =
        run_yaml(yaml_of("  - rank: 0\n    records: [{send: 1, size: 1 KiB}]\n", "[]", 4), system_of("dgx-h100", 1, 4));
    CHECK(alone.replayed.notes ==
          Notes{"1 send without a receive: sent all the same (first: rank 0, record 0 (send))"});
}

TEST_CASE("a message whose two ends name different sizes is refused by both records") {
    const TempFolder folder;
    const char* const text =
        "num_ranks 2\nrank 0 {\nl1: send 1024b to 1 tag 3\n}\nrank 1 {\nl1: recv 2048b from 0 tag 3\n}\n";
    CHECK_THROWS_WITH(
        Run(import_text(folder, "t.goal", text), system_of("dgx-h100")),
        ContainsSubstring("a message of two sizes: rank 0, record 0 (send) of 1024 B meets rank 1, record 0 "
                          "(receive) of 2048 B"));
}
