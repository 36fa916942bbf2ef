#pragma once
// The one door to Catch2: version 3 where it is installed, else version 2 (Debian 12).

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#ifdef FABRICAST_CATCH_MAIN
#define CATCH_CONFIG_RUNNER
#endif
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& part) { return Catch::Matchers::Contains(part); }
#endif

// Says that this test, or the rest of it, cannot run here and why. `./dev test` collects what is said and holds it
// against tests/expected-skips, so that a test that silently stopped running is noticed.
void report_skip(const std::string& reason);

// Catch2 2 has no skip of its own: a skipped test counts as passed there, and is listed all the same.
#define SKIP_TEST(reason)    \
    do {                     \
        report_skip(reason); \
        return;              \
    } while (false)
