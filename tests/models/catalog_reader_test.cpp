// Reading parts and overlays: what is inherited, and what is refused with its place and the nearest name.

#include "models/catalog_reader.hpp"

#include <filesystem>
#include <fstream>
#include <random>

#include "base/text_file.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"
#include "topologies/catalog_folder.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast {
namespace {

Catalog parse(std::string_view text) {
    Catalog catalog;
    add_parts(catalog, {yaml::parse(text, "parts.yaml")});
    return catalog;
}

// The message of the mistake in this text.
std::string mistake(std::string_view text) {
    try {
        parse(text);
    } catch (const InputError& error) { return error.what(); }
    return "accepted";
}

std::string overlay_mistake(std::string_view text) {
    Catalog catalog = testing::catalog();
    try {
        merge_overlay(catalog, yaml::parse(text, "overlay.yaml"));
    } catch (const InputError& error) { return error.what(); }
    return "accepted";
}

TEST_CASE("a part's figures are read in base units with their interval, origin and source") {
    const Catalog catalog = parse(R"(
my-nic:
  kind: nic
  note: A card.
  speaks: ethernet
  origin: vendor
  source: [datasheet, a letter]
  figures:
    port_rate: 400 Gb/s
    latency.transmit: {value: 1.5 us, low80: 1 us, high80: 2 us, origin: measured, source: our lab}
    pci.lane: [0.5 GB/s, 1 GB/s]
    ports: 2
    share: 80 %
    price: 1900 USD
    message_rate: 350 Mmsg/s
)");
    const Part& nic = catalog.at("nic", "my-nic");
    CHECK(nic.word("speaks") == "ethernet");
    CHECK(nic.number("port_rate", "B/s") == 50e9);
    CHECK(nic.figure("port_rate").origin == Origin::vendor);
    CHECK(nic.figure("port_rate").source == std::vector<std::string>{"datasheet", "a letter"});
    const Figure& latency = nic.figure("latency.transmit");
    CHECK(latency.value == std::vector<double>{1.5e-6});
    CHECK(latency.low80 == 1e-6);
    CHECK(latency.high80 == 2e-6);
    CHECK(latency.origin == Origin::measured);
    CHECK(nic.list("pci.lane") == std::vector<double>{0.5e9, 1e9});
    CHECK(nic.number("ports", "") == 2);
    CHECK(nic.number("share", "") == Approx(0.8));
    CHECK(nic.number("price", "USD") == 1900);
    CHECK(nic.number("message_rate", "msg/s") == 350e6);
}

TEST_CASE("a part inherits kind, words and figures, whatever the order they are written in") {
    const Catalog catalog = parse(R"(
heir: {base: elder, note: Faster., figures: {rate: 2 GB/s}}
elder:
  kind: link
  family: other
  origin: spec
  source: a standard
  figures: {rate: 1 GB/s, latency: 1 us}
)");
    const Part& heir = catalog.at("link", "heir");
    CHECK(heir.word("family") == "other");
    CHECK(heir.number("rate", "B/s") == 2e9);
    CHECK(heir.duration("latency") == microseconds(1));
    CHECK(heir.figure("rate").source.front() == "a standard");  // its base's default
}

TEST_CASE("a device says which figures are another device's, and of one that is announced they are guesses") {
    const Catalog catalog = parse(R"(
elder: {kind: nic, origin: vendor, source: a datasheet, figures: {port_rate: 50 GB/s, power.typical: 25 W}}
heir: {base: elder, source: its own page, figures: {port_rate: 100 GB/s}}
grandchild: {base: heir, origin: announced, source: a keynote, figures: {port_rate: 200 GB/s}}
)");
    CHECK(catalog.at("nic", "heir").figure("power.typical").source.front() == "as elder: a datasheet");
    CHECK(catalog.at("nic", "heir").figure("power.typical").origin == Origin::vendor);
    CHECK(catalog.at("nic", "heir").figure("port_rate").source.front() == "its own page");
    CHECK(catalog.at("nic", "grandchild").figure("power.typical").source.front() == "as elder: a datasheet");
    CHECK(catalog.at("nic", "grandchild").figure("power.typical").origin == Origin::estimated);
    CHECK(catalog.at("nic", "grandchild").figure("port_rate").origin == Origin::announced);
}

TEST_CASE("mistakes in a part are refused at their place") {
    CHECK_THAT(mistake("a: {kind: nic, figures: {x: 4}}"),
               ContainsSubstring("parts.yaml:1:") && ContainsSubstring("needs an origin and a source"));
    CHECK_THAT(mistake("a: {figures: {}}"), ContainsSubstring("needs a kind"));
    CHECK_THAT(mistake("a: {base: b}\nb: {base: a}"), ContainsSubstring("inherits from itself"));
    CHECK_THAT(mistake("elder: {kind: nic}\nheir: {base: eldr}"),
               ContainsSubstring("parts.yaml:2:14") && ContainsSubstring("'elder'"));
    CHECK_THAT(mistake("a: {kind: nic}\na: {kind: gpu}"), ContainsSubstring("parts.yaml:2:1"));
    CHECK_THAT(mistake("A part: {kind: nic}"), ContainsSubstring("kebab-case"));
    CHECK_THAT(mistake("a: {kind: nic, origin: vendr, source: s, figures: {x: 4}}"), ContainsSubstring("'vendor'"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: 4 parsecs}}"),
               ContainsSubstring("parts.yaml:1:"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: [1 us, 2 B]}}"),
               ContainsSubstring("share a dimension"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: []}}"),
               ContainsSubstring("at least one value"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: {value: 4 us, low80: 5 us}}}"),
               ContainsSubstring("must hold its value"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: {value: 4 us, low80: 5 B}}}"),
               ContainsSubstring("in the unit of the value"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: {valu: 4 us}}}"),
               ContainsSubstring("'value'"));
    CHECK_THAT(mistake("a: {kind: nic, origin: spec, source: s, figures: {x: nan}}"),
               ContainsSubstring("parts.yaml:1:"));
    CHECK_THAT(mistake("- a\n- b"), ContainsSubstring("parts.yaml:1:1"));
}

