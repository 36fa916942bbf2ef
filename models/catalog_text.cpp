#include "models/catalog_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/link_part.hpp"

namespace fabricast::inline models {

namespace {

// A unit as people write it, and its size in base units.
struct Step {
    double factor;
    std::string_view name;
};

// Units from largest to smallest. base/unit_text.hpp rounds to four digits, which would lose digits.
std::vector<Step> steps_of(std::string_view unit) {
    static const std::map<std::string_view, std::vector<Step>> known = {
        {"s", {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}},
        {"s/m", {{1e-9, "ns/m"}}},
        {"B/s", {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}},
        {"FLOP/s", {{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}}},
        {"T/s", {{1e9, "GT/s"}, {1e6, "MT/s"}}},
        {"Hz", {{1e9, "GHz"}, {1e6, "MHz"}}},
        {"msg/s", {{1e6, "Mmsg/s"}}}};
    const auto found = known.find(unit);
    return found == known.end() ? std::vector<Step>{{1, unit}} : found->second;
}

// A size as a whole number of decimal or binary units, whichever text is shorter: "80 GB", "512 KiB".
std::string shown_size(double bytes) {
    static constexpr std::array<Step, 8> steps = {{{1LL << 40, "TiB"},
                                                   {1e12, "TB"},
                                                   {1LL << 30, "GiB"},
                                                   {1e9, "GB"},
                                                   {1 << 20, "MiB"},
                                                   {1e6, "MB"},
                                                   {1 << 10, "KiB"},
                                                   {1e3, "kB"}}};
    std::string shortest = fmt::format("{:.7g} B", bytes);
    for (const Step& step : steps) {
        const double count = bytes / step.factor;
        const std::string shown = fmt::format("{:.7g} {}", count, step.name);
        if (bytes != 0 && count == std::floor(count) && shown.size() < shortest.size()) { shortest = shown; }
    }
    return shortest;
}

std::string shown_value(double value, const std::string& unit) {
    if (unit == "B") { return shown_size(value); }
    const std::vector<Step> steps = steps_of(unit);
    const auto fits = [&](const Step& step) { return std::abs(value) >= step.factor * (1 - 1e-12); };
    const auto step = value == 0 ? steps.begin() : std::find_if(steps.begin(), steps.end(), fits);
    const Step& chosen = step == steps.end() ? steps.back() : *step;
    return fmt::format("{:.7g}{}{}", value / chosen.factor, unit.empty() ? "" : " ", chosen.name);
}

std::string shown_interval(const Figure& figure) {
    if (figure.low80 == figure.value.front() && figure.high80 == figure.value.front()) { return ""; }
    return shown_value(figure.low80, figure.unit) + " to " + shown_value(figure.high80, figure.unit);
}

// What follows from a link's figures: its line rate and its goodput.
std::string derived(const Part& part) {
    if (part.kind != "link") { return ""; }
    const LinkSpec link = link_spec(part);
    return fmt::format("\nper direction: {} after encoding, {} of payload in packets of {} behind {}\n",
                       shown_value(link.rate.bytes_per_second(), "B/s"), shown_value(goodput(link), "B/s"),
                       shown_size(static_cast<double>(link.framing.payload.count)),
                       shown_size(static_cast<double>(link.framing.header.count)));
}

std::string figure_table(const Part& part) {
    std::vector<std::array<std::string, 5>> lines = {{"figure", "value", "80 % interval", "origin", "source"}};
    for (const auto& [path, figure] : part.figures) {
        lines.push_back({path, shown_values(figure), shown_interval(figure), std::string(to_string(figure.origin)),
                         joined(figure.source)});
    }
    constexpr std::size_t widest = 44;  // a longer list of values overflows its column instead of widening it for all
    std::string out;
    std::array<std::size_t, 4> width{};
    for (std::size_t c = 0; c < width.size(); ++c) {
        for (const auto& line : lines) {
            width[c] = std::max(width[c], c == 1 ? std::min(line[c].size(), widest) : line[c].size());
        }
    }
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < width.size(); ++c) { out += fmt::format("  {:<{}}", line[c], width[c]); }
        out += "  " + line.back() + "\n";
    }
    return out;
}

}  // namespace

std::string shown_values(const Figure& figure) {
    return joined(names_of(figure.value, [&](double value) { return shown_value(value, figure.unit); }));
}

std::string catalog_list(const Catalog& catalog, std::string_view kind) {
    std::map<std::string, std::vector<const Part*>, std::less<>> kinds;
    std::size_t width = 0;
    for (const auto& [name, part] : catalog.parts) {
        kinds[part.kind].push_back(&part);
        width = std::max(width, name.size());
    }
    if (!kind.empty() && !kinds.contains(kind)) {
        const std::vector<std::string> names = keys_of(kinds);
        throw CatalogError(
            error_message("no such kind of part", shown(kind), joined(names), nearest_word(kind, names)));
    }
    std::string out;
    for (const auto& [name, parts] : kinds) {
        if (!kind.empty() && name != kind) { continue; }
        out += (out.empty() ? "" : "\n") + name + "\n";
        for (const Part* part : parts) { out += fmt::format("  {:<{}}  {}\n", part->name, width, part->note); }
    }
    return out;
}

std::string catalog_page(const Part& part) {
    std::string out = fmt::format("{} ({})\n{}", part.name, part.kind, part.note.empty() ? "" : part.note + "\n");
    std::size_t width = 0;
    for (const auto& [key, value] : part.text) { width = std::max(width, key.size()); }
    for (const auto& [key, value] : part.text) {
        const bool lines = value.find('\n') != std::string::npos;
        out += lines ? "\n" + value : fmt::format("  {:<{}}  {}\n", key, width, value);
    }
    if (!part.figures.empty()) { out += "\n" + figure_table(part); }
    return out + derived(part);
}

Json part_json(const Part& part) {
    Json json = {{"name", part.name},
                 {"kind", part.kind},
                 {"note", part.note},
                 {"words", part.text},
                 {"figures", Json::object()}};
    for (const auto& [name, figure] : part.figures) {
        json["figures"][name] = {{"value", figure.value.size() == 1 ? Json(figure.value.front()) : Json(figure.value)},
                                 {"low80", figure.low80},
                                 {"high80", figure.high80},
                                 {"unit", figure.unit},
                                 {"origin", to_string(figure.origin)},
                                 {"source", figure.source}};
    }
    return json;
}

Json parts_json(const Catalog& catalog, std::string_view kind) {
    Json list = Json::array();
    for (const auto& [name, part] : catalog.parts) {
        if (kind.empty() || part.kind == kind) { list.push_back(part_json(part)); }
    }
    return list;
}

}  // namespace fabricast::inline models
