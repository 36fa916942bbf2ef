#include "sim/run/study/draws.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "base/hash.hpp"
#include "base/percentile.hpp"
#include "base/text.hpp"

namespace fabricast::inline studies {

namespace {

constexpr double furthest = 2;

// Uniform, above 0 and below 1.
double uniform(std::uint64_t hash) { return (static_cast<double>(hash >> 11U) + 0.5) * 0x1p-53; }

Range stated_range(const Figure& figure) { return {figure.value.front(), figure.low80, figure.high80}; }

// Whether every figure of the part that has an interval is a constant of the forecast; true for these kinds of part.
bool holds_constants(const Part& part) {
    return has_word(
        "kernel transport launch link nic switch nvswitch cpu cable layout gpu host compute framework "
        "training data-path messaging drive device",
        part.kind);
}

// Whether the figure may be drawn. Counts and port rates decide what can be built at all: no draw may change that.
bool is_constant(std::string_view name, const Figure& figure) {
    const double value = figure.value.front();
    const bool count = figure.unit.empty() && value == std::floor(value) && value > 1;
    return figure.value.size() == 1 && figure.high80 > figure.low80 && !count && figure.unit != "USD" &&
           figure.unit != "W" && name != "port_rate" && !name.starts_with("data.");
}

// Raises port rates so that a port still supports every link that it supported before the draw.
void hold_links(const Catalog& catalog, Catalog& drawn) {
    for (auto& [name, part] : drawn.parts) {
        const auto port = part.figures.find("port_rate");
        if (port == part.figures.end()) { continue; }
        const double before = catalog.parts.at(name).figure("port_rate").value.front();
        for (const Part* link : catalog.of_kind("link")) {
            const auto rate = link->figures.find("rate");
            if (rate != link->figures.end() && rate->second.unit == port->second.unit &&
                rate->second.value.front() <= before) {
                double& held = port->second.value.front();
                held = std::max(held, drawn.parts.at(link->name).figure("rate").value.front());
            }
        }
    }
}

}  // namespace

double normal(const Draw& draw, std::string_view name) {
    const std::uint64_t first = mix(fnv1a(name) ^ mix(draw.seed * 0x9e3779b97f4a7c15U + draw.index));
    const double radius = std::sqrt(-2 * std::log(uniform(first)));  // Box and Muller, 1958
    const double z = radius * std::cos(2 * std::numbers::pi * uniform(mix(first + 1)));
    return std::clamp(z, -furthest, furthest);
}

double at_deviation(const Range& range, double z) {
    const double end = z < 0 ? range.low80 : range.high80;
    const double share = std::abs(z) / normal_decile;
    if (end == range.value) { return range.value; }
    return range.value > 0 && end > 0 ? range.value * std::pow(end / range.value, share)
                                      : range.value + (end - range.value) * share;
}

double drawn(const Figure& figure, const Draw& draw, std::string_view part, std::string_view name) {
    const Range range = stated_range(figure);
    return range.high80 > range.low80 ? at_deviation(range, normal(draw, std::string(part) + "/" + std::string(name)))
                                      : range.value;
}

Catalog drawn_catalog(const Catalog& catalog, const Draw& draw) {
    Catalog out = catalog;
    for (auto& [name, part] : out.parts) {
        if (!holds_constants(part)) { continue; }
        for (auto& [path, figure] : part.figures) {
            if (is_constant(path, figure)) {
                // Draws end at two standard deviations; a linear interval can reach below zero, a figure must not.
                figure.value.front() = std::max(drawn(figure, draw, name, path), 0.0);
            }
        }
    }
    hold_links(catalog, out);
    return out;
}

Range study_interval(const Catalog& catalog, std::string_view figure) {
    return stated_range(catalog.at("interval", "study-intervals").figure(figure));
}

std::string_view regime_of(Bytes size) {
    return size.count < 65536 ? "small" : size.count < 16777216 ? "middle" : "large";
}

Range range_of(double value, const std::vector<double>& draws) {
    assert(!draws.empty());
    return {value, std::min(*percentile(draws, 10), value), std::max(*percentile(draws, 90), value)};
}

}  // namespace fabricast::inline studies
