#pragma once
// The part of JSON Schema (draft 2020-12) that our schemas use, for tests only: does a value meet a schema?

#include <regex>
#include <string>

#include "base/json.hpp"

namespace fabricast::test {

inline bool has_type(const Json& value, const std::string& type) {
    if (type == "integer") { return value.is_number_integer() || value.is_number_unsigned(); }
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
}

// The first violation with its path, "" when there is none.
inline std::string violation(const Json& value, const Json& schema, const std::string& path = "$") {
    if (const auto type = schema.find("type"); type != schema.end()) {
        bool any = type->is_string() && has_type(value, type->get<std::string>());
        for (const Json& one : type->is_array() ? *type : Json::array()) {
            any = any || has_type(value, one.get<std::string>());
        }
        if (!any) { return path + " is no " + type->dump(); }
    }
    if (const auto allowed = schema.find("enum"); allowed != schema.end()) {
        if (std::find(allowed->begin(), allowed->end(), value) == allowed->end()) {
            return path + " is none of " + allowed->dump();
        }
    }
    if (const auto only = schema.find("const"); only != schema.end() && *only != value) {
        return path + " is not " + only->dump();
    }
    if (value.is_number()) {
        const double number = value.get<double>();
        if ((schema.contains("minimum") && number < schema["minimum"].get<double>()) ||
            (schema.contains("maximum") && number > schema["maximum"].get<double>()) ||
            (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>())) {
            return path + " is out of range";
        }
    }
    if (value.is_string() && schema.contains("pattern") &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>()))) {
        return path + " does not match " + schema["pattern"].dump();
    }
    if (value.is_object()) {
        for (const Json& key : schema.value("required", Json::array())) {
            if (!value.contains(key.get<std::string>())) { return path + " lacks " + key.dump(); }
        }
        const Json properties = schema.value("properties", Json::object());
        for (const auto& [key, member] : value.items()) {
            const Json other = schema.value("additionalProperties", Json(true));
            if (!properties.contains(key) && other == Json(false)) { return path + " has the unknown key " + key; }
            const Json member_schema = properties.contains(key) ? properties[key]
                                       : other.is_object()      ? other
                                                                : Json::object();
            if (const std::string inside = violation(member, member_schema, path + "." + key); !inside.empty()) {
                return inside;
            }
        }
    }
    if (value.is_array()) {
        if (value.size() < schema.value("minItems", std::size_t{0})) { return path + " is too short"; }
        for (std::size_t i = 0; i < value.size() && schema.contains("items"); ++i) {
            if (const std::string inside = violation(value[i], schema["items"], path + "[" + std::to_string(i) + "]");
                !inside.empty()) {
                return inside;
            }
        }
    }
    if (const auto choices = schema.find("anyOf"); choices != schema.end()) {
        const bool any = std::any_of(choices->begin(), choices->end(),
                                     [&](const Json& choice) { return violation(value, choice, path).empty(); });
        return any ? "" : path + " meets none of the choices";
    }
    return "";
}

}  // namespace fabricast::test
