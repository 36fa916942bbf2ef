#include "models/embedded_catalog.hpp"

#include "models/packed_catalog.hpp"

namespace fabricast::inline models {

Catalog read_catalog() {
    Catalog catalog;
    for (const packed::Part& packed : packed::catalog()) {
        Part part;
        part.name = packed.name;
        part.kind = packed.kind;
        part.note = packed.note;
        for (const packed::Word& word : packed.words) { part.text.emplace_hint(part.text.end(), word.key, word.text); }
        for (const packed::Figure& figure : packed.figures) {
            part.figures.emplace_hint(part.figures.end(), figure.path,
                                      Figure{.value = {figure.values.begin(), figure.values.end()},
                                             .unit = std::string(figure.unit),
                                             .low80 = figure.low80,
                                             .high80 = figure.high80,
                                             .origin = static_cast<Origin>(figure.origin),
                                             .source = {figure.sources.begin(), figure.sources.end()}});
        }
        catalog.parts.emplace_hint(catalog.parts.end(), packed.name, std::move(part));
    }
    return catalog;
}

}  // namespace fabricast::inline models
