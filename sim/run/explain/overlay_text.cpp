#include "sim/run/explain/overlay_text.hpp"

#include <array>
#include <cstdio>

namespace fabricast {

namespace {

// The exact value in a unit that the catalogue's reader accepts.
std::string quantity(double value, const std::string& unit) {
    const bool transfers = unit == "T/s";
    const bool per_length = unit == "s/m";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.17g", transfers ? value * 1e-6 : per_length ? value * 1e9 : value);
    const std::string shown = transfers ? "MT/s" : per_length ? "ns/m" : unit;
    return text.data() + (shown.empty() ? "" : " " + shown);
}

}  // namespace

void OverlayText::scale(const std::string& part, const std::string& figure, double factor) {
    const Part* found = catalog_.find(part);
    if (found == nullptr || !found->figures.contains(figure) || !done_.insert({part, figure}).second) {
        return;
    }
    const Figure& old = found->figure(figure);
    std::string values;
    for (const double value : old.value) {
        values += (values.empty() ? "" : ", ") + quantity(value * factor, old.unit);
    }
    lines_[part] += "    " + figure + ": " + (old.value.size() > 1 ? "[" + values + "]" : values) + "\n";
}

std::string OverlayText::text(const std::string& source) const {
    std::string yaml;
    for (const auto& [part, lines] : lines_) {
        yaml.append(part).append(":\n  origin: estimated\n  source: \"what if: ").append(source);
        yaml.append("\"\n  figures:\n").append(lines);
    }
    return yaml;
}

}  // namespace fabricast
