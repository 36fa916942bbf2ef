// Kernels of a training step against those measured alone on a GPU.
#include <filesystem>
#include <map>

#include "models/device_part.hpp"
#include "sim/plan/training/compute_costs.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/training/kernel_figures.hpp"

using namespace fabricast;

TEST_CASE("kernels measured alone take about as long as a step's model says") {
    std::map<std::string, double> figures;
    for (const NamedFigure& figure :
         kernel_figures(std::filesystem::path(FABRICAST_SOURCE_DIR) / "validate/measurements/kernels", catalogue())) {
        figures[figure.name] = figure.value;
    }
    CHECK(figures.at("kernel_gemm_rows") >= 90);
    CHECK(figures.at("kernel_gemm_median_pct") < 12);
    CHECK(figures.at("kernel_grouped_median_pct") < 25);
    CHECK(figures.at("kernel_attention_cudnn_median_pct") < 15);
    CHECK(figures.at("kernel_attention_flash_2_median_pct") < 15);
    CHECK(figures.at("kernel_adam_median_pct") < 30);
}

TEST_CASE("one kernel for all experts is launched once, one each as often as there are experts") {
    TrainingWorkload workload;
    const ComputeCosts costs(catalogue(), gpu_spec(catalogue().at("gpu", "h100-sxm")), workload, 1);
    const Product each{256, 2048, 7168, 32}, grouped{256, 2048, 7168, 32, false, true};
    const double launches = costs.seconds(costs.product(each)) - costs.seconds(costs.product(grouped));
    CHECK(launches == Approx(31 * costs.gpu("launch") * costs.framework("pace")));
}
