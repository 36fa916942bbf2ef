// fabricast catalog: lists the parts, and shows where each figure of a part comes from.

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "models/catalog_text.hpp"
#include "sim/scenario/scenario_tree.hpp"
#include "sim/scenario/vary.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::cli {

namespace {

// The catalogue, with the built-in node templates and instances of clouds added as parts.
Catalog everything(const po::variables_map& values) {
    Catalog catalog = catalog_of(values);
    for (Part& node : node_parts()) { catalog.parts.try_emplace(node.name, std::move(node)); }
    for (const Cloud& cloud : clouds()) {
        Part& part = catalog.parts[std::string(cloud_prefix) + cloud.name];
        part.name = std::string(cloud_prefix) + cloud.name;
        part.kind = "cloud";
        part.note = cloud.note;
        part.text = {{"source", cloud.source}};
        for (const yaml::Node& key : cloud.keys.members()) { part.text[key.name] = flow_text(key); }
    }
    return catalog;
}

const Part& part_named(const Catalog& catalog, const std::string& name) {
    if (const Part* part = catalog.find(name)) { return *part; }
    throw CatalogError(error_message("no such part in the catalogue", shown(name), "see `fabricast catalog list`",
                                     nearest_word(name, keys_of(catalog.parts))));
}

ExitCode show_catalog(const po::variables_map& values) {
    const std::vector<std::string> words = texts_of(values, "words");
    const std::string action = words.empty() ? "list" : words.front();
    index_among({"list", "show"}, action, "what to do with the catalogue");
    if (action == "show" && words.size() < 2) { throw MissingArgument("which part?"); }
    const Outputs outputs(values, {"json"});
    const Catalog catalog = everything(values);
    const std::string word = words.size() > 1 ? words[1] : "";
    if (action == "show") {
        outputs.write_json([&] { return part_json(part_named(catalog, word)); });
        outputs.words() << catalog_page(part_named(catalog, word));
    } else {
        const std::string list = catalog_list(catalog, word);  // refuses a kind that is none
        outputs.write_json([&] { return parts_json(catalog, word); });
        outputs.words() << list;
    }
    return ok;
}

}  // namespace

const Command catalog_command = {
    "catalog",
    "the parts, and where each of their figures comes from",
    "[list [KIND] | show NAME] [OPTION...]",
    joined_options({catalog_options(),
                    {
                        {"words", texts_value("WORD"), "list [KIND], or show NAME"},
                        {"json", text_value("FILE"), "write the part, or all of the kind, as JSON"},
                    }}),
    {{{"words", 2}}},
    show_catalog};

}  // namespace fabricast::cli
