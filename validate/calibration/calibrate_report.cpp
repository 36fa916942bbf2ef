#include "validate/calibration/calibrate_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
        out += fmt::format("  {:<44} {:.0f} % of what was unknown of it remains\n", kept.name, 100 * kept.narrowed);
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
        if (judged.after.median > judged.before.median) {
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

}  // namespace fabricast::inline calibration
