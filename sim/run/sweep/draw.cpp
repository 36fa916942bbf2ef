#include "sim/run/sweep/draw.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace fabricast::inline sweep {

namespace {

// "2.50 us" is 250 steps of 0.01 us.
struct Decimal {
    std::int64_t steps = 0;
    int decimals = 0;
    std::string unit;
};

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
    std::string digits = std::to_string(std::abs(steps));
    if (decimals > 0) {
        const auto places = static_cast<std::size_t>(decimals);
        digits.insert(0, digits.size() > places ? 0 : places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, ".");
    }
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

}  // namespace

std::vector<std::vector<SweepValue>> drawn_points(const RandomSweep& spec, std::uint64_t seed) {
    std::vector<Dice> dice;
    for (const RandomRange& range : spec.ranges) { dice.emplace_back(range); }
    std::vector<std::vector<SweepValue>> points(spec.points);
    // Counter-based: a point does not depend on the number of points.
    for (std::size_t p = 0; p < points.size(); ++p) {
        for (std::size_t r = 0; r < dice.size(); ++r) {
            const std::uint64_t bits = mix(mix(mix(seed) + p) + r);
            points[p].push_back(dice[r].value(static_cast<double>(bits >> 11U) / 9007199254740992.0));
        }
    }
    return points;
}

}  // namespace fabricast::inline sweep
