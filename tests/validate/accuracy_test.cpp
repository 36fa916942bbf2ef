#include "validate/accuracy/accuracy.hpp"

#include "base/percentile.hpp"
#include "base/text.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/validate/csv.hpp"
#include "validate/accuracy/collect.hpp"
#include "validate/curves/derive.hpp"
#include "validate/curves/forecast.hpp"

using namespace fabricast;

namespace {

ComparedRow row(const std::string& site, std::int64_t size, double predicted, RowUse use = RowUse::counted) {
    ComparedRow r;
    r.table = site + "-set";
    r.size = Bytes{size};
    r.measured = 100e-6;
    r[Forecast::ours] = predicted * 1e-6;
    r[Forecast::null_alphabeta] = 50e-6;
    r[Forecast::null_tuning] = 200e-6;
    r.site = site;
    r.part = "inside";
    r.use = use;
    r.group = {"hopper", ">=2.18", "nvswitch"};
    return r;
}

double figure(const std::vector<ComparedRow>& rows, const std::string& name) {
    for (const NamedFigure& f : accuracy_figures(rows)) {
        if (f.name == name) { return f.value; }
    }
    return -1;
}

}  // namespace

TEST_CASE("a percentile lies between the ranks around it") {
    CHECK(percentile({4, 1, 3, 2}, 50) == 2.5);
    CHECK(percentile({5, 1, 3}, 50) == 3);
    CHECK(percentile({0, 10}, 90) == Approx(9));
    CHECK_FALSE(percentile({}, 50).has_value());
}

TEST_CASE("a figure is the median over sites of the site's median error") {
    // Site a: errors 10 %, 20 %, 90 % -> 20 %; site b: 2 % -> 2 %; site c: 40 %, 60 % -> 50 %. Median of 20, 2, 50: 20.
    const std::vector<ComparedRow> rows = {row("a", 8, 110), row("a", 16, 80), row("a", 32, 190),
                                           row("b", 8, 102), row("c", 8, 140), row("c", 16, 160)};
    CHECK(figure(rows, "nccl_small_median_pct") == Approx(20));
    CHECK(figure(rows, "nccl_mid_median_pct") == -1);  // no row, no figure
    CHECK(figure(rows, "nccl_null_alphabeta_small_median_pct") == Approx(50));
    CHECK(figure(rows, "nccl_null_tuning_small_median_pct") == Approx(100));
    // p90 of a: 20 + 0.8 * (90 - 20) = 76; of b: 2; of c: 58. Median 58.
    CHECK(figure(rows, "nccl_small_p90_pct") == Approx(58));
}

TEST_CASE("the regimes meet at 64 KiB and 16 MiB") {
    CHECK(regime_of(Bytes{65535}) == Regime::small);
    CHECK(regime_of(Bytes{65536}) == Regime::mid);
    CHECK(regime_of(Bytes{16777215}) == Regime::mid);
    CHECK(regime_of(Bytes{16777216}) == Regime::large);
}

TEST_CASE("unhealthy rows count only in the figures over everything, warm-up in none") {
    const std::vector<ComparedRow> rows = {row("a", 8, 110), row("a", 16, 500, RowUse::unusable),
                                           row("b", 8, 400, RowUse::excluded)};
    CHECK(figure(rows, "nccl_small_median_pct") == Approx(10));
    CHECK(figure(rows, "nccl_all_small_median_pct") == Approx((10 + 300) / 2.0));
}

TEST_CASE("sites without a sibling stand in a figure of their own") {
    std::vector<ComparedRow> rows = {row("a", 8, 110), row("b", 8, 110)};
    rows[0][Forecast::left_out] = 120e-6;
    rows[0].sibling = true;
    rows[1][Forecast::left_out] = 180e-6;
    CHECK(figure(rows, "nccl_loso_small_median_pct") == Approx(20));
    CHECK(figure(rows, "nccl_loso_without_sibling_small_median_pct") == Approx(80));
    const double every = (figure(rows, "nccl_loso_small_median_pct") + 80) / 2;
    CHECK(figure(rows, "nccl_loso_every_site_small_median_pct") == Approx(every));
}

TEST_CASE("inside a node and between nodes are told apart, and pooled rows beside the sites' median") {
    std::vector<ComparedRow> rows = {row("a", 8, 110), row("a", 16, 120), row("b", 8, 180), row("b", 16, 190)};
    rows[2].part = rows[3].part = "between";
    CHECK(figure(rows, "nccl_inside_small_median_pct") == Approx(15));
    CHECK(figure(rows, "nccl_between_small_median_pct") == Approx(85));
    CHECK(figure(rows, "nccl_small_median_pct") == Approx(50));
    // Errors of all rows in order: 10, 20, 80, 90; the 90th percentile lies 0.7 of the way from 80 to 90. The sites':
    // 19 and 89, their median 54.
    CHECK(figure(rows, "nccl_small_pooled_p90_pct") == Approx(87));
    CHECK(figure(rows, "nccl_small_p90_pct") == Approx(54));
}

