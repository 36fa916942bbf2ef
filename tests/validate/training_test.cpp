#include <filesystem>
#include <fstream>

#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/training_accuracy.hpp"
#include "validate/training_families.hpp"
#include "validate/training_table.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path folder = std::filesystem::path(FABRICAST_SOURCE_DIR) / "validate/measurements/training";

// Two rows of one small model, of which the second is a strong scaling of the first.
TrainingTable small_table() {
    TrainingTable table;
    table.id = "small";
    table.scaling = TableScaling::strong;
    table.step_column = "seconds";
    table.columns = {{"gpus", "gpus"}, {"tp", "workload.parallelism.tensor"}};
    table.set = {"cluster.node=dgx-h100", "workload.model=llama-3.1-8b", "workload.global_batch=64"};
    table.assumed = {"workload.gradient_bytes=2"};
    table.cases = {{{{"precision", {"FP8"}}}, {"workload.precision=fp8"}, ""}};
    table.exclusions = {{{{"precision", {"FP4"}}}, {}, "no such arithmetic"}};
    table.rows = {{{"gpus", "4"}, {"tp", "2"}, {"precision", "FP8"}, {"seconds", "12"}},
                  {{"gpus", "16"}, {"tp", "2"}, {"precision", "FP8"}, {"seconds", "4"}},
                  {{"gpus", "16"}, {"tp", "null"}, {"precision", "FP4"}, {"seconds", "null"}}};
    return table;
}

}  // namespace

TEST_CASE("a row becomes the scenario that its table states, assumptions named") {
    const DerivedStep derived = derive_step(small_table(), 0, catalogue());
    const auto& w = std::get<TrainingWorkload>(derived.scenario.workload);
    CHECK(derived.scenario.cluster.nodes == 1);
    CHECK(derived.scenario.cluster.gpus_per_node == 4);
    CHECK(w.parallelism.tensor == 2);
    CHECK(w.precision == Precision::fp8);
    CHECK(w.gradient_bytes == 2);
    CHECK(derived.assumptions == std::vector<std::string>{"workload.gradient_bytes=2"});
    CHECK(derive_step(small_table(), 1, catalogue()).scenario.cluster.nodes == 2);
    CHECK(exclusion(small_table(), 2) == "no such arithmetic");
}

TEST_CASE("errors of left-out families are read back as they were kept") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "fabricast-families-test.yaml";
    const std::map<std::string, double> medians = {{"one-table", 2.963}, {"other-table", 13.888}};
    write_family_out(file, medians);
    CHECK(read_family_out(file) == medians);
    std::filesystem::remove(file);
    CHECK(read_family_out(file).empty());
}

TEST_CASE("errors and efficiencies are those of the forecast, recomputed by hand") {
    const std::vector<TrainingTable> tables = {small_table()};
    const std::vector<TrainingForecast> all = forecast_tables(tables, catalogue(), 1);
    REQUIRE(all.size() == 3);
    CHECK(all[0].error() == Approx(all[0].forecast_s / 12 - 1));
    CHECK_FALSE(all[2].counts());
    REQUIRE(all[1].measured_efficiency);
    CHECK(*all[1].measured_efficiency == Approx(12.0 / 4 / 4));
    CHECK(*all[1].forecast_efficiency == Approx(all[0].forecast_s / all[1].forecast_s / 4));
    const TableErrors errors = table_errors(all, 0);
    CHECK(errors.rows == 2);
    CHECK(errors.linear == Approx(25));
    CHECK(errors.largest == Approx(100 * std::max(std::abs(all[0].error()), std::abs(all[1].error()))));
}

TEST_CASE("a star stands for any letters") {
    CHECK(like("NVIDIA H100", "*H100*"));
    CHECK(like("H100", "*H100*"));
    CHECK_FALSE(like("A100", "*H100*"));
    CHECK(like("selective op", "selective*"));
    CHECK_FALSE(like("full", "fulle"));
}

TEST_CASE("every training table reads, and every row that counts makes a scenario") {
    const std::vector<TrainingTable> tables = read_training_tables(folder);
    CHECK(tables.size() == 25);
    std::size_t rows = 0;
    for (const TrainingTable& table : tables) {
        INFO(table.id);
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            if (exclusion(table, row).empty()) {
                CHECK_NOTHROW(derive_step(table, row, catalogue()));
                ++rows;
            }
        }
    }
    CHECK(rows > 450);
}

TEST_CASE("no training table is named in the catalogue's constants but as a source") {
    std::ifstream file(std::filesystem::path(FABRICAST_SOURCE_DIR) / "models/catalog/training.yaml");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    REQUIRE_FALSE(text.empty());
    for (const TrainingTable& table : read_training_tables(folder)) {
        CHECK(text.find(table.id) == std::string::npos);
    }
}

TEST_CASE(
    "the refit without a family finds planted constants by least absolute error, and stays at its start without data") {
    // Rows r = s . (x - x0) with one wild outlier; the second constant is in no row.
    std::vector<RowSlope> rows;
    for (int i = 1; i <= 9; ++i) {
        const double slope = -0.1 * i;
        rows.push_back({0, 1, -slope * 0.2, {slope, 0}});
    }
    rows.push_back({0, 1, 3, {-0.5, 0}});
    const std::vector<double> x = least_absolute(rows, {0, 0.1}, {10, 0.3});
    CHECK(x[0] == Approx(0.2).margin(0.01));
    CHECK(x[1] == Approx(0.1));
}

TEST_CASE("every constant that is refitted is in the catalogue") {
    for (const TrainingConstant& constant : training_constants()) {
        INFO(constant.part << "/" << constant.figure);
        CHECK(catalogue().parts.at(constant.part).number(constant.figure) > 0);
        CHECK(constant.spread > 0);
    }
}
