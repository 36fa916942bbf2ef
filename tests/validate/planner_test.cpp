// What a planner asks of docs/accuracy.md: the headline figures, the nulls beaten, and the first table.

#include "tests/support/catch.hpp"
#include "validate/accuracy/accuracy.hpp"
#include "validate/accuracy/nulls.hpp"

using namespace fabricast;

namespace {

// A site between two nodes whose left-out forecast of 100 us is `error` off, and whose nulls are off by `nulls`.
ComparedRow between(const std::string& site, double error, double nulls, bool sibling = true) {
    ComparedRow row;
    row.table = row.site = row.publisher = site;
    row.part = "between";
    row.nodes = 2;
    row.size = Bytes{8};
    row.measured = 100e-6;
    row[Forecast::ours] = 100e-6;
    row[Forecast::left_out] = row[Forecast::publisher_out] = (1 + error) * 100e-6;
    for (const auto& [null, unused] : null_models) { row[null] = (1 - nulls) * 100e-6; }
    row.sibling = row.publisher_sibling = sibling;
    return row;
}

double value(const std::vector<NamedFigure>& figures, const std::string& name) {
    for (const NamedFigure& figure : figures) {
        if (figure.name == name) { return figure.value; }
    }
    return -1;
}

}  // namespace

TEST_CASE("the headlines are sites with a sibling by part, and sites without one together") {
    std::vector<ComparedRow> rows = {between("a", 0.2, 0.5), between("b", 0.4, 0.5), between("c", 0.9, 0.5, false),
                                     between("d", 0.5, 0.5, false)};
    rows[3].part = "inside";
    rows[3].nodes = 1;
    const std::vector<NamedFigure> figures = accuracy_figures(rows);
    CHECK(value(figures, "between_loso_small_median_pct") == Approx(30));
    CHECK(value(figures, "unseen_small_median_pct") == Approx(70));
    CHECK(value(figures, "inside_loso_small_median_pct") == -1);  // its only site has no sibling
    CHECK(value(figures, "between_loso_large_median_pct") == -1);
    const std::string table = planner_table(figures);
    CHECK_THAT(table, ContainsSubstring("| between nodes, parts that others measured | 30.0 | – | – |"));
    CHECK_THAT(table, ContainsSubstring("| parts that nobody measured | 70.0 | – | – |"));
    CHECK_THAT(table, ContainsSubstring("| — of these between nodes | 90.0 | – | – |"));
}

TEST_CASE("a null is beaten in a cell, and in a regime, only where it is farther off") {
    // Ours 10, 20 and 60 %; every null 30 % but one, which is 15 % off at b.
    std::vector<ComparedRow> rows = {between("a", 0.1, 0.3), between("b", 0.2, 0.3), between("c", 0.6, 0.3)};
    rows[1][Forecast::fitted_tuning] = 85e-6;
    const std::vector<NamedFigure> figures = null_figures(rows);
    CHECK(value(figures, "nulls_beaten_between_cells_pct") == Approx(100 / 3.0));
    CHECK(value(figures, "nulls_beaten_between_cells") == 3);
    CHECK(value(figures, "nulls_beaten_between_small") == 4);  // medians: ours 20, theirs 30
    const std::vector<NullCell> cells = null_cells(rows);
    CHECK_FALSE(cells[0].better().has_value());
    CHECK(null_models[*cells[1].better()].first == Forecast::fitted_tuning);
    CHECK_THAT(null_better_table(rows), ContainsSubstring("2 of 3 cells"));
    CHECK_THAT(null_better_table(rows),
               ContainsSubstring("| b | between | small | 20.0 | 15.0 (tuning model, fitted) |"));
    // Where this null is 15 % off everywhere it is no longer beaten in the regime; the other three are.
    for (ComparedRow& row : rows) { row[Forecast::fitted_tuning] = 85e-6; }
    CHECK(value(null_figures(rows), "nulls_beaten_between_small") == 3);
}

TEST_CASE("nulls are beaten where a sibling was in the fit, and with the other sites in figures of their own") {
    const std::vector<ComparedRow> rows = {between("a", 0.1, 0.3), between("b", 0.5, 0.3, false)};
    const std::vector<NamedFigure> figures = null_figures(rows);
    CHECK(value(figures, "nulls_beaten_between_cells_pct") == Approx(100));
    CHECK(value(figures, "nulls_beaten_between_every_site_cells_pct") == Approx(50));
    CHECK(value(figures, "nulls_beaten_inside_cells_pct") == -1);
}

TEST_CASE("each site's pilot is a line of errors before and after") {
    const std::string table = pilots_table({{"pilot_small_median_pct", 5},
                                            {"pilot_sites", 2, "sites"},
                                            {"pilot_site_a-b_small_pct", 10},
                                            {"pilot_site_a-b_small_before_pct", 40},
                                            {"pilot_site_c_large_pct", 3.04},
                                            {"pilot_site_c_large_before_pct", 2}});
    CHECK_THAT(table, ContainsSubstring("| a-b | 40.0 · – · – | 10.0 · – · – |\n| c | – · – · 2.0 | – · – · 3.0 |"));
    CHECK_THAT(pilots_table({{"pilot_small_median_pct", 5}}), ContainsSubstring("--loso"));
}
