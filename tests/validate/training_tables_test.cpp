// What the tables of training steps themselves must be, and rows of theirs that no fit has seen.

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/training/training_accuracy.hpp"
#include "validate/training/training_table.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path tables_folder =
    std::filesystem::path(FABRICAST_SOURCE_DIR) / "validate/measurements/training";

// What a table measured: the GPUs and the step of each row that counts, as they stand there.
std::multiset<std::pair<std::string, std::string>> measured_cells(const TrainingTable& table) {
    std::multiset<std::pair<std::string, std::string>> cells;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const Cells& row = table.rows[i];
        if (row.contains("gpus") && exclusion(table, i).empty()) {
            cells.emplace(row.at("gpus"), row.at(table.step_column));
        }
    }
    return cells;
}

}  // namespace

TEST_CASE("no measurement counts in two training tables") {
    const std::vector<TrainingTable> tables = read_training_tables(tables_folder);
    std::vector<std::multiset<std::pair<std::string, std::string>>> cells;
    for (const TrainingTable& table : tables) { cells.push_back(measured_cells(table)); }
    for (std::size_t a = 0; a < tables.size(); ++a) {
        for (std::size_t b = a + 1; b < tables.size(); ++b) {
            const auto &one = cells[a], &other = cells[b];
            std::vector<std::pair<std::string, std::string>> both;
            std::ranges::set_intersection(one, other, std::back_inserter(both));
            INFO(tables[a].id << " and " << tables[b].id);
            CHECK(both.size() <= std::min(one.size(), other.size()) / 3);
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
