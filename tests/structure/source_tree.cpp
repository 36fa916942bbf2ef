#include "tests/structure/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace fabricast::structure {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> floors = {"base",     "models", "topologies", "sim", "discovery",
                                         "validate", "cli",    "python",     "capi"};

std::vector<Include> includes_in(const std::string& path, const std::string& text) {
    std::vector<Include> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t hash = line.find_first_not_of(" \t");
        if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) { continue; }
        const std::size_t open = line.find_first_of("\"<", hash);
        const std::size_t close = line.find_first_of("\">", open + 1);
        if (open != std::string::npos && close != std::string::npos) {
            found.push_back({path, line.substr(open + 1, close - open - 1)});
        }
    }
    return found;
}

struct Declared {
    std::string folder;
    std::vector<std::string> uses;  // targets
};

// What stands in the brackets of the first fabricast_room(...): the target, then what it USES.
void read_room(const std::string& folder, const std::string& text, std::map<std::string, Declared>& by_target) {
    const std::string call = "fabricast_room(";
    const std::size_t begin = text.find(call);
    if (begin == std::string::npos) { return; }
    const std::size_t open = begin + call.size();
    std::istringstream words(text.substr(open, text.find(')', open) - open));
    std::string target;
    words >> target;
    Declared room{folder, {}};
    bool uses = false;
    for (std::string word; words >> word;) {
        if (word == "USES" || word == "WITHOUT") {
            uses = word == "USES";
        } else if (uses) {
            room.uses.push_back(word);
        }
    }
    by_target[target] = room;
}

}  // namespace

std::string Source::stem() const { return path.substr(0, path.rfind('.')); }

std::string text_of(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

SourceTree::SourceTree(const fs::path& root) {
    read_sources(root);
    read_rooms(root);
}

void SourceTree::read_sources(const fs::path& root) {
    for (const std::string& floor : floors) {
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            const std::string path = fs::relative(entry.path(), root).generic_string();
            const std::string kind = entry.path().extension().string();
            const bool source = kind == ".cpp" || kind == ".hpp" || kind == ".inl" || kind == ".h";
            if (source && !path.starts_with("validate/probes/") && path.find("node_modules") == std::string::npos) {
                std::string text = text_of(entry.path());
                std::vector<Include> includes = includes_in(path, text);
                sources_.push_back({path, std::move(text), std::move(includes)});
            }
        }
    }
    std::ranges::sort(sources_, {}, &Source::path);
    for (std::size_t i = 0; i < sources_.size(); ++i) { by_path_[sources_[i].path] = i; }
}

void SourceTree::read_rooms(const fs::path& root) {
    std::map<std::string, Declared> declared;
    for (const std::string& floor : floors) {
        read_room(floor, text_of(root / floor / "CMakeLists.txt"), declared);
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            if (entry.is_directory() && fs::exists(entry.path() / "CMakeLists.txt")) {
                const std::string folder = fs::relative(entry.path(), root).generic_string();
                read_room(folder, text_of(entry.path() / "CMakeLists.txt"), declared);
            }
        }
    }
    const std::function<void(const std::string&, std::set<std::string>&)> follow = [&](const std::string& target,
                                                                                       std::set<std::string>& all) {
        for (const std::string& used : declared.at(target).uses) {
            if (all.insert(declared.at(used).folder).second) { follow(used, all); }
        }
    };
    for (const auto& [target, room] : declared) {
        Room& made = rooms_[room.folder];
        made.folder = room.folder;
        made.name = target.substr(std::string("fabricast_").size());
        follow(target, made.uses);
    }
}

std::string SourceTree::room_of(const std::string& path) const {
    std::string folder = path;
    while (folder.find('/') != std::string::npos) {
        folder.resize(folder.rfind('/'));
        if (rooms_.contains(folder)) { return folder; }
    }
    return "";
}

const Source* SourceTree::find(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : &sources_[found->second];
}

std::vector<std::vector<std::string>> circles(const Graph& graph) {
    struct State {
        std::size_t index = 0, low = 0;
        bool open = false;
    };
    std::map<std::string, State> states;
    std::vector<std::string> open;
    std::vector<std::vector<std::string>> found;
    const std::function<void(const std::string&)> visit = [&](const std::string& vertex) {
        State& state = states[vertex];
        state = {states.size(), states.size(), true};
        open.push_back(vertex);
        const auto arrows = graph.find(vertex);
        for (const std::string& next : arrows == graph.end() ? std::set<std::string>() : arrows->second) {
            if (!states.contains(next)) {
                visit(next);
                state.low = std::min(state.low, states[next].low);
            } else if (states[next].open) {
                state.low = std::min(state.low, states[next].index);
            }
        }
        if (state.low == state.index) {
            std::vector<std::string> circle;
            do {
                circle.push_back(open.back());
                states[open.back()].open = false;
                open.pop_back();
            } while (circle.back() != vertex);
            if (circle.size() > 1) { found.push_back(std::move(circle)); }
        }
    };
    for (const auto& [vertex, arrows] : graph) {
        if (!states.contains(vertex)) { visit(vertex); }
    }
    return found;
}

Graph modules(const SourceTree& tree) {
    Graph graph;
    for (const Source& source : tree.sources()) {
        for (const Include& include : source.includes) {
            const Source* target = tree.find(include.target);
            if (target != nullptr && target->stem() != source.stem()) { graph[source.stem()].insert(target->stem()); }
        }
    }
    return graph;
}

Graph room_arrows(const SourceTree& tree) {
    Graph graph;
    for (const Source& source : tree.sources()) {
        for (const Include& include : source.includes) {
            const std::string from = tree.room_of(source.path);
            const std::string to = tree.find(include.target) == nullptr ? "" : tree.room_of(include.target);
            if (!from.empty() && !to.empty() && from != to) { graph[from].insert(to); }
        }
    }
    return graph;
}

}  // namespace fabricast::structure
