// Catch2's main, compiled once for all test programs, and what tests say that cannot run here.

#define FABRICAST_CATCH_MAIN
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

namespace {

// "program: test", as tests/expected-skips lists it; FABRICAST_SKIPS names the file that collects them over all
// programs.
std::string program_name;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

void report_skip(const std::string& reason) {
    const std::string line = program_name + ": " + Catch::getResultCapture().getCurrentTestName();
    std::cout << "skipped: " << line << " (" << reason << ")\n";
    if (const char* file = std::getenv("FABRICAST_SKIPS"); file != nullptr) {
        std::ofstream(file, std::ios::app) << line << "\n";
    }
}

int main(int argc, char** argv) {
    ::setenv("FABRICAST_CHECK", "1", 0);  // replays check themselves (sim/engines/common/checks.hpp)
    const std::string path = argv[0];
    program_name = path.substr(path.rfind('/') + 1);
    Catch::Session session;
    if (const int code = session.applyCommandLine(argc, argv); code != 0) { return code; }
    auto& chosen = session.configData().testsOrTags;
    if (chosen.empty() && !fabricast::testing::thorough()) { chosen.emplace_back("~[thorough]"); }
    return session.run();
}
