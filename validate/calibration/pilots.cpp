#include "validate/calibration/pilots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/parallel_map_ordered.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "sim/plan/collectives/trust.hpp"
#include "validate/accuracy/intervals.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/calibrate_report.hpp"
#include "validate/calibration/part_similarity.hpp"
#include "validate/curves/forecast.hpp"

namespace fabricast::inline calibration {
namespace {

using Curves = std::vector<const CollectedCurve*>;

// The order in which a pilot is chosen: few nodes first, then all_reduce, the first collective.
std::pair<std::uint32_t, Collective> pilot_order(const CollectedCurve& curve) {
    const Scenario& scenario = curve.comparison.derived.scenario;
    return {scenario.cluster.nodes, collective_of(scenario).collective};
}

// The healthy curves between nodes of each system, if there is something beside the pilot.
std::vector<Curves> pilot_systems(const Collection& collection) {
    std::map<std::pair<std::string, SystemGroup>, Curves> systems;
    for (const CollectedCurve& curve : collection.curves) {
        const bool usable = std::ranges::any_of(curve.comparison.sizes, &ComparedSize::counts);
        if (curve.cause.empty() && usable && curve.comparison.derived.scenario.cluster.nodes > 1) {
            systems[{curve.site, curve.comparison.derived.group}].push_back(&curve);
        }
    }
    std::vector<Curves> list;
    for (auto& [system, curves] : systems) {
        std::ranges::stable_sort(curves, {}, [](const CollectedCurve* c) { return pilot_order(*c); });
        if (pilot_order(*curves.front()) != pilot_order(*curves.back())) { list.push_back(std::move(curves)); }
    }
    return list;
}

// The catalogue as the fit without the site would write it. A figure that only the site's data told is then told by its
// kin.
Catalog unseen_catalog(const Catalog& catalog, const SiteOverlays& overlays, const Collection& collection,
                       const std::vector<ComparedRow>& rows, const CollectedCurve& of) {
    Catalog unseen = catalog_without(catalog, overlays, {of.site});
    std::set<std::string> own;
    for (const CollectedCurve& curve : collection.curves) {
        if (curve.site == of.site) { own.insert(curve.comparison.id); }
    }
    for (auto& [name, part] : unseen.parts) {
        for (auto& [path, figure] : part.figures) {
            if (std::erase_if(figure.source, [&](const std::string& s) { return own.contains(s); }) == 0) { continue; }
            if (figure.source.empty() || figure.source == std::vector<std::string>{std::string(hardly_told_source)}) {
                figure.origin = Origin::estimated;
                figure.source = {std::string(kin_source)};
            }
        }
    }
    const std::string intervals = intervals_yaml(interval_table(rows, Forecast::publisher_out, of.publisher),
                                                 catalog.parts.at("forecast-intervals"));
    unseen.parts.erase("forecast-intervals");
    add_parts(unseen, {yaml::parse(intervals, "intervals.yaml")});
    return unseen;
}

// Calibrates on the first curves of the system and judges the rows of the others.
Pilot piloted(const Curves& system, Catalog catalog, const std::vector<ComparedRow>& rows, FabricCache& cache) {
    Pilot pilot{system.front()->site, {}, "", {}, {}};
    std::vector<FitDataset> data;
    std::map<std::string, const Derived*> judged;
    for (const CollectedCurve* curve : system) {
        if (pilot_order(*curve) == pilot_order(*system.front())) {
            data.push_back(fit_dataset(curve->comparison));
            pilot.datasets.push_back(curve->comparison.id);
        } else {
            judged[curve->comparison.id] = &curve->comparison.derived;
        }
    }
    try {
        const Calibration calibration = calibrate(catalog, data, cache);
        merge_overlay(catalog, yaml::parse(overlay_yaml(calibration, catalog, data, cache), "pilot.yaml"));
    } catch (const UnderDetermined& error) { pilot.refused = error.what(); }
    for (const ComparedRow& row : rows) {
        const auto system = judged.find(row.table);
        if (system == judged.end() || !row.counted() || !row.compares(Forecast::left_out)) { continue; }
        const ForecastRow after = MixedForecaster(*system->second, cache, catalog).at(row.size).row;
        pilot.rows.push_back(row);
        pilot.rows.back()[Forecast::ours] = after.seconds;
        pilot.intervals.push_back({after.low80 / after.seconds, after.high80 / after.seconds});
    }
    return pilot;
}

}  // namespace

std::vector<Pilot> pilots(const Catalog& catalog, const SiteOverlays& overlays, const Collection& collection,
                          const std::vector<ComparedRow>& rows, FabricCache& cache) {
    const std::vector<Curves> systems = pilot_systems(collection);
    return parallel_map(systems.size(), std::max(1U, std::thread::hardware_concurrency()), [&](std::size_t i) {
        const Curves& system = systems[i];
        return piloted(system, unseen_catalog(catalog, overlays, collection, rows, *system.front()), rows, cache);
    });
}

std::vector<NamedFigure> pilot_figures(const std::vector<Pilot>& pilots) {
    std::vector<ComparedRow> rows;
    std::vector<JudgedInterval> judged;
    for (const Pilot& pilot : pilots) {
        rows.insert(rows.end(), pilot.rows.begin(), pilot.rows.end());
        for (std::size_t i = 0; i < pilot.rows.size(); ++i) { judged.push_back({&pilot.rows[i], pilot.intervals[i]}); }
    }
    if (rows.empty()) { return {}; }
    std::vector<NamedFigure> figures, of_sites;
    std::set<std::string> worse, sites;
    for (const Regime regime : all_regimes) {
        const GroupErrors before = errors_by(&ComparedRow::site, rows, {.which = Forecast::left_out, .regime = regime});
        const GroupErrors after = errors_by(&ComparedRow::site, rows, {.regime = regime});
        if (after.empty()) { continue; }
        const std::string prefix = fmt::format("pilot_{}_", to_string(regime));
        figures.push_back({prefix + "median_pct", 100 * *median_over(after, &ErrorSummary::median)});
        figures.push_back({prefix + "before_median_pct", 100 * *median_over(before, &ErrorSummary::median)});
        const Coverage covered = coverage_of(judged, {.regime = regime});
        figures.push_back({prefix + "coverage_pct", 100 * covered.rows});
        figures.push_back({prefix + "factor", covered.factor, "x"});
        for (const auto& [site, errors] : after) {
            constexpr double tolerated = 0.02;
            const double uncalibrated = before.at(site).median;
            const std::string name = fmt::format("pilot_site_{}_{}_", site, to_string(regime));
            of_sites.push_back({name + "pct", 100 * errors.median});
            of_sites.push_back({name + "before_pct", 100 * uncalibrated});
            sites.insert(site);
            if (errors.median > uncalibrated + tolerated) { worse.insert(site); }
        }
    }
    const auto refused = std::ranges::count_if(pilots, [](const Pilot& p) { return !p.refused.empty(); });
    figures.push_back({"pilot_sites", static_cast<double>(sites.size()), "sites"});
    figures.push_back({"pilot_worse_sites", static_cast<double>(worse.size()), "sites"});
    figures.push_back({"pilot_refused", static_cast<double>(refused), "systems"});
    figures.insert(figures.end(), of_sites.begin(), of_sites.end());
    return figures;
}

}  // namespace fabricast::inline calibration
