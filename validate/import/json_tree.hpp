#pragma once
// A JSON log as a tree whose values know their position in the file.

#include "base/yaml.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline validate_import {

bool is_json(std::string_view text);  // whether it begins as JSON does

// Throws InputError at the first byte that is not JSON, also if the text ends too early.
yaml::Node json_tree(const LogText& log);

}  // namespace fabricast::inline validate_import
