#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "sim/scenario/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/training/training_accuracy.hpp"
#include "validate/training/training_families.hpp"
#include "validate/training/training_figures.hpp"
#include "validate/training/training_fit.hpp"
#include "validate/training/training_intervals.hpp"
#include "validate/training/training_layouts.hpp"
#include "validate/training/training_memory.hpp"
#include "validate/training/training_page.hpp"
#include "validate/training/training_table.hpp"

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

TEST_CASE("a table whose node contradicts a part is refused in words, and ends nothing") {
    TrainingTable table = small_table();
    table.set.emplace_back("cluster.options.gpu=a100-sxm4-80");  // twelve links where DGX H100 has eighteen
    table.assumed.emplace_back("workload.precision=bf16");
    table.cases.clear();
    const std::vector<TrainingForecast> made = forecast_tables({table}, catalogue(), 1);
    REQUIRE(!made.empty());
    CHECK_THAT(made.front().failed, ContainsSubstring("12 x nvlink-3"));
    CHECK(memory_verdicts({table}, catalogue()).empty());
    // A GPU with fewer of the same links uses those that it has.
    table.set.back() = "cluster.options.gpu=h800-sxm";
    CHECK(forecast_tables({table}, catalogue(), 1).front().failed.empty());
    CHECK(!memory_verdicts({table}, catalogue()).empty());
}

TEST_CASE("left-out forecasts are read back as they were kept, with the state that they belong to") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "fabricast-families-test.yaml";
    const FamilyOut out{"0123abcd", {{"one-table", {2.963, 0}}, {"other-table", {13.88}}}};
    write_family_out(file, out);
    const FamilyOut back = read_family_out(file);
    CHECK(back.fingerprint == out.fingerprint);
    CHECK(back.seconds == out.seconds);
    std::filesystem::remove(file);
    CHECK(read_family_out(file).seconds.empty());
}

TEST_CASE("a forecast, a measured time or a prior that moves makes left-out forecasts stale") {
    const std::vector<TrainingTable> tables = {small_table()};
    std::vector<TrainingForecast> rows(2);
    rows[0].table = rows[1].table = tables.data();
    rows[0].measured_s = rows[1].measured_s = 10;
    rows[0].forecast_s = rows[1].forecast_s = 11;
    const std::string before = training_fingerprint(rows);
    CHECK(training_fingerprint(rows) == before);
    rows[1].forecast_s = 11.01;
    CHECK(training_fingerprint(rows) != before);
    rows[1].forecast_s = 11;
    rows[0].measured_s = 10.1;
    CHECK(training_fingerprint(rows) != before);
    const std::vector<NamedFigure> figures;
    CHECK_THAT(training_page(rows, {}, {}, figures, "made earlier"), ContainsSubstring("**made earlier**"));
}

TEST_CASE("excluded rows count in the second headline, against the null and in coverage") {
    std::vector<TrainingTable> tables(3);
    std::vector<TrainingForecast> rows;
    for (std::size_t t = 0; t < 3; ++t) {
        tables[t].id = tables[t].family = std::string(1, static_cast<char>('a' + t));
        for (int r = 0; r < 2; ++r) {
            TrainingForecast f;
            f.table = &tables[t];
            f.row = static_cast<std::size_t>(r);
            f.measured_s = 10;
            f.forecast_s = f.family_out_s = t == 2 ? 20 : 11;
            f.null_s = f.null_out_s = t == 2 ? 10 : 15;
            f.excluded = t == 2 ? "host-bound" : "";
            f.step.gpus = 8;
            rows.push_back(f);
        }
    }
    tables[2].excluded = "host-bound";
    const auto figure = [&](const std::vector<NamedFigure>& all, const std::string& name) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const NamedFigure& f) { return f.name == name; });
        REQUIRE(found != all.end());
        return found->value;
    };
    const std::vector<NamedFigure> all = training_figures(rows);
    CHECK(figure(all, "train_rows") == 4);
    CHECK(figure(all, "train_all_rows") == 6);
    CHECK(figure(all, "train_step_median_pct") == Approx(10));
    CHECK(figure(all, "train_all_step_median_pct") == Approx((10 + 10 + 100) / 3.0));
    CHECK(figure(all, "train_beats_null_tables") == 2);
    CHECK(figure(all, "train_all_tables") == 3);
    CHECK(figure(all, "train_all_beats_null_tables") == 2);
    // Families a and b tell 10 / 11 of each other; c is outside what they tell.
    const std::vector<NamedFigure> covered = training_coverage(rows, catalogue()).figures();
    CHECK(figure(covered, "train_interval80_coverage_pct") == Approx(100));
    CHECK(figure(covered, "train_all_interval80_coverage_pct") == Approx(100 * 4 / 6.0));
    CHECK(figure(covered, "train_interval80_table_coverage_pct") == Approx(100));
    CHECK(figure(covered, "train_interval80_family_lowest_coverage_pct") == Approx(100));
}

