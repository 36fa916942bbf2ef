// The collectives' counts and results, each held against a collective that is carried out here, buffer by buffer.

#include "nccl/collectives.hpp"

#include "tests/support/catch.hpp"

using namespace probe;

namespace {

using Buffers = std::vector<std::vector<float>>;

// What NCCL's documentation says each call does, done by copying.
Buffers carried_out(Collective collective, const Buffers& send, const Counts& c) {
    const std::size_t n = send.size();
    Buffers receive(n, std::vector<float>(c.receive, -1));
    for (std::size_t to = 0; to < n; ++to) {
        for (std::size_t from = 0; from < n; ++from) {
            for (std::size_t i = 0; i < c.send; ++i) {
                const float value = send[from][i];
                const std::size_t owner = c.part == 0 ? 0 : i / c.part;
                float* at = nullptr;
                bool adds = false;
                switch (collective) {
                    case Collective::all_reduce: at = &receive[to][i], adds = true; break;
                    case Collective::reduce: at = to == 0 ? &receive[to][i] : nullptr, adds = true; break;
                    case Collective::broadcast: at = from == 0 ? &receive[to][i] : nullptr; break;
                    case Collective::all_gather: at = &receive[to][from * c.part + i]; break;
                    case Collective::gather: at = to == 0 ? &receive[to][from * c.part + i] : nullptr; break;
                    case Collective::reduce_scatter:
                        at = owner == to ? &receive[to][i - to * c.part] : nullptr, adds = true;
                        break;
                    case Collective::all_to_all:
                        at = owner == to ? &receive[to][from * c.part + i - to * c.part] : nullptr;
                        break;
                    case Collective::scatter:
                        at = from == 0 && owner == to ? &receive[to][i - to * c.part] : nullptr;
                        break;
                    case Collective::sendrecv: at = to == (from + 1) % n ? &receive[to][i] : nullptr; break;
                }
                if (at != nullptr) { *at = adds && from > 0 ? *at + value : value; }
            }
        }
    }
    return receive;
}

}  // namespace

TEST_CASE("a word that names no collective is refused") {
    CHECK_THROWS_WITH(collective_of("all_reduced"), ContainsSubstring("no collective: 'all_reduced'"));
}

TEST_CASE("every collective's result is what the formula says, element by element") {
    for (const std::string& name : collective_words()) {
        const Collective collective = collective_of(name);
        for (const int ranks : {1, 2, 3, 8}) {
            const Counts counts = counts_of(collective, 4096, sizeof(float), ranks);
            Buffers send;
            for (int rank = 0; rank < ranks; ++rank) {
                send.emplace_back();
                for (std::size_t i = 0; i < counts.send; ++i) { send.back().push_back(sent_value(rank, i)); }
            }
            const Buffers receive = carried_out(collective, send, counts);
            for (int rank = 0; rank < ranks; ++rank) {
                if (!receives(collective, rank)) { continue; }
                INFO(name << " rank " << rank << " of " << ranks);
                bool right = true;
                for (std::size_t i = 0; i < counts.receive; ++i) {
                    right = right && receive[static_cast<std::size_t>(rank)][i] ==
                                         expected_value(collective, rank, ranks, counts.part, i);
                }
                CHECK(right);
            }
        }
    }
}

TEST_CASE("a result of another rank, or of another element, is not taken for the right one") {
    for (const std::string& name : collective_words()) {
        const Collective collective = collective_of(name);
        const Counts counts = counts_of(collective, 4096, sizeof(float), 4);
        bool elements_differ = false;
        for (std::size_t i = 0; i + 1 < counts.receive; ++i) {
            elements_differ = elements_differ || expected_value(collective, 0, 4, counts.part, i) !=
                                                     expected_value(collective, 0, 4, counts.part, i + 1);
        }
        INFO(name);
        CHECK(elements_differ);
    }
    CHECK(sent_value(0, 5) != sent_value(1, 5));
}

TEST_CASE("counts are nccl-tests': parts rounded down to 16 B") {
    // 1 MiB of floats over 8 ranks: parts of 32768 elements.
    CHECK(counts_of(Collective::all_gather, 1 << 20, 4, 8).part == 32768);
    CHECK(counts_of(Collective::all_gather, 1 << 20, 4, 8).receive == 262144);
    CHECK(counts_of(Collective::reduce_scatter, 1 << 20, 4, 8).send == 262144);
    CHECK(counts_of(Collective::all_to_all, 1 << 20, 4, 8).send == 262144);
    // 1000 B over 3: 83 elements each, rounded down to 80.
    CHECK(counts_of(Collective::all_gather, 1000, 4, 3).part == 80);
    CHECK(counts_of(Collective::all_reduce, 1000, 4, 3).send == 250);
    // Fewer bytes than 16 a rank: nothing.
    CHECK(counts_of(Collective::all_gather, 64, 4, 8).send == 0);
}

TEST_CASE("bus bandwidth is nccl-tests' rule") {
    CHECK(bus_factor(Collective::all_reduce, 8) == Approx(1.75));
    CHECK(bus_factor(Collective::all_gather, 8) == Approx(0.875));
    CHECK(bus_factor(Collective::reduce_scatter, 8) == Approx(0.875));
    CHECK(bus_factor(Collective::all_to_all, 8) == Approx(0.875));
    CHECK(bus_factor(Collective::broadcast, 8) == 1);
    CHECK(bus_factor(Collective::reduce, 8) == 1);
    CHECK(bus_factor(Collective::sendrecv, 8) == 1);
}

TEST_CASE("sums of many ranks are whole numbers that a float holds") {
    // 63 * 200,000 < 2^24, so every partial sum is exact, in any order.
    CHECK(63.0 * 200'000 < 16'777'216.0);
    float up = 0, down = 0;
    for (int r = 0; r < 2000; ++r) {
        up += sent_value(r, 12345);
        down += sent_value(1999 - r, 12345);
    }
    CHECK(up == down);
    CHECK(up == sum_of(12345, 2000));
}
