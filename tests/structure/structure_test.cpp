// The house: rooms on floors, every arrow down, one door per library. The arrows are the includes; what a room may use
// stands in its CMakeLists.txt. Prints the figures of its shape.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::structure;

namespace {

namespace fs = std::filesystem;

using fabricast::testing::root;

const SourceTree& house() {
    static const SourceTree tree(root);
    return tree;
}

void figure(const char* name, std::size_t value) { std::printf("figure: %s %zu\n", name, value); }

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) { all += (all.empty() ? "" : ", ") + word; }
    return all;
}

// Every class, struct or enum of the house that is defined under a namespace with a name, as "namespace::name", with
// its files. What stands in an unnamed namespace or inside another class is nobody else's.
std::map<std::string, std::vector<std::string>> types_of(const SourceTree& tree) {
    std::map<std::string, std::vector<std::string>> found;
    const std::regex opens(R"re(^(?:inline )?namespace ?((?:inline |[\w:])*) ?\{)re");
    const std::regex defines(
        R"re(^(?:struct|class|enum class) (?:alignas\(\w+\) )?(\w+(?:::\w+)*)(?: final)? ?(?:[:{]|$))re");
    for (const Source& source : tree.sources()) {
        std::istringstream in(source.text);
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
                for (const std::string& space : inside) { name += space + "::"; }
                found[name + match[1].str()].push_back(source.path);
            }
        }
    }
    return found;
}

// A program of its own, a command, the Python module, or a kind that CMake lists (fabricast_kinds).
bool begins_a_program(const Source& source) {
    const std::string folder = source.path.substr(0, source.path.rfind('/'));
    return source.text.find("int main(") != std::string::npos || folder == "cli" || folder == "python" ||
           folder == "capi" || folder.ends_with("/kinds") || folder.ends_with("/formats");
}

// Library header prefix -> the files or folders that may include it.
const std::map<std::string, std::vector<std::string>> doors = {
    {"yaml-cpp/", {"base/yaml.cpp"}},
    {"nlohmann/", {"base/json."}},
    {"pugixml", {"base/xml."}},
    {"re2/", {"base/pattern."}},
    {"regex", {}},  // it recurses over the text that it searches: RE2 does not
    {"zlib", {"base/gzip."}},
    {"boost/iostreams/", {"base/gzip."}},
    {"boost/graph/", {"topologies/"}},
    {"boost/multiprecision/", {"base/unit_text."}},
    {"boost/program_options", {"cli/"}},
    {"boost/mpi", {"cli/"}},
    {"sqlite3", {"base/sqlite."}},
    {"mpi.h", {"cli/mpi."}},
    {"pybind11/", {"python/"}},
    {"simgrid/", {"sim/engines/simgrid/"}},
    {"ceres/", {"validate/calibration/"}},
};

}  // namespace

TEST_CASE("every room includes only what its CMakeLists.txt says that it uses") {
    std::size_t up = 0;
    for (const Source& source : house().sources()) {
        const std::string room = house().room_of(source.path);
        for (const Include& include : source.includes) {
            const bool ours = house().find(include.target) != nullptr;
            const std::string target = ours ? house().room_of(include.target) : "";
            const bool roof = ours && target.empty() && !room.empty();  // from a room to a program
            const bool down =
                target.empty() || room.empty() || target == room || house().rooms().at(room).uses.contains(target);
            if (!down || roof) {
                ++up;
                FAIL_CHECK(include.file << " includes " << include.target << ", which stands in no room below it");
            }
        }
    }
    CHECK(house().rooms().size() >= 25);
    figure("rooms", house().rooms().size());
    figure("arrows_up", up);
}

TEST_CASE("a room is a namespace, of the name that its target has") {
    // fabricast_room(fabricast_flow ...): fabricast::inline flow. Inline: who uses a room from above need not say
    // which.
    const std::regex opens(R"re(^namespace fabricast(?:::inline (\w+))?(?:::\w+)* \{)re");
    for (const Source& source : house().sources()) {
        const std::string room = house().room_of(source.path);
        if (room.empty()) { continue; }
        std::istringstream in(source.text);
        std::smatch match;
        bool own = false;
        for (std::string line; std::getline(in, line);) {
            own = own || (std::regex_search(line, match, opens) && match[1] == house().rooms().at(room).name);
        }
        const bool names_nothing = source.text.find("\nnamespace ") == std::string::npos;
        INFO(source.path);
        CHECK((own || names_nothing || begins_a_program(source)));
    }
}

TEST_CASE("neither rooms nor modules go in circles") {
    const auto rooms = circles(room_arrows(house()));
    const auto found = circles(modules(house()));
    std::size_t in_circles = 0;
    for (const auto& circle : rooms) { FAIL_CHECK("rooms in a circle: " << joined(circle)); }
    for (const auto& circle : found) {
        in_circles += circle.size();
        FAIL_CHECK("modules in a circle: " << joined(circle));
    }
    figure("room_cycles", rooms.size());
    figure("modules_in_cycles", in_circles);
}

