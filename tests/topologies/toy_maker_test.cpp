// A GPU of another maker, its links and a box of them are files in a user's folder: those of docs/catalogue.md, word
// for word.

#include <filesystem>
#include <fstream>

#include "base/text_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "topologies/catalog_folder.hpp"

namespace fabricast {
namespace {

// The block of YAML in the page that begins with these words.
std::string block_of(const std::string& page, const std::string& begin) {
    const std::size_t start = page.find("```yaml\n" + begin);
    REQUIRE(start != std::string::npos);
    const std::size_t from = start + 8;
    return page.substr(from, page.find("```", from) - from);
}

TEST_CASE("a made-up GPU, link family and box from a folder run, with what stands in for them said") {
    const std::string page = read_text(testing::root / "docs/catalogue.md", 1 << 20);
    const auto folder = std::filesystem::temp_directory_path() / "fabricast_toy_maker_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "zebra.yaml") << block_of(page, "zebra-link:");
    std::ofstream(folder / "names.yaml") << block_of(page, "my-names:");
    std::ofstream(folder / "my-8x-zebra.yaml") << block_of(page, "name: my-8x-zebra");
    const Catalog catalog = read_catalog(folder);
    std::filesystem::remove_all(folder);
    CHECK(catalog.at("gpu-names", "my-names").word("Zebra 9") == "zebra-9");
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: my-8x-zebra, nodes: 2}\n"
        "workload: {kind: collective, collective: all_reduce, sizes: [64 KiB, 256 MiB]}\n",
        "t.yaml");
    const Report report = simulate(scenario, catalog);
    REQUIRE(report.rows.size() == 2);
    for (const Row& row : report.rows) {
        CHECK(row.time_s > 1e-6);
        CHECK(row.time_s < 1);
        CHECK(row.time_low80_s < row.time_s);
        CHECK(row.time_high80_s > row.time_s);
        CHECK(row.evidence >= Evidence::same_family);
    }
}

TEST_CASE("a table of names that means no part is refused at its line") {
    const auto folder = std::filesystem::temp_directory_path() / "fabricast_toy_names_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "names.yaml") << "mine:\n  kind: pci-ids\n  note: ours\n  \"10de:ffff\": h100-sxmm\n";
    CHECK_THROWS_WITH(read_catalog(folder), Catch::Contains("names.yaml:4:") && Catch::Contains("h100-sxm"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fabricast
