#include "validate/import/measurement_schema.hpp"

#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {
namespace {

// A statement may also be a list or a map; null means no statement.
Json statement_schema() { return {{"type", {"string", "number", "boolean", "null", "array", "object"}}}; }

Json schema_of(const MeasurementKey& key);

Json section_schema(std::string_view section) {
    Json properties = Json::object();
    for (const MeasurementKey& key : measurement_keys()) {
        if (key.path.starts_with(std::string(section) + ".")) {
            properties[std::string(key.path.substr(section.size() + 1))] = schema_of(key);
        }
    }
    // `source` may be one line of text; an empty section is null.
    return {{"type", {"object", "string", "null"}},
            {"properties", properties},
            {"additionalProperties", statement_schema()}};
}

Json schema_of(const MeasurementKey& key) {
    Json schema;
    switch (key.form) {
        case MeasurementForm::text:
            schema = key.required ? Json{{"type", {"string", "number"}}} : statement_schema();
            break;
        case MeasurementForm::section: schema = section_schema(key.path); break;
        case MeasurementForm::columns:
            schema = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
            break;
        case MeasurementForm::rows:
            schema = {{"type", "array"},
                      {"items", {{"type", "array"}, {"items", {{"type", {"string", "number", "boolean", "null"}}}}}}};
            break;
    }
    schema["description"] = key.meaning;
    return schema;
}

}  // namespace

Json measurement_json_schema() {
    Json properties = Json::object();
    Json needed = Json::array();
    for (const MeasurementKey& key : measurement_keys()) {
        if (key.path.find('.') != std::string_view::npos) { continue; }
        properties[std::string(key.path)] = schema_of(key);
        if (key.required) { needed.push_back(key.path); }
    }
    return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "fabricast measurement"},
            {"type", "object"},
            {"properties", properties},
            {"required", needed},
            {"additionalProperties", false}};
}

}  // namespace fabricast::inline validate_import