TEST_CASE("the catalogue's list of what training tables have is that of the tables") {
    const std::vector<TrainingTable> tables = read_training_tables(folder);
    std::vector<TrainingForecast> rows;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            if (!exclusion(tables[t], r).empty()) { continue; }
            const Scenario s = derive_step(tables[t], r, catalogue()).scenario;
            const auto& w = std::get<TrainingWorkload>(s.workload);
            const Fabric fabric(build(s, catalogue()));
            const ModelShape model = model_shape(catalogue(), w);
            TrainingForecast f;
            f.table = &tables[t];
            f.measured_s = 1;
            f.step.gpus = fabric.gpu_count();
            const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
            f.sequence = model.convolutional() ? 0 : layout.sequence;
            f.aspects = step_aspects(w, model, layout, fabric);
            rows.push_back(f);
        }
    }
    CHECK(aspects_of(rows) == aspects_met(catalogue()));
}

TEST_CASE("no published layout that ran is refused for its memory, and most that ran out of it are") {
    std::vector<MemoryVerdict> verdicts;
    for (const char* how : {"forecast", "layouts"}) {
        std::ranges::move(memory_verdicts(read_training_tables(folder, how), catalogue()),
                          std::back_inserter(verdicts));
    }
    int ran = 0, out = 0, caught = 0;
    for (const MemoryVerdict& v : verdicts) {
        INFO(v.table << " row " << v.row + 1 << ": " << v.needs.low80 * 1e-9 << " of " << v.has * 1e-9 << " GB");
        ran += v.ran ? 1 : 0;
        out += v.ran ? 0 : 1;
        caught += !v.ran && v.refused() ? 1 : 0;
        CHECK_FALSE((v.ran && v.refused()));
    }
    CHECK(ran > 700);
    CHECK(out > 500);
    CHECK(caught > 0.7 * out);
    for (const NamedFigure& figure : memory_figures(verdicts)) {
        if (figure.name == "train_memory_median_pct") {
            CHECK(figure.value < 25);  // BLOOM's chronicle: nvidia-smi shows a quarter more than is counted
        }
        if (figure.name == "train_memory_oom_passed_rows") { CHECK(figure.value == out - caught); }
        if (figure.name == "train_memory_interval80_coverage_pct") { CHECK(figure.value > 70); }
    }
}

TEST_CASE("layouts are ranked among rows that differ in nothing else") {
    TrainingTable table = small_table();
    table.columns["sharding"] = "workload.sharding";
    for (Cells& row : table.rows) { row["gpus"] = "16", row["precision"] = "FP8", row["sharding"] = "zero-1"; }
    table.rows[2]["tp"] = "8";
    table.rows[1]["sharding"] = "ddp";
    const auto forecast = [&](std::size_t row, double measured, double seconds) {
        TrainingForecast f;
        f.table = &table;
        f.row = row;
        f.measured_s = measured;
        f.forecast_s = seconds;
        return f;
    };
    // Two runs of the first layout; the forecast prefers the third, which is 25 % slower than the best, the second.
    const std::vector<LayoutGroup> groups =
        layout_groups({forecast(0, 11, 10), forecast(0, 13, 10), forecast(1, 8, 9), forecast(2, 10, 8)}, catalogue());
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].entries.size() == 3);
    CHECK(groups[0].entries[0].measured_s == Approx(12));
    CHECK(groups[0].chosen_over_best() == Approx(0.25));
    CHECK(groups[0].pairs().all == 3);
    CHECK(groups[0].pairs().right == 2);
    // Another machine is another group, and one layout alone is none.
    table.rows[2]["gpus"] = "8";
    CHECK(layout_groups({forecast(0, 12, 10), forecast(2, 10, 8)}, catalogue()).empty());
}

