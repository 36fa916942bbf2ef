// Transfers between two devices: from the words of a file to scenarios, and their forecasts beside the numbers.

#include <fmt/ranges.h>

#include <cmath>
#include <map>

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

namespace {

std::string cards(const std::string& gpu, const std::string& intra, const std::string& more = "") {
    return "system: {gpu: '" + gpu + "', gpus_per_node: 2, nodes: 1, intra: '" + intra + "'" + more + "}\n";
}

TransferComparison compared(const std::string& system, const std::string& benchmark, const std::string& table,
                            const std::string& kind = "p2p") {
    return compare_transfers(parse_measurement("id: t\nsource: {path: x}\nkind: " + kind + "\n" + system +
                                                   "benchmark: {" + benchmark + "}\n" + table,
                                               "t.yaml"),
                             catalogue());
}

const std::string pair = "columns: [src_gpu, dst0_GBps, dst1_GBps]\nrows:\n  - [0, 1500, 22]\n  - [1, 22, 1500]\n";

}  // namespace

TEST_CASE("cards are peers where the file's words say so: a patched driver, a switch that they share") {
    const std::string enabled = "tool: p2pBandwidthLatencyTest, test: 'Unidirectional P2P=Enabled'";
    CHECK(compared(cards("RTX 5090 x2", "PCIe gen5"), enabled, pair).points[1].transport == "host-staged");
    CHECK(compared(cards("RTX 5090 x2", "PCIe gen5, patched P2P driver"), enabled, pair).points[1].transport ==
          "pcie-p2p");
    const TransferComparison below =
        compared(cards("RTX 6000 Ada", "PCIe gen4, both behind one switch"), enabled, pair);
    CHECK(below.points[1].transport == "pcie-p2p");
    // An assumed GPU and an assumed box widen the interval.
    const auto width = [&](const std::string& gpu) {
        const TransferPoint p = compared(cards(gpu, "PCIe gen4"), enabled, pair).points[1];
        return p.high80 / p.low80;
    };
    CHECK(width("not stated, on cards") > 1.2 * width("RTX 6000 Ada"));
    CHECK(below.assumptions.back().find("2x-rtx-6000-ada-pcie") != std::string::npos);
}

TEST_CASE("several pairs at once are forecast together, and are counted or refused") {
    const auto osu = [](const std::string& options) {
        return compared(
                   "system: {gpu: NVIDIA H100 SXM, gpus_per_node: 8, nodes: 2, nic: ConnectX-7 NDR 400 Gb/s, "
                   "nics_per_node: 8, network: InfiniBand}\n",
                   "tool: 'OSU MPI-CUDA Multiple Bandwidth / Message Rate Test D D'" + options,
                   "columns: [size_bytes, bandwidth_MBps]\nrows:\n  - [4194304, 90000]\n", "rdma")
            .points[0];
    };
    const double one = osu(", options: 'pairs: 1'").forecast;
    CHECK(osu(", options: 'pairs: 4'").forecast == Approx(4 * one).epsilon(0.02));  // an adapter a GPU
    CHECK_THROWS_WITH(osu(""), ContainsSubstring("several pairs, but not how many"));
}

TEST_CASE("gdsio: drives beside GPUs, as many as the file says, with and without a bounce through the host") {
    const auto gdsio = [](const std::string& gpu, const std::string& notes, const std::string& test) {
        return compared("system: {gpu: " + gpu + ", gpus_per_node: 8, nodes: 1, notes: '" + notes + "'}\n",
                        "tool: gdsio", "columns: [test, size_bytes, GiBps]\nrows:\n  - [" + test + ", 16777216, 6]\n")
            .points[0];
    };
    const TransferPoint direct = gdsio("NVIDIA H100 SXM", "1 NVMe", "READ GPUD");
    CHECK(direct.transport == "gpudirect-storage");
    CHECK(direct.forecast == Approx(14.5e9).epsilon(0.05));  // nvme-gen5 as its part has it
    CHECK(gdsio("NVIDIA H100 SXM", "2 NVMe", "READ GPUD").forecast == Approx(2 * direct.forecast).epsilon(0.02));
    const TransferPoint bounce = gdsio("NVIDIA H100 SXM", "1 NVMe", "READ CPU_GPU");
    CHECK(bounce.transport == "storage-bounce");
    CHECK(bounce.forecast < direct.forecast);
    const TransferPoint box = gdsio("NVIDIA L40", "4 NVMe drives of PCIe gen4", "WRITE GPUD");  // a box of parts
    CHECK(box.forecast == Approx(4 * 4e9).epsilon(0.05));
    CHECK(gdsio("NVIDIA L40", "1 NVMe", "READ CPUONLY").left_out.empty());
}

