// The gate on accuracy: every forecast of docs/accuracy.csv is made again, and no figure may pass its ceiling.

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <sstream>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "tests/validate/csv.hpp"
#include "tests/validate/every_curve.hpp"
#include "validate/accuracy/accuracy.hpp"
#include "validate/calibration/calibrate_figures.hpp"
#include "validate/calibration/curve_seconds.hpp"
#include "validate/calibration/fitted_nulls.hpp"
#include "validate/calibration/without_site.hpp"

using namespace fabricast;

namespace {

using fabricast::testing::root;
const std::filesystem::path measurements = root / "validate/measurements";

// Each curve and regime of docs/accuracy.csv against the same now. `same`: columns of equal text; `near`: columns of
// percentages that an iterative solver gives, the same within a thousandth of a percent with every compiler.
void check_same(const std::vector<ComparedRow>& rows, std::initializer_list<const char*> same,
                std::initializer_list<const char*> near) {
    const std::vector<CsvRow> now = read_csv(curves_csv(rows));
    const std::vector<CsvRow> written = read_csv(read_text(root / "docs/accuracy.csv", 1 << 24));
    REQUIRE(now.size() == written.size());
    REQUIRE(rows.size() > 3000);
    for (std::size_t i = 0; i < now.size(); ++i) {
        INFO(now[i].at("dataset") << ", " << now[i].at("regime"));
        for (const char* column : same) {
            INFO(column);
            CHECK(now[i].at(column) == written[i].at(column));
        }
        for (const char* column : near) {
            INFO(column);
            REQUIRE(now[i].at(column).empty() == written[i].at(column).empty());
            if (!now[i].at(column).empty()) {
                CHECK(std::stod(now[i].at(column)) == Approx(std::stod(written[i].at(column))).margin(0.004));
            }
        }
    }
}

}  // namespace

TEST_CASE("every curve of docs/accuracy.csv is what this program forecasts, and no figure passes its ceiling") {
    const std::vector<ComparedRow> rows = accuracy_rows(testing::every_curve().collection);
    check_same(rows,
               {"dataset", "site", "nodes", "regime", "rows", "counted", "error_pct", "null_alphabeta_pct",
                "null_tuning_pct", "forecasts_hash"},
               {});
    std::map<std::string, double> figures;
    for (const NamedFigure& figure : accuracy_figures(rows)) { figures[figure.name] = figure.value; }
    const yaml::Node ceilings = yaml::read(measurements / "ceilings.yaml");
    CHECK(ceilings.required("ceilings").members().size() >= 12);
    for (const yaml::Node& ceiling : ceilings.required("ceilings").members()) {
        INFO(ceiling.name);
        REQUIRE(figures.contains(ceiling.name));
        CHECK(figures.at(ceiling.name) <= ceiling.as_double());
    }
}

TEST_CASE("forecasts without each site and publisher are those of docs/accuracy.csv, and the page's figures follow",
          "[thorough]") {
    auto& [folder, catalog, cache, collection] = testing::every_curve();
    std::vector<ComparedRow> rows = accuracy_rows(collection);
    const SiteOverlays overlays = read_overlays(measurements / "without_site.yaml", fingerprint(rows));
    if (overlays.empty()) {
        SKIP_TEST("the fits without each site are of another catalogue or other data: ./dev accuracy --loso");
    }
    forecast_without_site(rows, collection, overlays, catalog, cache);
    forecast_fitted_nulls(rows, collection);
    check_same(rows, {"without_site_pct", "without_publisher_pct", "measured_over_without_publisher", "left_out_hash"},
               {"fitted_alphabeta_pct", "fitted_tuning_pct"});
    std::map<std::string, double> printed;
    std::istringstream page(read_text(root / "docs/accuracy.md", 1 << 24));
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("figure: ")) {
            std::istringstream words(line.substr(8));
            std::string name;
            double value = 0;
            words >> name >> value;
            printed[name] = value;
        }
    }
    std::vector<NamedFigure> figures = accuracy_figures(rows);
    for (const auto& more :
         {fit_size_figures(catalog, fit_datasets(collection), cache), kept_figures(measurements, fingerprint(rows))}) {
        figures.insert(figures.end(), more.begin(), more.end());
    }
    CHECK(printed.contains("pilot_large_median_pct"));
    CHECK(printed.size() == figures.size() + 1);  // and planted_recovery_max_pct, which takes long
    for (const NamedFigure& figure : figures) {
        INFO(figure_line(figure));
        REQUIRE(printed.contains(figure.name));
        CHECK(printed.at(figure.name) == Approx(figure.value).margin(0.01));
    }
}
