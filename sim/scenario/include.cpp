#include "sim/scenario/include.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace fabricast::inline scenario {

namespace {

namespace fs = std::filesystem;

// The files being included, outermost first, and how many files and values were read in total: without loops, too, a
// tree of includes can grow exponentially.
struct Trail {
    std::vector<fs::path> open;
    int files = 0;
    std::size_t values = 0;
};

std::size_t values_in(const yaml::Node& node) {
    std::size_t all = 1;
    for (const yaml::Node& child : node.children) { all += values_in(child); }
    return all;
}

constexpr int most_files = 100;

fs::path real_path(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::weakly_canonical(fs::absolute(path), error);
    return error ? fs::absolute(path).lexically_normal() : real;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end() && rest != path.end();
}

// The file that `entry` names. Symbolic links are resolved before the check of its folder.
fs::path included_file(const yaml::Node& entry, const fs::path& including) {
    const fs::path folder = including.parent_path();
    fs::path path = real_path(folder / entry.as_string());
    if (fs::path(entry.text).is_absolute() || !is_inside(path, folder)) {
        entry.fail("lies outside the folder of the including file", "files in or below it");
    }
    return path;
}

std::optional<yaml::Node> take(yaml::Node& map, std::string_view key) {
    const auto found = std::find_if(map.children.begin(), map.children.end(),
                                    [&](const yaml::Node& member) { return member.name == key; });
    if (found == map.children.end()) { return std::nullopt; }
    yaml::Node node = std::move(*found);
    map.children.erase(found);
    return node;
}

yaml::Node read_included(const yaml::Node& entry, const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) { entry.fail("cannot be read", "a file that exists"); }
    // In messages the path is as the user would write it: relative to the folder of the including file.
    const fs::path shown_path = fs::path(*entry.place.file).parent_path() / entry.text;
    return yaml::read(shown_path);
}

yaml::Node expand(yaml::Node root, const fs::path& file, Trail& trail) {
    root.members();  // throws if the file is not a map
    const std::optional<yaml::Node> includes = take(root, "include");
    if (!includes) { return root; }
    trail.open.push_back(file);
    std::optional<yaml::Node> base;
    for (const yaml::Node& entry : includes->items()) {
        const fs::path path = included_file(entry, file);
        if (std::find(trail.open.begin(), trail.open.end(), path) != trail.open.end()) {
            entry.fail("includes itself, here or through others", "files that do not include this one");
        }
        if (++trail.files > most_files) {
            entry.fail("is one included file too many", "at most " + std::to_string(most_files));
        }
        yaml::Node text = read_included(entry, path);
        trail.values += values_in(text);
        if (trail.values > yaml::max_nodes) {
            entry.fail("brings too many values, with those of the files before it",
                       "at most " + std::to_string(yaml::max_nodes) + " in all");
        }
        yaml::Node included = expand(std::move(text), path, trail);
        base = base ? merged(std::move(*base), std::move(included)) : std::move(included);
    }
    trail.open.pop_back();
    return base ? merged(std::move(*base), std::move(root)) : root;
}

}  // namespace

yaml::Node merged(yaml::Node base, yaml::Node over) {
    if (!base.is_map() || !over.is_map()) { return over; }
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < base.children.size(); ++i) { places.emplace(base.children[i].name, i); }
    for (yaml::Node& member : over.children) {
        if (const auto same = places.find(member.name); same != places.end()) {
            yaml::Node& place = base.children[same->second];
            place = merged(std::move(place), std::move(member));
        } else {
            places.emplace(member.name, base.children.size());
            base.children.push_back(std::move(member));
        }
    }
    base.place = over.place;
    base.key_place = over.key_place;
    return base;
}

yaml::Node with_includes(yaml::Node root, const fs::path& file) {
    Trail trail;
    return expand(std::move(root), real_path(file), trail);
}

}  // namespace fabricast::inline scenario
