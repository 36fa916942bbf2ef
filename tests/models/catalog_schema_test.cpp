// The JSON Schemas of catalogue and overlay files against the files there are.

#include <filesystem>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/figure_reader.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_root.hpp"
#include "tests/support/yaml_json.hpp"

namespace fabricast {
namespace {

using fabricast::testing::root;

std::string violation(std::string_view text, const Json& schema) {
    return test::violation(test::to_json(yaml::parse(text, "file.yaml")), schema);
}

TEST_CASE("every file of the catalogue meets its schema") {
    for (const auto& entry : std::filesystem::directory_iterator(root / "models/catalog")) {
        INFO(entry.path().filename());
        CHECK(test::violation(test::to_json(yaml::read(entry.path())), catalogue_json_schema()) == "");
    }
}

TEST_CASE("an overlay meets its schema, and what the reader refuses by shape the schema refuses too") {
    const Json schema = overlay_json_schema();
    CHECK(violation("connectx-7: {figures: {latency.transmit: {value: 1 us, low80: 0.9 us, high80: 1.1 us, origin: "
                    "fitted, source: [a, b]}}}",
                    schema) == "");
    for (const char* bad :
         {"connectx-7: {kind: nic, figures: {}}", "connectx-7: {note: no figures}",
          "connectx-7: {figures: {x: {valu: 1 us}}}", "connectx-7: {origin: guessed, figures: {x: 1 us}}",
          "connectx-7: {figures: {x: []}}", "connectx-7: 4"}) {
        INFO(bad);
        CHECK(violation(bad, schema) != "");
        Catalog catalog = testing::catalog();
        CHECK_THROWS_AS(merge_overlay(catalog, yaml::parse(bad, "overlay.yaml")), InputError);
    }
}

TEST_CASE("the schemas in docs are those of the reader") {
    CHECK(read_text(root / "docs/schema/catalogue.json", 1 << 20) == catalogue_json_schema().dump(2) + "\n");
    CHECK(read_text(root / "docs/schema/overlay.json", 1 << 20) == overlay_json_schema().dump(2) + "\n");
}

}  // namespace
}  // namespace fabricast
