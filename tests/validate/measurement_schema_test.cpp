// The JSON Schema of measurement files against the files there are and against the parser.

#include <filesystem>

#include "base/json.hpp"
#include "base/text_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_root.hpp"
#include "tests/support/yaml_json.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;

namespace {
using fabricast::testing::root;

Json measurement_json_schema() {
    return parse_json(read_text(root / "docs/schema/measurement.json", 1 << 20), "measurement.json");
}

}  // namespace

TEST_CASE("every measurement file meets the schema") {
    const Json schema = measurement_json_schema();
    std::size_t files = 0;
    for (const char* kind : {"nccl", "p2p", "rdma"}) {
        for (const auto& entry : std::filesystem::directory_iterator(root / "validate/measurements" / kind)) {
            INFO(entry.path().filename());
            CHECK(test::violation(test::to_json(yaml::read(entry.path())), schema) == "");
            ++files;
        }
    }
    CHECK(files > 200);
}

TEST_CASE("what the parser refuses by shape the schema refuses too") {
    const std::string whole =
        "id: a\nsource: here\nkind: nccl\nsystem: {gpu: x}\ncolumns: [size_bytes, time_us]\nrows: [[8, 1]]\n";
    const Json schema = measurement_json_schema();
    const auto violates = [&](const std::string& text) {
        return test::violation(test::to_json(yaml::parse(text, "m.yaml")), schema) != "";
    };
    CHECK_FALSE(violates(whole));
    CHECK_NOTHROW(parse_measurement(whole, "m.yaml"));
    for (const std::string bad : {"kind", "id", "source", "system", "columns", "rows"}) {
        INFO("without " << bad);
        std::string text = whole;
        const std::size_t at = text.find(bad + ":");
        text.erase(at, text.find('\n', at) + 1 - at);
        CHECK(violates(text));
        CHECK_THROWS_AS(parse_measurement(text, "m.yaml"), InputError);
    }
    CHECK(violates(whole + "colums: []\n"));
    CHECK_THROWS_WITH(parse_measurement(whole + "colums: []\n", "m.yaml"), ContainsSubstring("columns"));
}

TEST_CASE("the parser takes every key that the schema names") {
    const Json schema = measurement_json_schema();
    for (const auto& [key, form] : schema.at("properties").items()) {
        std::string text =
            "id: a\nsource: here\nkind: nccl\nsystem: {gpu: x}\ncolumns: [size_bytes, time_us]\nrows: [[8, 1]]\n";
        text += text.find(key + ":") == std::string::npos
                    ? key + ": " + form.value("const", Json::object()).dump() + "\n"
                    : "";
        INFO(key);
        CHECK_NOTHROW(parse_measurement(text, "m.yaml"));
    }
    CHECK(schema.at("properties").size() == 11);
}
