#include "sim/scenario/schema_docs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/enum_name.hpp"
#include "base/schema_version.hpp"
#include "base/unit_text.hpp"
#include "sim/scenario/keys.hpp"

namespace fabricast::inline scenario {

namespace {

// YAML scalars have no type until they are read: 2.27 and "2.27" are the same NCCL version.
const Json any_scalar = {{"type", {"string", "number", "boolean"}}};

Json range_schema(const char* type, const Key& key) {
    return {{"type", type}, {"minimum", key.low}, {"maximum", key.high}};
}

// "400 Gb/s": a decimal number, optional spaces, one of the units.
Json quantity_schema(Dimension dimension) {
    std::string units = accepted_units(dimension);
    for (std::size_t at = units.find(", "); at != std::string::npos; at = units.find(", ", at)) {
        units.replace(at, 2, "|");
    }
    return {{"type", "string"}, {"pattern", "^\\+?[0-9.]+([eE][+-]?[0-9]+)? *(" + units + ")$"}};
}

// A list, or a map with `from` and `to` of the form `end`, and perhaps one more key.
Json list_or_range_schema(const Json& list, const Json& end, const char* more, Json of_more) {
    const Json range = {{"type", "object"},
                        {"properties", {{"from", end}, {"to", end}, {more, std::move(of_more)}}},
                        {"required", {"from", "to"}},
                        {"additionalProperties", false}};
    return {{"anyOf", {list, range}}};
}

Json sizes_schema() {
    const Json size = quantity_schema(Dimension::size);
    return list_or_range_schema({{"type", "array"}, {"items", size}, {"minItems", 1}}, size, "factor",
                                {{"type", "number"}, {"exclusiveMinimum", 1}});
}

// Something by the path of a key; the key itself decides which values are valid.
Json by_path(Json schema) { return {{"type", "object"}, {"additionalProperties", std::move(schema)}}; }

// A list of values.
const Json any_list = {{"type", "array"}, {"minItems", 1}};

Json map_schema(std::string_view path);

Json value_schema(const Key& key) {
    switch (key.form) {
        case Form::map: return map_schema(key.like.empty() ? key.path : key.like);
        case Form::maps: return {{"type", "array"}, {"items", map_schema(key.path)}};
        case Form::flag: return {{"type", "boolean"}};
        case Form::whole: return range_schema("integer", key);
        case Form::wholes: return {{"type", "array"}, {"items", range_schema("integer", key)}, {"minItems", 1}};
        case Form::number: return range_schema("number", key);
        case Form::text: return any_scalar;
        case Form::texts: return {{"type", "array"}, {"items", any_scalar}};
        case Form::text_map: {
            Json value = any_scalar;
            if (key.may_be_null) {  // null unsets a key, and what sets one has the key's own form
                for (const char* other : {"null", "array", "object"}) { value["type"].push_back(other); }
            }
            return by_path(std::move(value));
        }
        case Form::word: return {{"enum", key.words}};
        case Form::size: return quantity_schema(Dimension::size);
        case Form::time: return quantity_schema(Dimension::time);
        case Form::rate: return quantity_schema(Dimension::rate);
        case Form::sizes: return sizes_schema();
        case Form::variations: return by_path(any_list);
        case Form::assignments: return {{"type", "array"}, {"items", {{"type", "object"}}}};
        case Form::ranges:
            return by_path(list_or_range_schema(any_list, any_scalar, "scale", {{"enum", {"linear", "log"}}}));
        case Form::text_or_map: return {{"anyOf", {any_scalar, {{"type", "object"}}}}};
        case Form::nodes: {
            const Json node = {{"anyOf", {any_scalar, {{"type", "object"}}}}};
            const Json kind = {{"type", "object"},
                               {"properties", {{"node", node}, {"count", range_schema("integer", key)}}},
                               {"required", {"node", "count"}},
                               {"additionalProperties", false}};
            return {{"anyOf", {range_schema("integer", key), {{"type", "array"}, {"items", kind}, {"minItems", 1}}}}};
        }
    }
    return {};
}

Json map_schema(std::string_view path) {
    Json properties = Json::object();
    Json needed = Json::array();
    for (const Key* key : keys_inside(path)) {
        Json schema = value_schema(*key);
        schema["description"] = key->meaning;
        properties[std::string(leaf_of(key->path))] = std::move(schema);
        if (key->required && key->of_kind.empty()) { needed.push_back(leaf_of(key->path)); }
    }
    Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!needed.empty()) { schema["required"] = std::move(needed); }
    return schema;
}

std::string range_words(const Key& key) {
    if (!std::isfinite(key.low)) { return ""; }
    const auto plain = [](double value) {
        return value == std::floor(value) ? std::to_string(static_cast<long long>(value)) : Json(value).dump();
    };
    return fmt::format(" from {} to {}", plain(key.low), plain(key.high));
}

std::string accepted_words(const Key& key) {
    static constexpr std::array<std::string_view, 19> words = {
        "a map of the keys below",
        "a list of maps of the keys below",
        "`true`, `false`",
        "whole number",
        "list of whole numbers",
        "number",
        "text",
        "list of texts",
        "map of texts",
        "",
        "size, as `2 GiB`",
        "time, as `1.5 us`",
        "rate, as `400 Gb/s`",
        "list of sizes, or `{from: 8 B, to: 8 GiB, factor: 2}`",
        "map, as `{cluster.nodes: [8, 16, 32]}`",
        "list of maps, as `[{cluster.nodes: 8}, {cluster.nodes: 32, seed: 2}]`",
        "map, as `{cluster.nodes: {from: 8, to: 64, scale: log}}`",
        "text, or a map",
        "list of `{node, count}`, or a whole number"};
    if (!key.like.empty()) { return fmt::format("a map, as `{}`", key.like); }
    return key.form == Form::word ? fmt::format("`{}`", fmt::join(key.words, "` `"))
                                  : std::string(enum_name(words, key.form)) + range_words(key);
}

// A scenario with every optional part, so that the defaults of their fields can be read.
Scenario with_every_part() {
    Scenario scenario;
    scenario.scaling.emplace().step.emplace();
    scenario.cluster.graph.emplace();
    return scenario;
}

std::string default_words(const Key& key) {
    if (key.required) { return "required"; }
    if (!key.when_absent.empty() || key.form == Form::map || key.form == Form::maps) {
        return key.when_absent.empty() ? "absent" : key.when_absent;
    }
    Scenario scenario = with_every_part();
    for (std::size_t kind = 0; !belongs(key, scenario); ++kind) { scenario.workload = workload_of_kind(kind); }
    const Json value = key.write ? key.write(scenario) : Json();
    if (value.is_null()) { return "none"; }
    return "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
}

// A prefix for keys that only some kinds of workload have.
std::string kind_words(const Key& key) {
    std::string kinds = key.of_kind;
    std::replace(kinds.begin(), kinds.end(), ' ', '/');
    return kinds.empty() ? "" : "*" + kinds + "*: ";
}

}  // namespace

