#include "core/statistics.hpp"

#include "tests/support/catch.hpp"

using probe::quantile;
using probe::summarize;

TEST_CASE("quantiles lie linearly between the samples") {
    // Five samples: positions 0, 1, 2, 3, 4 of [0, 1] in quarters.
    const std::vector<double> sorted = {1, 2, 4, 8, 16};
    CHECK(quantile(sorted, 0) == 1);
    CHECK(quantile(sorted, 0.25) == 2);
    CHECK(quantile(sorted, 0.5) == 4);
    CHECK(quantile(sorted, 0.625) == 6);  // halfway between 4 and 8
    CHECK(quantile(sorted, 1) == 16);
}

TEST_CASE("a summary does not depend on the order of its samples") {
    const probe::Summary s = summarize({8, 1, 16, 2, 4});
    CHECK(s.samples == 5);
    CHECK(s.min == 1);
    CHECK(s.quarter == 2);
    CHECK(s.median == 4);
    CHECK(s.three_quarters == 8);
    CHECK(s.max == 16);
}

TEST_CASE("one sample is its own median and extremes") {
    const probe::Summary s = summarize({3.5});
    CHECK(s.min == 3.5);
    CHECK(s.median == 3.5);
    CHECK(s.max == 3.5);
}

TEST_CASE("the median of an even number of samples is the mean of the middle two") {
    CHECK(summarize({1, 2, 3, 10}).median == 2.5);
}
