// The gate on accuracy: every forecast of docs/accuracy.csv is made again, and no figure may pass its ceiling.

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/fitted_nulls.hpp"
#include "validate/calibration/without_site.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path root = FABRICAST_SOURCE_DIR;
const std::filesystem::path measurements = root / "validate/measurements";

struct Recomputed {
    Collection collection;
    std::vector<AccuracyRow> rows;
};

Recomputed recomputed(const Catalog& catalog, FabricCache& cache) {
    Recomputed now;
    now.collection = collect({measurements / "nccl"}, builtin_aliases(), catalog, cache,
                             read_sites(measurements / "sites.yaml"), read_unhealthy(measurements / "unhealthy.yaml"));
    now.rows = accuracy_rows(now.collection);
    return now;
}

std::vector<AccuracyRow> committed() {
    return parse_accuracy_csv(read_text(root / "docs/accuracy.csv", 1 << 26), "docs/accuracy.csv");
}

void check_same(const std::vector<AccuracyRow>& now, const std::vector<AccuracyRow>& written,
                std::initializer_list<Forecast> which, double digits) {
    REQUIRE(now.size() == written.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
        INFO(now[i].dataset << " at " << now[i].size.count << " B");
        REQUIRE(now[i].dataset == written[i].dataset);
        REQUIRE(now[i].size == written[i].size);
        CHECK(now[i].used == written[i].used);
        for (const Forecast forecast_of : which) {
            INFO("forecast " << static_cast<int>(forecast_of));
            CHECK(forecast(now[i], forecast_of) == Approx(forecast(written[i], forecast_of)).epsilon(digits));
        }
    }
}

}  // namespace

TEST_CASE("every row of docs/accuracy.csv is what this program forecasts, and no figure passes its ceiling") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::vector<AccuracyRow> now = recomputed(catalog, cache).rows;
    check_same(now, committed(), {Forecast::ours, Forecast::null_alphabeta, Forecast::null_tuning}, 1e-6);
    std::map<std::string, double> figures;
    for (const NamedFigure& figure : accuracy_figures(now)) {
        figures[figure.name] = figure.value;
    }
    const yaml::Node ceilings = yaml::read(measurements / "ceilings.yaml");
    CHECK(ceilings.required("ceilings").members().size() >= 12);
    for (const yaml::Node& ceiling : ceilings.required("ceilings").members()) {
        INFO(ceiling.name);
        REQUIRE(figures.contains(ceiling.name));
        CHECK(figures.at(ceiling.name) <= ceiling.as_double());
    }
}

TEST_CASE("forecasts without each site and publisher are those of docs/accuracy.csv") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    Recomputed now = recomputed(catalog, cache);
    const SiteOverlays overlays = read_overlays(measurements / "without_site.yaml", fingerprint(now.rows));
    if (overlays.empty()) {
        SKIP_TEST("the fits without each site are of another catalogue or other data: ./dev accuracy --loso");
    }
    forecast_without_site(now.rows, now.collection, overlays, catalog, cache);
    forecast_fitted_nulls(now.rows, now.collection);
    // The fitted nulls come from an iterative solver: the same to five digits with every compiler.
    check_same(now.rows, committed(),
               {Forecast::left_out, Forecast::publisher_out, Forecast::fitted_alphabeta, Forecast::fitted_tuning},
               2e-5);
}