Json scenario_json_schema() {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "fabricast scenario"}};
    schema.update(map_schema(""));
    schema["properties"]["schema_version"] = {{"const", schema_version}};
    // With jobs, the workload may be that of the first.
    Json& needed = schema["required"];
    needed.erase(std::find(needed.begin(), needed.end(), "workload"));
    schema["anyOf"] = {{{"required", {"workload"}}}, {{"required", {"jobs"}}}};
    return schema;
}

std::string scenario_page() {
    std::string page =
        "# The keys of a scenario\n\n"
        "Made by `./dev docs` from the parser's own table. A scenario is one YAML map; unknown keys are refused, "
        "figures\n"
        "carry their unit, and `--set path=value` replaces any key by its path; `null` takes it back. Below a map of\n"
        "texts the rest of the path is one name: `--set prices.quantum-2/power.typical=\"700 W\"`.\n\n"
        "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : scenario_keys()) {
        page += fmt::format("| `{}` | {} | {} | {}{} |\n", key.path, accepted_words(key), default_words(key),
                            kind_words(key), key.meaning);
    }
    page += "\n| kind of fabric | wiring |\n|---|---|\n";
    for (const Topology& kind : topology_kinds()) { page += fmt::format("| `{}` | {} |\n", kind.name, kind.wiring); }
    return page + fmt::format("\nUnits: sizes {}; times {}; rates {}.\n", accepted_units(Dimension::size),
                              accepted_units(Dimension::time), accepted_units(Dimension::rate));
}

}  // namespace fabricast::inline scenario
