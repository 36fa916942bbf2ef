#include "validate/calibration/without_site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>

#include "base/hash.hpp"
#include "base/text_file.hpp"

namespace fabricast {
namespace {

class Digest {
public:
    void add(std::string_view text) { state_ = fnv1a(text, state_); }
    void add(double value) { add(fmt::format("{:.9g};", value)); }
    std::string text() const { return fmt::format("{:016x}", state_); }

private:
    std::uint64_t state_ = fnv1a("");
};

// The sets to leave out: each site by itself, and all sites of each publisher.
std::vector<std::set<std::string>> left_out_sets(const std::vector<FitDataset>& data) {
    std::map<std::string, std::set<std::string>> publishers;
    std::set<std::set<std::string>> sets;
    for (const FitDataset& dataset : data) {
        sets.insert({dataset.site});
        publishers[dataset.publisher].insert(dataset.site);
    }
    for (const auto& [publisher, sites] : publishers) {
        sets.insert(sites);
    }
    return {sets.begin(), sets.end()};
}

std::map<FigureName, double> difference(const FitResult& fit, const Catalog& catalog) {
    std::map<FigureName, double> changed;
    for (const auto& [name, fitted] : fit.figures) {
        const std::size_t slash = name.find('/');
        const double before = catalog.parts.at(name.substr(0, slash)).number(name.substr(slash + 1));
        constexpr double written = 2e-5;  // rounding: the catalogue has five digits
        if (std::abs(fitted.value / before - 1) > written) {
            changed[name] = fitted.value;
        }
    }
    return changed;
}

// The figures as in the catalogue: the base of a fit that leaves most of them unchanged.
FitResult as_catalogued(const Fitter& fitter, const std::vector<FitDataset>& data, const Catalog& catalog) {
    FitResult base;
    for (std::size_t d = 0; d < data.size(); ++d) {
        for (const FigureName& name : fitter.figures_of(d)) {
            const std::size_t slash = name.find('/');
            const double value = catalog.parts.at(name.substr(0, slash)).number(name.substr(slash + 1));
            const Figure& figure = catalog.parts.at(name.substr(0, slash)).figure(name.substr(slash + 1));
            base.figures[name] = {value, figure.low80, figure.high80};
            base.datasets[name].insert(data[d].id);
        }
    }
    return base;
}

}  // namespace

std::vector<FitDataset> fit_datasets(const Collection& collection) {
    std::vector<FitDataset> data;
    for (const CollectedCurve& curve : collection.curves) {
        if (!curve.cause.empty()) {
            continue;
        }
        const Derived& derived = curve.comparison.derived;
        FitDataset dataset{curve.comparison.id, curve.site, curve.publisher, derived.group, derived.scenario, {}, {}};
        // Takes every row of a doubling sweep, every other or third of a linear one, whose many rows repeat the same
        // information.
        constexpr std::size_t enough = 40;
        const std::size_t step = 1 + curve.comparison.sizes.size() / enough;
        for (std::size_t i = 0; i < curve.comparison.sizes.size(); i += step) {
            const CurvePoint& point = curve.comparison.sizes[i].measured;
            if (point.left_out.empty()) {
                dataset.sizes.push_back(point.size);
                dataset.seconds.push_back(point.seconds);
            }
        }
        if (!dataset.sizes.empty()) {
            data.push_back(std::move(dataset));
        }
    }
    return data;
}

std::string sites_key(const std::set<std::string>& sites) { return fmt::format("{}", fmt::join(sites, ", ")); }

Catalog catalog_without(const Catalog& catalog, const SiteOverlays& overlays, const std::set<std::string>& sites) {
    std::map<FigureName, FittedValue> values;
    for (const auto& [name, value] : overlays.at(sites_key(sites))) {
        values[name] = {value, value, value};
    }
    return with_figures(catalog, values);
}

SiteOverlays fit_without_each(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                              unsigned threads) {
    const Fitter fitter(catalog, data, builtin_priors(), cache);
    const FitResult base = as_catalogued(fitter, data, catalog);
    const std::vector<std::set<std::string>> sets = left_out_sets(data);
    SiteOverlays overlays;
    std::atomic<std::size_t> next{0};
    std::mutex guard;
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < std::max(1U, threads); ++t) {
        workers.emplace_back([&] {
            for (std::size_t i = next++; i < sets.size(); i = next++) {
                auto changed = difference(fitter.fit_without(sets[i], base), catalog);
                const std::lock_guard lock(guard);
                overlays[sites_key(sets[i])] = std::move(changed);
            }
        });
    }
    workers.clear();  // joins
    return overlays;
}

