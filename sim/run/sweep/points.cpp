#include "sim/run/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/run/sweep/draw.hpp"

namespace fabricast::inline sweep {

namespace {

// Every combination of a point with a value of `variation`; the value varies fastest.
SweepPoints times(const SweepPoints& points, const Variation& variation) {
    if (std::ranges::find(points.varied, variation.path) != points.varied.end()) {
        throw InputError(variation.place, "'" + variation.path + "' is varied twice (accepted: each key once)");
    }
    if (points.values.size() * variation.values.size() > most_sweep_points) {
        throw InputError(variation.place,
                         error_message("too many points", "", fmt::format("at most {}", most_sweep_points)));
    }
    SweepPoints product{points.varied, points.places, {}};
    product.varied.push_back(variation.path);
    product.places.push_back(variation.place);
    for (const std::vector<SweepValue>& point : points.values) {
        for (const SweepValue& value : variation.values) {
            product.values.push_back(point);
            product.values.back().push_back(value);
        }
    }
    return product;
}

SweepPoints listed(const std::vector<std::vector<Assignment>>& list) {
    SweepPoints points;
    for (const std::vector<Assignment>& entry : list) {
        std::vector<SweepValue>& values = points.values.emplace_back(points.varied.size());
        for (const Assignment& assignment : entry) {
            const auto key = std::ranges::find(points.varied, assignment.path) - points.varied.begin();
            if (key == std::ssize(points.varied)) {
                points.varied.push_back(assignment.path);
                points.places.push_back(assignment.value.place);
                values.emplace_back();
            }
            values[static_cast<std::size_t>(key)] = assignment.value;
        }
    }
    for (std::vector<SweepValue>& values : points.values) { values.resize(points.varied.size()); }
    return points;
}

SweepPoints drawn(const RandomSweep& random, std::uint64_t seed) {
    SweepPoints points;
    for (const RandomRange& range : random.ranges) {
        points.varied.push_back(range.path);
        points.places.push_back(range.place);
    }
    points.values = drawn_points(random, random.seed != 0 ? random.seed : seed);
    return points;
}

// The grid of the scenario's block, with keys replaced by --vary, then the other keys of --vary.
std::vector<Variation> whole_grid(const std::vector<Variation>& block, std::vector<Variation> vary) {
    std::vector<Variation> grid;
    for (const Variation& own : block) {
        const auto over = std::ranges::find(vary, own.path, &Variation::path);
        grid.push_back(over == vary.end() ? own : *over);
        if (over != vary.end()) { vary.erase(over); }
    }
    grid.insert(grid.end(), vary.begin(), vary.end());
    return grid;
}

}  // namespace

SweepPoints sweep_points(const SweepSpec& spec, const std::vector<Variation>& vary, std::uint64_t seed) {
    const int ways = (spec.grid.empty() ? 0 : 1) + (spec.list.empty() ? 0 : 1) + (spec.random ? 1 : 0);
    if (ways > 1) {
        const SourceLocation& place = spec.grid.empty() ? spec.random->ranges.front().place : spec.grid.front().place;
        throw InputError(place, "'sweep' says its points in two ways (accepted: grid, list or random)");
    }
    SweepPoints points{{}, {}, {{}}};
    if (!spec.list.empty()) {
        points = listed(spec.list);
    } else if (spec.random) {
        points = drawn(*spec.random, seed);
    }
    for (const Variation& variation : whole_grid(spec.grid, vary)) { points = times(points, variation); }
    return points;
}

std::vector<std::string> overrides_of(const SweepPoints& points, std::size_t point) {
    std::vector<std::string> overrides;
    for (std::size_t k = 0; k < points.varied.size(); ++k) {
        if (const std::string& text = points.values[point][k].text; !text.empty()) {
            overrides.push_back(points.varied[k] + "=" + text);
        }
    }
    return overrides;
}

}  // namespace fabricast::inline sweep