TEST_CASE("a wire that carries less than it is given is refused, in a part and in an overlay") {
    const std::string part = "k:\n  kind: kernel\n  origin: fitted\n  source: x\n  figures:\n    ";
    for (const char* wire : {"wire: 0.99", "p2p.wire: 0.99", "p2p_wire: 0.99", "nvls_tree.wire_inside: 0.99",
                             "ll.wire: {value: 1.1, low80: 0.98, high80: 1.2}"}) {
        INFO(wire);
        CHECK_THAT(mistake(part + wire + "\n"), ContainsSubstring("parts.yaml:6") && ContainsSubstring("1 or more"));
    }
    CHECK(mistake(part + "p2p.wire: 1\n") == "accepted");
    CHECK_THAT(overlay_mistake("nccl-ampere-pcie:\n  origin: fitted\n  source: x\n  figures: {simple.wire: 0.92}\n"),
               ContainsSubstring("1 or more"));
}

TEST_CASE("an overlay replaces figures and nothing else") {
    Catalog catalog = testing::catalog();
    merge_overlay(catalog, yaml::parse(R"(
connectx-7:
  figures:
    latency.transmit: {value: 500 ns, low80: 480 ns, high80: 520 ns, origin: fitted, source: [our-cluster]}
)",
                                       "overlay.yaml"));
    const Part& nic = catalog.at("nic", "connectx-7");
    CHECK(nic.duration("latency.transmit") == nanoseconds(500));
    CHECK(nic.figure("latency.transmit").origin == Origin::fitted);
    CHECK(nic.duration("latency.receive") == testing::part("nic", "connectx-7").duration("latency.receive"));
    // An heir of the part keeps its own copy: overlays name what they mean.
    CHECK(catalog.at("nic", "bluefield-3").duration("latency.transmit") == nanoseconds(425));
}

TEST_CASE("mistakes in an overlay are refused at their place with the nearest name") {
    CHECK_THAT(overlay_mistake("conectx-7: {figures: {}}"),
               ContainsSubstring("overlay.yaml:1:1") && ContainsSubstring("'connectx-7'"));
    CHECK_THAT(
        overlay_mistake("connectx-7:\n  figures:\n    latency.transmt: {value: 1 us, origin: fitted, source: x}"),
        ContainsSubstring("overlay.yaml:3:5") && ContainsSubstring("'latency.transmit'"));
    CHECK_THAT(overlay_mistake("connectx-7: {origin: fitted, source: x, figures: {latency.transmit: 4}}"),
               ContainsSubstring("in 's'"));
    CHECK_THAT(overlay_mistake("connectx-7: {origin: fitted, source: x, figures: {latency.transmit: [1 us, 2 us]}}"),
               ContainsSubstring("is 1 value"));
    CHECK_THAT(overlay_mistake("connectx-7: {kind: gpu, figures: {}}"), ContainsSubstring("'kind'"));
    CHECK_THAT(overlay_mistake("connectx-7: {figures: {latency.transmit: 1 us}}"),
               ContainsSubstring("needs an origin"));
}

