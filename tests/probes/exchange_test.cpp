#include "core/exchange.hpp"

#include <atomic>
#include <thread>

#include "core/ending.hpp"
#include "tests/probes/fake_link.hpp"
#include "tests/support/catch.hpp"

using namespace probe;
using test::FakeLink;
using test::Faults;
using test::Wire;

namespace {

constexpr std::size_t arena = 4 << 20;

// A leader here, the other end served by a thread.
struct Pair {
    explicit Pair(Faults faults = {}, int depth = 8) : wire(std::make_shared<Wire>()) {
        wire->faults = faults;
        here = std::make_unique<FakeLink>(wire, arena, depth);
        there = std::make_unique<FakeLink>(wire, arena, depth);
        FakeLink::connect(*here, *there);
        auto ends = control_pair();
        control = std::move(ends.first);
        server = std::thread([this, end = std::move(ends.second)]() mutable {
            try {
                serve_batches(end, *there, steady_seconds);
            } catch (const std::exception&) { ++failures; }
            const Control closed = std::move(end);
        });
    }
    ~Pair() {
        try {
            control.send("close");
        } catch (const PeerLost&) {}
        server.join();
    }

    std::shared_ptr<Wire> wire;
    std::unique_ptr<FakeLink> here, there;
    Control control{-1};
    std::thread server;
    std::atomic<int> failures{0};
};

std::vector<Series> every_series() {
    std::vector<Series> all;
    for (const Operation operation : {Operation::send, Operation::put, Operation::get}) {
        for (const Measure measure : {Measure::latency, Measure::rate}) {
            for (const Direction direction : {Direction::to_peer, Direction::from_peer, Direction::both}) {
                if (measure == Measure::rate || direction != Direction::both) {
                    all.push_back({operation, measure, direction});
                }
            }
        }
    }
    return all;
}

// Two readings a batch: begin and end lie one millisecond apart.
Clock ticking() {
    return [at = 0.0]() mutable { return at += 1e-3; };
}

}  // namespace

TEST_CASE("every operation, measure and direction brings the right data") {
    Pair pair;
    Leader leader{pair.control, *pair.here};
    std::uint64_t seed = 0;
    for (const Series& series : every_series()) {
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{100'000}}) {
            INFO(word(series.operation) << ' ' << word(series.measure) << ' ' << word(series.direction) << ' '
                                        << bytes);
            const Batch batch{series, bytes, 20, 4, ++seed};
            const Sample result = leader.run(batch);
            CHECK(result.time_us > 0);
            // Eight slots of both ends' windows are used, of one end or of both.
            const bool both_ends = series.direction == Direction::both ||
                                   (series.operation == Operation::send && series.measure == Measure::latency);
            CHECK(result.checked_bytes == 8 * bytes * (both_ends ? 2 : 1));
        }
    }
    CHECK_FALSE(pair.wire->unexpected);
}

TEST_CASE("the window and the depth bound what is in flight") {
    Pair pair({}, 3);
    Leader leader{pair.control, *pair.here};
    leader.run({{Operation::put, Measure::rate, Direction::to_peer}, 64, 100, 16, 1});
    CHECK(pair.wire->most_in_flight == 3);
    leader.run({{Operation::send, Measure::rate, Direction::both}, 64, 100, 16, 2});
    CHECK(pair.wire->most_in_flight <= 4);  // the acknowledgement comes on top
    CHECK(pair.wire->most_receives <= 6);
}

TEST_CASE("time is told per transfer, and half of the round trip for messages") {
    Pair pair;
    Leader leader{pair.control, *pair.here, ticking()};
    // The clock says 1000 us for the whole batch.
    CHECK(leader.run({{Operation::put, Measure::latency, Direction::to_peer}, 8, 10, 1, 1}).time_us == Approx(100));
    CHECK(leader.run({{Operation::get, Measure::rate, Direction::to_peer}, 8, 10, 4, 2}).time_us == Approx(100));
    CHECK(leader.run({{Operation::send, Measure::latency, Direction::to_peer}, 8, 10, 1, 3}).time_us == Approx(50));
}

