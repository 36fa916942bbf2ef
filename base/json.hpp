#pragma once
// JSON values with keys in the order written (nlohmann), read with a size limit and with locations in errors.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace fabricast::inline base {

using Json = nlohmann::ordered_json;

// Throws InputError with the line and column of the offending byte. `file` is only the name shown in errors.
Json parse_json(std::string_view text, const std::string& file);

// A span is written in seconds.
inline void to_json(Json& json, Duration span) { json = to_seconds(span); }

}  // namespace fabricast::inline base

// A value that may be missing is written as it is, or as null.
template <class Value> struct nlohmann::adl_serializer<std::optional<Value>> {
    template <class Json> static void to_json(Json& json, const std::optional<Value>& value) {
        json = value ? Json(*value) : Json();
    }
};
