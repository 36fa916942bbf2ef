#include "topologies/catalog_folder.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/nearest_word.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
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
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() == ".yaml") { paths.push_back(entry.path()); }
        }
    } catch (const std::filesystem::filesystem_error& error) { throw IoError(error.what()); }
    std::sort(paths.begin(), paths.end());
    std::vector<UserFile> files;
    files.reserve(paths.size());
    for (const std::filesystem::path& path : paths) {
        std::string text = read_text(path, yaml::max_file_bytes);
        yaml::Node tree = yaml::parse(text, path.string());
        files.push_back({path.string(), std::move(text), std::move(tree)});
    }
    return files;
}

// A node template has `gpu: PART` at its top level; a file of parts has only maps there.
bool is_node(const yaml::Node& tree) {
    if (!tree.is_map()) { return false; }
    const yaml::Node* gpu = tree.get("gpu");
    return gpu != nullptr && !gpu->is_map();
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
            std::vector<std::string> kinds;
            for (const auto& [name, other] : before.parts) { kinds.push_back(other.kind); }
            throw InputError(part.key_place, error_message("no part of the catalogue is of this kind", shown(kind),
                                                           kind == "node" ? "a node as in topologies/nodes/*.yaml" : "",
                                                           nearest_word(kind, kinds)));
        }
        for (const yaml::Node& member : part.members()) {
            if (!every_part.contains(member.name) && !known.words.contains(member.name)) {
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
    if (catalog.find(name.text) != nullptr || std::ranges::find(own, name.text, &Part::name) != own.end()) {
        name.fail("the part '" + name.text + "' is in the catalogue already; take another name");
    }
    (void)read_node(file.tree, catalog);  // throws if the template is wrong
    const yaml::Node* note = file.tree.get("note");
    catalog.parts[name.text] = {.name = name.text,
                                .kind = "node",
                                .note = note == nullptr ? "" : note->as_string(),
                                .text = {{"yaml", file.text}, {"file", file.name}},
                                .figures = {}};
}

}  // namespace

Catalog read_catalog(const std::filesystem::path& folder) {
    const Catalog catalog = models::read_catalog();
    std::vector<UserFile> files = read_folder(folder);
    const auto nodes =
        std::stable_partition(files.begin(), files.end(), [](const UserFile& file) { return !is_node(file.tree); });
    Catalog added = catalog;
    std::vector<CatalogText> texts;
    std::for_each(files.begin(), nodes, [&](const UserFile& file) { texts.push_back({file.name, file.text}); });
    add_parts(added, texts);
    std::for_each(files.begin(), nodes, [&](const UserFile& file) { check_names(file.tree, catalog, added); });
    std::for_each(nodes, files.end(), [&](const UserFile& file) { add_node(added, file); });
    return added;
}

}  // namespace fabricast::inline topologies
