// Transfers between two devices: from the words of a file to scenarios, and their forecasts beside the numbers.

#include <cmath>

#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/transfers/transfer_compare.hpp"
#include "validate/transfers/transfer_derive.hpp"

using namespace fabricast;

namespace {

Measurement matrix(const std::string& test, const std::string& gpu = "NVIDIA A100 SXM4") {
    return parse_measurement("id: t\nsource: {path: x}\nkind: p2p\nsystem: {gpu: '" + gpu +
                                 "', gpus_per_node: 8, nodes: 1, intra: NVLink3 + NVSwitch}\n"
                                 "benchmark: {tool: p2pBandwidthLatencyTest, test: '" +
                                 test +
                                 "'}\ncolumns: [src_gpu, dst0_GBps, dst1_GBps]\nrows:\n"
                                 "  - [0, 1581.48, 274.55]\n  - [1, 274.7, 1581.48]\n",
                             "t.yaml");
}

}  // namespace

TEST_CASE("a matrix is a copy for each pair, and its diagonal a copy inside one memory counted twice") {
    const TransferCase made = derive_transfers(matrix("Unidirectional P2P=Enabled Bandwidth"));
    REQUIRE(made.scenarios.size() == 4);
    const auto& own = std::get<TransferWorkload>(made.scenarios[0].workload);
    CHECK(own.transport == "local-copy");
    CHECK(made.comparison.points[0].measured == Approx(1581.48e9 / 2));
    const auto& pair = std::get<TransferWorkload>(made.scenarios[1].workload);
    CHECK(pair.from == "node0.gpu0");
    CHECK(pair.to == "node0.gpu1");
    CHECK(pair.transport == "auto");
    CHECK(made.comparison.points[1].size.count == 40'000'000);
}

TEST_CASE("peer to peer switched off is staged, both directions are summed") {
    const TransferCase made = derive_transfers(matrix("Bidirectional P2P=Disabled", "RTX 4090"));
    const auto& pair = std::get<TransferWorkload>(made.scenarios[1].workload);
    CHECK(pair.transport == "host-staged");
    CHECK(pair.direction == Direction::both_ways);
}

TEST_CASE("a published matrix is forecast within its tool's noise") {
    const TransferComparison c = compare_transfers(matrix("Unidirectional P2P=Enabled Bandwidth"), catalogue());
    CHECK(c.uncounted.empty());
    CHECK(c.points[1].transport == "nvlink-p2p");
    CHECK(std::abs(c.points[1].error()) < 0.03);
    CHECK(to_text(c).find("nvlink-p2p") != std::string::npos);
    CHECK(to_json(c).at("rows").size() == 4);
}

TEST_CASE("what is not understood is refused by name") {
    CHECK_THROWS_WITH(derive_transfers(matrix("x", "Voodoo 2")),
                      ContainsSubstring("a system that no row of transfers.yaml understands"));
}
