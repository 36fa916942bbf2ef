#pragma once
// The samples of one point, and what is told of their times: the middle and how far they lie apart.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace probe {

struct Sample {
    Sample(double us, std::uint64_t bytes = 0) : time_us(us), checked_bytes(bytes) {}

    double time_us;               // of one transfer
    std::uint64_t checked_bytes;  // so many were compared with what was sent
};

// What was measured of one point.
struct Samples {
    int iterations = 1;            // transfers of one sample
    std::vector<double> times_us;  // of one transfer
    std::uint64_t checked_bytes = 0;
};

// In the unit of the samples.
struct Summary {
    std::size_t samples = 0;
    double min = 0;
    double quarter = 0;  // first quartile
    double median = 0;
    double three_quarters = 0;  // third quartile
    double max = 0;
};

// The value below which a share `q` in [0, 1] of the samples lies, linear between neighbours (Hyndman and Fan 1996,
// definition 7). Precondition: sorted, not empty.
double quantile(const std::vector<double>& sorted, double q);

// Precondition: not empty.
Summary summarize(std::vector<double> samples);

}  // namespace probe
