#pragma once
// Forecasts of each site by a fit that never saw it, and by one that saw nothing of its publisher's. Fitting takes
// minutes, so the figures of each such fit are kept in a file beside a fingerprint of everything they depend on; a file
// of another fingerprint is stale.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/accuracy/accuracy.hpp"
#include "validate/accuracy/collect.hpp"
#include "validate/calibration/fit.hpp"

namespace fabricast {

// Healthy curves of a collection, without rows that are left out.
std::vector<FitDataset> fit_datasets(const Collection& collection);

// Figures of the fit without a set of sites that differ from the full fit's, by sites_key().
using SiteOverlays = std::map<std::string, std::map<FigureName, double>>;

// "a100, v100": how a set of left-out sites is named.
std::string sites_key(const std::set<std::string>& sites);

// The catalogue of the fit without these sites. Throws std::out_of_range where no such fit was made.
Catalog catalog_without(const Catalog& catalog, const SiteOverlays& overlays, const std::set<std::string>& sites);

// Refits without each site, and without all sites of each publisher, on `threads` threads.
SiteOverlays fit_without_each(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                              unsigned threads);

// Of the measurements and of what the program forecasts for them: whatever moves neither leaves such fits as they are.
std::string fingerprint(const std::vector<AccuracyRow>& rows);

std::string to_yaml(const SiteOverlays& overlays, const std::string& fingerprint);
// Empty where the file is not there or stale.
SiteOverlays read_overlays(const std::filesystem::path& file, const std::string& fingerprint);

// Fills AccuracyRow::left_out and ::publisher_out of every healthy row, and whether a sibling was in those fits.
void forecast_without_site(std::vector<AccuracyRow>& rows, const Collection& collection, const SiteOverlays& overlays,
                           const Catalog& catalog, FabricCache& cache);

}  // namespace fabricast
