// An error is one line: its exit code. Its place and its way to standard error come with the base.

#include "base/error.hpp"

#include <iostream>
#include <new>
#include <sstream>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// The toy: what one writes to add an error.
struct TooHot : ErrorWith<ExitCode::cannot_end> {
    using ErrorWith::ErrorWith;
};

// What a program prints if `work` throws, and its exit code.
template <class Thrown> std::pair<std::string, ExitCode> reported(const Thrown& thrown) {
    std::ostringstream text;
    std::streambuf* const terminal = std::cerr.rdbuf(text.rdbuf());
    ExitCode code = ExitCode::ok;
    try {
        throw Thrown(thrown);
    } catch (const std::exception& error) { code = report_error("fabricast", error); }
    std::cerr.rdbuf(terminal);
    return {text.str(), code};
}

const SourceLocation third_line{std::make_shared<const std::string>("rack.yaml"), 3, 7};

}  // namespace

TEST_CASE("a new error is one line, and has its exit code, with a place and without") {
    CHECK(reported(TooHot("90 degrees")) == std::pair{std::string("fabricast: 90 degrees\n"), ExitCode::cannot_end});
    CHECK(reported(TooHot(third_line, "90 degrees")) ==
          std::pair{std::string("rack.yaml:3:7: 90 degrees\n"), ExitCode::cannot_end});
}

TEST_CASE("an error keeps its message apart from its place") {
    const InputError error(third_line, "no such key");
    CHECK(error.message == "no such key");
    REQUIRE(error.place);
    CHECK(error.place->line == 3);
    CHECK(std::string(error.what()) == "rack.yaml:3:7: no such key");
    CHECK_FALSE(OutOfRange("too long").place);
}

TEST_CASE("a name that begins with what was typed is nearer than one of fewer other letters") {
    const std::vector<std::string> gpus = {"a10", "h100-nvl", "h100-pcie", "h100-sxm", "h200-sxm", "l40s"};
    CHECK(did_you_mean("h100", gpus) == "; did you mean one of h100-nvl, h100-sxm?");
    CHECK(did_you_mean("h200", gpus) == "; did you mean 'h200-sxm'?");
    CHECK(nearest_word("a1O", gpus) == "a10");
    CHECK(nearest_word("", gpus).empty());
    CHECK(did_you_mean("mi300x", gpus, "; see the catalogue") == "; see the catalogue");
}

TEST_CASE("an exception that is not ours is a fault of the program") {
    CHECK(reported(std::runtime_error("odd")) == std::pair{std::string("fabricast: odd\n"), ExitCode::internal_or_io});
    CHECK(reported(std::bad_alloc()) == std::pair{std::string("fabricast: out of memory\n"), ExitCode::internal_or_io});
}
