#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/validate/csv.hpp"
#include "validate/transfers/transfer_accuracy.hpp"

using namespace fabricast;

namespace {

// Sites whose only row is `ratio` times its left-out forecast.
std::vector<ComparedRow> sites_with(const std::vector<double>& ratios) {
    std::vector<ComparedRow> rows;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        ComparedRow row;
        row.table = row.site = "site" + std::to_string(i);
        row.size = Bytes{1 << 20};
        row.measured = ratios[i];
        row[Forecast::publisher_out] = 1;
        row.publisher = row.site;
        row[Forecast::ours] = row[Forecast::null_alphabeta] = row[Forecast::null_tuning] = 10;
        row.publisher_sibling = true;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace

TEST_CASE("an interval holds four in five distances, and more where few sites tell it") {
    // Ten sites: the eighth smallest of |ln ratio| is ln 1.2; nine degrees of freedom widen it by 1.3830 / 1.2816.
    const std::vector<double> ratios = {1, 1.01, 1 / 1.02, 1.03, 1.04, 1 / 1.05, 1.1, 1 / 1.2, 1.5, 3};
    const RatioRange ten = interval_table(sites_with(ratios), Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(std::log(ten.high80) == Approx(std::log(1.2) * 1.3830 / 1.28155).epsilon(1e-3));
    CHECK(ten.low80 == Approx(1 / ten.high80));
    std::vector<double> many;
    for (int i = 0; i < 100; ++i) { many.insert(many.end(), ratios.begin(), ratios.end()); }
    const RatioRange thousand =
        interval_table(sites_with(many), Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(thousand.high80 == Approx(1.2).epsilon(1e-3));
    // One and two degrees of freedom: 3.0777 and 1.8856.
    const RatioRange two =
        interval_table(sites_with({1.1, 1.1}), Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(std::log(two.high80) == Approx(std::log(1.1) * 3.0777 / 1.28155).epsilon(1e-3));
    const RatioRange four =
        interval_table(sites_with({1.1, 1.1, 1.1, 1.1}), Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(std::log(four.high80) == Approx(std::log(1.1) * 1.6377 / 1.28155).epsilon(1e-2));
}

TEST_CASE("what nobody else measured is less certain by one factor in all regimes, and never better known") {
    const auto named = [](std::vector<ComparedRow> rows, bool between, bool sibling) {
        for (ComparedRow& row : rows) {
            row.nodes = between ? 2 : 1;
            row.publisher_sibling = sibling;
            row.table = row.site = row.publisher =
                (between ? "between " : "inside ") + std::string(sibling ? "near " : "far ") + row.site;
        }
        return rows;
    };
    const auto half = [](const std::vector<ComparedRow>& rows, bool between, bool sibling) {
        return std::log(interval_table(rows, Forecast::publisher_out).at({between, sibling, Regime::mid}).high80);
    };
    const std::vector<double> four = {1.1, 1.1, 1.1, 1.1}, wide = {1.3, 1.3, 1.3, 1.3};
    std::vector<ComparedRow> rows = named(sites_with(four), false, true);
    for (const auto& more : {named(sites_with(wide), false, false), named(sites_with(four), true, true)}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    // Between nodes nothing without a sibling was measured: the factor is that inside a node, ln 1.3 / ln 1.1.
    const double factor = std::log(1.3) / std::log(1.1);
    CHECK(half(rows, false, false) / half(rows, false, true) == Approx(factor));
    CHECK(half(rows, true, false) / half(rows, true, true) == Approx(factor));
    // Four such sites between nodes with a factor of their own: it counts there, and the other inside a node.
    const std::vector<ComparedRow> more = named(sites_with({1.2, 1.2, 1.2, 1.2}), true, false);
    rows.insert(rows.end(), more.begin(), more.end());
    CHECK(half(rows, false, false) / half(rows, false, true) == Approx(factor));
    CHECK(half(rows, true, false) / half(rows, true, true) == Approx(std::log(1.2) / std::log(1.1)));
    // Another regime's pair tells the same factor: the geometric mean of both counts in both.
    std::vector<ComparedRow> small = named(sites_with(four), true, true);
    for (const ComparedRow& row : named(sites_with(wide), true, false)) { small.push_back(row); }
    for (ComparedRow& row : small) { row.size = Bytes{1024}; }
    rows.insert(rows.end(), small.begin(), small.end());
    CHECK(half(rows, true, false) / half(rows, true, true) ==
          Approx(std::sqrt(factor * std::log(1.2) / std::log(1.1))));
    // Where the few without a sibling happen to be nearer, both classes get one interval.
    std::vector<ComparedRow> lucky = named(sites_with(wide), true, true);
    const std::vector<ComparedRow> near = named(sites_with(four), true, false);
    lucky.insert(lucky.end(), near.begin(), near.end());
    CHECK(half(lucky, true, false) == half(lucky, true, true));
    CHECK(half(lucky, true, true) == Approx(std::sqrt(std::log(1.1) * std::log(1.3)) * 1.6377 / 1.28155).epsilon(1e-2));
}

TEST_CASE("a site's tables count as one inside a node and each by itself between nodes") {
    // 20 sites of one table within ln 1.1, and a last one with more tables, all off by a factor of two.
    const auto high = [](int tables, bool between) {
        std::vector<double> ratios(20, 1.1);
        ratios.push_back(2);
        std::vector<ComparedRow> rows = sites_with(ratios);
        const ComparedRow last = rows.back();
        for (int i = 1; i < tables; ++i) {
            ComparedRow row = last;
            row.table += fmt::format(" {}", i);
            rows.push_back(row);
        }
        for (ComparedRow& row : rows) { row.nodes = between ? 2 : 1; }
        return std::log(interval_table(rows, Forecast::publisher_out).at({between, true, Regime::mid}).high80);
    };
    // 1.1 holds 20 sites of 21, and of 25 tables; of 26 it would leave out more than a fifth.
    CHECK(high(6, false) == Approx(std::log(1.1) * 1.3253 / 1.28155).epsilon(1e-3));
    CHECK(high(6, true) > std::log(2));
    // Five tables of 25 weigh as much as 25^2 / (20 + 5^2) = 13.9 sites of one: 12.9 degrees of freedom.
    CHECK(high(5, true) == Approx(std::log(1.1) * 1.3507 / 1.28155).epsilon(1e-3));
}

TEST_CASE("more nodes than others measured are judged as a forecast of them would be") {
    const auto covered = [](double ratio, std::uint32_t nodes) {
        std::vector<ComparedRow> rows = sites_with({1.1, 1.1, 1.1, 1.1, 1.1, 1.2, 1.2, 1.2, 1.2, 1.2, ratio});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].group.fabric = "infiniband-ndr";
            rows[i].nodes = 2;
            rows[i].publisher_sibling = i < 5 || i == 10;
        }
        rows.back().nodes = nodes;
        return coverage(rows, {.which = Forecast::publisher_out}).rows;
    };
    // With a sibling 1.1 and without 1.2, widened by 1.5332 / 1.28155 for five sites: 1.12 and 1.24.
    CHECK(covered(1.2, 4) == Approx(10 / 11.0));
    CHECK(covered(1.2, 5) == Approx(1));
    // Beyond eight times the nodes nothing but the formula is left: half as much again.
    CHECK(covered(1.3, 16) == Approx(10 / 11.0));
    CHECK(covered(1.3, 17) == Approx(1));
}

TEST_CASE("a site with many rows weighs as one") {
    std::vector<ComparedRow> rows = sites_with({0.9, 1.1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    const RatioRange before = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    for (int i = 0; i < 100; ++i) { rows.push_back(rows.front()); }
    const RatioRange after = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(after.low80 == before.low80);
    CHECK(after.high80 == before.high80);
}

TEST_CASE("what networks do to forecasts does not widen the intervals inside a node") {
    std::vector<ComparedRow> rows = sites_with({0.9, 1.1});
    const std::vector<ComparedRow> between = sites_with({0.5, 3});
    for (ComparedRow row : between) {
        row.nodes = 2;
        rows.push_back(row);
    }
    const IntervalTable table = interval_table(rows, Forecast::publisher_out);
    CHECK(table.at({false, true, Regime::mid}).high80 < table.at({true, true, Regime::mid}).high80);
    const Part held = catalogue().parts.at("forecast-intervals");
    const std::string yaml = intervals_yaml(table, held);
    const RatioRange& network = table.at({true, true, Regime::mid});
    CHECK_THAT(yaml,
               ContainsSubstring(fmt::format("same-system.between.middle: {{value: 1, low80: {:.3f}, high80: {:.3f}}}",
                                             network.low80, network.high80)));
    // Without a left-out forecast nothing is known anew: what the catalogue held stays.
    CHECK_THAT(intervals_yaml({}, held),
               ContainsSubstring(fmt::format("same-system.inside.large: {{value: 1, low80: {:.3f}",
                                             held.figure("same-system.inside.large").low80)));
}

TEST_CASE("coverage judges a site by the others alone") {
    const Selection left_out{.which = Forecast::publisher_out};
    CHECK(coverage(sites_with({1, 1, 1, 1, 1}), left_out).sites == 1);
    // The one odd site is outside of what the others tell; each of the others is inside.
    const Coverage odd = coverage(sites_with({1, 1, 1, 1, 2}), left_out);
    CHECK(odd.sites == Approx(0.8));
    CHECK(odd.rows == Approx(0.8));
    CHECK(coverage({}, left_out).width == 0);
    // Five figures over everything, then coverage and factor of each scope and regime that has rows: none here is known
    // to be inside a node or between nodes, and every row has a sibling.
    CHECK(interval_figures(sites_with({1, 1.1, 0.9})).size() == 5);
}

TEST_CASE("rows of one table within one doubling of size share the weight of one row in coverage") {
    std::vector<ComparedRow> rows = sites_with({1, 1, 1, 1, 1});
    ComparedRow sweep = rows.back();
    sweep.measured = 9;  // outside
    for (int i = 0; i < 9; ++i) {
        sweep.size = Bytes{65536 + 1024 * i};  // one doubling
        sweep.table = "sweep";
        rows.push_back(sweep);
    }
    CHECK(coverage(rows, {.which = Forecast::publisher_out}).rows == Approx(5 / 6.0));
    rows.back().size = Bytes{131072};  // a doubling of its own
    CHECK(coverage(rows, {.which = Forecast::publisher_out}).rows == Approx(5 / 7.0));
}

TEST_CASE("coverage and factor are told apart by part, by regime and by sibling") {
    std::vector<ComparedRow> rows = sites_with({1.1, 1.1, 1.1, 1.1, 1.1, 2, 2, 2, 2, 2});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].part = i < 5 ? "inside" : "between";
        rows[i].nodes = i < 5 ? 1 : 2;
    }
    ComparedRow odd = rows.back();  // a second row of the last site, which no interval of the others holds
    odd.measured = 9;
    odd.size = Bytes{2 << 20};
    rows.push_back(odd);
    std::map<std::string, double> figures;
    for (const NamedFigure& figure : interval_figures(rows)) { figures[figure.name] = figure.value; }
    // Four other sites: three degrees of freedom widen ln 1.1 and ln 2 by 1.6377 / 1.28155 to either side.
    CHECK(figures.at("interval80_inside_mid_factor") == Approx(std::pow(1.1, 2 * 1.6377 / 1.28155)).epsilon(0.01));
    CHECK(figures.at("interval80_between_sibling_mid_factor") ==
          Approx(std::pow(2, 2 * 1.6377 / 1.28155)).epsilon(0.01));
    // What all five sites tell: four degrees of freedom.
    CHECK(figures.at("interval80_inside_mid_written_factor") ==
          Approx(std::pow(1.1, 2 * 1.5332 / 1.28155)).epsilon(0.01));
    CHECK(figures.at("interval80_inside_mid_coverage_pct") == Approx(100));
    CHECK(figures.at("interval80_between_mid_coverage_pct") == Approx(500 / 6.0));  // five rows of six
    CHECK_FALSE(figures.contains("interval80_between_small_factor"));
    CHECK_FALSE(figures.contains("interval80_unseen_mid_factor"));
}

TEST_CASE("rows that were left out of the data, or that no fit was made without, do not count") {
    std::vector<ComparedRow> rows = sites_with({0.5, 1, 2});
    rows[0].use = RowUse::unusable;
    rows[2][Forecast::publisher_out] = 0;
    const RatioRange range = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(range.low80 == Approx(1));
    CHECK(range.high80 == Approx(1));
}

TEST_CASE("transfer-intervals are the deciles of the published measurements, each file as much as another") {
    const TransferAccuracy accuracy = transfer_accuracy(FABRICAST_SOURCE_DIR "/validate/measurements", catalogue());
    CHECK(transfer_files_csv(accuracy) == read_text(FABRICAST_SOURCE_DIR "/docs/accuracy-paths.csv", 1 << 20));
    std::map<std::string, std::map<std::string, std::vector<double>>> ratios;  // by scope and size, then by file
    for (const ComparedRow& row : transfer_rows(accuracy)) {
        if (row.counted() && row.compares(Forecast::ours)) {
            const std::string scope = row.part.starts_with("rdma") ? "between" : "inside";
            ratios[scope + (row.size < Bytes{1 << 20} ? ".small" : ".large")][row.table].push_back(row.measured /
                                                                                                   row[Forecast::ours]);
        }
    }
    REQUIRE(ratios.size() == 4);
    const Part& part = catalogue().at("interval", "transfer-intervals");
    for (const auto& [name, files] : ratios) {
        std::vector<std::pair<double, double>> weighted;  // each file weighs 1
        for (const auto& [file, values] : files) {
            for (const double value : values) {
                weighted.emplace_back(value, 1.0 / static_cast<double>(values.size()));
            }
        }
        std::sort(weighted.begin(), weighted.end());
        const auto decile = [&weighted, whole = static_cast<double>(files.size())](double share) {
            double sum = 0;
            for (const auto& [value, weight] : weighted) {
                sum += weight;
                if (sum >= share * whole) { return value; }
            }
            return weighted.back().first;
        };
        INFO(name << ": " << decile(0.1) << " to " << decile(0.9));
        CHECK(std::abs(std::log(part.figure(name).low80 / decile(0.1))) < 0.05);
        CHECK(std::abs(std::log(part.figure(name).high80 / decile(0.9))) < 0.05);
    }
}

namespace {

// How far apart the rows of one group (a site, a table) are, each a measured / forecast: the ratio of two for every
// pair in both orders, with equal weight for each group; first and ninth decile. This is the uncertainty of a
// comparison between two forecasts of one system: `study-intervals` in the catalogue.
RatioRange paired_range(const std::vector<std::vector<double>>& groups) {
    std::vector<std::pair<double, double>> points;  // ratio of two values, weight
    double all = 0;
    for (const std::vector<double>& ratios : groups) {
        const auto n = static_cast<double>(ratios.size());
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            for (std::size_t j = 0; j < ratios.size(); ++j) {
                if (i != j) { points.emplace_back(ratios[i] / ratios[j], 1 / (n * (n - 1))); }
            }
        }
        all += ratios.size() > 1 ? 1 : 0;
    }
    std::sort(points.begin(), points.end());
    double below = 0;
    for (const auto& [ratio, weight] : points) {
        below += weight;
        if (below >= 0.1 * all - 1e-9) {
            return {ratio, 1 / ratio};  // every pair is in the list in both orders
        }
    }
    return {};
}

// The numbers of a column by the text of another, without empty cells.
std::vector<std::vector<double>> grouped(const std::vector<CsvRow>& rows, const std::string& by,
                                         const std::function<double(const CsvRow&)>& number) {
    std::map<std::string, std::vector<double>> groups;
    for (const CsvRow& row : rows) { groups[row.at(by)].push_back(number(row)); }
    std::vector<std::vector<double>> list;
    for (const auto& [name, numbers] : groups) { list.push_back(numbers); }
    return list;
}

}  // namespace

TEST_CASE("two tables of one site are as far apart as the catalogue's study-intervals say") {
    // Two tables, one forecast well and one by half: the pair is apart by 2, both ways round.
    CHECK(paired_range({{1.0, 2.0}}).low80 == Approx(0.5));
    CHECK(paired_range({{1.0, 2.0}, {1.0}, {}}).high80 == Approx(2));
    CHECK(paired_range({{3.0, 3.0, 3.0}}).low80 == 1);

    const Part& part = catalogue().at("interval", "study-intervals");
    std::map<std::string, std::vector<CsvRow>> curves;  // by regime
    for (const CsvRow& row : read_csv(read_text(FABRICAST_SOURCE_DIR "/docs/accuracy.csv", 1 << 24))) {
        if (!row.at("measured_over_without_publisher").empty()) { curves[row.at("regime")].push_back(row); }
    }
    if (curves.empty()) { report_skip("docs/accuracy.csv holds no fits without each site: ./dev accuracy --loso"); }
    for (const auto& [regime, rows] : curves) {
        const RatioRange range = paired_range(grouped(
            rows, "site", [](const CsvRow& row) { return std::stod(row.at("measured_over_without_publisher")); }));
        const Figure& figure = part.figure(regime == "mid" ? "paired.middle" : "paired." + regime);
        INFO(regime << ": " << range.low80 << " to " << range.high80);
        CHECK(std::abs(std::log(figure.low80 / range.low80)) < 0.05);
        CHECK(std::abs(std::log(figure.high80 / range.high80)) < 0.05);
    }

    std::vector<CsvRow> counted = read_csv(read_text(FABRICAST_SOURCE_DIR "/docs/accuracy-training.csv", 1 << 24));
    std::erase_if(counted,
                  [](const CsvRow& row) { return !row.at("excluded").empty() || row.at("measured_s").empty(); });
    const auto tables = grouped(counted, "table", [](const CsvRow& row) {
        return std::stod(row.at("measured_s")) / std::stod(row.at("forecast_s"));
    });
    CHECK(tables.size() > 20);
    INFO(paired_range(tables).low80);
    CHECK(std::abs(std::log(part.figure("paired.training").low80 / paired_range(tables).low80)) < 0.02);
}
