#include "validate/calibration/without_site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"
#include "base/parallel_map_ordered.hpp"
#include "validate/curves/forecast.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline calibration {
namespace {

// The name of a set of left-out sites: "a100, v100".
std::string sites_key(const std::set<std::string>& sites) { return fmt::format("{}", fmt::join(sites, ", ")); }

const std::string& gpu_of(const Scenario& scenario, FabricCache& cache) { return cache.at(scenario).node().gpu.name; }

// The sets to leave out: each site by itself, all sites of each publisher, all sites that have each GPU.
std::vector<std::set<std::string>> left_out_sets(const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<std::string, std::set<std::string>> publishers, gpus;
    std::set<std::set<std::string>> sets;
    for (const FitDataset& dataset : data) {
        sets.insert({dataset.site});
        publishers[dataset.publisher].insert(dataset.site);
        gpus[gpu_of(dataset.scenario, cache)].insert(dataset.site);
    }
    for (const auto& groups : {publishers, gpus}) {
        for (const auto& [name, sites] : groups) { sets.insert(sites); }
    }
    return {sets.begin(), sets.end()};
}

std::map<FigureName, double> difference(const FitResult& fit, const std::set<FigureName>& used,
                                        const Catalog& catalog) {
    std::map<FigureName, double> changed;
    for (const FigureName& name : used) {
        constexpr double written = 2e-5;  // rounding: the catalogue has five digits
        const double value = fit.figures.at(name).value;
        if (std::abs(value / figure_of(catalog, name).value.at(0) - 1) > written) { changed[name] = value; }
    }
    return changed;
}

}  // namespace

std::vector<FitDataset> fit_datasets(const Collection& collection) {
    std::vector<FitDataset> data;
    for (const CollectedCurve& curve : collection.curves) {
        // Takes every row of a doubling sweep, every other or third of a linear one, whose many rows repeat the same
        // information. What nothing explains tells no constant; it counts in the accuracy all the same.
        constexpr std::size_t enough = 40;
        FitDataset dataset =
            fit_dataset(curve.comparison, 1 + curve.comparison.sizes.size() / enough, curve.unexplained);
        dataset.site = curve.site;
        dataset.publisher = curve.publisher;
        if (curve.cause.empty() && !dataset.sizes.empty()) { data.push_back(std::move(dataset)); }
    }
    return data;
}

Catalog catalog_without(const Catalog& catalog, const SiteOverlays& overlays, const std::set<std::string>& sites) {
    std::map<FigureName, FittedValue> values;
    for (const auto& [name, value] : overlays.at(sites_key(sites))) { values[name] = {value, value, value}; }
    return with_figures(catalog, values);
}

SiteOverlays fit_without_each(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                              unsigned threads, const SiteOverlays& kept) {
    const Fitter fitter(catalog, data, cache);
    const FitResult base = fitter.as_catalogued();
    std::vector<std::set<std::string>> sets = left_out_sets(data, cache);
    std::erase_if(sets, [&](const auto& sites) { return kept.contains(sites_key(sites)); });
    const auto changed = parallel_map(sets.size(), std::max(1U, threads), [&](std::size_t i) {
        return difference(fitter.fit_without(sets[i], base), fitter.figures_of(sets[i]), catalog);
    });
    SiteOverlays overlays = kept;
    for (std::size_t i = 0; i < sets.size(); ++i) { overlays[sites_key(sets[i])] = changed[i]; }
    return overlays;
}

std::string fingerprint(const std::vector<ComparedRow>& rows) {
    std::uint64_t hash = fnv1a("");
    for (const ComparedRow& row : rows) {
        hash = fnv1a(fmt::format("{}{}{}{}{:.9g};{:.9g};{:.9g};", row.table, row.site, row.publisher, row.used(),
                                 static_cast<double>(row.size.count), row.measured, row[Forecast::ours]),
                     hash);
    }
    return fmt::format("{:016x}", hash);
}

