#pragma once
// Kernels measured alone (validate/probes/torch/kernels.py, measurement files of kind `kernels`), held against what a
// training step's model takes for them.

#include <filesystem>
#include <vector>

#include "models/catalog.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_training {

// Median error of each group over all files of the folder, without its sign and with it: `kernel_gemm_median_pct`,
// `kernel_gemm_bias_pct`. None without the folder.
std::vector<NamedFigure> kernel_figures(const std::filesystem::path& folder, const Catalog& catalog);

}  // namespace fabricast::inline validate_training
