#pragma once
// The catalogue: every figure of every part, stated once, with its source. A part is a flat table of figures under
// dotted names ("simple.hop"); pure functions (link_spec, gpu_spec, ...) build typed views from it. catalog_reader.hpp
// reads parts from YAML, and overlays that replace figures by the same dotted names.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_name.hpp"
#include "base/error.hpp"
#include "base/units.hpp"

namespace fabricast::inline models {

// stated: by a scenario, of its user's own parts.
enum class Origin : std::uint8_t { spec, vendor, measured, fitted, estimated, announced, stated };
inline constexpr std::array<std::string_view, 7> origin_names = {"spec",      "vendor",    "measured", "fitted",
                                                                 "estimated", "announced", "stated"};
inline std::string_view to_string(Origin origin) { return enum_name(origin_names, origin); }

// One figure (or a short list of them) in SI base units: bytes, seconds, bytes per second, FLOP/s, watts or none.
struct Figure {
    std::vector<double> value;  // usually one
    std::string unit;           // "B", "s", "B/s", "FLOP/s", "W", "" ...
    double low80 = 0;           // 80 % interval of the first value; both equal to it if no interval is known
    double high80 = 0;
    Origin origin = Origin::estimated;
    std::vector<std::string> source;  // document and section, or the datasets that a figure was fitted to
};

// "no unit", or the unit in quotes.
std::string shown_unit(std::string_view unit);

// The user named a part or a figure that the catalogue does not have.
struct CatalogError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

struct Part {
    std::string name;  // kebab-case, unique in the catalogue
    std::string kind;  // link, gpu, nic, switch, nvswitch, cpu, cable, library, kernel, transport, node
    std::string note;
    std::map<std::string, std::string, std::less<>> text;  // words: "family: infiniband"
    std::map<std::string, Figure, std::less<>> figures;

    // Each throws CatalogError, naming the part and the figure, if the figure is missing.
    const Figure& figure(std::string_view path) const;
    double number(std::string_view path) const;
    double number_or(std::string_view path, double fallback) const;
    const std::vector<double>& list(std::string_view path) const;
    // The same with a check of the unit: throws CatalogError if, for example, a part gives its latency in bytes.
    double number(std::string_view path, std::string_view unit) const;
    Duration duration(std::string_view path) const;
    Bytes bytes(std::string_view path) const;
    Rate rate(std::string_view path) const;  // rounded to whole bytes per second; above zero
    int whole(std::string_view path) const;  // a count, rounded; below 10^9 and without a unit
    const std::string& word(std::string_view path) const;
    std::string word_or(std::string_view path, std::string_view fallback) const;
    bool has(std::string_view path) const;
};

// Kinds whose parts are tables: each word that a site's files may state, and the part that it means.
inline constexpr std::array<std::string_view, 5> name_tables = {"gpu-names", "pci-ids", "infiniband-ids",
                                                                "cpu-families", "usual-parts"};

// Throws CatalogError if the part is of another kind.
void expect_kind(const Part& part, std::string_view kind);

struct Catalog {
    std::map<std::string, Part, std::less<>> parts;

    // Throws CatalogError, naming the nearest part of that kind.
    const Part& at(std::string_view kind, std::string_view name) const;
    const Part* find(std::string_view name) const;
    std::vector<const Part*> of_kind(std::string_view kind) const;
};

// While an instance exists, it records every read from a part by its thread, by kind of part and name of the figure,
// also of absent ones: a test uses it to find figures that nothing reads. At most one instance per thread.
class FigureReads {
public:
    FigureReads();
    ~FigureReads();
    FigureReads(const FigureReads&) = delete;
    FigureReads& operator=(const FigureReads&) = delete;
    bool contains(const std::string& kind, const std::string& name) const { return seen_.contains({kind, name}); }
    static void note(const std::string& kind, std::string_view name);

private:
    std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace fabricast::inline models
