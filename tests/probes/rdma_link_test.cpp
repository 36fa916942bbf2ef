// probe-rdma's connection, sweep and check logic against a fake HCA.

#include "rdma/rdma_link.hpp"

#include <thread>

#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "tests/probes/fake_verbs.hpp"
#include "tests/support/catch.hpp"

using namespace probe;
using test::FakeNetwork;
using test::FakeVerbs;

namespace {

RdmaSettings settings(int queue_pairs = 1, int depth = 8) {
    RdmaSettings s;
    s.queue_pairs = queue_pairs;
    s.depth = depth;
    s.bytes = arena_bytes(100'000, depth);
    s.host = "node-b";
    return s;
}

// Both ends over one fake network; `lead` runs with the leader's link.
struct Cluster {
    std::shared_ptr<FakeNetwork> network = std::make_shared<FakeNetwork>();
    std::string server_error;

    template <typename Lead> void run(const RdmaSettings& s, Lead lead) {
        auto ends = control_pair();
        std::thread server([&, end = std::move(ends.second)]() mutable {
            try {
                FakeVerbs verbs(network);
                const auto link = connect_rdma(end, verbs, s, false);
                serve_batches(end, *link, steady_seconds);
                end.barrier();
            } catch (const std::exception& error) { server_error = error.what(); }
            const Control closed = std::move(end);
        });
        try {
            Control control = std::move(ends.first);
            FakeVerbs verbs(network);
            const auto link = connect_rdma(control, verbs, s, true);
            Leader leader{control, *link};
            lead(leader, *link, verbs);
            control.send("close");
            control.barrier();
        } catch (...) {
            server.join();
            throw;
        }
        server.join();
    }
};

}  // namespace

TEST_CASE("send, write and read bring the right data over any number of queue pairs") {
    for (const int pairs : {1, 2, 3, 8}) {
        Cluster cluster;
        cluster.run(settings(pairs), [&](Leader& leader, Link& link, Verbs&) {
            CHECK(link.description() == "host");
            std::uint64_t seed = 0;
            for (const Operation operation : {Operation::send, Operation::put, Operation::get}) {
                for (const Direction direction : {Direction::to_peer, Direction::from_peer, Direction::both}) {
                    for (const std::size_t bytes :
                         {std::size_t{1}, std::size_t{64}, std::size_t{221}, std::size_t{100'000}}) {
                        INFO(pairs << ' ' << word(operation) << ' ' << word(direction) << ' ' << bytes);
                        CHECK(leader.run({{operation, Measure::rate, direction}, bytes, 30, 8, ++seed}).checked_bytes >
                              0);
                    }
                }
                leader.run({{operation, Measure::latency, Direction::to_peer}, 64, 10, 1, ++seed});
                leader.run({{operation, Measure::latency, Direction::from_peer}, 64, 10, 1, ++seed});
            }
        });
        CHECK(cluster.server_error.empty());
        CHECK(cluster.network->registered == 0);
        CHECK(cluster.network->host == "node-b 4791");
        CHECK(cluster.network->pairs == 2 * pairs);
    }
}

TEST_CASE("no queue is ever overrun, though one pair is slower than the others") {
    Cluster cluster;
    cluster.network->slow_pair = 0;
    cluster.run(settings(3, 6), [&](Leader& leader, Link&, Verbs&) {
        for (const Operation operation : {Operation::send, Operation::put, Operation::get}) {
            // A full queue throws as the HCA does.
            CHECK_NOTHROW(leader.run({{operation, Measure::rate, Direction::both}, 64, 200, 64, 1}));
        }
    });
    CHECK(cluster.network->most_sends <= 7);
    CHECK(cluster.network->most_sends >= 2);
}

TEST_CASE("a byte that the wire turned ends the run at either end") {
    for (const Operation operation : {Operation::send, Operation::put, Operation::get}) {
        Cluster cluster;
        cluster.network->wrong_byte_in = 3;
        CHECK_THROWS_AS(cluster.run(settings(),
                                    [&](Leader& leader, Link&, Verbs&) {
                                        leader.run({{operation, Measure::rate, Direction::to_peer}, 64, 8, 4, 1});
                                    }),
                        WrongData);
    }
}

TEST_CASE("an access that the keys do not cover is an error of the transfer, by its name") {
    Cluster cluster;
    CHECK_THROWS_WITH(cluster.run(settings(),
                                  [&](Leader&, Link& link, Verbs&) {
                                      link.post(Operation::put, link.outgoing().bytes() - 8, 64);
                                      link.progress();
                                  }),
                      ContainsSubstring("local protection error"));
}

TEST_CASE("after an error the queue pair flushes") {
    Cluster cluster;
    CHECK_NOTHROW(cluster.run(settings(), [&](Leader&, Link& link, Verbs&) {
        link.post(Operation::put, link.outgoing().bytes() - 8, 64);
        link.post(Operation::put, 0, 64);
        CHECK_THROWS_WITH(link.progress(), ContainsSubstring("local protection error"));
        CHECK_THROWS_WITH(link.progress(), ContainsSubstring("Flushed"));
        CHECK(link.completed() == 0);
    }));
}

TEST_CASE("a peer that does not listen is refused at the connection") {
    Cluster cluster;
    cluster.network->refuse_listen = true;
    CHECK_THROWS_WITH(cluster.run(settings(), [](Leader&, Link&, Verbs&) {}), ContainsSubstring("Connection refused"));
    CHECK_FALSE(cluster.server_error.empty());
}

TEST_CASE("memory that cannot be registered ends the run and leaves nothing registered") {
    Cluster cluster;
    cluster.network->refuse_memory = true;
    CHECK_THROWS_WITH(cluster.run(settings(), [](Leader&, Link&, Verbs&) {}), ContainsSubstring("ibv_reg_mr"));
    CHECK(cluster.network->registered == 0);
}

TEST_CASE("registration is timed by itself, in and out") {
    Cluster cluster;
    cluster.run(settings(), [&](Leader&, Link&, Verbs& verbs) {
        const auto arena = host_arena(1 << 20);
        const int before = cluster.network->registered;
        const RegistrationTime one = time_registration(verbs, *arena, 1 << 20, [] {
            static double at = 0;  // one reading is 1 s, the next 2 s later, then 3 s
            static double step = 1;
            return at += step++;
        });
        CHECK(one.register_s == 2);
        CHECK(one.deregister_s == 3);
        CHECK(cluster.network->registered == before);
    });
}
