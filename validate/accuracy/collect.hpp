#pragma once
// All measurements below some folders, each compared with its forecast: the input of the accuracy figures and of the
// fit.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/accuracy/sites.hpp"
#include "validate/curves/compare.hpp"

namespace fabricast::inline validate_accuracy {

struct CollectedCurve {
    Comparison comparison;
    std::string site, publisher;
    std::string cause;  // why the curve is known to be degraded; empty: healthy
};

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

// One row per size.
std::vector<ComparedRow> accuracy_rows(const Collection& collection);

}  // namespace fabricast::inline validate_accuracy
