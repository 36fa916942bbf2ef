// What the tables of training steps themselves must be, and rows of theirs that no fit has seen.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/training/training_accuracy.hpp"
#include "validate/training/training_table.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path tables_folder =
    std::filesystem::path(FABRICAST_SOURCE_DIR) / "validate/measurements/training";

using Measured = std::multiset<std::pair<std::string, std::string>>;

// What a table measured, by the cells of some columns: the GPUs and the step of each row that counts, as they stand
// there.
std::map<std::string, Measured> measured_by(const std::vector<std::string>& columns, const TrainingTable& table) {
    std::map<std::string, Measured> cells;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const Cells& row = table.rows[i];
        if (!row.contains("gpus") || !exclusion(table, i).empty()) { continue; }
        std::string key;
        for (const std::string& column : columns) { key += row.at(column) + "|"; }
        cells[key].emplace(row.at("gpus"), row.at(table.step_column));
    }
    return cells;
}

// A few measurements may be alike by chance.
bool apart(const Measured& one, const Measured& other) {
    Measured both;
    std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
    return both.size() <= std::min(one.size(), other.size()) / 3;
}

}  // namespace

TEST_CASE("no measurement counts in two training tables") {
    const std::vector<TrainingTable> tables = read_training_tables(tables_folder);
    std::vector<Measured> cells;
    for (const TrainingTable& table : tables) { cells.push_back(measured_by({}, table)[""]); }
    for (std::size_t a = 0; a < tables.size(); ++a) {
        for (std::size_t b = a + 1; b < tables.size(); ++b) {
            INFO(tables[a].id << " and " << tables[b].id);
            CHECK(apart(cells[a], cells[b]));
        }
    }
}

TEST_CASE("no measurement counts in two series of a training table") {
    for (const TrainingTable& table : read_training_tables(tables_folder)) {
        if (table.series.empty()) { continue; }  // all rows are one
        const auto series = measured_by(table.series, table);
        for (auto one = series.begin(); one != series.end(); ++one) {
            for (auto other = std::next(one); other != series.end(); ++other) {
                INFO(table.id << ": " << one->first << " and " << other->first);
                CHECK(apart(one->second, other->second));
            }
        }
    }
}

TEST_CASE("BLOOM's steps, of which no constant is fitted, are forecast without a lean") {
    std::vector<double> errors;
    for (const TrainingTable& table : read_training_tables(tables_folder, "layouts")) {
        if (table.id != "bloom-176b-layouts-2022") { continue; }
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const TrainingForecast row = forecast_row(table, i, catalogue());
            if (row.measured_s > 0) { errors.push_back(row.forecast_s / row.measured_s - 1); }
        }
    }
    REQUIRE(errors.size() == 56);
    std::ranges::nth_element(errors, errors.begin() + 28);
    CHECK(std::abs(errors[28]) < 0.04);
}
