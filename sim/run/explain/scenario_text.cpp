#include "sim/run/explain/scenario_text.hpp"

#include "sim/scenario/schema.hpp"

namespace fabricast {

namespace {

bool is_plain(const Json& value) { return !value.is_structured() || value.empty(); }

// JSON scalars are valid YAML; texts are quoted.
void write(const Json& value, int indent, std::string& out) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    for (const auto& [name, member] : value.items()) {
        if (is_plain(member)) {
            out += margin + name + ": " + member.dump() + "\n";
        } else if (member.is_array()) {
            out += margin + name + ":\n";
            for (const Json& item : member) {
                out += margin + "  - " + item.dump() + "\n";  // flow style: a list or map fits in a line
            }
        } else {
            out += margin + name + ":\n";
            write(member, indent + 2, out);
        }
    }
}

}  // namespace

std::string scenario_yaml(const Scenario& scenario) {
    std::string out;
    write(to_json(scenario), 0, out);
    return out;
}

}  // namespace fabricast
