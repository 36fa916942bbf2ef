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

TEST_CASE("a machine that no row names is built of what the file says; a GPU that it does not name does not count") {
    const TransferCase cards = derive_transfers(matrix("Unidirectional P2P=Enabled Bandwidth", "NVIDIA H20"));
    REQUIRE(cards.scenarios.front().cluster.node_parts);
    CHECK(cards.comparison.system == "8x-h20-nvswitch x 1");
    CHECK(cards.comparison.uncounted.empty());
    const TransferCase unnamed = derive_transfers(matrix("Unidirectional P2P=Enabled Bandwidth", "Voodoo 2"));
    CHECK(unnamed.scenarios.front().cluster.node == "dgx-a100");
    CHECK(unnamed.comparison.uncounted == "the GPU is not stated");
}

TEST_CASE("a file of two nodes is not taken for the one node that a row names") {
    const TransferCase made = derive_transfers(parse_measurement(
        "id: t\nsource: {path: x}\nkind: rdma\nsystem: {gpu: NVIDIA H100, gpus_per_node: 8, nodes: 2, nic: "
        "ConnectX-7 NDR 400 Gb/s, network: InfiniBand}\nbenchmark: {tool: ib_write_bw}\n"
        "columns: [size_bytes, bw_avg_Gbps]\nrows:\n  - [65536, 390]\n",
        "t.yaml"));
    CHECK(made.comparison.system == "dgx-h100 x 2, infiniband-ndr");
    CHECK(std::get<TransferWorkload>(made.scenarios.front().workload).to == "node1.memory0");
}

TEST_CASE("a test that is not understood is refused by name") {
    Measurement m = matrix("x");
    m.benchmark.at("tool").text = "my own loop";
    CHECK_THROWS_WITH(derive_transfers(m), ContainsSubstring("a test that no row of transfers.yaml understands"));
}