TEST_CASE("errors and efficiencies are those of the forecast, recomputed by hand") {
    const std::vector<TrainingTable> tables = {small_table()};
    const std::vector<TrainingForecast> all = forecast_tables(tables, catalogue(), 1);
    REQUIRE(all.size() == 3);
    const std::vector<ComparedRow> rows = training_rows(all);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].error() == Approx(all[0].forecast_s / 12 - 1));
    CHECK_FALSE(all[2].counts());
    REQUIRE(all[1].measured_efficiency);
    CHECK(*all[1].measured_efficiency == Approx(12.0 / 4 / 4));
    CHECK(*all[1].forecast_efficiency == Approx(all[0].forecast_s / all[1].forecast_s / 4));
    const TableErrors errors = table_errors(all).front();
    CHECK(errors.ours.rows == 2);
    CHECK(errors.linear.median == Approx(0.25));
    CHECK(errors.ours.largest == Approx(std::max(std::abs(rows[0].error()), std::abs(rows[1].error()))));
}

TEST_CASE("a series of a weak table compares runs of equal work a GPU, and one that keeps its whole batch is strong") {
    TrainingTable table = small_table();
    table.scaling = TableScaling::weak;
    table.columns["gbs"] = "workload.global_batch";
    table.columns["mbs"] = "workload.micro_batch";
    table.series = {"precision"};
    const auto run = [&](const char* precision, const char* gpus, const char* gbs, const char* mbs) {
        table.rows.push_back(
            {{"gpus", gpus}, {"tp", "2"}, {"precision", precision}, {"gbs", gbs}, {"mbs", mbs}, {"seconds", "2"}});
    };
    table.rows.clear();
    run("FP8", "8", "32", "1");
    run("FP8", "16", "64", "1");
    run("FP8", "32", "128", "2");  // other products
    run("FP8", "32", "64", "1");   // half the work of a GPU
    run("BF16", "8", "64", "1");
    run("BF16", "16", "64", "1");
    const std::vector<TrainingTable> tables = {table};
    const std::vector<TrainingForecast> all = forecast_tables(tables, catalogue(), 1);
    for (const TrainingForecast& f : all) { REQUIRE(f.counts()); }
    CHECK(all[1].scaling == TableScaling::weak);
    REQUIRE(all[1].measured_efficiency);
    CHECK(*all[1].measured_efficiency == Approx(1));
    CHECK_FALSE(all[2].measured_efficiency);
    CHECK_FALSE(all[3].measured_efficiency);
    CHECK(all[5].scaling == TableScaling::strong);
    REQUIRE(all[5].measured_efficiency);
    CHECK(*all[5].measured_efficiency == Approx(0.5));
}

TEST_CASE("a series of a strong table whose batch grows with its GPUs is weak, and one of neither kind stays strong") {
    TrainingTable table = small_table();
    table.columns["gbs"] = "workload.global_batch";
    table.series = {"precision"};
    const auto run = [&](const char* precision, const char* gpus, const char* gbs) {
        table.rows.push_back({{"gpus", gpus}, {"tp", "2"}, {"precision", precision}, {"gbs", gbs}, {"seconds", "2"}});
    };
    table.rows.clear();
    run("FP8", "8", "32");
    run("FP8", "16", "64");
    run("BF16", "8", "32");
    run("BF16", "32", "64");
    const std::vector<TrainingTable> tables = {table};
    const std::vector<TrainingForecast> all = forecast_tables(tables, catalogue(), 1);
    CHECK(all[1].scaling == TableScaling::weak);
    REQUIRE(all[1].measured_efficiency);
    CHECK(*all[1].measured_efficiency == Approx(1));
    CHECK(all[3].scaling == TableScaling::strong);
    REQUIRE(all[3].measured_efficiency);
    CHECK(*all[3].measured_efficiency == Approx(0.5));
    CHECK_THAT(training_rows_csv(all), ContainsSubstring(",weak,"));
}

