#include "core/sweep.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/ending.hpp"

namespace probe {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 40U;

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) { return parts; }
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
    const auto fail = [&]() -> UsageError {
        return UsageError("'" + std::string(text) + "' is not a size (accepted: 64, 4KiB, 1M, 1GiB; at most 1024GiB)");
    };
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto number = std::from_chars(text.data(), end, value);
    std::string unit(number.ptr, end);
    unit.erase(0, unit.find_first_not_of(' '));
    for (char& c : unit) { c = static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
    unsigned shift = 0;
    if (!unit.empty() && unit != "B") {
        const auto power = std::string_view("KMG").find(unit[0]);
        if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "IB")) { throw fail(); }
        shift = static_cast<unsigned>(10 * (power + 1));
    }
    if (number.ec != std::errc() || value == 0 || value > (largest >> shift)) { throw fail(); }
    return value << shift;
}

std::string size_text(std::uint64_t bytes) {
    const char* const units[] = {"", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + units[unit];
}

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
    std::vector<std::uint64_t> sizes;
    const auto range = split(text, ':');
    if (range.size() == 1) {
        for (const std::string_view one : split(text, ',')) { sizes.push_back(parse_size(one)); }
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        return sizes;
    }
    if (range.size() > 3) {
        throw UsageError("'" + std::string(text) + "' are not sizes (accepted: FROM:TO[:FACTOR], or a list 64,4KiB)");
    }
    const std::uint64_t from = parse_size(range[0]);
    const std::uint64_t to = parse_size(range[1]);
    const std::uint64_t factor = range.size() == 3 ? parse_size(range[2]) : 2;
    if (from > to || factor < 2) {
        throw UsageError("'" + std::string(text) + "' are not sizes (accepted: FROM <= TO and FACTOR >= 2)");
    }
    for (std::uint64_t size = from; size < to; size *= factor) { sizes.push_back(size); }
    sizes.push_back(to);
    return sizes;
}

SamplePlan plan_samples(double estimate_us, const SamplingRule& rule) {
    assert(estimate_us > 0);
    SamplePlan plan;
    const double wanted = std::ceil(rule.batch_us / estimate_us);
    plan.iterations = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(rule.most_iterations)));
    const double affordable = rule.budget_us / (estimate_us * plan.iterations);
    plan.samples =
        static_cast<int>(std::clamp(affordable, static_cast<double>(std::min(rule.fewest_samples, rule.samples)),
                                    static_cast<double>(rule.samples)));
    return plan;
}

Samples take_samples(const SamplePlan& plan, const std::function<Sample(int)>& sample) {
    Samples taken;
    taken.iterations = plan.iterations;
    for (int i = 0; i < plan.samples; ++i) {
        const Sample one = sample(plan.iterations);
        taken.times_us.push_back(one.time_us);
        taken.checked_bytes += one.checked_bytes;
    }
    return taken;
}

std::vector<std::uint64_t> in_turn(std::vector<std::uint64_t> sizes, int round) {
    if (round % 2 == 1) { std::reverse(sizes.begin(), sizes.end()); }
    return sizes;
}

}  // namespace probe
