#include "base/json.hpp"

#include "base/error.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

TEST_CASE("JSON keeps the order of its keys") {
    CHECK(parse_json(R"({"b": 1, "a": [true]})", "t.json").dump() == R"({"b":1,"a":[true]})");
}

TEST_CASE("broken JSON is refused at its line and column") {
    try {
        parse_json("{\n  \"a\": nope\n}", "t.json");
        FAIL("accepted");
    } catch (const InputError& error) {
        CHECK(error.place->line == 2);
        CHECK(error.place->column >= 8);
        CHECK_THAT(error.what(), ContainsSubstring("t.json:2:"));
    }
}
