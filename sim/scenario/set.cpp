#include "sim/scenario/set.hpp"

#include <algorithm>
#include <string>

namespace fabricast::inline scenario {

namespace {

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

// `path=null` unsets a key, as if no file had set it. (The YAML reader would treat the text "null" alone as an empty
// file.)
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

std::vector<yaml::Node>::iterator find(yaml::Node& map, std::string_view name) {
    return std::find_if(map.children.begin(), map.children.end(),
                        [&](const yaml::Node& child) { return child.name == name; });
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

}  // namespace

void apply_override(yaml::Node& root, std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw InputError(set_column(0), error_message("not an assignment", shown(assignment), "path=value"));
    }
    const bool unset = takes_back(assignment, equals + 1);
    yaml::Node* node = &root;
    SourceLocation key_place;
    for (std::size_t start = 0; start <= equals;) {
        const std::size_t end = std::min(assignment.find('.', start), equals);
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

}  // namespace fabricast::inline scenario
