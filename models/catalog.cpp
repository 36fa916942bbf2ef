#include "models/catalog.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "base/text.hpp"

namespace fabricast::inline models {

std::string shown_unit(std::string_view unit) { return unit.empty() ? "no unit" : fmt::format("'{}'", unit); }

const Figure& Part::figure(std::string_view path) const {
    FigureReads::note(kind, path);
    const auto found = figures.find(path);
    if (found == figures.end()) { throw CatalogError("part '{}' has no figure '{}'", name, path); }
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
        throw CatalogError("part '{}': '{}' is in {}, not in {}", name, path, shown_unit(found.unit), shown_unit(unit));
    }
    return found.value.at(0);
}

Duration Part::duration(std::string_view path) const { return from_seconds(number(path, "s")); }

Bytes Part::bytes(std::string_view path) const { return rounded_bytes(number(path, "B")); }

Rate Part::rate(std::string_view path) const {
    const std::int64_t whole = rounded_bytes(number(path, "B/s")).count;
    if (whole <= 0) { throw CatalogError("part '{}': '{}' is not above zero", name, path); }
    return Rate::per_second(whole);
}

int Part::whole(std::string_view path) const {
    const double value = number(path, "");
    if (!(std::abs(value) < 1e9)) {
        throw CatalogError("part '{}': '{}' is not a count (accepted: below 10^9)", name, path);
    }
    return static_cast<int>(std::lround(value));
}

const std::string& Part::word(std::string_view path) const {
    FigureReads::note(kind, path);
    const auto found = text.find(path);
    if (found == text.end()) { throw CatalogError("part '{}' has no '{}'", name, path); }
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

void expect_kind(const Part& part, std::string_view kind) {
    if (part.kind != kind) {
        throw CatalogError("part '{}' is a {}, not a{} {}", part.name, part.kind, kind == "nvswitch" ? "n" : "", kind);
    }
}

const Part* Catalog::find(std::string_view name) const {
    const auto found = parts.find(name);
    return found == parts.end() ? nullptr : &found->second;
}

const Part& Catalog::at(std::string_view kind, std::string_view name) const {
    const Part* part = find(name);
    if (part != nullptr && part->kind == kind) { return *part; }
    throw CatalogError("no {} '{}' in the catalogue{}{}", kind, name,
                       part == nullptr ? "" : fmt::format(" (it is a {})", part->kind),
                       did_you_mean(name, names_of(of_kind(kind), &Part::name), "; see `fabricast catalog list`"));
}

std::vector<const Part*> Catalog::of_kind(std::string_view kind) const {
    std::vector<const Part*> found;
    for (const auto& [name, part] : parts) {
        if (part.kind == kind) { found.push_back(&part); }
    }
    return found;
}

namespace {
thread_local FigureReads* reads = nullptr;
}  // namespace

FigureReads::FigureReads() {
    assert(reads == nullptr);
    reads = this;
}

FigureReads::~FigureReads() { reads = nullptr; }

void FigureReads::note(const std::string& kind, std::string_view name) {
    if (reads != nullptr) { reads->seen_.emplace(kind, name); }
}

}  // namespace fabricast::inline models