TEST_CASE("a circle is found where there is one") {
    const Graph graph = {{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"a"}}, {"d", {"e"}}, {"e", {}}};
    const auto found = circles(graph);
    REQUIRE(found.size() == 1);
    CHECK(found.front().size() == 3);
    CHECK(circles({{"a", {"b"}}, {"b", {}}}).empty());
}

TEST_CASE("a source has a header of its name") {
    std::size_t without = 0, lines = 0, long_files = 0;
    for (const Source& source : house().sources()) {
        const bool alone = source.path.ends_with(".cpp") && house().find(source.stem() + ".hpp") == nullptr;
        if (alone && !begins_a_program(source)) {
            ++without;
            std::printf("no header: %s\n", source.path.c_str());
        }
        lines += source.lines();
        long_files += source.lines() > 300 ? 1 : 0;
    }
    figure("sources_without_header", without);
    // The probes are a project of their own, but somebody has to read them too.
    for (const auto& entry : fs::recursive_directory_iterator(root / "validate/probes")) {
        const std::string kind = entry.path().extension().string();
        if (kind == ".cpp" || kind == ".hpp") { lines += lines_of(text_of(entry.path())); }
    }
    figure("cpp_lines_outside_tests", lines);
    figure("files_over_300_lines", long_files);
    CHECK(without <= 4);
}

TEST_CASE("no type is defined twice under one name") {
    const auto types = types_of(house());
    CHECK(types.size() > 500);
    CHECK(types.count("fabricast::inline engine_common::Schedule") == 1);
    for (const auto& [name, files] : types) {
        INFO(name << " in " << files.front() << " and " << files.back());
        CHECK(files.size() == 1);
    }
}

TEST_CASE("a library comes in by its one door") {
    for (const Source& source : house().sources()) {
        for (const Include& include : source.includes) {
            for (const auto& [library, allowed] : doors) {
                if (!include.target.starts_with(library)) { continue; }
                INFO(include.file << " includes " << include.target);
                CHECK(std::any_of(allowed.begin(), allowed.end(),
                                  [&](const std::string& door) { return include.file.starts_with(door); }));
            }
        }
    }
}

TEST_CASE("no engine knows NCCL") {
    for (const Source& source : house().sources()) {
        for (const Include& include : source.includes) {
            if (source.path.starts_with("sim/engines/")) {
                INFO(include.file << " includes " << include.target);
                CHECK_FALSE(include.target.starts_with("sim/plan/"));
            }
        }
    }
}

TEST_CASE("no source names what models/catalog/amd.yaml and scale_up.yaml have") {
    for (const Source& source : house().sources()) {
        for (const char* name : {"mi300", "mi350", "xgmi", "cdna", "pollara", "ualink", "sue-800g"}) {
            INFO(source.path << " names " << name);
            CHECK(source.text.find(name) == std::string::npos);
        }
    }
}

TEST_CASE("dataset names stand in the catalogue only as sources") {
    // A constant belongs to a part or a library version, never to a dataset: no id of a measurement may steer code.
    std::vector<std::string> ids;
    for (const auto& entry : fs::recursive_directory_iterator(root / "validate/measurements")) {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() == ".yaml" && std::count(stem.begin(), stem.end(), '-') >= 2) {
            ids.push_back(stem);
        }
    }
    CHECK(ids.size() > 100);
    const auto check = [&](const std::string& file, const std::string& line) {
        for (const std::string& id : ids) {
            if (line.find(id) != std::string::npos) { FAIL_CHECK(file << " names the dataset " << id); }
        }
    };
    for (const Source& source : house().sources()) { check(source.path, source.text); }
    for (const char* floor : {"models", "topologies", "validate"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            if (entry.path().extension() != ".yaml" || file.starts_with("validate/measurements/") ||
                file.starts_with("validate/held-out/")) {
                continue;
            }
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                // sites.yaml says of each source of a fitted figure which GPU and link it was measured on.
                const bool sites = file == "models/catalog/sites.yaml" && line.starts_with("  datasets:");
                if (!sites && line.find("source:") == std::string::npos) { check(file, line); }
            }
        }
    }
}

TEST_CASE("numbers and words that users write meet no function that throws on them") {
    // std::stoi and its kin throw std::out_of_range, which names neither file nor line; std::regex recurses.
    for (const Source& source : house().sources()) {
        for (const char* name : {"std::stoi", "std::stol", "std::stou", "std::stod", "std::stof", "std::regex"}) {
            if (source.text.find(name) != std::string::npos) { FAIL_CHECK(source.path << " uses " << name); }
        }
    }
}
