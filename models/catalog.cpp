#include "models/catalog.hpp"

#include <algorithm>
#include <cmath>

#include "base/nearest_word.hpp"
#include "models/figure_reads.hpp"

namespace fabricast {

const Figure& Part::figure(std::string_view path) const {
    FigureReads::note(kind, path);
    const auto found = figures.find(path);
    if (found == figures.end()) {
        throw CatalogError("part '" + name + "' has no figure '" + std::string(path) + "'");
    }
    return found->second;
}

double Part::number(std::string_view path) const { return figure(path).value.at(0); }

double Part::number_or(std::string_view path, double fallback) const {
    FigureReads::note(kind, path);
    const auto found = figures.find(path);
    return found == figures.end() ? fallback : found->second.value.at(0);
}

const std::vector<double>& Part::list(std::string_view path) const { return figure(path).value; }

double Part::number(std::string_view path, std::string_view unit) const {
    const Figure& found = figure(path);
    if (found.unit != unit) {
        const auto shown = [](std::string_view u) {
            return u.empty() ? std::string("no unit") : "'" + std::string(u) + "'";
        };
        throw CatalogError("part '" + name + "': '" + std::string(path) + "' is in " + shown(found.unit) + ", not in " +
                           shown(unit));
    }
    return found.value.at(0);
}

Duration Part::duration(std::string_view path) const { return from_seconds(number(path, "s")); }

Bytes Part::bytes(std::string_view path) const { return rounded_bytes(number(path, "B")); }

Rate Part::rate(std::string_view path) const {
    const std::int64_t whole = rounded_bytes(number(path, "B/s")).count;
    if (whole <= 0) {
        throw CatalogError("part '" + name + "': '" + std::string(path) + "' is not above zero");
    }
    return Rate::per_second(whole);
}

const std::string& Part::word(std::string_view path) const {
    FigureReads::note(kind, path);
    const auto found = text.find(path);
    if (found == text.end()) {
        throw CatalogError("part '" + name + "' has no '" + std::string(path) + "'");
    }
    return found->second;
}

std::string Part::word_or(std::string_view path, std::string_view fallback) const {
    FigureReads::note(kind, path);
    const auto found = text.find(path);
    return found == text.end() ? std::string(fallback) : found->second;
}

bool Part::has(std::string_view path) const {
    FigureReads::note(kind, path);
    return figures.contains(path) || text.contains(path);
}

const Part* Catalog::find(std::string_view name) const {
    const auto found = parts.find(name);
    return found == parts.end() ? nullptr : &found->second;
}

const Part& Catalog::at(std::string_view kind, std::string_view name) const {
    const Part* part = find(name);
    if (part != nullptr && part->kind == kind) {
        return *part;
    }
    std::vector<std::string> names;
    for (const Part* other : of_kind(kind)) {
        names.push_back(other->name);
    }
    const std::string near = nearest_word(name, names);
    std::string message = "no " + std::string(kind) + " '" + std::string(name) + "' in the catalogue";
    if (part != nullptr) {
        message += " (it is a " + part->kind + ")";
    }
    message += near.empty() ? "; see `fabricast catalog list`" : "; did you mean '" + near + "'?";
    throw CatalogError(message);
}

std::vector<const Part*> Catalog::of_kind(std::string_view kind) const {
    std::vector<const Part*> found;
    for (const auto& [name, part] : parts) {
        if (part.kind == kind) {
            found.push_back(&part);
        }
    }
    return found;
}

}  // namespace fabricast
