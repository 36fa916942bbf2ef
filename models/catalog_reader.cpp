#include "models/catalog_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "models/figure_reader.hpp"

namespace fabricast::inline models {

namespace {

const Json text_or_texts = {{"type", {"string", "array"}}, {"items", {{"type", "string"}}}};
const Json origin = {{"enum", origin_names}};

// A plain number for a count or a ratio, anything else with its unit: "400 Gb/s".
Json quantity() {
    return {{"type", {"number", "string"}}, {"pattern", "^[-+]?[0-9.]+([eE][+-]?[0-9]+)? *[A-Za-zµ/%]*$"}};
}

Json values() {
    const Json list = {{"type", "array"}, {"items", quantity()}, {"minItems", 1}};
    return {{"anyOf", {quantity(), list}}};
}

Json figure() {
    Json members = Json::object();
    for (const std::string& key : figure_keys) {
        members[key] = key == "value"    ? values()
                       : key == "origin" ? origin
                       : key == "source" ? text_or_texts
                                         : quantity();
    }
    const Json long_form = {
        {"type", "object"}, {"properties", members}, {"required", {"value"}}, {"additionalProperties", false}};
    Json choices = values().at("anyOf");
    choices.push_back(long_form);
    return {{"anyOf", choices}};
}

// Keys that a part may have in catalogue files and in overlays.
Json part_members() {
    return {{"note", {{"type", "string"}}},
            {"origin", origin},
            {"source", text_or_texts},
            {"figures", {{"type", "object"}, {"additionalProperties", figure()}}}};
}

Json file_schema(const std::string& title, const Json& part) {
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", title},
            {"type", "object"},
            {"properties", {{"schema_version", {{"const", schema_version}}}}},
            {"additionalProperties", part}};
}

// Builds the parts of several texts, each after the part that it inherits from.
class PartBuilder {
public:
    PartBuilder(Catalog& catalog, const std::vector<yaml::Node>& files) : catalog_(catalog) {
        for (const yaml::Node& file : files) {
            for (const yaml::Node& part : file.members()) {
                check_part_name(part.name, part.key_place);
                if (catalog.find(part.name) != nullptr || !nodes_.emplace(part.name, &part).second) {
                    throw InputError(part.key_place, "the part '" + part.name +
                                                         "' is in the catalogue already; an overlay replaces figures");
                }
            }
        }
    }

    void build_all() {
        for (const auto& [name, node] : nodes_) { build(*node); }
        catalog_.parts.merge(built_);
    }

private:
    // Builds a part, after its base, and records its default origin and source for the parts that inherit from it.
    const Part& build(const yaml::Node& node) {
        if (const auto done = built_.find(node.name); done != built_.end()) { return done->second; }
        if (std::ranges::find(open_, node.name) != open_.end()) {
            node.fail("the part '" + node.name + "' inherits from itself");
        }
        open_.push_back(node.name);
        Part part;
        Provenance defaults;
        if (const yaml::Node* base = node.get("base")) {
            part = base_part(*base);
            mark_inherited(node, part);
            if (const auto known = provenance_.find(base->text); known != provenance_.end()) {
                defaults = known->second;
            }
        }
        fill(node, part, defaults);
        open_.pop_back();
        provenance_[part.name] = defaults;
        return built_.emplace(part.name, std::move(part)).first->second;
    }

    Part base_part(const yaml::Node& base) {
        const std::string& name = base.as_string();
        if (const auto node = nodes_.find(name); node != nodes_.end()) { return build(*node->second); }
        if (const Part* part = catalog_.find(name)) { return *part; }
        std::vector<std::string> names = keys_of(nodes_);
        std::ranges::copy(keys_of(catalog_.parts), std::back_inserter(names));
        base.fail("no such part to inherit from", "a part of the catalogue", nearest_word(name, names));
    }

