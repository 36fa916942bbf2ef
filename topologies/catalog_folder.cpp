#include "topologies/catalog_folder.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "topologies/node_parts.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::inline topologies {

namespace {

struct UserFile {
    std::string name, text;
    yaml::Node tree;
};

std::vector<UserFile> read_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    try {
        paths = yaml::files_among(std::filesystem::directory_iterator(folder));
    } catch (const std::filesystem::filesystem_error& error) { throw IoError(error.what()); }
    std::vector<UserFile> files;
    files.reserve(paths.size());
    for (const std::filesystem::path& path : paths) {
        std::string text = read_text(path, yaml::max_file_bytes);
        yaml::Node tree = of_known_version(yaml::parse(text, path.string()));
        files.push_back({path.string(), std::move(text), std::move(tree)});
    }
    return files;
}

// A node template has `gpu: PART` or `gpus: {part: PART}` at its top level; a file of parts has maps there, no `part`.
bool is_node(const yaml::Node& tree) {
    if (!tree.is_map()) { return false; }
    const yaml::Node* gpu = tree.get("gpu");
    return (gpu != nullptr && !gpu->is_map()) || (told_by_parts(tree) && tree.get("gpus")->get("part") != nullptr);
}

// The figures and words that parts of one kind have in the catalogue.
struct Vocabulary {
    std::set<std::string> figures, words;
};

Vocabulary vocabulary(const Catalog& catalog, std::string_view kind) {
    Vocabulary known;
    for (const Part* part : catalog.of_kind(kind)) {
        for (const auto& [name, figure] : part->figures) { known.figures.insert(name); }
        for (const auto& [name, word] : part->text) { known.words.insert(name); }
    }
    return known;
}

[[noreturn]] void refuse(const yaml::Node& at, const std::string& what, const std::set<std::string>& known) {
    const std::vector<std::string> names(known.begin(), known.end());
    throw InputError(at.key_place, error_message(what, shown(at.name), "", nearest_word(at.name, names)));
}

// Refuses a figure or word that no part of its kind has: nothing would read it.
void check_names(const yaml::Node& tree, const Catalog& before, const Catalog& after) {
    static const std::set<std::string> every_part = {"kind", "base", "note", "origin", "source", "figures"};
    for (const yaml::Node& part : tree.members()) {
        const std::string& kind = after.parts.at(part.name).kind;
        const Vocabulary known = vocabulary(before, kind);
        if (before.of_kind(kind).empty()) {
            const auto kinds = names_of(before.parts, [](const auto& entry) { return entry.second.kind; });
            throw InputError(part.key_place, error_message("no part of the catalogue is of this kind", shown(kind),
                                                           kind == "node" ? "a node as in topologies/nodes/*.yaml" : "",
                                                           nearest_word(kind, kinds)));
        }
        const bool table = std::ranges::find(name_tables, kind) != name_tables.end();
        for (const yaml::Node& member : part.members()) {
            if (every_part.contains(member.name)) { continue; }
            if (table && after.find(member.as_string()) == nullptr) {
                member.fail("the catalogue has no such part", "", nearest_word(member.text, keys_of(after.parts)));
            } else if (!table && !known.words.contains(member.name)) {
                refuse(member, "parts of kind '" + kind + "' have no such word", known.words);
            }
        }
        const yaml::Node* figures = part.get("figures");
        for (const yaml::Node& figure : figures != nullptr ? figures->members() : std::vector<yaml::Node>{}) {
            if (!known.figures.contains(figure.name)) {
                refuse(figure, "parts of kind '" + kind + "' have no such figure", known.figures);
            }
        }
    }
}

void add_node(Catalog& catalog, const UserFile& file) {
    const yaml::Node& name = file.tree.required("name");
    check_part_name(name.as_string(), name.place);
    const std::vector<Part> own = node_parts();
    const bool taken = catalog.find(name.text) != nullptr ||
                       std::any_of(own.begin(), own.end(), [&](const Part& node) { return node.name == name.text; });
    if (taken) { name.fail("the part '" + name.text + "' is in the catalogue already; take another name"); }
    (void)read_node(file.tree, catalog);  // throws if the template is wrong
    catalog.parts[name.text] = {.name = name.text,
                                .kind = "node",
                                .note = file.tree.text_or("note"),
                                .text = {{"yaml", file.text}, {"file", file.name}},
                                .figures = {}};
}

}  // namespace

Catalog read_catalog(const std::filesystem::path& folder) {
    const std::vector<UserFile> files = read_folder(folder);
    const Catalog catalog = models::read_catalog();
    std::vector<yaml::Node> parts;
    for (const UserFile& file : files) {
        if (!is_node(file.tree)) { parts.push_back(file.tree); }
    }
    Catalog added = catalog;
    add_parts(added, parts);
    for (const yaml::Node& tree : parts) { check_names(tree, catalog, added); }
    for (const UserFile& file : files) {
        if (is_node(file.tree)) { add_node(added, file); }
    }
    return added;
}

}  // namespace fabricast::inline topologies
