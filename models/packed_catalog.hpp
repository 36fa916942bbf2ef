#pragma once
// The catalogue as constant tables that a build step writes (pack_catalog.cpp), because parsing its YAML takes longer
// than most forecasts. `read_catalog` turns them into a Catalog.

#include <cstdint>
#include <span>
#include <string_view>

namespace fabricast::inline models::packed {

struct Word {
    std::string_view key;
    std::string_view text;
};

struct Figure {
    std::string_view path;
    std::string_view unit;
    double low80 = 0;
    double high80 = 0;
    std::uint8_t origin = 0;
    std::span<const double> values;
    std::span<const std::string_view> sources;
};

struct Part {
    std::string_view name;
    std::string_view kind;
    std::string_view note;
    std::span<const Word> words;
    std::span<const Figure> figures;
};

std::span<const Part> catalog();  // sorted by name

}  // namespace fabricast::inline models::packed
