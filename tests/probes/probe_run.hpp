#pragma once
// Runs a probe in a folder of its own and reads the file that it wrote.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::test {

struct ProbeFolder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("fabricast_probes_" + std::to_string(getpid()));
    ProbeFolder() { std::filesystem::create_directories(path); }
    ~ProbeFolder() { std::filesystem::remove_all(path); }
    ProbeFolder(const ProbeFolder&) = delete;
    ProbeFolder& operator=(const ProbeFolder&) = delete;
};

struct ProbeRan {
    int code = -1;
    std::string err;
};

inline std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// `before` goes in front of the program: "timeout -s INT 2", "env A=1".
inline ProbeRan run_probe(const ProbeFolder& folder, const std::filesystem::path& program, const std::string& arguments,
                          const std::string& before = "") {
    const std::string command = "cd '" + folder.path.string() + "' && " + before + " '" + program.string() + "' " +
                                arguments + " >stdout.txt 2>stderr.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(folder.path / "stderr.txt")};
}

inline std::size_t column(const Measurement& m, const std::string& name) {
    const auto at = std::find(m.columns.begin(), m.columns.end(), name);
    REQUIRE(at != m.columns.end());
    return static_cast<std::size_t>(at - m.columns.begin());
}

inline double number(const Measurement& m, std::size_t row, const std::string& name) {
    return std::stod(m.rows[row][column(m, name)]);
}

// A row's times: positive, in order, and its rate what they say. `checked`: data were compared, too.
inline void check_row(const Measurement& m, std::size_t row, bool checked = true) {
    INFO("line " << m.row_places[row].line);
    const double low = number(m, row, "time_min_us"), quarter = number(m, row, "time_q25_us"),
                 median = number(m, row, "time_us"), three = number(m, row, "time_q75_us"),
                 high = number(m, row, "time_max_us"), bytes = number(m, row, "size_bytes");
    CHECK((low <= quarter && quarter <= median && median <= three && three <= high));
    CHECK(number(m, row, "samples") >= 1);
    if (checked) {
        CHECK(low > 0);
        CHECK(number(m, row, "checked_bytes") >= bytes);
        CHECK(number(m, row, "rate_GBps") == Approx(bytes / median / 1e3).epsilon(1e-3));
    }
}

}  // namespace fabricast::test