    // What a device takes over from another one is that one's figure, and of a device that nobody has yet a guess.
    static void mark_inherited(const yaml::Node& node, Part& part) {
        if (!has_word("gpu nic switch cpu", part.kind)) { return; }
        const yaml::Node* origin = node.get("origin");
        const bool announced = origin != nullptr && origin->text == to_string(Origin::announced);
        for (auto& [name, figure] : part.figures) {
            const bool published = figure.origin == Origin::vendor || figure.origin == Origin::measured;
            if (!published || figure.source.empty()) { continue; }
            if (!figure.source.front().starts_with("as ")) {
                figure.source.front() = "as " + part.name + ": " + figure.source.front();
            }
            if (announced) { figure.origin = Origin::estimated; }
        }
    }

    static void fill(const yaml::Node& node, Part& part, Provenance& defaults) {
        part.name = node.name;
        for (const yaml::Node& member : node.members()) {
            if (member.name == "kind") {
                part.kind = member.as_string();
            } else if (member.name == "note") {
                part.note = member.as_string();
            } else if (!has_word("base figures origin source", member.name)) {
                part.text[member.name] = member.as_string();
            }
        }
        if (part.kind.empty()) { node.fail("the part '" + part.name + "' needs a kind, or a base to take it from"); }
        read_provenance(node, defaults);
        if (const yaml::Node* figures = node.get("figures")) {
            for (const yaml::Node& figure : figures->members()) {
                part.figures[figure.name] = read_figure(figure, defaults);
            }
        }
    }

    Catalog& catalog_;
    std::map<std::string, const yaml::Node*, std::less<>> nodes_;
    std::map<std::string, Part, std::less<>> built_;
    std::map<std::string, Provenance, std::less<>> provenance_;
    std::vector<std::string> open_;  // the parts being built, each the base of the one before it
};

void merge_part(const yaml::Node& node, Part& part) {
    node.allow(overlay_keys);
    Provenance defaults;
    read_provenance(node, defaults);
    for (const yaml::Node& member : node.required("figures").members()) {
        const auto old = part.figures.find(member.name);
        if (old == part.figures.end()) {
            throw InputError(member.key_place,
                             error_message("the part '" + part.name + "' has no such figure", shown(member.name), "",
                                           nearest_word(member.name, keys_of(part.figures))));
        }
        Figure figure = read_figure(member, defaults);
        if (figure.unit != old->second.unit || figure.value.size() != old->second.value.size()) {
            const std::size_t values = old->second.value.size();
            member.fail(fmt::format("'{}' of '{}' is {} in {}", member.name, part.name, plural(values, "value"),
                                    shown_unit(old->second.unit)));
        }
        old->second = std::move(figure);
    }
}

}  // namespace

void check_part_name(const std::string& name, const SourceLocation& place) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    if (name.empty() || !std::ranges::all_of(name, fits)) {
        throw InputError(place, error_message("a part's name is kebab-case", shown(name), "as connectx-7"));
    }
}

void add_parts(Catalog& catalog, const std::vector<yaml::Node>& files) { PartBuilder(catalog, files).build_all(); }

void merge_overlay(Catalog& catalog, const yaml::Node& overlay) {
    const yaml::Node parts = of_known_version(overlay);
    std::vector<std::pair<Part*, Part>> merged;  // copies, so that an error leaves the catalogue unchanged
    for (const yaml::Node& node : parts.members()) {
        const auto part = catalog.parts.find(node.name);
        if (part == catalog.parts.end()) {
            throw InputError(node.key_place, error_message("no such part in the catalogue", shown(node.name), "",
                                                           nearest_word(node.name, keys_of(catalog.parts))));
        }
        merged.emplace_back(&part->second, part->second);
        merge_part(node, merged.back().second);
    }
    for (auto& [part, changed] : merged) { *part = std::move(changed); }
}

Json catalogue_json_schema() {
    Json members = part_members();
    members["kind"] = {{"type", "string"}};
    members["base"] = {{"type", "string"}};
    const Json part = {{"type", "object"},
                       {"properties", members},
                       {"anyOf", {{{"required", {"kind"}}}, {{"required", {"base"}}}}},
                       {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    return file_schema("fabricast catalogue", part);
}

Json overlay_json_schema() {
    const Json part = {
        {"type", "object"}, {"properties", part_members()}, {"required", {"figures"}}, {"additionalProperties", false}};
    return file_schema("fabricast overlay", part);
}

}  // namespace fabricast::inline models
