#include "validate/calibration/calibrate_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/percentile.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "validate/calibration/catalog_writer.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline calibration {

namespace {

struct Errors {
    ErrorSummary before, after;
};

Errors errors_of(const Calibration& c, Regime regime, bool judged) {
    std::vector<double> before, after;
    for (const CalibratedRow& row : c.rows) {
        if (row.judged == judged && regime_of(row.size) == regime) {
            before.push_back(row.before / row.measured - 1);
            after.push_back(row.after / row.measured - 1);
        }
    }
    return {summary_of(before), summary_of(after)};
}

std::string here(const std::set<std::string>& datasets) {
    return fmt::format("[\"{0} {1}\"]", measured_here_prefix,
                       fmt::join(datasets, fmt::format("\", \"{} ", measured_here_prefix)));
}

// The largest system in the data of each part, so that forecasts for larger systems can say that they extrapolate.
std::map<std::string, std::map<std::string, double>> reach_of(const std::vector<FitDataset>& data,
                                                              const Catalog& catalog, FabricCache& cache) {
    std::map<std::string, std::map<std::string, double>> reach;
    for (const FitDataset& dataset : data) {
        const Fabric& fabric = cache.at(dataset.scenario);
        const CurveForecaster forecaster(dataset.scenario, fabric, catalog);
        std::set<std::string> parts;  // of every size: large messages may use a part that small ones do not
        for (const Bytes size : dataset.sizes) {
            for (const std::string& cost : forecaster.at(size).costs) { parts.insert(part_of(cost)); }
        }
        const std::map<std::string, std::uint32_t> sizes = {{"data.gpus", fabric.gpus_per_node()},
                                                            {"data.nodes", fabric.node_count()}};
        for (const std::string& name : parts) {
            for (const auto& [figure, value] : sizes) {
                if (catalog.parts.at(name).has(figure)) {
                    double& largest = reach[name][figure];
                    largest = std::max<double>(largest, value);
                }
            }
        }
    }
    return reach;
}

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

std::string to_text(const Calibration& c) {
    std::string out = fmt::format("{:<44} {:>14} {:>14}   80 % interval\n", "figure", "catalogue", "calibrated");
    for (const CalibratedFigure& f : c.figures) {
        out += fmt::format("{:<44} {:>14} {:>14}   {} to {}\n", f.name, written(f.before, f.unit),
                           written(f.fitted.value, f.unit), written(f.fitted.low80, f.unit),
                           written(f.fitted.high80, f.unit));
    }
    out += c.kept.empty() ? "" : "\nnot told by these data, kept as the catalogue has them\n";
    for (const KeptFigure& kept : c.kept) {
        out +=
            kept.against.empty()
                ? fmt::format("  {:<44} {:.0f} % of what was unknown of it remains\n", kept.name, 100 * kept.narrowed)
                : fmt::format("  {:<44} {} contradicts the rest about it\n", kept.name, kept.against);
    }
    std::string outliers;
    for (const CalibratedRow& row : c.rows) {
        if (!row.dropped.empty()) {
            outliers += fmt::format("  {} at {}: measured {}, forecast {}; {}\n", row.dataset,
                                    size_label(static_cast<double>(row.size.count)), time_label(row.measured),
                                    time_label(row.after), row.dropped);
        }
    }
    out += outliers.empty() ? "\nno outliers\n" : "\noutliers, which the fit all but ignores\n" + outliers;
    std::string worse;
    out += "\nmedian error                    fitted sizes               judged sizes\n";
    for (const Regime regime : all_regimes) {
        const Errors fitted = errors_of(c, regime, false);
        const Errors judged = errors_of(c, regime, true);
        if (fitted.after.rows + judged.after.rows == 0) { continue; }
        const auto words = [](const Errors& e) {
            return e.after.rows == 0 ? "none"
                                     : fmt::format("{:.1f} % -> {:.1f} % ({})", 100 * e.before.median,
                                                   100 * e.after.median, e.after.rows);
        };
        out += fmt::format("  {:<28} {:<26} {}\n", sizes_of(regime), words(fitted), words(judged));
        if (judged.after.median > judged.before.median + least_noise) {
            worse += fmt::format("{}{}", worse.empty() ? "" : ", ", sizes_of(regime));
        }
    }
    if (!worse.empty()) {
        out += fmt::format(
            "\nwarning: {}: sizes that were not fitted are forecast worse than without these measurements. Measure "
            "more\nsizes, or repeat: what differs from one size to the next here is not what the costs describe.\n",
            worse);
    }
    return out;
}

std::string overlay_yaml(const Calibration& c, const Catalog& catalog, const std::vector<FitDataset>& data,
                         FabricCache& cache) {
    std::set<std::string> all;  // datasets
    for (const CalibratedRow& row : c.rows) { all.insert(row.dataset); }
    std::map<std::string, std::string> parts;  // YAML lines of the figures, by part
    for (const CalibratedFigure& f : c.figures) {
        parts[part_of(f.name)] +=
            fmt::format("    {}: {{value: {}, low80: {}, high80: {}, source: {}}}\n", figure_in(f.name),
                        written(f.fitted.value, f.unit), written(f.fitted.low80, f.unit),
                        written(f.fitted.high80, f.unit), here(f.fitted.datasets));
    }
    for (const KeptFigure& kept : c.kept) {
        const Figure& f = catalog.parts.at(part_of(kept.name)).figure(figure_in(kept.name));
        parts[part_of(kept.name)] += fmt::format("    {}: {{value: {}, low80: {}, high80: {}, source: [\"{}\"]}}\n",
                                                 figure_in(kept.name), written(f.value.at(0), f.unit),
                                                 written(f.low80, f.unit), written(f.high80, f.unit), kept_here_source);
    }
    for (const auto& [part, figures] : reach_of(data, catalog, cache)) {
        for (const auto& [figure, value] : figures) {
            parts[part] += fmt::format("    {}: {{value: {:g}, source: {}}}\n", figure, value, here(all));
        }
    }
    for (const auto& [regime, range] : c.judged) {
        parts["forecast-intervals"] +=
            fmt::format("    measured-here.{}: {{value: 1, low80: {:.4f}, high80: {:.4f}, source: {}}}\n",
                        figure_suffix(regime), range.low80, range.high80, here(all));
    }
    std::string yaml =
        "# Written by `fabricast calibrate`: what measurements of one system say of the catalogue's costs. Lay it over "
        "the\n"
        "# catalogue with --calibration FILE, or with `calibration: [FILE]` in a scenario.\n";
    for (const auto& [part, lines] : parts) {
        yaml += part + ":\n  origin: fitted\n  source: " + here(all) + "\n  figures:\n" + lines;
    }
    return yaml;
}

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
