// Whatever bytes a catalogue or overlay file holds, the reader answers with parts or with a place.

#include <cstdint>
#include <string>

#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/xorshift.hpp"

namespace fabricast {
namespace {

constexpr std::string_view seed_text = R"(my-nic:
  base: connectx-7
  note: "A card: ours."
  origin: measured
  source: [our lab, a letter]
  figures:
    latency.transmit: {value: 610 ns, low80: 590 ns, high80: 640 ns}
    port_rate: [200 Gb/s, 25 GB/s]
    share: 80 %
my-link: &l {kind: link, family: other, origin: spec, source: s, figures: {rate: 1 GB/s, lanes: 4}}
)";

// One to four edits: a byte changed, a stretch removed, doubled, or a token put in.
std::string mutated(testing::Xorshift& random) {
    static const std::string tokens[] = {"{",  "}", "[",     "]",   ": ", "\n", "  ",     "&a ",  "*l",
                                         "*a", "-", "1e309", "nan", "\"", "%",  "<<: *l", "null", "\t"};
    std::string text(seed_text);
    for (std::size_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
        const std::size_t at = random.below(text.size());
        switch (random.below(4)) {
            case 0: text[at] = static_cast<char>(random.below(256)); break;
            case 1: text.erase(at, 1 + random.below(12)); break;
            case 2: text.insert(at, text.substr(at, 1 + random.below(40))); break;
            default: text.insert(at, tokens[random.below(std::size(tokens))]);
        }
    }
    return text;
}

TEST_CASE("mutated catalogue files are read or refused with a place, never more") {
    testing::Xorshift random{0x9e3779b97f4a7c15ULL};
    int read = 0;
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::string text = mutated(random);
        try {
            Catalog catalog;
            catalog.parts["connectx-7"] = testing::part("nic", "connectx-7");
            add_parts(catalog, {yaml::parse(text, "fuzz.yaml")});
            ++read;
            for (const auto& [name, part] : catalog.parts) {  // what was read is whole
                for (const auto& [path, figure] : part.figures) {
                    REQUIRE(!figure.value.empty());
                    REQUIRE(!figure.source.empty());
                }
            }
        } catch (const InputError& error) {
            ++refused;
            REQUIRE(std::string(error.what()).starts_with("fuzz.yaml:"));
            REQUIRE(error.place->line >= 1);
            REQUIRE(error.place->column >= 1);
        }
    }
    CHECK(read > 60);
    CHECK(refused > 500);
}

TEST_CASE("mutated overlays leave the catalogue whole or untouched") {
    testing::Xorshift random{0x9e3779b97f4a7c15ULL};
    Catalog catalog;
    catalog.parts["my-nic"] = testing::part("nic", "connectx-7");
    for (int i = 0; i < 1000; ++i) {
        Catalog laid_over = catalog;
        try {
            merge_overlay(laid_over, yaml::parse(mutated(random), "fuzz.yaml"));
        } catch (const InputError& error) {
            REQUIRE(std::string(error.what()).starts_with("fuzz.yaml:"));
            REQUIRE(laid_over.at("nic", "my-nic").duration("latency.transmit") == nanoseconds(425));
        }
    }
}

}  // namespace
}  // namespace fabricast
