#include "models/catalog_schema.hpp"

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
            {"additionalProperties", part}};
}

}  // namespace

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
