#include "validate/calibration/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/percentile.hpp"
#include "base/unit_text.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline calibration {
namespace {

constexpr std::array<std::uint32_t, 3> growths{2, 8, 64};
constexpr std::array<std::int64_t, 3> sizes{8 << 10, 1 << 20, 256 << 20};  // one of each regime
constexpr std::array measurable{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                Collective::all_to_all, Collective::broadcast};
constexpr double noise = 0.05;  // of a measurement, as a standard deviation of ln(seconds)

FitDataset with_nodes(const FitDataset& pilot, Collective collective, std::uint32_t nodes) {
    FitDataset other = pilot;
    other.scenario.cluster.nodes = nodes;
    collective_of(other.scenario).collective = collective;
    return other;
}

// How far each figure may still lie from its value: a standard deviation of ln(figure).
std::map<FigureName, double> open_figures(const Catalog& calibrated, const Calibration& calibration) {
    std::map<FigureName, double> open;
    for (const CalibratedFigure& figure : calibration.figures) { open[figure.name] = deviation_of(figure.fitted); }
    for (const KeptFigure& kept : calibration.kept) {
        const Figure& figure = figure_of(calibrated, kept.name);
        if (figure.low80 > 0 && figure.high80 > figure.low80) {
            open[kept.name] = deviation_of({figure.value.at(0), figure.low80, figure.high80});
        }
    }
    return open;
}

// How ln(seconds) of one size moves with each figure that is open, times how far that may move: what is open of the
// forecast, figure by figure.
std::map<FigureName, double> sensitivity(const FitDataset& system, Bytes size, Catalog& working, FabricCache& cache,
                                         const std::map<FigureName, double>& open) {
    constexpr double step = 0.05;
    const CurveForecaster forecaster(system.scenario, cache.at(system.scenario), working);
    std::map<FigureName, double> shares;
    for (const FigureName& name : forecaster.at(size).costs) {
        const auto found = open.find(name);
        if (found == open.end()) { continue; }
        double& value = figure_of(working, name).value.at(0);
        const double kept = value;
        value = kept * std::exp(step);
        const double slower = forecaster.seconds(size);
        value = kept * std::exp(-step);
        const double faster = forecaster.seconds(size);
        value = kept;
        shares[name] = std::log(slower / faster) / (2 * step) * found->second;
    }
    return shares;
}

double product(const std::map<FigureName, double>& a, const std::map<FigureName, double>& b) {
    double sum = 0;
    for (const auto& [name, value] : a) {
        if (const auto other = b.find(name); other != b.end()) { sum += value * other->second; }
    }
    return sum;
}

double factor_of(double variance) { return std::exp(2 * normal_decile * std::sqrt(std::max(0.0, variance))); }

// Of every collective and size at the node counts that the pilot has, or twice as many, the measurement that leaves
// least open of `target`. The figures count as independent.
NextMeasurement most_telling(const FitDataset& pilot, const std::map<FigureName, double>& target, Catalog& working,
                             FabricCache& cache, const std::map<FigureName, double>& open) {
    const double before = product(target, target);
    NextMeasurement best;
    best.before = best.after = factor_of(before);
    double left = before;
    best.figure = std::ranges::max_element(target, {}, [](const auto& share) { return std::abs(share.second); })->first;
    const std::uint32_t nodes = pilot.scenario.cluster.nodes;
    for (const std::uint32_t count : {nodes, 2 * nodes}) {
        for (const Collective collective : measurable) {
            const FitDataset system = with_nodes(pilot, collective, count);
            for (const std::int64_t size : sizes) {
                const auto shares = sensitivity(system, Bytes{size}, working, cache, open);
                const double shared = product(target, shares);
                const double after = before - shared * shared / (product(shares, shares) + noise * noise);
                if (after < left - 1e-9) {
                    left = after;
                    best = {collective, count, Bytes{size}, factor_of(before), factor_of(after), best.figure};
                }
            }
        }
    }
    return best;
}

}  // namespace

Outlook outlook(const Catalog& calibrated, const Calibration& calibration, const std::vector<FitDataset>& data,
                FabricCache& cache) {
    const FitDataset& pilot =
        *std::ranges::max_element(data, {}, [](const FitDataset& d) { return d.scenario.cluster.nodes; });
    Outlook found;
    found.collective = collective_of(pilot.scenario).collective;
    found.measured_nodes = pilot.scenario.cluster.nodes;
    try {
        for (const std::uint32_t growth : growths) {
            const FitDataset larger = with_nodes(pilot, found.collective, growth * found.measured_nodes);
            const CurveForecaster forecaster(larger.scenario, cache.at(larger.scenario), calibrated);
            for (const std::int64_t size : sizes) {
                found.rows.push_back({larger.scenario.cluster.nodes, Bytes{size}, forecaster.at(Bytes{size})});
            }
        }
        const std::map<FigureName, double> open = open_figures(calibrated, calibration);
        Catalog working = calibrated;
        const FitDataset largest = with_nodes(pilot, found.collective, growths.back() * found.measured_nodes);
        const auto target = sensitivity(largest, Bytes{sizes[1]}, working, cache, open);
        if (!target.empty()) { found.next = most_telling(pilot, target, working, cache, open); }
    } catch (const Error& error) { found.refused = error.what(); }
    return found;
}

std::string to_text(const Outlook& o) {
    const auto size_text = [](Bytes size) { return size_label(static_cast<double>(size.count)); };
    std::string out = fmt::format("\nwhat it expects of larger systems ({})\n", to_string(o.collective));
    for (const OutlookRow& row : o.rows) {
        const ForecastRow& f = row.forecast;
        out += fmt::format("  {:>6} nodes {:>8} {:>10} {:>+5.0f}/{:+.0f} %   {}\n", row.nodes, size_text(row.size),
                           time_label(f.seconds), 100 * (f.low80 / f.seconds - 1), 100 * (f.high80 / f.seconds - 1),
                           to_string(f.evidence));
    }
    if (!o.refused.empty()) { return out + "  not forecast: " + o.refused + "\n"; }
    out += fmt::format(
        "  nothing in these data tells about more than {} node{}: beyond, the intervals are the catalogue's, or "
        "wider\n",
        o.measured_nodes, o.measured_nodes == 1 ? "" : "s");
    if (o.next) {
        const NextMeasurement& next = *o.next;
        out += fmt::format(
            "  of {} nodes at {} the constants leave a factor of {:.2f} open, most by {}; {} of {} on {} node{} would "
            "tell\n  most: {:.2f}\n",
            o.rows.back().nodes, size_text(o.rows[1].size), next.before, next.figure, to_string(next.collective),
            size_text(next.size), next.nodes, next.nodes == 1 ? "" : "s", next.after);
    }
    return out;
}

}  // namespace fabricast::inline calibration
