#pragma once
// Which catalogue entry speaks for a library of a given version.

#include <string>
#include <string_view>
#include <vector>

#include "models/catalog.hpp"
#include "models/gpu.hpp"

namespace fabricast {

// A dotted version as numbers: "2.27.3" -> {2, 27, 3}. Throws CatalogError on anything else ("2.x", "").
std::vector<int> version_numbers(std::string_view version);

// The newest NCCL entry that is not newer than `version` (2.17.1 is served by nccl-2.16; an entry without the last
// number stands for all of its releases). Throws CatalogError naming the oldest entry when the version precedes it.
const Part& nccl_library(const Catalog& catalog, std::string_view version);

// "volta", "ampere", "hopper", "blackwell": the row of NCCL's tables a GPU falls into (before Volta counts as Volta,
// Ada as Ampere).
std::string_view nccl_generation(GpuArch arch);

// A figure kept per generation ("per_channel.tree" -> "per_channel.tree.hopper"), or the next older generation's where
// this version has no row for the GPU yet. Throws CatalogError where no generation has one.
const std::vector<double>& generation_row(const Part& library, std::string_view table, GpuArch arch);

// GB/s of one NVLink as this version's topology search counts it, in bytes per second: the row of the compute
// capability (10 * major + minor), or of the next lower one.
double nccl_nvlink_bandwidth(const Part& library, int compute_capability);

// The speeds per channel that this version's search tries, fastest first. `scope` is "intra" or "inter".
const std::vector<double>& nccl_search_speeds(const Part& library, std::string_view scope, GpuArch arch);

}  // namespace fabricast