TEST_CASE("trays of one NVLink domain are peers over NVLink, racks of their own over adapters") {
    const auto across = [](const std::string& notes, const std::string& kind) {
        return compared(
                   "system: {gpu: HGX GB200, gpus_per_node: 4, nodes: 2, intra: NVLink5 + NVSwitch, nic: "
                   "ConnectX-7, network: InfiniBand NDR, notes: '" +
                       notes + "'}\n",
                   "tool: nvbandwidth", "columns: [test, GBps]\nrows:\n  - [device_to_device_memcpy_write_ce, 800]\n",
                   kind)
            .points[0];
    };
    const TransferPoint peers = across("two trays of one rack", "p2p");
    CHECK(peers.transport == "nvlink-p2p");
    CHECK(peers.forecast == Approx(800e9).epsilon(0.1));
    CHECK(across("trays of different racks", "p2p").transport == "gpudirect-rdma");
}

TEST_CASE("a copy to a peer over PCIe is posted: a series of small ones costs what the engine takes to issue each") {
    const std::string latency = "tool: p2pBandwidthLatencyTest, test: 'P2P=Enabled Latency (P2P Writes) Matrix (us)'";
    const std::string us = "columns: [src_gpu, dst0_us, dst1_us]\nrows:\n  - [0, 1, 0.4]\n";
    const TransferComparison blackwell = compared(cards("RTX PRO 6000 Blackwell", "PCIe gen5"), latency, us);
    REQUIRE(blackwell.points[1].transport == "pcie-p2p");
    CHECK(blackwell.points[1].forecast == Approx(0.48e-6).epsilon(0.01));
    CHECK(blackwell.points[0].forecast >
          blackwell.points[1].forecast);  // inside one memory kernels copy, one after another
    // Without that figure each copy waits for the path.
    const TransferComparison ampere = compared(cards("RTX A6000", "PCIe gen4"), latency, us);
    CHECK(ampere.points[1].forecast > ampere.points[0].forecast + 0.2e-6);
}

TEST_CASE("boxes of cards have the sockets and the bridges that the file's words and their kind tell") {
    const auto box = [](const std::string& more) {
        const TransferCase made = derive_transfers(parse_measurement(
            "id: t\nsource: {path: x}\nkind: p2p\nsystem: {gpus_per_node: 8, nodes: 1, " + more +
                "}\nbenchmark: {tool: p2pBandwidthLatencyTest, test: 'Unidirectional P2P=Enabled'}\n" + pair,
            "t.yaml"));
        const std::string all = fmt::format("{}", fmt::join(made.comparison.assumptions, "; "));
        const TransferComparison c = compare_transfers(
            parse_measurement("id: t\nsource: {path: x}\nkind: p2p\nsystem: {gpus_per_node: 8, nodes: 1, " + more +
                                  "}\nbenchmark: {tool: p2pBandwidthLatencyTest, test: 'Unidirectional "
                                  "P2P=Enabled'}\ncolumns: [src_gpu, dst0_GBps, dst1_GBps, dst2_GBps, dst3_GBps, "
                                  "dst4_GBps]\nrows:\n  - [0, null, 1, 1, 1, 1]\n",
                              "t.yaml"),
            catalogue());
        return std::pair(all, c);
    };
    CHECK_THAT(box("gpu: RTX PRO 6000 Blackwell, cpu: AMD Threadripper PRO (WRX90)").first,
               ContainsSubstring("1 x epyc"));
    CHECK_THAT(box("gpu: RTX PRO 6000 Blackwell, cpu: 2x AMD EPYC 9575F").first, ContainsSubstring("2 x epyc-turin"));
    CHECK_THAT(box("gpu: RTX PRO 6000 Blackwell, cpu: single-socket AMD EPYC 9575F").first,
               ContainsSubstring("1 x epyc-turin"));
    const auto [words, nvl] = box("gpu: NVIDIA H200 NVL");
    CHECK_THAT(words, ContainsSubstring("bridges, group: 4"));
    for (const std::size_t in_group : {0U, 1U, 2U}) { CHECK(nvl.points[in_group].transport == "nvlink-p2p"); }
    CHECK(nvl.points[3].transport == "pcie-p2p");
    CHECK(nvl.points[0].forecast == Approx(6 * 25e9).epsilon(0.15));
    // Eight links of eighteen: the export version's own count.
    CHECK(box("gpu: NVIDIA H800, intra: NVLink4 + NVSwitch").second.points[0].forecast == Approx(176e9).epsilon(0.05));
}

