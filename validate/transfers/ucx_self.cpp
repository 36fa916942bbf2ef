#include "validate/transfers/ucx_self.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "base/percentile.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline validate_transfers {
namespace {

constexpr double segment_cost = 0.1 * 0.1;  // saving that justifies one more segment

double error_sum(const ProtocolSegment& s, const TimedSize* begin, const TimedSize* end) {
    double sum = 0;
    for (const TimedSize* p = begin; p != end; ++p) {
        const double error = (s.latency + s.seconds_per_byte * p->bytes) / p->seconds - 1;
        sum += error * error;
    }
    return sum;
}

// Least squares of relative errors, so that 1 us at 8 B counts as much as 1 ms at 4 MiB. If a term would be negative,
// takes the better of the two fits with only one term.
ProtocolSegment fit_segment(const TimedSize* begin, const TimedSize* end) {
    double one = 0, x = 0, xx = 0, y = 0, xy = 0;  // sums with weight 1 / t^2
    for (const TimedSize* p = begin; p != end; ++p) {
        const double weight = 1 / (p->seconds * p->seconds);
        one += weight;
        x += weight * p->bytes;
        xx += weight * p->bytes * p->bytes;
        y += weight * p->seconds;
        xy += weight * p->bytes * p->seconds;
    }
    const double determinant = one * xx - x * x;
    const double slope = determinant > 0 ? (one * xy - x * y) / determinant : 0;
    const double latency = (y - slope * x) / one;
    if (slope >= 0 && latency >= 0) { return {begin->bytes, latency, slope}; }
    const ProtocolSegment flat = {begin->bytes, y / one, 0}, through_zero = {begin->bytes, 0, xy / xx};
    return error_sum(flat, begin, end) < error_sum(through_zero, begin, end) ? flat : through_zero;
}

// Seconds of one curve by round and size.
using Rounds = std::map<int, std::map<double, double>>;

std::map<std::vector<std::string>, Rounds> rounds_of(const Measurement& m) {
    if (!has_series(m)) {
        refuse(m.place, "not a probe's table", "columns " + joined(m.columns),
               "labels, round, size_bytes, ..., time_us");
    }
    const auto column = [&](std::string_view name) { return std::ranges::find(m.columns, name) - m.columns.begin(); };
    const auto round = column("round"), time = column("time_us");
    std::map<std::vector<std::string>, Rounds> curves;
    for (std::size_t r = 0; r < m.rows.size(); ++r) {
        const std::vector<std::string>& row = m.rows[r];
        const auto cell = [&](std::ptrdiff_t i) {
            return std::strtod(row[static_cast<std::size_t>(i)].c_str(), nullptr);
        };
        if (!(cell(time) > 0) || !(cell(round + 1) > 0)) {
            throw InputError(m.row_places[r], "a row without a size or a time (accepted: figures > 0)");
        }
        curves[{row.begin(), row.begin() + round}][static_cast<int>(cell(round))][cell(round + 1)] = cell(time) * 1e-6;
    }
    return curves;
}

// The median of each size over the even rounds.
std::vector<TimedSize> fitted_points(const Rounds& rounds) {
    std::map<double, std::vector<double>> by_size;
    for (const auto& [round, points] : rounds) {
        for (const auto& [bytes, seconds] : points) {
            if (round % 2 == 0) { by_size[bytes].push_back(seconds); }
        }
    }
    std::vector<TimedSize> points;
    points.reserve(by_size.size());
    for (const auto& [bytes, seconds] : by_size) { points.push_back({bytes, *percentile(seconds, 50)}); }
    return points;
}

void compare_neighbours(const Rounds& rounds, std::vector<double>& differences) {
    for (auto one = rounds.begin(), next = std::next(one); next != rounds.end(); ++one, ++next) {
        for (const auto& [bytes, seconds] : next->second) {
            if (const auto before = one->second.find(bytes); before != one->second.end()) {
                differences.push_back(std::abs(seconds / before->second - 1));
            }
        }
    }
}

}  // namespace

std::vector<ProtocolSegment> fit_protocols(const std::vector<TimedSize>& points) {
    assert(points.size() >= 2);
    const std::size_t n = points.size();
    // best[i]: smallest cost of the first i points; the last segment of that solution begins at from[i].
    std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> from(n + 1, 0);
    best[0] = 0;
    for (std::size_t end = 2; end <= n; ++end) {
        for (std::size_t begin = 0; begin + 2 <= end; ++begin) {
            const ProtocolSegment s = fit_segment(points.data() + begin, points.data() + end);
            const double sum = best[begin] + segment_cost + error_sum(s, points.data() + begin, points.data() + end);
            if (sum < best[end]) {
                best[end] = sum;
                from[end] = begin;
            }
        }
    }
    std::vector<ProtocolSegment> segments;
    for (std::size_t end = n; end > 0; end = from[end]) {
        segments.push_back(fit_segment(points.data() + from[end], points.data() + end));
    }
    std::ranges::reverse(segments);
    return segments;
}

double forecast(const std::vector<ProtocolSegment>& segments, double bytes) {
    const auto next = std::ranges::upper_bound(segments, bytes, {}, &ProtocolSegment::from);
    const ProtocolSegment& s = next == segments.begin() ? *next : *std::prev(next);
    return s.latency + s.seconds_per_byte * bytes;
}

SelfForecast forecast_itself(const Measurement& measurement) {
    SelfForecast result;
    std::vector<double> errors, differences;
    for (const auto& [labels, rounds] : rounds_of(measurement)) {
        const std::vector<TimedSize> points = fitted_points(rounds);
        if (rounds.size() < 2 || points.size() < 3) {
            refuse(measurement.place, "too little to fit and to judge in " + joined(labels),
                   std::to_string(rounds.size()) + " rounds, " + std::to_string(points.size()) + " sizes",
                   "two rounds and three sizes");
        }
        const std::vector<ProtocolSegment> segments = fit_protocols(points);
        for (const auto& [round, judged] : rounds) {
            for (const auto& [bytes, seconds] : judged) {
                if (round % 2 == 1) { errors.push_back(std::abs(forecast(segments, bytes) / seconds - 1)); }
            }
        }
        compare_neighbours(rounds, differences);
        ++result.curves;
    }
    if (errors.empty() || differences.empty()) {
        throw InputError(measurement.place, "nothing to judge (accepted: two rounds or more of each curve)");
    }
    result.rows = errors.size();
    result.median_pct = 100 * *percentile(errors, 50);
    result.noise_pct = 100 * *percentile(differences, 50);
    return result;
}

}  // namespace fabricast::inline validate_transfers
