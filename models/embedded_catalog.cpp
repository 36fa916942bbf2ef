#include "models/embedded_catalog.hpp"

#include <vector>

#include "models/packed_catalog.hpp"

namespace fabricast::inline models {

namespace {

// Takes the next `count` rows off a table.
template <class T> std::span<const T> take(std::span<const T>& table, std::size_t count) {
    const std::span<const T> taken = table.first(count);
    table = table.subspan(count);
    return taken;
}

Figure unpack(const packed::Figure& packed, packed::Tables& tables) {
    const auto values = take(tables.values, packed.values);
    const auto sources = take(tables.sources, packed.sources);
    return {.value = {values.begin(), values.end()},
            .unit = std::string(packed.unit),
            .low80 = packed.low80,
            .high80 = packed.high80,
            .origin = static_cast<Origin>(packed.origin),
            .source = {sources.begin(), sources.end()}};
}

}  // namespace

Catalog read_catalog() {
    packed::Tables tables = packed::catalog();
    Catalog catalog;
    for (const packed::Part& packed : tables.parts) {
        Part part;
        part.name = packed.name;
        part.kind = packed.kind;
        part.note = packed.note;
        for (const packed::Word& word : take(tables.words, packed.words)) {
            part.text.emplace_hint(part.text.end(), word.key, word.text);
        }
        for (const packed::Figure& figure : take(tables.figures, packed.figures)) {
            part.figures.emplace_hint(part.figures.end(), figure.path, unpack(figure, tables));
        }
        catalog.parts.emplace_hint(catalog.parts.end(), packed.name, std::move(part));
    }
    return catalog;
}

}  // namespace fabricast::inline models
