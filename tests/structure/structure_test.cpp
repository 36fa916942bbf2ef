// The house: four floors under one roof, every arrow down, one door per library. This test reads the includes.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path root = FABRICAST_SOURCE_DIR;
const std::vector<std::string> floors = {"models", "topologies", "sim", "validate", "cli"};  // ground floor first

struct Include {
    std::string file;    // relative to the root
    std::string target;  // as written between the quotes or brackets
};

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".hpp"; }

std::vector<Include> includes_of(const std::string& floor) {
    std::vector<Include> found;
    const std::regex directive(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
    for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
        const std::string file = fs::relative(entry.path(), root).generic_string();
        if (!is_source(entry.path()) || file.starts_with("validate/probes/")) {
            continue;  // the probes are a project of their own
        }
        std::ifstream in(entry.path());
        std::smatch match;
        for (std::string line; std::getline(in, line);) {
            if (std::regex_search(line, match, directive)) {
                found.push_back({file, match[1]});
            }
        }
    }
    return found;
}

// Every class, struct or enum of the house that is defined under a namespace with a name, as "namespace::name", with
// its files. What stands in an unnamed namespace or inside another class is nobody else's.
std::map<std::string, std::vector<std::string>> types_of(const std::string& floor) {
    std::map<std::string, std::vector<std::string>> found;
    const std::regex opens(R"re(^(?:inline )?namespace ?([\w:]*) ?\{)re");
    const std::regex defines(
        R"re(^(?:struct|class|enum class) (?:alignas\(\w+\) )?(\w+(?:::\w+)*)(?: final)? ?(?:[:{]|$))re");
    for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
        const std::string file = fs::relative(entry.path(), root).generic_string();
        if (!is_source(entry.path()) || file.starts_with("validate/probes/")) {
            continue;
        }
        std::ifstream in(entry.path());
        std::vector<std::string> inside;
        std::smatch match;
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("}  // namespace") && !inside.empty()) {
                inside.pop_back();
            } else if (line.starts_with("namespace") && std::regex_search(line, match, opens)) {
                inside.push_back(match[1]);
            } else if (!inside.empty() && std::count(inside.begin(), inside.end(), "") == 0 &&
                       std::regex_search(line, match, defines)) {
                std::string name;
                for (const std::string& space : inside) {
                    name += space + "::";
                }
                found[name + match[1].str()].push_back(file);
            }
        }
    }
    return found;
}

std::size_t floor_of(const std::string& path) {
    const std::string first = path.substr(0, path.find('/'));
    return static_cast<std::size_t>(std::find(floors.begin(), floors.end(), first) - floors.begin());
}

// Library header prefix -> the files or folders that may include it.
const std::map<std::string, std::vector<std::string>> doors = {
    {"yaml-cpp/", {"sim/io/yaml.cpp"}},
    {"nlohmann/", {"sim/io/json."}},
    {"pugixml", {"sim/io/xml."}},
    {"re2/", {"sim/io/pattern."}},
    {"regex", {}},  // it recurses over the text that it searches: RE2 does not
    {"zlib", {"sim/io/gzip."}},
    {"boost/iostreams/", {"sim/io/gzip."}},
    {"boost/graph/", {"topologies/"}},
    {"boost/program_options", {"cli/"}},
    {"boost/mpi", {"cli/"}},
    {"sqlite3", {"sim/io/sqlite."}},
    {"mpi.h", {"cli/mpi."}},
    {"pybind11/", {"python/"}},
    {"simgrid/", {"sim/engines/simgrid/"}},
    {"ceres/", {"validate/calibration/"}},
};

}  // namespace

TEST_CASE("every include points to the same floor or down") {
    for (const std::string& floor : floors) {
        for (const Include& include : includes_of(floor)) {
            const std::size_t target = floor_of(include.target);
            if (target == floors.size()) {
                continue;  // the standard library, or a third-party header
            }
            INFO(include.file << " includes " << include.target);
            CHECK(target <= floor_of(include.file));
        }
    }
}

TEST_CASE("no type is defined twice under one name") {
    std::map<std::string, std::vector<std::string>> types;
    for (const std::string& floor : floors) {
        for (const auto& [name, files] : types_of(floor)) {
            types[name].insert(types[name].end(), files.begin(), files.end());
        }
    }
    CHECK(types.size() > 500);
    CHECK(types.count("fabricast::Schedule") == 1);
    for (const auto& [name, files] : types) {
        INFO(name << " in " << files.front() << " and " << files.back());
        CHECK(files.size() == 1);
    }
}

TEST_CASE("models includes nothing but itself and the standard library") {
    for (const Include& include : includes_of("models")) {
        INFO(include.file << " includes " << include.target);
        const bool own = include.target.starts_with("models/");
        const bool standard = include.target.find('/') == std::string::npos && !include.target.ends_with(".h") &&
                              !include.target.ends_with(".hpp");
        CHECK((own || standard));
    }
}

TEST_CASE("a library comes in by its one door") {
    for (const std::string& floor : floors) {
        for (const Include& include : includes_of(floor)) {
            for (const auto& [library, allowed] : doors) {
                if (!include.target.starts_with(library)) {
                    continue;
                }
                INFO(include.file << " includes " << include.target);
                CHECK(std::any_of(allowed.begin(), allowed.end(),
                                  [&](const std::string& door) { return include.file.starts_with(door); }));
            }
        }
    }
}

TEST_CASE("no engine knows NCCL") {
    for (const Include& include : includes_of("sim/engines")) {
        INFO(include.file << " includes " << include.target);
        CHECK(include.target.find("collectives") == std::string::npos);
        CHECK(include.target.find("workloads") == std::string::npos);
    }
}

TEST_CASE("dataset names stand in the catalogue only as sources") {
    // A constant belongs to a part or a library version, never to a dataset: no id of a measurement may steer code.
    std::vector<std::string> ids;
    if (fs::exists(root / "validate/measurements")) {
        for (const auto& entry : fs::recursive_directory_iterator(root / "validate/measurements")) {
            const std::string stem = entry.path().stem().string();
            if (entry.path().extension() == ".yaml" && std::count(stem.begin(), stem.end(), '-') >= 2) {
                ids.push_back(stem);
            }
        }
    }
    for (const std::string& floor : floors) {
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            const bool yaml = entry.path().extension() == ".yaml";
            if ((!is_source(entry.path()) && !yaml) || file.starts_with("validate/measurements/")) {
                continue;
            }
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                // sites.yaml says of each source of a fitted figure which GPU and link it was measured on.
                const bool sites = file == "models/catalog/sites.yaml" && line.starts_with("  datasets:");
                if (sites || (yaml && line.find("source:") != std::string::npos)) {
                    continue;
                }
                for (const std::string& id : ids) {
                    if (line.find(id) != std::string::npos) {
                        FAIL_CHECK(file << " names the dataset " << id);
                    }
                }
            }
        }
    }
}

TEST_CASE("numbers and words that users write meet no function that throws on them") {
    // std::stoi and its kin throw std::out_of_range, which names neither file nor line; std::regex recurses.
    for (const std::string& floor : floors) {
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            if (!is_source(entry.path()) || file.starts_with("validate/probes/")) {
                continue;
            }
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                for (const char* name :
                     {"std::stoi", "std::stol", "std::stou", "std::stod", "std::stof", "std::regex"}) {
                    if (line.find(name) != std::string::npos) {
                        FAIL_CHECK(file << " uses " << name);
                    }
                }
            }
        }
    }
}
