// Every file in tests/cli/bad is refused as the contract says: exit code 2, nothing printed but the message, nothing
// written, and the first line of the message exactly as in expected.txt. `FABRICAST_UPDATE=1 test_cli` rewrites that
// file.

#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <set>

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast::test;

namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(FABRICAST_SOURCE_DIR) / "tests/cli";

std::set<std::string> bad_files() {
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder / "bad")) {
        if (entry.path().extension() == ".yaml") { files.insert(entry.path().filename().string()); }
    }
    return files;
}

// "FILE | first line of its message".
std::map<std::string, std::string> expected_lines() {
    std::map<std::string, std::string> lines;
    std::istringstream text(text_of(folder / "bad/expected.txt"));
    for (std::string line; std::getline(text, line);) {
        const std::size_t bar = line.find(" | ");
        lines[line.substr(0, bar)] = line.substr(bar + 3);
    }
    return lines;
}

void refuse(const Ran& ran, const fs::path& output) {
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK_FALSE(fs::exists(output));
}

}  // namespace

TEST_CASE("every bad scenario is refused with the place and the reason") {
    const ScratchFolder scratch("bad_scenarios");
    const std::map<std::string, std::string> expected = expected_lines();
    const fs::path json = scratch.path / "result.json";
    std::string found;
    for (const std::string& file : bad_files()) {
        const Ran ran = run_program("run bad/" + file + " --json " + json.string(), folder, scratch);
        INFO(file);
        refuse(ran, json);
        found += file + " | " + ran.first_error_line() + "\n";
        if (std::getenv("FABRICAST_UPDATE") == nullptr) {
            REQUIRE(expected.contains(file));
            CHECK(ran.first_error_line() == expected.at(file));
        }
    }
    if (std::getenv("FABRICAST_UPDATE") != nullptr) { std::ofstream(folder / "bad/expected.txt") << found; }
}

TEST_CASE("there are at least sixty bad scenarios, each with a message of its own") {
    std::set<std::string> messages;
    for (const auto& [file, line] : expected_lines()) {
        CHECK(bad_files().contains(file));
        // Without the place, two files that are refused for one reason would read alike.
        messages.insert(line.substr(line.find(": ") == std::string::npos ? 0 : line.find(": ")));
    }
    CHECK(messages.size() >= 60);
}

TEST_CASE("a file of 100 MB is refused by its size") {
    const ScratchFolder scratch("bad_large");
    fs::resize_file(scratch.write("large.yaml", "name: large\n"), 100'000'000);  // sparse
    const Ran ran = run_program("run large.yaml", scratch.path, scratch);
    refuse(ran, scratch.path / "none");
    CHECK(ran.first_error_line() == "large.yaml:1:1: too large (found 100000000 bytes; accepted: at most 16777216)");
}

TEST_CASE("what is not a file is refused") {
    const ScratchFolder scratch("bad_no_file");
    const Ran gone = run_program("run gone.yaml", scratch.path, scratch);
    refuse(gone, scratch.path / "none");
    CHECK(gone.first_error_line() == "gone.yaml:1:1: cannot be read (no such file)");
    const Ran dir = run_program("run .", scratch.path, scratch);
    refuse(dir, scratch.path / "none");
    CHECK(dir.first_error_line() == ".:1:1: cannot be read (found a folder or a device; accepted: a plain text file)");
    REQUIRE(::mkfifo((scratch.path / "pipe").c_str(), 0600) == 0);
    const Ran pipe = run_program("run pipe", scratch.path, scratch);
    refuse(pipe, scratch.path / "none");
    CHECK_THAT(pipe.first_error_line(), ContainsSubstring("found a pipe, which can be read only once: write it to a"));
    const Ran device = run_program("run /dev/zero", scratch.path, scratch);
    refuse(device, scratch.path / "none");
}