TEST_CASE("a refused overlay leaves the catalogue as it was") {
    Catalog catalog = testing::catalog();
    CHECK_THROWS_AS(
        merge_overlay(
            catalog,
            yaml::parse(
                "connectx-7: {origin: fitted, source: x, figures: {latency.receive: 1 us}}\nnothing: {figures: {}}",
                "overlay.yaml")),
        InputError);
    CHECK(catalog.at("nic", "connectx-7").duration("latency.receive") == nanoseconds(250));
}

TEST_CASE("a user's folder adds parts, which may inherit from the catalogue but not replace it") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("fabricast-parts-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder);
    const auto write = [&](const char* text) { std::ofstream(folder / "mine.yaml") << text; };
    write(
        "ndr-half: {base: infiniband-ndr, note: Two lanes., origin: spec, source: a datasheet, figures: {lanes: 2}}\n");
    CHECK(link_spec(read_catalog(folder).at("link", "ndr-half")).rate == Rate::megabits(200'000));
    write("infiniband-ndr: {kind: link}\n");
    CHECK_THROWS_WITH(read_catalog(folder), ContainsSubstring("is in the catalogue already"));
    std::filesystem::remove_all(folder);
    CHECK_THROWS_AS(read_catalog(folder), IoError);
}

TEST_CASE("a misspelt figure, word or kind in a user's folder is refused with the nearest") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("fabricast-names-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder);
    const auto refusal = [&](const char* text) -> std::string {
        std::ofstream(folder / "mine.yaml") << text;
        try {
            read_catalog(folder);
        } catch (const InputError& error) { return error.what(); }
        return "accepted";
    };
    CHECK_THAT(refusal("my-h20: {base: h100-sxm, origin: vendor, source: s, figures: {memory_bandwidth: 4 TB/s}}\n"),
               ContainsSubstring("mine.yaml:1:") && ContainsSubstring("'memory_bandwidth'") &&
                   ContainsSubstring("'memory.bandwidth'"));
    CHECK_THAT(refusal("mine: {base: connectx-7, speeks: infiniband}\n"), ContainsSubstring("'speaks'"));
    CHECK_THAT(refusal("mine: {kind: nicc}\n"), ContainsSubstring("'nic'"));
    CHECK_THAT(refusal("mine: {kind: node, gpu: h100-sxm}\n"), ContainsSubstring("topologies/nodes"));
    CHECK(refusal("my-h20: {base: h100-sxm, origin: vendor, source: s, figures: {memory.bandwidth: 4 TB/s}}\n") ==
          "accepted");
    std::filesystem::remove_all(folder);
}

TEST_CASE("a node of the user's own, written like topologies/nodes, is read from the folder and may use its parts") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("fabricast-nodes-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder);
    const auto write = [&](const char* file, const std::string& text) { std::ofstream(folder / file) << text; };
    const std::string node =
        "gpu: my-h20\ngpus: 4\ncpu: epyc-genoa\nnic: connectx-7\nnics: 1\nport: infiniband-ndr\ndevices:\n"
        "  - {name: cpu0}\ncables:\n  - {from: gpu0-3, to: cpu0, link: pcie-gen5-x16}\n"
        "  - {from: nic0, to: cpu0, link: pcie-gen5-x16}\n";
    write("zz-gpu.yaml", "my-h20: {base: h100-sxm, note: Ours.}\n");
    write("box.yaml", "name: my-box\nnote: Ours.\n" + node);
    const NodeTemplate box = node_template("my-box", read_catalog(folder));
    CHECK(box.gpus == 4);
    CHECK(box.gpu.name == "my-h20");
    CHECK(box.nics == 1);
    write("box.yaml", "name: dgx-h100\n" + node);
    CHECK_THROWS_WITH(read_catalog(folder), ContainsSubstring("is in the catalogue already"));
    write("box.yaml", "name: my-box\ngpuss: 4\n" + node);
    CHECK_THROWS_WITH(read_catalog(folder), ContainsSubstring("box.yaml:2:") && ContainsSubstring("'gpus'"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fabricast
