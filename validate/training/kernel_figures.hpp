#pragma once
// Kernels measured alone (validate/probes/torch/kernels.py, measurement files of kind `kernels`), held against what a
// training step's model takes for them.

#include <filesystem>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "validate/import/measurement.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_training {

struct KernelForecast {
    std::string kernel, shape, precision;  // as the file has them
    std::string group;                     // whose figure it belongs to: "gemm", "attention", ...
    double measured_s = 0, forecast_s = 0;
    double error() const { return forecast_s / measured_s - 1; }
};

// Rows of kernels that the model has, launched without the host. Left out: products that end before the host has
// launched the next. Throws InputError if a shape is none.
std::vector<KernelForecast> forecast_kernels(const Measurement& measurement, const Catalog& catalog);

// Median error of each group over all files of the folder, without its sign and with it: `kernel_gemm_median_pct`,
// `kernel_gemm_bias_pct`. None without the folder.
std::vector<NamedFigure> kernel_figures(const std::filesystem::path& folder, const Catalog& catalog);

}  // namespace fabricast::inline validate_training
