#pragma once
// Forecasts of each site by a fit that never saw the site, and by a fit that never saw its publisher. A fit takes
// minutes, so the figures of each fit are stored in a file with a fingerprint of everything that they depend on. A file
// with a different fingerprint is stale.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"
#include "validate/calibration/fit.hpp"

namespace fabricast::inline calibration {

// The healthy curves of a collection, without rows that are left out.
std::vector<FitDataset> fit_datasets(const Collection& collection);

// For each set of left-out sites, named "a100, v100": the figures that differ from those of the full fit.
using SiteOverlays = std::map<std::string, std::map<FigureName, double>>;

// The catalogue of the fit without these sites. Throws std::out_of_range if there is no such fit.
Catalog catalog_without(const Catalog& catalog, const SiteOverlays& overlays, const std::set<std::string>& sites);

// Refits without each site, without all sites of each publisher, and without all sites that have each GPU, on `threads`
// threads. Fits in `kept` are not made again.
SiteOverlays fit_without_each(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                              unsigned threads, const SiteOverlays& kept = {});

// A hash of the rows: dataset, site, publisher, use, size, measured and forecast time. Any change that affects none of
// these leaves the stored fits valid.
std::string fingerprint(const std::vector<ComparedRow>& rows);

std::string to_yaml(const SiteOverlays& overlays, const std::string& fingerprint);
// The values under `key` of a file with a fingerprint; none if the file is missing or stale.
std::vector<yaml::Node> kept_members(const std::filesystem::path& file, const std::string& fingerprint,
                                     std::string_view key);

// Empty if the file is missing or stale.
SiteOverlays read_overlays(const std::filesystem::path& file, const std::string& fingerprint);

// Fills Forecast::left_out, ::publisher_out and ::gpu_out of every healthy row, and whether a sibling took part in each
// of the first two fits.
void forecast_without_site(std::vector<ComparedRow>& rows, const Collection& collection, const SiteOverlays& overlays,
                           const Catalog& catalog, FabricCache& cache);

}  // namespace fabricast::inline calibration
