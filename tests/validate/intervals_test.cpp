#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Sites whose only row is `ratio` times its left-out forecast.
std::vector<AccuracyRow> sites_with(const std::vector<double>& ratios) {
    std::vector<AccuracyRow> rows;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        AccuracyRow row;
        row.dataset = row.site = "site" + std::to_string(i);
        row.size = Bytes{1 << 20};
        row.measured = ratios[i];
        row.publisher_out = 1;
        row.publisher = row.site;
        row.predicted = row.null_alphabeta = row.null_tuning = 10;
        row.used = "yes";
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
    for (int i = 0; i < 100; ++i) {
        many.insert(many.end(), ratios.begin(), ratios.end());
    }
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

TEST_CASE("a site with many rows weighs as one") {
    std::vector<AccuracyRow> rows = sites_with({0.9, 1.1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    const RatioRange before = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    for (int i = 0; i < 100; ++i) {
        rows.push_back(rows.front());
    }
    const RatioRange after = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(after.low80 == before.low80);
    CHECK(after.high80 == before.high80);
}

TEST_CASE("what networks do to forecasts does not widen the intervals inside a node") {
    std::vector<AccuracyRow> rows = sites_with({0.9, 1.1});
    const std::vector<AccuracyRow> between = sites_with({0.5, 3});
    for (AccuracyRow row : between) {
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
    CHECK(coverage(sites_with({1, 1, 1, 1, 1}), Forecast::publisher_out).sites == 1);
    // The one odd site is outside of what the others tell; each of the others is inside.
    const Coverage odd = coverage(sites_with({1, 1, 1, 1, 2}), Forecast::publisher_out);
    CHECK(odd.sites == Approx(0.8));
    CHECK(odd.rows == Approx(0.8));
    CHECK(coverage({}, Forecast::publisher_out).width == 0);
    CHECK(interval_figures(sites_with({1, 1.1, 0.9})).size() == 5);
}

TEST_CASE("rows that were left out of the data, or that no fit was made without, do not count") {
    std::vector<AccuracyRow> rows = sites_with({0.5, 1, 2});
    rows[0].used = "warm-up";
    rows[2].publisher_out.reset();
    const RatioRange range = interval_table(rows, Forecast::publisher_out).at({false, true, Regime::mid});
    CHECK(range.low80 == 1);
    CHECK(range.high80 == 1);
}

TEST_CASE("transfer-intervals are the deciles of the published measurements, each file as much as another") {
    const std::string text = read_text(FABRICAST_SOURCE_DIR "/docs/accuracy-paths.csv", 1 << 26);
    std::map<std::string, std::map<std::string, std::vector<double>>> ratios;  // by scope and size, then by file
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        // dataset,kind,label,size_bytes,quantity,measured,forecast,error,transport,used; a label may hold commas.
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) {
            cells.push_back(cell);
        }
        const std::size_t n = cells.size();
        if (n < 10 || cells[n - 1] != "yes" || std::stod(cells[n - 5]) <= 0 || std::stod(cells[n - 4]) <= 0) {
            continue;
        }
        const double measured = std::stod(cells[n - 5]);
        const double forecast = std::stod(cells[n - 4]);
        const bool rate = cells[n - 6] == "bytes_per_second";
        const std::string scope = cells[1] == "rdma" ? "between" : "inside";
        ratios[scope + (std::stod(cells[n - 7]) < (1 << 20) ? ".small" : ".large")][cells[0]].push_back(
            rate ? forecast / measured : measured / forecast);
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
                if (sum >= share * whole) {
                    return value;
                }
            }
            return weighted.back().first;
        };
        INFO(name << ": " << decile(0.1) << " to " << decile(0.9));
        CHECK(std::abs(std::log(part.figure(name).low80 / decile(0.1))) < 0.05);
        CHECK(std::abs(std::log(part.figure(name).high80 / decile(0.9))) < 0.05);
    }
}

TEST_CASE("two tables of one site are as far apart as the catalogue's study-intervals say") {
    // Two tables, one forecast well and one by half: the pair is apart by 2, both ways round.
    CHECK(paired_range({{1.0, 2.0}}).low80 == Approx(0.5));
    CHECK(paired_range({{1.0, 2.0}, {1.0}, {}}).high80 == Approx(2));
    CHECK(paired_range({{3.0, 3.0, 3.0}}).low80 == 1);

    const Part& part = catalogue().at("interval", "study-intervals");
    const std::string text = read_text(FABRICAST_SOURCE_DIR "/docs/accuracy.csv", 1 << 26);
    const auto ranges = paired_ranges(parse_accuracy_csv(text, "accuracy.csv"));
    if (ranges.empty()) {
        report_skip("docs/accuracy.csv holds no fits without each site: ./dev accuracy --loso");
    }
    const std::map<Regime, const char*> names = {
        {Regime::small, "paired.small"}, {Regime::mid, "paired.middle"}, {Regime::large, "paired.large"}};
    for (const auto& [regime, name] : names) {
        if (ranges.empty()) {
            break;
        }
        INFO(name << ": " << ranges.at(regime).low80 << " to " << ranges.at(regime).high80);
        CHECK(std::abs(std::log(part.figure(name).low80 / ranges.at(regime).low80)) < 0.05);
        CHECK(std::abs(std::log(part.figure(name).high80 / ranges.at(regime).high80)) < 0.05);
    }

    // table,row,"what",measured_s,forecast_s,...,excluded
    std::map<std::string, std::vector<double>> tables;
    std::istringstream lines(read_text(FABRICAST_SOURCE_DIR "/docs/accuracy-training.csv", 1 << 26));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        const std::string rest = line.substr(line.find("\",") + 2);
        if (line.ends_with(",\"\"")) {  // not excluded
            tables[line.substr(0, line.find(','))].push_back(std::stod(rest) /
                                                             std::stod(rest.substr(rest.find(',') + 1)));
        }
    }
    std::vector<std::vector<double>> groups;
    for (const auto& [table, ratios] : tables) {
        groups.push_back(ratios);
    }
    CHECK(groups.size() > 20);
    INFO(paired_range(groups).low80);
    CHECK(std::abs(std::log(part.figure("paired.training").low80 / paired_range(groups).low80)) < 0.02);
}
