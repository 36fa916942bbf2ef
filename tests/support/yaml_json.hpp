#pragma once
// A YAML tree as JSON, for holding files against schemas: plain scalars that read as numbers or booleans become those.

#include <charconv>
#include <string>

#include "base/json.hpp"
#include "base/yaml.hpp"

namespace fabricast::test {

inline Json scalar_json(const yaml::Node& node) {
    const std::string& text = node.text;
    if (node.quoted) { return text; }
    if (text == "true" || text == "false") { return text == "true"; }
    std::int64_t whole = 0;
    const char* end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, whole); error == std::errc{} && stop == end) {
        return whole;
    }
    double number = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, number); error == std::errc{} && stop == end) {
        return number;
    }
    return text;
}

inline Json to_json(const yaml::Node& node) {
    if (node.is_scalar()) { return scalar_json(node); }
    if (node.is_null()) { return {}; }
    Json json = node.is_list() ? Json::array() : Json::object();
    for (const yaml::Node& child : node.children) {
        if (node.is_list()) {
            json.push_back(to_json(child));
        } else {
            json[child.name] = to_json(child);
        }
    }
    return json;
}

}  // namespace fabricast::test
