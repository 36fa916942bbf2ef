// A column is one row of a table: it comes out as text, JSON, schema, CSV and on the page. (Python reads the JSON:
// python/tests.)

#include "sim/report/columns.hpp"

#include <cmath>

#include "sim/report/html/page_html.hpp"
#include "sim/report/result_columns.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// The toy: the columns of a collective, and one more.
Columns<Row> with_toy() {
    Columns<Row> columns = row_columns();
    const auto each = [](const Row& r) { return r.channels > 0 ? r.size.count / r.channels : 0; };
    const auto kibibytes = [](double bytes) { return std::to_string(std::lround(bytes / 1024)); };
    columns.push_back(Column<Row>("size_per_channel_bytes", "Bytes that one channel moves.", each)
                          .printed("a channel", 12, "(KiB)", kibibytes)
                          .on_page("a channel's bytes", html::Unit::size));
    return columns;
}

std::vector<Row> rows() {
    Row row;
    row.size = {1 << 20};
    row.time_s = 20e-6;
    row.channels = 4;
    row.algorithm = "ring";
    return {row};
}

}  // namespace

TEST_CASE("a new column is printed with its heading and unit") {
    const std::string heading = text_heading(with_toy());
    CHECK_THAT(heading, Catch::Matchers::StartsWith("#         size") && ContainsSubstring("evidence    a channel\n"));
    CHECK_THAT(heading, Catch::Matchers::EndsWith("(KiB)\n"));
    CHECK_THAT(text_line(rows().front(), with_toy()), Catch::Matchers::EndsWith("         256\n"));
    CHECK(text_heading(row_columns()).size() < heading.size());
}

TEST_CASE("a new column is in the JSON and its schema") {
    const Json json = records_json(rows(), with_toy());
    CHECK(json[0].at("size_per_channel_bytes") == 262144);
    CHECK(json[0].at("algorithm") == "ring");
    const Json schema = records_schema(with_toy()).at("items");
    CHECK(schema.at("properties").at("size_per_channel_bytes") ==
          Json{{"type", "integer"}, {"description", "Bytes that one channel moves."}});
    CHECK(schema.at("required").back() == "size_per_channel_bytes");
}

TEST_CASE("a new column is in the CSV") {
    const std::string csv = csv_text(records_of(rows(), with_toy()));
    CHECK_THAT(csv, ContainsSubstring(",evidence,size_per_channel_bytes\n") && Catch::Matchers::EndsWith(",262144\n"));
}

TEST_CASE("a new column is on the page") {
    html::Page page;
    page.sections.emplace_back(page_table("Size by size", "", rows(), with_toy()));
    const Json table = html::page_json(page).at("sections")[0];
    CHECK(table.at("columns").back() == Json{{"label", "a channel's bytes"}, {"unit", "size"}});
    CHECK(table.at("rows")[0].back() == 262144.0);
}

TEST_CASE("what is not known is left out of JSON, empty in CSV, and a dash on the terminal") {
    const std::vector<ScalingPoint> points = {{1, 8, 2e10, 1, {}, {}, {}}};
    CHECK_FALSE(records_json(points, point_columns())[0].contains("efficiency"));
    CHECK_THAT(csv_text(records_of(points, point_columns())), Catch::Matchers::EndsWith(",,,\n"));
    CHECK_THAT(text_line(points.front(), point_columns()), Catch::Matchers::EndsWith("-           -\n"));
    CHECK(page_table("", "", points, point_columns()).rows[0].back() == html::Cell());
    const Json required = records_schema(point_columns()).at("items").at("required");
    CHECK(required.size() == 4);
}
