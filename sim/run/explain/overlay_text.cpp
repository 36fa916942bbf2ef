#include "sim/run/explain/overlay_text.hpp"

#include <fmt/format.h>

namespace fabricast {

namespace {

// The exact value in a unit that the catalogue's reader accepts.
std::string quantity(double value, const std::string& unit) {
    const bool transfers = unit == "T/s";
    const bool per_length = unit == "s/m";
    const std::string shown = transfers ? "MT/s" : per_length ? "ns/m" : unit;
    return fmt::format("{:.17g}{}{}",
                       transfers    ? value * 1e-6
                       : per_length ? value * 1e9
                                    : value,
                       shown.empty() ? "" : " ", shown);
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
    lines_[part] += fmt::format("    {}: {}\n", figure, old.value.size() > 1 ? "[" + values + "]" : values);
}

std::string OverlayText::text(const std::string& source) const {
    std::string yaml;
    for (const auto& [part, lines] : lines_) {
        yaml += fmt::format("{}:\n  origin: estimated\n  source: \"what if: {}\"\n  figures:\n{}", part, source, lines);
    }
    return yaml;
}

}  // namespace fabricast
