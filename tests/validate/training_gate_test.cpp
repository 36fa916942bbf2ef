// The gate on training steps: every row of the published tables is forecast again, and no figure may be worse than what
// validate/measurements/ceilings.yaml asks for.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <thread>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "tests/validate/csv.hpp"
#include "validate/training/training_families.hpp"
#include "validate/training/training_figures.hpp"
#include "validate/training/training_intervals.hpp"
#include "validate/training/training_layouts.hpp"
#include "validate/training/training_memory.hpp"
#include "validate/training/training_table.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path measurements = fabricast::testing::root / "validate/measurements";

// Of the tables as they are forecast now, with the stored forecasts of left-out families. Those are of the forecasts
// that they were made with: `current` says whether these are today's.
std::map<std::string, double> figures_of_today(bool& current) {
    const Catalog& catalog = catalogue();
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    const std::vector<TrainingTable> tables = read_training_tables(measurements / "training");
    const std::vector<TrainingTable> cuts = read_training_tables(measurements / "training", "layouts");
    std::vector<TrainingForecast> forecasts = forecast_tables(tables, catalog, threads);
    const FamilyOut out = read_family_out(measurements / "training_families.yaml");
    current = out.fingerprint == training_fingerprint(forecasts);
    if (current) { take_family_out(out, forecasts); }
    std::vector<MemoryVerdict> verdicts = memory_verdicts(tables, catalog);
    std::ranges::move(memory_verdicts(cuts, catalog), std::back_inserter(verdicts));
    std::vector<TrainingForecast> with_layouts = forecast_tables(cuts, catalog, threads);
    std::ranges::copy(forecasts, std::back_inserter(with_layouts));
    std::map<std::string, double> figures;
    for (const std::vector<NamedFigure>& some :
         {training_figures(forecasts), training_coverage(forecasts, catalog).figures(), memory_figures(verdicts),
          layout_figures(layout_groups(with_layouts, catalog))}) {
        for (const NamedFigure& figure : some) { figures[figure.name] = figure.value; }
    }
    figures["train_beats_null_tables_pct"] = 100 * figures["train_beats_null_tables"] / figures["train_tables"];
    figures["train_eff_beats_null_tables_pct"] =
        100 * figures["train_eff_beats_null_tables"] / figures["train_eff_tables"];
    return figures;
}

}  // namespace

TEST_CASE("a row of each training table is forecast as docs/accuracy-training.csv has it") {
    const std::vector<TrainingTable> tables = read_training_tables(measurements / "training");
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::map<std::pair<std::string, std::size_t>, double> recorded;
    for (const CsvRow& row : read_csv(read_text(fabricast::testing::root / "docs/accuracy-training.csv", 1 << 24))) {
        if (!row.at("forecast_s").empty()) {
            recorded[{row.at("table"), std::stoul(row.at("row"))}] = std::stod(row.at("forecast_s"));
        }
    }
    std::vector<TrainingTable> some = tables;
    std::vector<std::size_t> taken;
    for (TrainingTable& table : some) {  // a different place in each
        taken.push_back(taken.size() % table.rows.size());
        table.rows = {table.rows[taken.back()]};
    }
    std::size_t compared = 0;
    for (const TrainingForecast& forecast : forecast_tables(some, catalogue(), threads)) {
        const auto t = static_cast<std::size_t>(forecast.table - some.data());
        const auto found = recorded.find({forecast.table->id, taken[t] + 1});
        if (!forecast.failed.empty() || found == recorded.end()) { continue; }
        INFO(forecast.table->id << ", row " << taken[t] + 1);
        CHECK(forecast.forecast_s == Approx(found->second).epsilon(1e-3));
        ++compared;
    }
    CHECK(compared > tables.size() * 3 / 4);
}

TEST_CASE("no figure of the training tables is worse than what is asked of it", "[thorough]") {
    bool current = false;
    const std::map<std::string, double> figures = figures_of_today(current);
    const yaml::Node limits = yaml::read(measurements / "ceilings.yaml");
    std::size_t checked = 0;
    for (const bool at_least : {false, true}) {
        for (const yaml::Node& limit : limits.required(at_least ? "training_floors" : "training_ceilings").members()) {
            INFO(limit.name);
            const bool left_out = limit.name.find("family") != std::string::npos ||
                                  limit.name.find("interval80_coverage") != std::string::npos;
            if (left_out && !current) { continue; }
            REQUIRE(figures.contains(limit.name));
            CHECK(
                (at_least ? figures.at(limit.name) >= limit.as_double() : figures.at(limit.name) <= limit.as_double()));
            ++checked;
        }
    }
    CHECK(checked >= 15);
    if (!current) {
        SKIP_TEST(
            "the forecasts without each family are of another catalogue or other tables: "
            "fabricast-training-accuracy --families yes");
    }
}
