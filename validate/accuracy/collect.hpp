#pragma once
// All measurements below some folders, each compared with its forecast: the input of the accuracy figures and of the
// fit. Where data was measured, and what is known to be broken or unexplained there:
// validate/measurements/{sites,unhealthy,deviations}.yaml.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "validate/curves/compare.hpp"
#include "validate/score/compared_row.hpp"

namespace fabricast::inline validate_accuracy {

// A site is one machine or one service. Two sites with equal groups are siblings in a fit.
struct SiteEntry {
    std::string site;
    std::string publisher;  // the name of the site, unless several sites have one publisher
    SystemGroup group;
};
using Sites = std::map<std::string, SiteEntry, std::less<>>;  // by dataset id

struct UnhealthyPattern {
    std::string match;  // shell glob over dataset ids
    std::string cause;
};

// Why forecasts miss a site, as far as known, by site. Only printed, never used in a calculation.
using KnownMisses = std::map<std::string, std::string, std::less<>>;

// Each throws InputError.
KnownMisses read_misses(const std::filesystem::path& path);
Sites read_sites(const std::filesystem::path& path);
std::vector<UnhealthyPattern> read_unhealthy(const std::filesystem::path& path);

// Accepted gaps of forecasts. They are still there: docs/deviations.md has each with its error.
struct Deviation {
    std::string match;  // shell glob over dataset ids
    std::uint32_t nodes_from = 1;
    Regime regime = Regime::small;
    double at_least = 0;  // in %; an error below this means that the gap was closed, and leaves the list
    std::string reason;
};

// Throws InputError.
std::vector<Deviation> read_deviations(const std::filesystem::path& path);

struct CollectedCurve {
    Comparison comparison;
    std::string site, publisher;
    std::string cause;             // why the curve is known to be degraded; empty: healthy
    std::set<Regime> unexplained;  // where it is an accepted deviation
};

inline constexpr std::string_view read_before = "a dataset of this id was read before";

struct SkippedFile {
    std::string file;
    std::string reason;
};

struct Collection {
    std::vector<CollectedCurve> curves;  // by id
    std::vector<SkippedFile> skipped;    // without a size curve, not understood, or a dataset seen before
};

// Reads every *.yaml of kind `nccl` below the folder. A problem with a single file only skips that file. Sites and
// unhealthy systems are those of the folder `measurements`. Throws IoError if a folder does not exist.
Collection collect(const std::filesystem::path& folder, const Catalog& catalog, FabricCache& cache,
                   const std::filesystem::path& measurements);

// The parts of these rows: every table separates collectives inside one node from collectives between nodes.
inline constexpr std::array<std::string_view, 2> all_parts = {"inside", "between"};

// One row per size.
std::vector<ComparedRow> accuracy_rows(const Collection& collection);

}  // namespace fabricast::inline validate_accuracy
