#include "sim/scenario/catalog_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "models/link_part.hpp"
#include "sim/io/place.hpp"
#include "sim/io/units.hpp"
#include "sim/scenario/figure_reader.hpp"

namespace fabricast {

namespace {

std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.resize(std::max(width, out.size()), ' ');
    return out;
}

std::string plain(double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", value);
    return digits.data();
}

std::optional<Dimension> dimension_of(std::string_view unit) {
    for (int i = 0; i < static_cast<int>(Dimension::ratio); ++i) {
        const auto dimension = static_cast<Dimension>(i);
        if (base_unit(dimension) == unit) {
            return dimension;
        }
    }
    return std::nullopt;
}

std::string shown_value(double value, const std::string& unit) {
    if (unit.empty()) {
        return plain(value);
    }
    if (unit == "msg/s") {
        return plain(value / 1e6) + " Mmsg/s";
    }
    if (unit == "B" && value == static_cast<double>(static_cast<std::int64_t>(value))) {
        return text(Bytes{static_cast<std::int64_t>(value)});
    }
    const std::optional<Dimension> dimension = dimension_of(unit);
    if (!dimension) {
        return plain(value) + " " + unit;
    }
    return value == 0 ? "0 " + unit : text(value, *dimension);
}

std::string shown_interval(const Figure& figure) {
    if (figure.low80 == figure.value.front() && figure.high80 == figure.value.front()) {
        return "";
    }
    return shown_value(figure.low80, figure.unit) + " to " + shown_value(figure.high80, figure.unit);
}

// What the figures of a link amount to.
std::string derived(const Part& part) {
    if (part.kind != "link") {
        return "";
    }
    const LinkSpec link = link_spec(part);
    const auto gigabytes = [](double value) { return text(value, Dimension::rate); };
    return "\nper direction: " + gigabytes(link.rate.bytes_per_second()) + " after encoding, " +
           gigabytes(goodput(link)) + " of payload in packets of " + text(link.framing.payload) + " behind " +
           text(link.framing.header) + "\n";
}

std::string figure_table(const Part& part) {
    struct Line {
        std::string path, value, interval, origin, source;
    };
    std::vector<Line> lines = {{"figure", "value", "80 % interval", "origin", "source"}};
    for (const auto& [path, figure] : part.figures) {
        lines.push_back({path, shown_values(figure), shown_interval(figure), std::string(word(figure.origin)),
                         joined(figure.source)});
    }
    constexpr std::size_t widest = 44;  // a longer list runs over its column rather than push all others
    std::array<std::size_t, 4> width{};
    for (const Line& line : lines) {
        width[0] = std::max(width[0], line.path.size());
        width[1] = std::max(width[1], std::min(line.value.size(), widest));
        width[2] = std::max(width[2], line.interval.size());
        width[3] = std::max(width[3], line.origin.size());
    }
    std::string out;
    for (const Line& line : lines) {
        out += "  " + padded(line.path, width[0]) + "  " + padded(line.value, width[1]) + "  " +
               padded(line.interval, width[2]) + "  " + padded(line.origin, width[3]) + "  " + line.source + "\n";
    }
    return out;
}

}  // namespace

std::string shown_values(const Figure& figure) {
    std::vector<std::string> values;
    for (const double value : figure.value) {
        values.push_back(shown_value(value, figure.unit));
    }
    return joined(values);
}

std::string catalog_list(const Catalog& catalog, std::string_view kind) {
    std::map<std::string, std::vector<const Part*>, std::less<>> kinds;
    std::size_t width = 0;
    for (const auto& [name, part] : catalog.parts) {
        kinds[part.kind].push_back(&part);
        width = std::max(width, name.size());
    }
    if (!kind.empty() && !kinds.contains(kind)) {
        std::vector<std::string> names;
        for (const auto& [name, parts] : kinds) {
            names.push_back(name);
        }
        throw CatalogError(complaint("no such kind of part", shown(kind), joined(names), nearest_word(kind, names)));
    }
    std::string out;
    for (const auto& [name, parts] : kinds) {
        if (!kind.empty() && name != kind) {
            continue;
        }
        out += (out.empty() ? "" : "\n") + name + "\n";
        for (const Part* part : parts) {
            out += "  " + padded(part->name, width) + "  " + part->note + "\n";
        }
    }
    return out;
}

std::string catalog_page(const Part& part) {
    std::string out = part.name + " (" + part.kind + ")\n" + (part.note.empty() ? "" : part.note + "\n");
    std::size_t width = 0;
    for (const auto& [key, value] : part.text) {
        width = std::max(width, key.size());
    }
    for (const auto& [key, value] : part.text) {
        const bool lines = value.find('\n') != std::string::npos;
        out += lines ? "\n" + value : "  " + padded(key, width) + "  " + value + "\n";
    }
    if (!part.figures.empty()) {
        out += "\n" + figure_table(part);
    }
    return out + derived(part);
}

}  // namespace fabricast
