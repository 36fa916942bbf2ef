#include "sim/run/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace fabricast::inline sweep {

namespace {

// "2.50 us" is 250 steps of 0.01 us.
struct Decimal {
    std::int64_t steps = 0;
    int decimals = 0;
    std::string unit;
};

constexpr std::size_t most_sweep_points = 1'000'000;
constexpr int most_decimals = 9;
constexpr std::int64_t most_steps = std::int64_t{1} << 52;  // an exact integer as a double

[[noreturn]] void refuse(const SweepValue& value, std::string_view what) {
    throw InputError(value.place, error_message(what, shown(value.text), "a plain decimal with its unit, as 2.5 us"));
}

Decimal decimal_of(const SweepValue& value) {
    const std::string_view text = value.text;
    const std::size_t end = std::min(text.find_first_not_of("+-0123456789."), text.size());
    std::string digits(text.substr(0, end));
    Decimal decimal;
    decimal.unit = trimmed(text.substr(end), " ");
    if (const std::size_t point = digits.find('.'); point != std::string::npos) {
        decimal.decimals = static_cast<int>(digits.size() - point - 1);
        digits.erase(point, 1);
    }
    const auto steps = count_in_word(std::string_view(digits).substr(digits.starts_with('+') ? 1 : 0));
    if (!steps || decimal.decimals > most_decimals) { refuse(value, "no end of a range"); }
    decimal.steps = *steps;
    return decimal;
}

std::int64_t scaled(const SweepValue& value, const Decimal& decimal, int decimals) {
    std::int64_t steps = decimal.steps;
    for (int i = decimal.decimals; i < decimals; ++i) {
        steps = std::abs(steps) > most_steps / 10 ? most_steps + 1 : steps * 10;
    }
    if (std::abs(steps) > most_steps) { refuse(value, "too many steps in a range"); }
    return steps;
}

std::string decimal_text(std::int64_t steps, int decimals, const std::string& unit) {
    std::string digits = fmt::format("{:0{}}", std::abs(steps), decimals + 1);
    if (decimals > 0) { digits.insert(digits.size() - static_cast<std::size_t>(decimals), "."); }
    return (steps < 0 ? "-" : "") + digits + (unit.empty() ? "" : " " + unit);
}

// Draws values of a range on its grid of steps, or from a list of choices.
class Dice {
public:
    explicit Dice(const RandomRange& range) : range_(range) {
        if (!range.choices.empty()) { return; }
        const Decimal from = decimal_of(range.from);
        const Decimal to = decimal_of(range.to);
        decimals_ = std::max(from.decimals, to.decimals);
        unit_ = to.unit;
        low_ = scaled(range.from, from, decimals_);
        high_ = scaled(range.to, to, decimals_);
        if (from.unit != to.unit) {
            refuse(range.from, "the ends of a range differ in unit: '" + to.unit + "' at the other");
        }
        if (low_ > high_) { refuse(range.to, "a range that descends"); }
        if (range.log && low_ <= 0) { refuse(range.from, "a logarithmic range begins above zero"); }
    }

    // The value for `uniform` in [0, 1).
    SweepValue value(double uniform) const {
        if (!range_.choices.empty()) {
            return range_.choices[static_cast<std::size_t>(uniform * static_cast<double>(range_.choices.size()))];
        }
        // Every step has the same probability (uniform in the logarithm if `log`), the two ends included.
        const auto low = static_cast<double>(low_);
        const auto steps = static_cast<double>(high_ - low_ + 1);
        const double at =
            range_.log ? std::exp(std::log(low) + uniform * std::log((low + steps) / low)) : low + uniform * steps;
        const auto step = std::clamp(static_cast<std::int64_t>(std::floor(at)), low_, high_);
        return {decimal_text(step, decimals_, unit_), range_.from.place};
    }

private:
    const RandomRange& range_;
    std::int64_t low_ = 0, high_ = 0;
    int decimals_ = 0;
    std::string unit_;
};

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

// One value for each range, for each of the points; the same on every machine.
SweepPoints drawn(const RandomSweep& random, std::uint64_t scenario_seed) {
    SweepPoints points;
    std::vector<Dice> dice;
    for (const RandomRange& range : random.ranges) {
        points.varied.push_back(range.path);
        points.places.push_back(range.place);
        dice.emplace_back(range);
    }
    const std::uint64_t seed = random.seed != 0 ? random.seed : scenario_seed;
    // Counter-based: a point does not depend on the number of points.
    for (std::size_t p = 0; p < random.points; ++p) {
        std::vector<SweepValue>& values = points.values.emplace_back();
        for (std::size_t r = 0; r < dice.size(); ++r) {
            const std::uint64_t bits = mix(mix(mix(seed) + p) + r);
            values.push_back(dice[r].value(static_cast<double>(bits >> 11U) / 9007199254740992.0));
        }
    }
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
