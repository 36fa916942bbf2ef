#include "sim/run/explain/scenario_text.hpp"

#include <fmt/ranges.h>

#include "sim/scenario/keys.hpp"

namespace fabricast::inline explain {

namespace {

// The exact value in a unit that the catalogue's reader accepts.
std::string quantity(double value, const std::string& unit) {
    if (unit == "T/s") { return fmt::format("{:.17g} MT/s", value * 1e-6); }
    if (unit == "s/m") { return fmt::format("{:.17g} ns/m", value * 1e9); }
    return fmt::format("{:.17g}{}{}", value, unit.empty() ? "" : " ", unit);
}

// JSON scalars are valid YAML; texts are quoted.
void write(const Json& value, int indent, std::string& out) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    for (const auto& [name, member] : value.items()) {
        if (!member.is_structured() || member.empty()) {
            out += margin + name + ": " + member.dump() + "\n";
            continue;
        }
        out += margin + name + ":\n";
        if (member.is_object()) {
            write(member, indent + 2, out);
            continue;
        }
        for (const Json& item : member) {
            out += margin + "  - " + item.dump() + "\n";  // flow style: a list or map fits in a line
        }
    }
}

}  // namespace

std::string scenario_yaml(const Scenario& scenario) {
    std::string out;
    write(to_json(scenario), 0, out);
    return out;
}

void OverlayText::scale(const std::string& part, const std::string& figure, double factor) {
    const Part* found = catalog_.find(part);
    if (found == nullptr || !found->figures.contains(figure) || !done_.insert({part, figure}).second) { return; }
    const Figure& old = found->figure(figure);
    std::vector<std::string> values;
    for (const double value : old.value) { values.push_back(quantity(value * factor, old.unit)); }
    lines_[part] += fmt::format("    {}: {}{}{}\n", figure, values.size() > 1 ? "[" : "", fmt::join(values, ", "),
                                values.size() > 1 ? "]" : "");
}

std::string OverlayText::text(const std::string& source) const {
    std::string yaml;
    for (const auto& [part, lines] : lines_) {
        yaml += fmt::format("{}:\n  origin: estimated\n  source: \"what if: {}\"\n  figures:\n{}", part, source, lines);
    }
    return yaml;
}

}  // namespace fabricast::inline explain