std::string to_yaml(const SiteOverlays& overlays, const std::string& fingerprint) {
    std::string sites;
    for (const auto& [site, figures] : overlays) {
        std::map<std::string, std::vector<std::string>> parts;
        for (const auto& [name, value] : figures) {
            parts[part_of(name)].push_back(fmt::format("{}: {:.6g}", figure_in(name), value));
        }
        sites += fmt::format("  \"{}\":{}\n", site, parts.empty() ? " {}" : "");
        for (const auto& [part, list] : parts) {
            sites += fmt::format("    {}: {{{}}}\n", part, fmt::join(list, ", "));
        }
    }
    return filled_page("without_site.yaml", {{"fingerprint", fingerprint}, {"sites", sites}});
}

std::vector<yaml::Node> kept_members(const std::filesystem::path& file, const std::string& fingerprint,
                                     std::string_view key) {
    if (!std::filesystem::exists(file)) { return {}; }
    const yaml::Node root = yaml::read(file);
    const bool current = root.required("fingerprint").as_string() == fingerprint;
    return current ? root.required(key).members() : std::vector<yaml::Node>{};
}

SiteOverlays read_overlays(const std::filesystem::path& file, const std::string& fingerprint) {
    SiteOverlays overlays;
    for (const yaml::Node& site : kept_members(file, fingerprint, "without")) {
        std::map<FigureName, double>& figures = overlays[site.name];
        for (const yaml::Node& part : site.members()) {
            for (const yaml::Node& figure : part.members()) {
                figures[part.name + "/" + figure.name] = figure.as_double();
            }
        }
    }
    return overlays;
}

void forecast_without_site(std::vector<ComparedRow>& rows, const Collection& collection, const SiteOverlays& overlays,
                           const Catalog& catalog, FabricCache& cache) {
    std::map<SystemGroup, std::set<std::string>> sites_of_group;
    std::map<std::string, std::set<std::string>> sites_of_publisher, sites_of_gpu;
    std::map<std::string, const Derived*> systems;
    const auto gpu_in = [&](const Derived& system) { return gpu_of(system.scenario, cache); };
    for (const CollectedCurve& curve : collection.curves) {
        systems[curve.comparison.id] = &curve.comparison.derived;
        if (curve.cause.empty()) {
            sites_of_group[curve.comparison.derived.group].insert(curve.site);
            sites_of_publisher[curve.publisher].insert(curve.site);
            sites_of_gpu[gpu_in(curve.comparison.derived)].insert(curve.site);
        }
    }
    std::map<std::string, Catalog> catalogs;
    std::map<std::pair<std::string, std::string>, MixedForecaster> forecasters;  // by table and sites
    const auto forecast = [&](const ComparedRow& row, const std::set<std::string>& sites) {
        const std::string key = sites_key(sites);
        if (!overlays.contains(key)) { return 0.0; }
        const auto [without, added] = catalogs.try_emplace(key);
        if (added) { without->second = catalog_without(catalog, overlays, sites); }
        return forecasters.try_emplace({row.table, key}, *systems.at(row.table), cache, without->second)
            .first->second.seconds(row.size);
    };
    const auto has_sibling = [&](const ComparedRow& row, const std::set<std::string>& sites) {
        return std::ranges::any_of(sites_of_group.at(row.group), [&](const auto& s) { return !sites.contains(s); });
    };
    for (ComparedRow& row : rows) {
        if (row.counted()) {
            const std::set<std::string>& publisher = sites_of_publisher.at(row.publisher);
            row[Forecast::left_out] = forecast(row, {row.site});
            row.sibling = has_sibling(row, {row.site});
            row[Forecast::publisher_out] = forecast(row, publisher);
            row.publisher_sibling = has_sibling(row, publisher);
            row[Forecast::gpu_out] = forecast(row, sites_of_gpu.at(gpu_in(*systems.at(row.table))));
        }
    }
}

}  // namespace fabricast::inline calibration
