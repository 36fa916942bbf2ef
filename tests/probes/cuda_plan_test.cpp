#include <algorithm>
#include <set>

#include "cuda/plan.hpp"
#include "tests/support/catch.hpp"

using namespace probe;

namespace {

GpuSet gpus(int count, bool reach = true) {
    GpuSet set;
    set.count = count;
    set.reaches.assign(static_cast<std::size_t>(count), std::vector<bool>(static_cast<std::size_t>(count), reach));
    return set;
}

std::size_t count_of(const std::vector<CopyTest>& tests, const std::string& name) {
    return static_cast<std::size_t>(
        std::count_if(tests.begin(), tests.end(), [&](const CopyTest& test) { return test.name == name; }));
}

}  // namespace

TEST_CASE("one GPU is copied to, from and within") {
    const auto tests = plan_copies(gpus(1), {});
    CHECK(count_of(tests, "host->gpu0") == 3);  // engine pinned and pageable, kernel pinned
    CHECK(count_of(tests, "gpu0->host") == 3);
    CHECK(count_of(tests, "host<->gpu0") == 1);
    CHECK(count_of(tests, "gpu0->gpu0") == 2);
    CHECK(tests.size() == 9);
}

TEST_CASE("n GPUs that reach each other make n (n - 1) paths, by engine, load and store") {
    const std::size_t n = 4;
    const auto tests = plan_copies(gpus(4), {});
    std::size_t one = 0, both = 0, all = 0;
    for (const CopyTest& test : tests) {
        const bool peers = std::none_of(test.paths.begin(), test.paths.end(), [](const Path& path) {
            return path.from == host || path.to == host || path.from == path.to;
        });
        one += peers && test.paths.size() == 1 ? 1 : 0;
        both += peers && test.paths.size() == 2 ? 1 : 0;
        all += peers && test.paths.size() == n * (n - 1) ? 1 : 0;
    }
    CHECK(one == 3 * n * (n - 1));
    CHECK(both == 3 * n * (n - 1) / 2);
    CHECK(all == 2);
}

TEST_CASE("threads touch no memory that they cannot reach") {
    GpuSet set = gpus(3);
    set.reaches[0][2] = set.reaches[2][0] = false;
    for (const CopyTest& test : plan_copies(set, {})) {
        for (const Path& path : test.paths) {
            const bool apart = path.from + path.to == 2 && path.from != path.to && path.from != host && path.to != host;
            if (apart) {
                CHECK(test.method == Method::engine);
                CHECK_FALSE(can_be_gated(test, set));  // staged through the host: the call itself may wait
            }
        }
    }
}

TEST_CASE("nothing is queued behind a gate that waits in its own call") {
    const GpuSet set = gpus(2);
    for (const CopyTest& test : plan_copies(set, {})) {
        CHECK(can_be_gated(test, set) == (test.memory != Memory::pageable));
    }
}

TEST_CASE("a kernel runs where its memory can be reached: loads at the receiver, stores at the sender") {
    CHECK(runs_on({0, 1}, Method::kernel_read) == 1);
    CHECK(runs_on({0, 1}, Method::kernel_write) == 0);
    CHECK(runs_on({host, 1}, Method::kernel_read) == 1);
    CHECK(runs_on({1, host}, Method::kernel_write) == 1);
    CHECK(runs_on({host, 1}, Method::engine) == 1);
    CHECK(runs_on({1, host}, Method::engine) == 1);
    for (const CopyTest& test : plan_copies(gpus(3), {})) {
        for (const Path& path : test.paths) { CHECK(runs_on(path, test.method) >= 0); }
    }
}

TEST_CASE("what is not chosen is not planned") {
    CopyChoice none;
    none.to_host = none.local = none.peers = false;
    CHECK(plan_copies(gpus(4), none).empty());
    CopyChoice pinned_only;
    pinned_only.pageable = false;
    for (const CopyTest& test : plan_copies(gpus(2), pinned_only)) { CHECK(test.memory != Memory::pageable); }
}

TEST_CASE("a copy has a slot of its own where they fit, and slots outgrow the cache") {
    const std::uint64_t cache = 200 << 20;
    CHECK(rotation_slots(4, 0, 64) == 64);
    CHECK(rotation_slots(1 << 20, cache, 64) == 64);
    CHECK(rotation_slots(8 << 20, 0, 64) == 32);      // 256 MiB
    CHECK(rotation_slots(8 << 20, cache, 64) == 51);  // 400 MiB of other slots before the first comes again
    CHECK(rotation_slots(std::uint64_t{1} << 30U, 0, 64) == 1);
    CHECK(rotation_slots(std::uint64_t{1} << 30U, cache, 64) == 2);
}

TEST_CASE("a pointer cycle visits every place once and comes back") {
    for (const std::size_t elements : {std::size_t{2}, std::size_t{3}, std::size_t{64}, std::size_t{1000}}) {
        const auto cycle = pointer_cycle(elements, 4, 7);
        std::set<std::uint64_t> seen;
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < elements; ++i) {
            seen.insert(at);
            at = cycle[at];
        }
        CHECK(at == 0);
        CHECK(seen.size() == elements);
        CHECK(walk(cycle, elements) == 0);
        CHECK(walk(cycle, 1) == cycle[0]);
    }
    CHECK(pointer_cycle(100, 4, 1) != pointer_cycle(100, 4, 2));
}