TEST_CASE("machines of their own kind are known by their processor or their network") {
    const auto system = [](const std::string& gpu, const std::string& more) {
        return compared("system: {gpu: '" + gpu + "', gpus_per_node: 1, nodes: 1" + more + "}\n",
                        "tool: bandwidthTest, test: h2d",
                        "columns: [size_bytes, bandwidth_GBps]\nrows:\n  - [1048576, 9]\n")
            .system;
    };
    CHECK(system("V100 SXM2", ", cpu: 2x POWER9") == "power9-v100-4x x 1");
    CHECK(system("P100", ", network: Cray Aries") == "xc50 x 1");
    CHECK(system("V100-SXM2-32GB; NVIDIA A40 beside it", "").find("v100") != std::string::npos);
    CHECK(system("not stated (7 GPUs, PCIe gen5 x16)", ", intra: PCIe gen5 x16").find("rtx-pro-6000") !=
          std::string::npos);
}

TEST_CASE("every tool of `import` has its rows: a forecast for each, none refused") {
    const std::string nodes =
        "system: {gpu: NVIDIA H100 SXM, gpus_per_node: 8, nodes: 2, nic: ConnectX-7 NDR 400 Gb/s, "
        "network: InfiniBand}\n";
    const std::string rate = "columns: [size_bytes, bandwidth_MBps]\nrows:\n  - [65536, 20000]\n";
    const std::string time = "columns: [size_bytes, latency_us]\nrows:\n  - [64, 3]\n";
    for (const auto& [tool, table] : std::map<std::string, std::string>{{"ib_write_bw", rate},
                                                                        {"ib_write_lat", time},
                                                                        {"ib_read_bw", rate},
                                                                        {"ib_read_lat", time},
                                                                        {"ib_send_bw", rate},
                                                                        {"ib_send_lat", time},
                                                                        {"ib_send_lat --use_cuda", time},
                                                                        {"OSU MPI Bandwidth Test v7.4", rate},
                                                                        {"OSU MPI-CUDA Bandwidth Test v7.4 D D", rate},
                                                                        {"OSU MPI Bi-Directional Bandwidth Test", rate},
                                                                        {"osu_bibw D D", rate},
                                                                        {"OSU MPI Latency Test v7.4", time},
                                                                        {"osu_latency D D", time}}) {
        INFO(tool);
        const TransferComparison c = compared(nodes, "tool: '" + tool + "'", table, "rdma");
        REQUIRE(c.points.size() == 1);
        CHECK(c.points[0].left_out.empty());
        CHECK(c.points[0].forecast > 0);
    }
    const TransferComparison perftest = compared(nodes, "tool: ib_write_bw",
                                                 "columns: [size_bytes, iterations, bw_peak_MiBps, bw_avg_MiBps, "
                                                 "msg_rate_Mpps]\nrows:\n  - [65536, 5000, 23200, 23100, 0.37]\n",
                                                 "rdma");
    CHECK(perftest.points.at(0).measured == 23100 * 0x1p20);
    const std::string node = "system: {gpu: NVIDIA H100 SXM, gpus_per_node: 8, nodes: 1, intra: NVSwitch}\n";
    const std::string tests = "columns: [test, GBps]\nrows:\n";
    for (const auto& [benchmark, table] : std::map<std::string, std::string>{
             {"tool: nvbandwidth", tests + "  - [device_to_device_memcpy_read_ce, 390]\n"},
             {"tool: 'superbench gpu_copy'", tests + "  - [gpu0_to_gpu1_write_by_dma, 390]\n"},
             {"tool: nvbandwidth, test: 'memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)'",
              "columns: [src, dst0_GBps, dst1_GBps]\nrows:\n  - [0, 55, 55]\n"},
             {"tool: p2pBandwidthLatencyTest, test: 'Unidirectional P2P=Disabled'",
              "columns: [src_gpu, dst0_GBps, dst1_GBps]\nrows:\n  - [0, 1500, 20]\n"},
             {"tool: gdsio", "columns: [test, size_bytes, GiBps]\nrows:\n  - [READ GPUD, 1048576, 6.2]\n"},
             {"tool: bandwidthTest, test: d2h", "columns: [size_bytes, bandwidth_GBps]\nrows:\n  - [1048576, 40]\n"},
             {"tool: p2pBandwidthLatencyTest, test: 'P2P=Enabled Latency'",
              "columns: [src_gpu, dst0_us, dst1_us]\nrows:\n  - [0, 2, 2.7]\n"}}) {
        INFO(benchmark);
        const TransferComparison c = compared(node, benchmark, table);
        REQUIRE(!c.points.empty());
        CHECK(c.points.back().left_out.empty());
        CHECK(c.points.back().forecast > 0);
    }
}
