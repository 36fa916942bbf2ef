#include "validate/import/json_tree.hpp"

#include "base/json.hpp"

namespace fabricast {

// JSON is checked by the JSON reader and then read by the YAML reader, of whose flow style it is a part: that one keeps
// places. Between JSON's tokens a tab is a blank, in YAML it may be an error; a blank in its place keeps the columns.
yaml::Node json_tree(const LogText& log) {
    parse_json(log.text(), log.file());
    std::string text = log.text();
    for (char& c : text) {
        c = c == '\t' ? ' ' : c;
    }
    return yaml::parse(text, log.file());
}

}  // namespace fabricast
