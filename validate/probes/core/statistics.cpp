#include "core/statistics.hpp"

#include <algorithm>
#include <cassert>

namespace probe {

double quantile(const std::vector<double>& sorted, double q) {
    assert(!sorted.empty() && q >= 0 && q <= 1);
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    if (below + 1 >= sorted.size()) { return sorted.back(); }
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

Summary summarize(std::vector<double> samples) {
    assert(!samples.empty());
    std::sort(samples.begin(), samples.end());
    return {samples.size(),         samples.front(),         quantile(samples, 0.25),
            quantile(samples, 0.5), quantile(samples, 0.75), samples.back()};
}

}  // namespace probe