TEST_CASE("a publisher's sites are left out together, and siblings of its own do not count") {
    std::vector<ComparedRow> rows = {row("a", 8, 110), row("b", 8, 110)};
    for (ComparedRow& r : rows) {
        r.publisher = "p";
        r[Forecast::left_out] = 110e-6;
        r.sibling = true;
        r[Forecast::publisher_out] = 150e-6;
    }
    CHECK(figure(rows, "nccl_loso_small_median_pct") == Approx(10));
    CHECK(figure(rows, "nccl_lopo_small_median_pct") == -1);
    CHECK(figure(rows, "nccl_lopo_every_site_small_median_pct") == Approx(50));
}

TEST_CASE("a GPU left out with all its sites is a figure of its own, inside a node") {
    std::vector<ComparedRow> rows = {row("a", 8, 110), row("b", 8, 110)};
    rows[0][Forecast::gpu_out] = 80e-6;
    rows[1][Forecast::gpu_out] = 200e-6;
    rows[1].part = "between";
    CHECK(figure(rows, "gpu_out_small_median_pct") == Approx(20));
    CHECK(figure(rows, "nccl_between_gpu_out_small_median_pct") == Approx(100));
}

TEST_CASE("a line for each curve and regime says how far off its forecasts are, and moves with each of them") {
    std::vector<ComparedRow> rows = {row("a", 8, 110), row("a", 16, 130), row("a", 70000, 95),
                                     row("b, c", 8, 400, RowUse::excluded)};
    rows[2][Forecast::publisher_out] = 80e-6;
    const std::vector<CsvRow> lines = read_csv(curves_csv(rows));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].at("dataset") == "a-set");
    CHECK(lines[0].at("regime") == "small");
    CHECK(lines[0].at("rows") == "2");
    CHECK(lines[0].at("error_pct") == "20.000");
    CHECK(lines[0].at("without_publisher_pct").empty());
    CHECK(lines[1].at("without_publisher_pct") == "20.000");
    CHECK(lines[1].at("measured_over_without_publisher") == "1.25");
    CHECK(lines[2].at("dataset") == "b, c-set");
    CHECK(lines[2].at("counted") == "no");
    rows[1][Forecast::ours] *= 1 + 1e-6;  // the second of three digits behind what a reader sees
    const std::vector<CsvRow> moved = read_csv(curves_csv(rows));
    CHECK(moved[0].at("error_pct") == lines[0].at("error_pct"));
    CHECK(moved[0].at("forecasts_hash") != lines[0].at("forecasts_hash"));
    CHECK(moved[1] == lines[1]);
    rows[2][Forecast::publisher_out] *= 1 + 1e-6;
    CHECK(read_csv(curves_csv(rows))[1].at("left_out_hash") != lines[1].at("left_out_hash"));
    CHECK(read_csv(rows_csv(rows)).at(3).at("site") == "b, c");
    CHECK(figure_line({"nccl_mid_median_pct", 6.3}) == "figure: nccl_mid_median_pct 6.30 %");
}

TEST_CASE("globs match as in a shell") {
    CHECK(glob_matches("polaris-*-env1", "polaris-2n4g-allgather-env1"));
    CHECK_FALSE(glob_matches("polaris-*-env1", "polaris-2n4g-allgather-env1-04-29"));
    CHECK(glob_matches("a?c", "abc"));
    CHECK(glob_matches("*", ""));
    CHECK(glob_matches("*H100*", "NVIDIA H100"));
    CHECK(glob_matches("*H100*", "H100"));
    CHECK_FALSE(glob_matches("*H100*", "A100"));
    CHECK(glob_matches("selective*", "selective op"));
    CHECK_FALSE(glob_matches("fulle", "full"));
    CHECK_FALSE(glob_matches("", "a"));
}

TEST_CASE("every listed dataset is here, in a group that its file derives to, and every curve is listed") {
    const std::filesystem::path folder = FABRICAST_SOURCE_DIR "/validate/measurements";
    const Sites sites = read_sites(folder / "sites.yaml");
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    for (const auto& [dataset, entry] : sites) {
        INFO(dataset);
        const Measurement m = read_measurement(folder / "nccl" / (dataset + ".yaml"));
        try {
            const Derived found = derive(m);
            const SystemGroup derived = group_on(cache.at(found.scenario), found);
            CHECK(derived.generation == entry.group.generation);
            CHECK(derived.nccl_era == entry.group.nccl_era);
            CHECK(derived.fabric == entry.group.fabric);
        } catch (const InputError&) { CHECK(text(m.benchmark, "collective") == "several"); }
    }
    for (const auto& file : std::filesystem::directory_iterator(folder / "nccl")) {
        INFO(file.path());
        CHECK((sites.contains(file.path().stem().string()) || file.path().stem() == "summary-single-values"));
    }
}

TEST_CASE("each unhealthy pattern names a cause and matches something") {
    const std::filesystem::path folder = FABRICAST_SOURCE_DIR "/validate/measurements";
    const Sites sites = read_sites(folder / "sites.yaml");
    for (const UnhealthyPattern& pattern : read_unhealthy(folder / "unhealthy.yaml")) {
        INFO(pattern.match);
        CHECK(pattern.cause.size() > 20);
        bool matches = false;
        for (const auto& [dataset, entry] : sites) { matches = matches || glob_matches(pattern.match, dataset); }
        CHECK(matches);
    }
}