TEST_CASE("a turned bit is found at either end and ends the run") {
    for (const int message : {0, 1, 5}) {
        Faults faults;
        faults.wrong_byte_in = message;
        for (const Operation operation : {Operation::send, Operation::put, Operation::get}) {
            Pair pair(faults);
            Leader leader{pair.control, *pair.here};
            // As many transfers as slots: none is written over.
            CHECK_THROWS_AS(leader.run({{operation, Measure::rate, Direction::to_peer}, 64, 8, 4, 1}), WrongData);
        }
    }
}

TEST_CASE("data of an earlier batch is not taken for this one's") {
    Faults faults;
    faults.stale_gets = true;
    Pair pair(faults);
    Leader leader{pair.control, *pair.here};
    CHECK_THROWS_AS(leader.run({{Operation::get, Measure::latency, Direction::to_peer}, 64, 4, 1, 1}), WrongData);
}

TEST_CASE("a failed transfer is told, whichever end it failed at") {
    Faults faults;
    faults.lost = 2;
    Pair here_fails(faults);
    Leader leader{here_fails.control, *here_fails.here};
    CHECK_THROWS_WITH(leader.run({{Operation::put, Measure::rate, Direction::to_peer}, 64, 8, 4, 1}),
                      ContainsSubstring("lost"));
    Pair there_fails(faults);
    Leader other{there_fails.control, *there_fails.here};
    CHECK_THROWS_WITH(other.run({{Operation::put, Measure::rate, Direction::from_peer}, 64, 8, 4, 1}),
                      ContainsSubstring("the peer failed: a transfer failed: lost"));
}

TEST_CASE("an order that no probe gives is refused") {
    for (const char* text :
         {"", "run", "run send latency to 8 1 1", "run send latency to 0 1 1 1", "run send latency to 8 -1 1 1",
          "run send latency sideways 8 1 1 1", "run send latency to 99999999999999999999 1 1 1", "open tcp"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_batch(text), PeerLost);
    }
    const Batch batch{{Operation::get, Measure::rate, Direction::both}, 4096, 10, 4, 77};
    CHECK(to_text(parse_batch(to_text(batch))) == to_text(batch));
}

TEST_CASE("a batch beyond the arenas is refused by the end that owns them") {
    Pair pair;
    Leader leader{pair.control, *pair.here};
    CHECK_THROWS_AS(leader.run({{Operation::put, Measure::latency, Direction::to_peer}, arena, 1, 1, 1}), PeerLost);
}

TEST_CASE("arenas hold every batch that is asked of them") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{65}, std::size_t{1} << 20U, std::size_t{1} << 30U}) {
        CHECK(arena_bytes(bytes, window_of(bytes, 64)) >= 2 * bytes);
    }
    CHECK(window_of(8, 32) == 32);
    CHECK(window_of(std::size_t{1} << 20U, 32) == 8);  // 8 MiB of them
    CHECK(window_of(std::size_t{1} << 30U, 32) == 2);
}

TEST_CASE("a point is warmed up, planned and sampled") {
    Pair pair;
    Leader leader{pair.control, *pair.here, ticking()};
    SamplingRule rule;
    rule.samples = 7;
    rule.fewest_samples = 3;
    rule.batch_us = 500;
    rule.budget_us = 1e6;
    // Four puts in 1000 us are 250 us each: two are a sample of 500 us.
    const Samples result =
        measure_point(leader, {Operation::put, Measure::latency, Direction::to_peer}, 8, 16, rule, 1);
    CHECK(result.iterations == 2);
    REQUIRE(result.times_us.size() == 7);
    for (const double time_us : result.times_us) { CHECK(time_us == Approx(500)); }
    CHECK(result.checked_bytes == 112);  // 7 samples of two 8 B
}
