#pragma once
// Which sizes are run, in which order, and how often each: decided before anything is measured.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics.hpp"

namespace probe {

// "4 KiB", "1M", "64": bytes; K, M and G are powers of 1024 as in nccl-tests' -b. Throws UsageError.
std::uint64_t parse_size(std::string_view text);
// 4096 -> "4KiB", 1000 -> "1000".
std::string size_text(std::uint64_t bytes);

// "FROM:TO", "FROM:TO:FACTOR" (factor 2 unless given; with TO) or a list "64,4KiB". Ascending. Throws UsageError.
std::vector<std::uint64_t> parse_sizes(std::string_view text);

// How long a point may take and how its samples are formed.
struct SamplingRule {
    int samples = 15;            // at most
    int fewest_samples = 5;      // however slow one is
    double batch_us = 200;       // a sample lasts at least so long: clocks and barriers cost a part of it
    double budget_us = 60'000;   // for all samples of a point
    int most_iterations = 1000;  // of one sample
};

// One point's share of the run.
struct SamplePlan {
    int iterations = 1;  // transfers of one sample
    int samples = 1;
};

// From the time that one transfer was seen to take in the warm-up. Precondition: estimate_us > 0.
SamplePlan plan_samples(double estimate_us, const SamplingRule& rule);
Samples take_samples(const SamplePlan& plan, const std::function<Sample(int iterations)>& sample);

// Round after round runs over every series and size, so that a slow minute of the machine falls on all of them and
// rounds can be held against each other. Every second round walks the sizes down.
std::vector<std::uint64_t> in_turn(std::vector<std::uint64_t> sizes, int round);

}  // namespace probe
