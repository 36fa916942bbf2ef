#include "validate/import/json_tree.hpp"

#include "base/json.hpp"

namespace fabricast {

// The JSON reader checks the text. The YAML reader then parses it, because it keeps positions and JSON is a subset of
// YAML's flow style. One difference: between tokens JSON allows tabs, which may be an error in YAML. Replacing each tab
// by a blank keeps the columns.
yaml::Node json_tree(const LogText& log) {
    parse_json(log.text(), log.file());
    std::string text = log.text();
    for (char& c : text) {
        c = c == '\t' ? ' ' : c;
    }
    return yaml::parse(text, log.file());
}

}  // namespace fabricast