TEST_CASE("every training table reads, and every row that counts makes a scenario") {
    const std::vector<TrainingTable> tables = read_training_tables(folder);
    CHECK(tables.size() == 40);
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
    for (const TrainingTable& table : read_training_tables(folder)) { CHECK(text.find(table.id) == std::string::npos); }
}

TEST_CASE(
    "the refit without a family finds planted constants by least absolute error, and stays at its start without data") {
    // Rows r = s . (x - x0) with one wild outlier; the second constant is in no row.
    std::vector<RowSlope> rows;
    for (int i = 1; i <= 9; ++i) {
        const double slope = -0.1 * i;
        rows.push_back({nullptr, 1, -slope * 0.2, {slope, 0}, 0});
    }
    rows.push_back({nullptr, 1, 3, {-0.5, 0}, 0});
    const std::vector<double> x = least_absolute(rows, {0, 0.1}, {10, 0.3});
    CHECK(x[0] == Approx(0.2).margin(0.01));
    CHECK(x[1] == Approx(0.1));
}

TEST_CASE("a fit replaces the figures behind which its constants stand, and no other line") {
    const std::string before =
        "compute-h100:\n  figures:\n    gemm.bf16: 0.66  # old\n    gemm.tf32: {value: 0.60}\n"
        "mlperf:\n  figures:\n    step: {value: 30 ms}\n";
    std::vector<ConstantFit> fit(training_constants().size());
    fit.at(constant_behind(catalogue(), "compute-h100", "gemm.bf16").value()) = {std::log(1.1), 0.01};
    const std::string after = with_fit(before, catalogue(), fit);
    const double value = 1.1 * catalogue().at("compute", "compute-h100").number("gemm.bf16");
    CHECK_THAT(after, ContainsSubstring(fmt::format("    gemm.bf16: {{value: {:.4g}, low80: {:.3g}, high80: {:.3g}, "
                                                    "origin: fitted",
                                                    value, value / std::exp(0.012816), value * std::exp(0.012816))));
    CHECK_THAT(after, ContainsSubstring("gemm.tf32: {value: 0.60}\nmlperf:"));
    CHECK_THAT(after, ContainsSubstring(" ms, low80:"));
    CHECK(std::count(after.begin(), after.end(), '\n') == std::count(before.begin(), before.end(), '\n'));
}

TEST_CASE("every constant that is refitted is in the catalogue, and every one that tables told is refitted") {
    for (const TrainingConstant& constant : training_constants()) {
        INFO(constant.part << "/" << constant.figure);
        CHECK(catalogue().parts.at(constant.part).number(constant.figure) > 0);
        CHECK(constant.spread > 0);
    }
    // Behind a part's figure stands its own constant or that of the part it was taken from.
    const auto name = [](const char* part, const char* figure) {
        const TrainingConstant& c = training_constants().at(constant_behind(catalogue(), part, figure).value());
        return c.part + "/" + c.figure;
    };
    CHECK(name("compute-b200", "gemm.fixed.narrow") == "compute-h100/gemm.fixed.narrow");
    CHECK(name("compute-b200", "gemm.fp8") == "compute-b200/gemm.fp8");
    CHECK(name("mlperf", "growth.wide") == "megatron/growth.wide");
    CHECK_FALSE(constant_behind(catalogue(), "megatron", "bucket"));
    for (const auto& [part_name, part] : catalogue().parts) {
        for (const auto& [figure_name, figure] : part.figures) {
            // Nothing else is called fitted, and every constant is.
            const bool of_training = part.kind == "compute" || part.kind == "framework";
            const bool behind = of_training && constant_behind(catalogue(), part_name, figure_name).has_value();
            INFO(part_name << "/" << figure_name);
            CHECK((!of_training || (figure.origin == Origin::fitted) == behind));
            CHECK((!behind || figure.source == std::vector<std::string>{fitted_source}));
        }
    }
}
