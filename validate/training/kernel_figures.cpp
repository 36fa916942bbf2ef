#include "validate/training/kernel_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "models/device_part.hpp"
#include "sim/plan/traces/gpu_scaling.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "validate/import/measurement.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline validate_training {

namespace {

// PyTorch's host needs 7.5 us for a launch; products that end sooner measure that.
constexpr double host_bound_s = 25e-6;

// "8x16x2048x64-causal" as numbers.
std::vector<double> numbers(std::string_view shape) {
    std::vector<double> out;
    for (const std::string_view word : split(shape.substr(0, shape.find('-')), 'x')) {
        out.push_back(number_in<double>(word).value_or(0));
    }
    return out;
}

struct KernelForecast {
    std::string kernel, shape, precision;  // as the file has them
    std::string group;                     // whose figure it belongs to: "gemm", "attention", ...
    double measured_s = 0, forecast_s = 0;
    double error() const { return forecast_s / measured_s - 1; }
};

class Kernels {
public:
    Kernels(const Catalog& catalog, const GpuSpec& gpu) : catalog_(catalog), gpu_(gpu) {}

    // The group whose figure the row belongs to; sets its forecast. "": the model has no such kernel.
    std::string forecast(KernelForecast& row, double bytes) const {
        const std::vector<double> n = numbers(row.shape);
        const bool narrow = row.precision.starts_with("fp8");
        if (row.kernel.starts_with("gemm") || row.kernel == "grouped_gemm") {
            if (n.size() < 3 || row.measured_s < host_bound_s || row.kernel.find('_') != row.kernel.rfind('_')) {
                return "";  // gemm_beside_h2d and its like are of copies
            }
            const std::size_t at = n.size() - 3;
            Product product{n[at], n[at + 1], n[at + 2], at > 0 ? n[0] : 1, false, at > 0};
            if (row.kernel == "gemm_dgrad") { std::swap(product.n, product.k); }
            if (row.kernel == "gemm_wgrad") { product = {n[1], n[2], n[0]}; }
            row.forecast_s = seconds(narrow ? Precision::fp8 : Precision::bf16,
                                     [&](const ComputeCosts& costs) { return costs.product(product); });
            return at > 0 ? "grouped" : narrow ? "fp8" : "gemm";
        }
        if (row.kernel.starts_with("attention_") && n.size() == 4) {
            ModelShape model;
            model.heads = model.kv_heads = n[1];
            model.head_size = model.value_head_size = n[3];
            model.causal = row.shape.ends_with("-causal");
            const bool cudnn = row.precision.ends_with("cudnn");
            row.forecast_s = seconds(
                Precision::bf16,
                [&](const ComputeCosts& costs) {
                    return costs.attention(model, n[0] * n[2], n[2], 1, row.kernel.ends_with("backward"));
                },
                cudnn ? AttentionKernel::cudnn : AttentionKernel::flash_2);
            return cudnn ? "attention_cudnn" : "attention_flash_2";
        }
        if (row.kernel == "adam" && row.shape.ends_with("fused")) {
            row.forecast_s = seconds(
                Precision::bf16, [&](const ComputeCosts& costs) { return costs.optimizer(numbers(row.shape)[0], 0); });
            return "adam";
        }
        if (bytes > 0 && n.size() == 2 && row.kernel != "quantise" && row.kernel != "cross_entropy") {
            row.forecast_s =
                seconds(Precision::bf16, [&](const ComputeCosts& costs) { return costs.elementwise(bytes); });
            return "elementwise";
        }
        return "";
    }

private:
    template <class Of>
    double seconds(Precision precision, Of of, AttentionKernel attention = AttentionKernel::automatic) const {
        TrainingWorkload workload;
        workload.precision = precision;
        workload.attention = attention;
        workload.graphs = true;  // batches of one kernel: the host is ahead
        const ComputeCosts costs(catalog_, gpu_, workload, 1);
        return costs.seconds(of(costs));
    }

    const Catalog& catalog_;
    const GpuSpec& gpu_;
};

// Rows of kernels that the model has, launched without the host. Left out: products that end before the host has
// launched the next. Throws InputError if a shape is none.
std::vector<KernelForecast> forecast_kernels(const Measurement& m, const Catalog& catalog) {
    const std::string part = gpu_named(catalog, std::string(text(m.system, "gpu")), "");
    if (part.empty()) {
        throw InputError(m.place, error_message("no GPU that the catalogue has", shown(text(m.system, "gpu")),
                                                "a name of `gpu-names`"));
    }
    const GpuSpec gpu = gpu_spec(catalog.at("gpu", part));
    const auto column = [&](std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(m.columns, name) - m.columns.begin());
    };
    const std::size_t kernel = column("kernel"), shape = column("shape"), precision = column("precision"),
                      time = column("time_us"), rate = column("rate_GBps");
    std::vector<KernelForecast> rows;
    for (const std::vector<std::string>& cells : m.rows) {
        const auto number = [&](std::size_t at) { return number_in<double>(cells.at(at)).value_or(0); };
        KernelForecast row{cells.at(kernel), cells.at(shape), cells.at(precision), "", 1e-6 * number(time)};
        row.group = Kernels(catalog, gpu).forecast(row, 1e9 * number(rate) * row.measured_s);
        if (!row.group.empty() && row.measured_s > 0) { rows.push_back(row); }
    }
    return rows;
}

}  // namespace

std::vector<NamedFigure> kernel_figures(const std::filesystem::path& folder, const Catalog& catalog) {
    if (!std::filesystem::is_directory(folder)) { return {}; }
    std::map<std::string, std::vector<double>> errors;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        for (const KernelForecast& row : forecast_kernels(read_measurement(file), catalog)) {
            errors[row.group].push_back(row.error());
        }
    }
    std::vector<NamedFigure> figures;
    for (auto& [group, of] : errors) {
        figures.push_back({fmt::format("kernel_{}_rows", group), static_cast<double>(of.size()), ""});
        figures.push_back({fmt::format("kernel_{}_median_pct", group), 100 * summary_of(of).median, "%"});
        std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
        figures.push_back({fmt::format("kernel_{}_bias_pct", group), 100 * of[of.size() / 2], "%"});
    }
    return figures;
}

}  // namespace fabricast::inline validate_training
