// What `fabricast catalog` prints.

#include "models/catalog_text.hpp"

#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

TEST_CASE("a page names each figure with its value, interval, origin and source") {
    const std::string page = catalog_page(testing::part("nic", "connectx-7"));
    CHECK_THAT(page, ContainsSubstring("connectx-7 (nic)\nNDR and 400GbE.\n"));
    CHECK_THAT(page, ContainsSubstring("port_rate") && ContainsSubstring("50 GB/s"));
    CHECK_THAT(page, ContainsSubstring("25 W") && ContainsSubstring("20 W to 26 W"));
    CHECK_THAT(page, ContainsSubstring("vendor") && ContainsSubstring("NVIDIA ConnectX-7 product brief"));
    CHECK_THAT(page, ContainsSubstring("425 ns") && ContainsSubstring("estimated"));
}

TEST_CASE("a link's page says what it carries") {
    CHECK_THAT(catalog_page(testing::part("link", "infiniband-ndr")),
               ContainsSubstring(
                   "per direction: 50 GB/s after encoding, 49.4362 GB/s of payload in packets of 4 KiB behind 26 B"));
}

TEST_CASE("every part has a page, with a line for each of its figures") {
    for (const auto& [name, part] : testing::catalog().parts) {
        INFO(name);
        const std::string page = catalog_page(part);
        for (const auto& [path, figure] : part.figures) { CHECK_THAT(page, ContainsSubstring("  " + path + "  ")); }
    }
}

TEST_CASE("the list is of one kind or of all") {
    const std::string all = catalog_list(testing::catalog());
    CHECK_THAT(all, ContainsSubstring("\ngpu\n") && ContainsSubstring("\nlink\n") && ContainsSubstring("h100-sxm"));
    const std::string gpus = catalog_list(testing::catalog(), "gpu");
    CHECK(gpus.starts_with("gpu\n"));
    CHECK(gpus.find("infiniband") == std::string::npos);
    CHECK_THROWS_WITH(catalog_list(testing::catalog(), "gpuu"), ContainsSubstring("nearest: 'gpu'"));
}

TEST_CASE("lists of values are shown one by one") {
    CHECK(shown_values(testing::part("library", "nccl-2.8").figure("base_latency.tree")) == "4.4 us, 4.4 us, 0 s");
    CHECK(shown_values(testing::part("link", "infiniband-ndr").figure("signalling")) == "106.25 GT/s");
    CHECK(shown_values(testing::part("gpu", "h100-sxm").figure("memory.size")) == "80 GiB");
    CHECK(shown_values(testing::part("library", "nccl-2.8").figure("buffer.ll")) == "512 KiB");
    CHECK(shown_values(testing::part("cable", "dac").figure("delay")) == "4.5 ns/m");
    CHECK(shown_values(testing::part("nic", "connectx-7").figure("price")) == "1900 USD");
    CHECK(shown_values(testing::part("library", "nccl-2.18").figure("ring.plateau")) == "1.9, 1.4");
}

}  // namespace
}  // namespace fabricast
