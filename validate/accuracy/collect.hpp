#pragma once
// All measurements of some folders through the compare path: what accuracy is told from and what a fit learns from.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/accuracy/accuracy.hpp"
#include "validate/accuracy/sites.hpp"
#include "validate/curves/compare.hpp"

namespace fabricast {

struct CollectedCurve {
    Comparison comparison;
    std::string site, publisher;
    std::string cause;  // why it is known to be degraded; empty: healthy
};

struct SkippedFile {
    std::string file;
    std::string reason;
};

struct Collection {
    std::vector<CollectedCurve> curves;  // by id
    std::vector<SkippedFile> skipped;    // no size curve, not understood, or a dataset seen before
};

// Every *.yaml of kind `nccl` below the folders. Throws IoError where a folder is
// not there; what is wrong with a single file only skips it.
Collection collect(const std::vector<std::filesystem::path>& folders, const AliasTable& table, const Catalog& catalog,
                   FabricCache& cache, const Sites& sites, const std::vector<UnhealthyPattern>& unhealthy);

// One row a size.
std::vector<AccuracyRow> accuracy_rows(const Collection& collection);

}  // namespace fabricast
