#pragma once
// The house as its files tell it: sources, what they include, and the rooms that CMake makes libraries of.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast::structure {

std::string text_of(const std::filesystem::path& path);
std::size_t lines_of(const std::string& text);

struct Include {
    std::string file;    // relative to the root
    std::string target;  // as written between the quotes or brackets
};

struct Source {
    std::string path;  // relative to the root
    std::string text;
    std::vector<Include> includes;

    std::string stem() const;  // without its extension
    bool is_header() const { return path.ends_with(".hpp"); }
    std::size_t lines() const { return lines_of(text); }
};

// A folder whose CMakeLists.txt says fabricast_room(TARGET USES ...).
struct Room {
    std::string folder;
    std::string name;            // its target without "fabricast_"
    std::set<std::string> uses;  // folders, and those that they use
};

class SourceTree {
public:
    explicit SourceTree(const std::filesystem::path& root);

    // Sources of the floors and of the roofs; the probes are a project of their own, tests are no part of the house.
    const std::vector<Source>& sources() const { return sources_; }
    // By folder. Throws where a room uses one that is not there.
    const std::map<std::string, Room>& rooms() const { return rooms_; }
    // The room that a file stands in: of the folders around it the nearest that is one; "" for the roofs.
    std::string room_of(const std::string& path) const;
    const Source* find(const std::string& path) const;

private:
    void read_sources(const std::filesystem::path& root);
    void read_rooms(const std::filesystem::path& root);

    std::vector<Source> sources_;
    std::map<std::string, std::size_t> by_path_;
    std::map<std::string, Room> rooms_;
};

using Graph = std::map<std::string, std::set<std::string>>;

// Sets of more than one vertex that reach each other (Tarjan 1972).
std::vector<std::vector<std::string>> circles(const Graph& graph);

// A header with its source; a source without one is a module of its own.
Graph modules(const SourceTree& tree);
Graph room_arrows(const SourceTree& tree);

}  // namespace fabricast::structure
