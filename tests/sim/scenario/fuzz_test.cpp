// Whatever a file holds, it is read or refused: nothing else is thrown, nothing crashes (CI runs this under
// sanitizers).

#include <cstdint>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

const std::string well_formed = R"(# A scenario that uses most of the grammar.
name: &n "well_formed"
cluster:
  node: dgx-h100
  nodes: 2
  fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2, oversubscription: 1.5, tiers: 2}
  options:
    peer_to_peer: false
workload: {kind: collective, collective: all_reduce, sizes: {from: 8 B, to: 1 GiB, factor: 2}, dtype: float32}
library:
  nccl: '2.27'
  env: {NCCL_ALGO: Ring, "NCCL_PROTO": *n}
scaling:
  nodes: [1, 2, 4]
  step: {compute: 120 ms, bytes: 2 GiB, overlap: 0.5}
assert:
  - "busbw(1 GiB) > 300 GB/s"
  - efficiency(4) >= 0.5
engine: flow
seed: 1
)";

// xorshift64*: the same cases on every machine.
struct Dice {
    std::uint64_t state;
    std::size_t below(std::size_t n) {
        state ^= state >> 12U;
        state ^= state << 25U;
        state ^= state >> 27U;
        return static_cast<std::size_t>((state * 0x2545F4914F6CDD1DULL) >> 33U) % n;
    }
};

// True when accepted, false when refused; anything but InputError escapes and fails the test.
bool accepted(const std::string& text, const Catalog& catalog) {
    try {
        build(parse_scenario(text, "fuzz.yaml"), catalog);
        return true;
    } catch (const InputError& error) {
        CHECK(error.place->line >= 1);
        CHECK(error.place->column >= 1);
        CHECK_FALSE(error.message.empty());
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return false;
    }
}

}  // namespace

TEST_CASE("every beginning of a scenario is read or refused") {
    const Catalog catalog = read_catalog();
    REQUIRE(accepted(well_formed, catalog));
    int refused = 0;
    for (std::size_t length = 0; length < well_formed.size(); ++length) {
        refused += accepted(well_formed.substr(0, length), catalog) ? 0 : 1;
    }
    CHECK(refused > 100);
}

TEST_CASE("a scenario with broken bytes is read or refused") {
    const Catalog catalog = read_catalog();
    Dice dice{2024};
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string text = well_formed;
        for (std::size_t flips = 1 + dice.below(4); flips > 0; --flips) {
            text[dice.below(text.size())] = static_cast<char>(dice.below(256));
        }
        refused += accepted(text, catalog) ? 0 : 1;
    }
    CHECK(refused > 100);
}

TEST_CASE("a scenario with pieces moved, doubled or left out is read or refused") {
    const Catalog catalog = read_catalog();
    Dice dice{7};
    static const std::string punctuation[] = {"{", "}",    "[",   "]",     ":",     "- ", "\n", "  ",      "\"",
                                              "'", "&a ",  "*a ", "#",     "|\n",   ">",  "? ", "!",       "%",
                                              "@", "<<: ", "~",   "---\n", "...\n", "\t", "-1", "1e999 B", "nan"};
    for (int i = 0; i < 400; ++i) {
        std::string text = well_formed;
        const std::size_t at = dice.below(text.size());
        const std::size_t length = dice.below(20);
        switch (dice.below(3)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(dice.below(text.size()), text.substr(at, length)); break;
            default: text.insert(at, punctuation[dice.below(std::size(punctuation))]);
        }
        accepted(text, catalog);
    }
}
