// Accepted gaps are still there and stand in docs/deviations.md with their error: one that was closed must leave the
// list.

#include <filesystem>

#include "base/text_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "tests/validate/every_curve.hpp"
#include "validate/accuracy/accuracy_page.hpp"

using namespace fabricast;

TEST_CASE("each accepted deviation is still there, and is told in the docs with its error and its reason") {
    const std::vector<ComparedRow> rows = accuracy_rows(testing::every_curve().collection);
    const std::string page = read_text(testing::root / "docs/deviations.md", 1 << 20);
    const std::vector<Deviation> deviations = read_deviations(testing::every_curve().measurements / "deviations.yaml");
    REQUIRE(deviations.size() >= 3);
    for (const Deviation& deviation : deviations) {
        INFO(deviation.match << ": a gap that was closed leaves deviations.yaml and the docs");
        CHECK(error_of(deviation, rows) >= deviation.at_least);
    }
    CHECK(with_deviations(page, deviations, rows) == page);  // else: ./dev accuracy
    CHECK_THROWS_AS(with_deviations("# A page without its table\n", deviations, rows), IoError);
}
