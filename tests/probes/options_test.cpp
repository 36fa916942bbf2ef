#include "core/options.hpp"

#include "core/ending.hpp"
#include "tests/support/catch.hpp"

using namespace probe;

namespace {

std::vector<OptionSpec> table() {
    return {{"--sizes", "FROM:TO", "8:64", "sizes", {}},
            {"--operations", "LIST", "send,put", "which", {"send", "put", "get"}},
            {"--rounds", "COUNT", "2", "how often", {}},
            {"--quiet", "", "", "no progress line", {}}};
}

std::string complaint(const std::vector<std::string>& arguments) {
    try {
        const Options options(table(), arguments);
        options.sizes("--sizes");
        options.number("--rounds", 1, 10);
        return "";
    } catch (const UsageError& error) { return error.what(); }
}

}  // namespace

TEST_CASE("what is not given has its fallback") {
    const Options options(table(), {});
    CHECK(options.sizes("--sizes").size() == 4);
    CHECK(options.words("--operations") == std::vector<std::string>{"send", "put"});
    CHECK_FALSE(options.on("--quiet"));
    CHECK(options.as_given().empty());
}

TEST_CASE("a value stands beside its option or behind an equals sign") {
    const Options options(table(), {"--rounds=4", "--operations", "get", "--quiet"});
    CHECK(options.number("--rounds", 1, 10) == 4);
    CHECK(options.words("--operations") == std::vector<std::string>{"get"});
    CHECK(options.on("--quiet"));
    CHECK(options.as_given() == "--operations get --rounds 4 --quiet");
}

TEST_CASE("whatever is not accepted is named beside what is") {
    CHECK_THAT(complaint({"--size", "8"}), ContainsSubstring("nearest: --sizes"));
    CHECK_THAT(complaint({"--operations", "snd"}), ContainsSubstring("accepted: send, put, get; nearest: send"));
    CHECK_THAT(complaint({"--rounds", "many"}), ContainsSubstring("from 1 to 10"));
    CHECK_THAT(complaint({"--rounds", "11"}), ContainsSubstring("from 1 to 10"));
    CHECK_THAT(complaint({"--rounds"}), ContainsSubstring("needs a value (accepted: COUNT)"));
    CHECK_THAT(complaint({"--quiet=yes"}), ContainsSubstring("takes no value"));
    CHECK_THAT(complaint({"--sizes", "8:x"}), ContainsSubstring("--sizes: 'x' is not a size"));
    CHECK_THAT(complaint({"stray"}), ContainsSubstring("no option 'stray'"));
}

TEST_CASE("the help text has a line for every option") {
    const std::string text = usage("probe-x", "What it does.", table());
    for (const OptionSpec& option : table()) { CHECK_THAT(text, ContainsSubstring("  " + option.name)); }
    CHECK_THAT(text, ContainsSubstring("send, put, get"));
}