std::string fingerprint(const std::vector<AccuracyRow>& rows) {
    Digest digest;
    for (const AccuracyRow& row : rows) {
        digest.add(row.dataset + row.site + row.publisher + row.used);
        digest.add(static_cast<double>(row.size.count));
        digest.add(row.measured);
        digest.add(row.predicted);
    }
    return digest.text();
}

std::string to_yaml(const SiteOverlays& overlays, const std::string& fingerprint) {
    std::string yaml =
        "# Figures of the fits without each site or publisher's sites, where they differ from the catalogue's, in SI "
        "units. Written by\n"
        "# `./dev accuracy --loso`; stale, and then not read, once the forecasts or the data are others.\n"
        "fingerprint: \"" +
        fingerprint + "\"\nwithout:\n";
    for (const auto& [site, figures] : overlays) {
        yaml += "  \"" + site + "\":\n    _: 0\n";
        for (const auto& [name, value] : figures) {
            yaml += fmt::format("    {}: {:.6g}\n", name, value);
        }
    }
    return yaml;
}

SiteOverlays read_overlays(const std::filesystem::path& file, const std::string& fingerprint) {
    if (!std::filesystem::exists(file)) {
        return {};
    }
    const yaml::Node root = yaml::read(file);
    if (root.required("fingerprint").as_string() != fingerprint) {
        return {};
    }
    SiteOverlays overlays;
    for (const yaml::Node& site : root.required("without").members()) {
        std::map<FigureName, double>& figures = overlays[site.name];
        for (const yaml::Node& figure : site.members()) {
            if (figure.name != "_") {
                figures[figure.name] = figure.as_double();
            }
        }
    }
    return overlays;
}

void forecast_without_site(std::vector<AccuracyRow>& rows, const Collection& collection, const SiteOverlays& overlays,
                           const Catalog& catalog, FabricCache& cache) {
    std::map<SystemGroup, std::set<std::string>> sites_of_group;
    std::map<std::string, std::set<std::string>> sites_of_publisher;
    std::map<std::string, const CollectedCurve*> curves;
    for (const CollectedCurve& curve : collection.curves) {
        curves[curve.comparison.id] = &curve;
        if (curve.cause.empty()) {
            sites_of_group[curve.comparison.derived.group].insert(curve.site);
            sites_of_publisher[curve.publisher].insert(curve.site);
        }
    }
    std::map<std::string, Catalog> catalogs;
    const auto forecast = [&](const AccuracyRow& row, const std::set<std::string>& sites) -> std::optional<double> {
        const std::string key = sites_key(sites);
        if (!overlays.contains(key)) {
            return std::nullopt;
        }
        const Scenario& scenario = curves.at(row.dataset)->comparison.derived.scenario;
        const auto [without, added] = catalogs.try_emplace(key);
        if (added) {
            without->second = catalog_without(catalog, overlays, sites);
        }
        return CurveForecaster(scenario, cache.at(scenario), without->second).seconds(row.size);
    };
    const auto kin = [&](const AccuracyRow& row, const std::set<std::string>& sites) {
        return std::ranges::any_of(sites_of_group.at(row.group), [&](const auto& s) { return !sites.contains(s); });
    };
    for (AccuracyRow& row : rows) {
        if (row.used == "yes") {
            const std::set<std::string>& publisher = sites_of_publisher.at(row.publisher);
            row.left_out = forecast(row, {row.site});
            row.sibling = kin(row, {row.site});
            row.publisher_out = forecast(row, publisher);
            row.publisher_sibling = kin(row, publisher);
        }
    }
}

}  // namespace fabricast
