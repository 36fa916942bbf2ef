// The catalogue's own files: they load, they are what the program carries, and every figure says where it comes from.

#include <filesystem>
#include <set>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

Catalog from_yaml() {
    std::vector<std::string> names, contents;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICAST_SOURCE_DIR "/models/catalog")) {
        names.push_back(entry.path().string());
        contents.push_back(read_text(entry.path(), yaml::max_file_bytes));
    }
    std::vector<yaml::Node> files;
    for (std::size_t i = 0; i < names.size(); ++i) { files.push_back(yaml::parse(contents[i], names[i])); }
    Catalog catalog;
    add_parts(catalog, files);
    return catalog;
}

TEST_CASE("the program carries exactly what the catalogue's files say") {
    const Catalog files = from_yaml();
    const Catalog& packed = testing::catalog();
    REQUIRE(packed.parts.size() == files.parts.size());
    for (const auto& [name, part] : files.parts) {
        const Part* same = packed.find(name);
        REQUIRE(same != nullptr);
        INFO(name);
        CHECK(same->name == part.name);
        CHECK(same->kind == part.kind);
        CHECK(same->note == part.note);
        CHECK(same->text == part.text);
        REQUIRE(same->figures.size() == part.figures.size());
        for (const auto& [path, figure] : part.figures) {
            const Figure& copy = same->figure(path);
            const bool equal = copy.value == figure.value && copy.unit == figure.unit && copy.low80 == figure.low80 &&
                               copy.high80 == figure.high80 && copy.origin == figure.origin &&
                               copy.source == figure.source;
            INFO(path);
            CHECK(equal);
        }
    }
}

TEST_CASE("every figure has an origin, a source and an interval that holds it; every device a note") {
    for (const auto& [name, part] : testing::catalog().parts) {
        INFO(name);
        const bool fitted = part.kind == "kernel" || part.kind == "transport" || part.kind == "launch";
        CHECK((fitted || !part.note.empty()));  // fitted parts are written by a program
        const bool names = part.kind == "site" || std::ranges::find(name_tables, part.kind) != name_tables.end();
        CHECK(names == part.figures.empty());  // a site only names its datasets, a table the parts
        for (const auto& [path, figure] : part.figures) {
            INFO(path);
            REQUIRE(!figure.value.empty());
            REQUIRE(!figure.source.empty());
            CHECK(figure.source.front().size() > 3);
            CHECK(figure.low80 <= figure.value.front());
            CHECK(figure.high80 >= figure.value.front());
        }
    }
}

TEST_CASE("tables of names name parts that the catalogue has") {
    for (const std::string_view kind : name_tables) {
        INFO(kind);
        REQUIRE_FALSE(testing::catalog().of_kind(kind).empty());
        for (const Part* table : testing::catalog().of_kind(kind)) {
            for (const auto& [word, part] : table->text) {
                INFO(word << " means " << part);
                CHECK(testing::catalog().find(part) != nullptr);
            }
        }
    }
}

TEST_CASE("every part of a known kind gives its spec") {
    const Catalog& catalog = testing::catalog();
    for (const auto& [name, part] : catalog.parts) {
        INFO(name);
        if (part.kind == "link") {
            CHECK_NOTHROW(link_spec(part));
        } else if (part.kind == "gpu") {
            CHECK_NOTHROW(gpu_spec(part));
        } else if (part.kind == "nic") {
            CHECK_NOTHROW(nic_spec(part));
        } else if (part.kind == "switch") {
            CHECK_NOTHROW(switch_spec(part));
        } else if (part.kind == "nvswitch") {
            CHECK_NOTHROW(nvswitch_spec(part));
        } else if (part.kind == "cpu") {
            CHECK_NOTHROW(cpu_spec(part));
        } else if (part.kind == "cable") {
            CHECK_NOTHROW(cable_latency(part, 1));
        }
    }
}

TEST_CASE("parts that name other parts name existing ones") {
    const Catalog& catalog = testing::catalog();
    for (const auto& [name, part] : catalog.parts) {
        INFO(name);
        for (const char* key : {"nvlink", "host_link", "port", "link", "socket_link"}) {
            if (const std::string link = part.word_or(key, ""); !link.empty()) {
                INFO(key << ": " << link);
                CHECK(catalog.find(link) != nullptr);
                CHECK(catalog.at("link", link).kind == "link");
            }
        }
    }
}

TEST_CASE("the parts that scenarios may name by contract exist") {
    const Catalog& catalog = testing::catalog();
    for (const char* link :
         {"infiniband-edr", "infiniband-hdr", "infiniband-hdr100", "infiniband-ndr", "infiniband-ndr200",
          "infiniband-xdr", "ethernet-25g", "ethernet-400g", "ethernet-800g", "slingshot-11", "efa-v2", "nvlink-1",
          "nvlink-5", "nvlink-c2c", "pcie-gen1", "pcie-gen7", "pcie-gen4-x8"}) {
        CHECK_NOTHROW(catalog.at("link", link));
    }
    for (const char* device :
         {"quantum", "quantum-2", "quantum-x800", "spectrum-4", "tomahawk-5", "rosetta", "connectx-5", "connectx-8",
          "cassini", "p100-sxm", "gb200", "l40s", "rtx-4090", "nvswitch-4", "nccl-2.30"}) {
        CHECK(catalog.find(device) != nullptr);
    }
}

}  // namespace
}  // namespace fabricast
