#include "sim/scenario/scenario_tree.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "sim/scenario/keys.hpp"

namespace fabricast::inline scenario {

namespace {

namespace fs = std::filesystem;

std::vector<yaml::Node>::iterator find(yaml::Node& map, std::string_view name) {
    return std::ranges::find(map.children, name, &yaml::Node::name);
}

// The files being included, outermost first, and how many files and values were read: includes can grow exponentially.
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
    const auto found = find(map, key);
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
    return of_known_version(yaml::read(shown_path));
}

// `base` with the values of `over` merged in: maps key by key, everything else is replaced.
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

// The keys of the instance that the entry names.
yaml::Node cloud_keys(const yaml::Node& entry) {
    const std::string name = entry.as_string().substr(cloud_prefix.size());
    const auto found = std::ranges::find(clouds(), name, &Cloud::name);
    if (found == clouds().end()) {
        const std::vector<std::string> names = names_of(clouds(), &Cloud::name);
        entry.fail("no instance of a cloud has this name", "see `fabricast catalog list cloud`",
                   nearest_word(name, names));
    }
    return found->keys;
}

yaml::Node expand(yaml::Node root, const fs::path& file, Trail& trail) {
    root.members();  // throws if the file is not a map
    const std::optional<yaml::Node> includes = take(root, "include");
    if (!includes) { return root; }
    trail.open.push_back(file);
    std::optional<yaml::Node> base;
    const auto start_from = [&](yaml::Node included) {
        base = base ? merged(std::move(*base), std::move(included)) : std::move(included);
    };
    for (const yaml::Node& entry : includes->items()) {
        if (entry.as_string().starts_with(cloud_prefix)) {
            start_from(cloud_keys(entry));
            continue;
        }
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
        start_from(expand(std::move(text), path, trail));
    }
    trail.open.pop_back();
    return base ? merged(std::move(*base), std::move(root)) : root;
}

// `root` as read from `file`, with its includes merged in and the key `include` removed.
yaml::Node with_includes(yaml::Node root, const fs::path& file) {
    Trail trail;
    return expand(std::move(root), real_path(file), trail);
}

const std::shared_ptr<const std::string>& set_file() {
    static const auto file = std::make_shared<const std::string>("--set");
    return file;
}

SourceLocation set_column(std::size_t offset) { return {set_file(), 1, static_cast<int>(offset) + 1}; }

// Changes the locations in a value to columns of the whole argument.
void shift(yaml::Node& node, int columns) {
    node.place.file = set_file();
    node.key_place.file = set_file();
    node.place.column += columns;
    node.key_place.column += columns;
    for (yaml::Node& child : node.children) { shift(child, columns); }
}

yaml::Node parse_value(std::string_view assignment, std::size_t start) {
    if (assignment.find_first_not_of(" \t", start) == std::string_view::npos) {
        throw InputError(set_column(start), error_message("no value behind the =", shown(assignment), "path=value"));
    }
    try {
        yaml::Node value = yaml::parse(assignment.substr(start), "--set");
        shift(value, static_cast<int>(start));
        return value;
    } catch (const InputError& error) {
        throw InputError({set_file(), 1, error.place->column + static_cast<int>(start)}, error.message);
    }
}

// `path=null` unsets a key, as if none had set it. (The YAML reader takes the text "null" alone for an empty file.)
bool takes_back(std::string_view assignment, std::size_t start) {
    const std::size_t first = std::min(assignment.find_first_not_of(" \t", start), assignment.size());
    const std::string_view value = assignment.substr(first, assignment.find_last_not_of(" \t") + 1 - first);
    return value == "null" || value == "~";
}

// Names a value after its key, and list items by their index: "key[0]".
void name(yaml::Node& node, std::string_view as) {
    node.name = as;
    for (std::size_t i = 0; node.is_list() && i < node.children.size(); ++i) {
        name(node.children[i], node.name + "[" + std::to_string(i) + "]");
    }
}

// The member `name` of `map`; adds it if it does not exist.
yaml::Node& member(yaml::Node& map, std::string_view name, const SourceLocation& place) {
    if (map.is_null()) { map.kind = yaml::Kind::map; }
    if (!map.is_map()) {
        throw InputError(place,
                         error_message("no key '" + std::string(name) + "' here", map.found(), "the path of a key"));
    }
    const auto found = find(map, name);
    if (found != map.children.end()) { return *found; }
    yaml::Node& added = map.children.emplace_back();
    added.name = name;
    added.place = added.key_place = place;
    return added;
}

// The end of the key that begins at `start` of the path. Below a map whose names the user chooses, as `prices`, the
// rest of the path is one name with its dots: "prices.quantum-2/power.typical".
std::size_t end_of_key(std::string_view assignment, std::size_t start, std::size_t equals) {
    const Key* above = start == 0 ? nullptr : find_key(assignment.substr(0, start - 1));
    const bool one_name = above != nullptr && above->form == Form::text_map;
    return one_name ? equals : std::min(assignment.find('.', start), equals);
}

// The column in an InputError counts characters of `assignment`.
void apply_override(yaml::Node& root, std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw InputError(set_column(0), error_message("not an assignment", shown(assignment), "path=value"));
    }
    const bool unset = takes_back(assignment, equals + 1);
    yaml::Node* node = &root;
    SourceLocation key_place;
    for (std::size_t start = 0; start <= equals;) {
        const std::size_t end = end_of_key(assignment, start, equals);
        if (end == start) {
            throw InputError(set_column(start),
                             error_message("an empty key in the path", shown(assignment), "path=value"));
        }
        key_place = set_column(start);
        const std::string_view key = assignment.substr(start, end - start);
        if (unset) {
            const auto found = find(*node, key);
            if (found == node->children.end()) {
                throw InputError(key_place, error_message("nothing to unset", shown(key), "a key that a file sets"));
            }
            if (end == equals) {
                node->children.erase(found);
                return;
            }
        }
        node = &member(*node, key, key_place);
        start = end + 1;
    }
    yaml::Node value = parse_value(assignment, equals + 1);
    name(value, node->name);
    value.key_place = key_place;
    *node = std::move(value);
}

}  // namespace

yaml::Node with_overrides(yaml::Node root, const std::vector<std::string>& overrides) {
    for (const std::string& assignment : overrides) {
        if (assignment.substr(0, assignment.find_first_of(".=")) == "include") {
            throw InputError({std::make_shared<const std::string>("--set")}, "'include' can only be written in a file");
        }
        apply_override(root, assignment);
    }
    return root;
}

yaml::Node scenario_tree(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    return with_overrides(with_includes(of_known_version(yaml::read(file)), file), overrides);
}

yaml::Node scenario_tree(std::string_view text, const std::filesystem::path& file,
                         const std::vector<std::string>& overrides) {
    return with_overrides(with_includes(of_known_version(yaml::parse(text, file.string())), file), overrides);
}

const std::vector<Cloud>& clouds() {
    static const std::vector<Cloud> all = [] {
        std::vector<Cloud> read;
        for (const EmbeddedFile& file : embedded_clouds()) {
            const yaml::Node tree = yaml::parse(file.text, std::string(file.name));
            for (const yaml::Node& member : tree.members()) {
                Cloud& cloud = read.emplace_back();
                cloud.name = member.name;
                cloud.keys = member;
                std::erase_if(cloud.keys.children, [&](const yaml::Node& key) {
                    if (key.name != "note" && key.name != "source") { return false; }
                    (key.name == "note" ? cloud.note : cloud.source) = key.as_string();
                    return true;
                });
            }
        }
        return read;
    }();
    return all;
}

}  // namespace fabricast::inline scenario
