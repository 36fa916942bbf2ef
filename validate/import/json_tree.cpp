#include "validate/import/json_tree.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"

namespace fabricast::inline validate_import {

bool is_json(std::string_view text) { return trimmed(text, " \t\r\n").starts_with('{'); }

// The JSON reader checks the text. The YAML reader then parses it, because it keeps positions and JSON is a subset of
// YAML's flow style. One difference: between tokens JSON allows tabs, which may be an error in YAML. Replacing each tab
// by a blank keeps the columns.
yaml::Node json_tree(const LogText& log) {
    parse_json(log.text(), log.file());
    std::string text = log.text();
    std::ranges::replace(text, '\t', ' ');
    return yaml::parse(text, log.file());
}

}  // namespace fabricast::inline validate_import
