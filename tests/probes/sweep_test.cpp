#include "core/sweep.hpp"

#include "core/ending.hpp"
#include "tests/support/catch.hpp"

using namespace probe;

TEST_CASE("sizes are read in powers of 1024 and written back") {
    CHECK(parse_size("64") == 64);
    CHECK(parse_size("64 B") == 64);
    CHECK(parse_size("4k") == 4096);
    CHECK(parse_size("4 KiB") == 4096);
    CHECK(parse_size("1GiB") == 1073741824);
    CHECK(size_text(4096) == "4KiB");
    CHECK(size_text(1000) == "1000");
    CHECK(size_text(std::uint64_t{3} << 30U) == "3GiB");
    for (const std::uint64_t bytes : {1ULL, 7ULL, 1024ULL, 5ULL << 20U}) {
        CHECK(parse_size(size_text(bytes)) == bytes);
    }
}

TEST_CASE("what is not a size is refused") {
    for (const char* wrong : {"", "0", "KiB", "4XB", "4KB", "-4", "4.5K", "2048GiB", "99999999999999999999"}) {
        INFO(wrong);
        CHECK_THROWS_AS(parse_size(wrong), UsageError);
    }
}

TEST_CASE("a range of sizes ends with its end, whatever the factor") {
    CHECK(parse_sizes("8:64") == std::vector<std::uint64_t>{8, 16, 32, 64});
    CHECK(parse_sizes("8:100:4") == std::vector<std::uint64_t>{8, 32, 100});
    CHECK(parse_sizes("8:8") == std::vector<std::uint64_t>{8});
    CHECK(parse_sizes("4K,8,4096") == std::vector<std::uint64_t>{8, 4096});
    CHECK_THROWS_AS(parse_sizes("64:8"), UsageError);
    CHECK_THROWS_AS(parse_sizes("8:64:1"), UsageError);
    CHECK_THROWS_AS(parse_sizes("8:64:2:2"), UsageError);
}

TEST_CASE("a sample lasts as long as the rule asks and a point costs what it may") {
    SamplingRule rule;
    rule.samples = 15;
    rule.fewest_samples = 5;
    rule.batch_us = 100;
    rule.budget_us = 3000;
    rule.most_iterations = 1000;
    // 2 us each: 50 of them are 100 us; 3000 us pay for 30 samples, of which 15 are wanted.
    CHECK(plan_samples(2, rule).iterations == 50);
    CHECK(plan_samples(2, rule).samples == 15);
    // 300 us each: one is a sample, 10 are affordable.
    CHECK(plan_samples(300, rule).iterations == 1);
    CHECK(plan_samples(300, rule).samples == 10);
    // However slow, five; however fast, a thousand.
    CHECK(plan_samples(1e6, rule).samples == 5);
    CHECK(plan_samples(1e-3, rule).iterations == 1000);
}

TEST_CASE("rounds walk the sizes to and fro") {
    CHECK(in_turn({8, 16, 32}, 0) == std::vector<std::uint64_t>{8, 16, 32});
    CHECK(in_turn({8, 16, 32}, 1) == std::vector<std::uint64_t>{32, 16, 8});
    CHECK(in_turn({8, 16, 32}, 2) == std::vector<std::uint64_t>{8, 16, 32});
}
