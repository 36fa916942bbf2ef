// Files as strangers write them: systems that none of our own measurements has, in other words and with other columns.
// Each is derived, built and forecast.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/curves/compare.hpp"

using namespace fabricast;

namespace {

const Catalog& known_parts() {
    static const Catalog read = read_catalog();
    return read;
}

Comparison compared_file(const std::string& yaml) {
    FabricCache cache(known_parts());
    return compare(parse_measurement(yaml, "foreign.yaml"), known_parts(), cache);
}

// Common ends: a curve of three sizes that any system could have.
std::string file(const std::string& head) {
    return "id: foreign\nkind: nccl\nsource: a stranger\n" + head +
           "columns: [size_bytes, time_us, algbw_GBps, busbw_GBps]\nrows:\n  - [8192, 40, 0, 0]\n"
           "  - [1048576, 200, 5, 9]\n  - [1073741824, 9000, 119, 223]\n";
}

struct Expected {
    std::string node;
    std::uint32_t nodes, per_node;
    std::string link, nccl;
    SystemGroup group;
};

void check(const std::string& head, const Expected& expected) {
    INFO(head);
    const Comparison c = compared_file(file(head));
    const ClusterRequest& cluster = c.derived.scenario.cluster;
    CHECK(cluster.node == expected.node);
    CHECK(cluster.nodes == expected.nodes);
    CHECK(cluster.gpus_per_node == expected.per_node);
    CHECK(cluster.link == expected.link);
    CHECK(c.derived.scenario.library.nccl == expected.nccl);
    CHECK(c.derived.group.generation == expected.group.generation);
    CHECK(c.derived.group.nccl_era == expected.group.nccl_era);
    CHECK(c.derived.group.fabric == expected.group.fabric);
    REQUIRE(c.sizes.size() == 3);
    for (const ComparedSize& size : c.sizes) {
        CHECK(std::isfinite(size.ours.seconds));
        CHECK(size.ours.seconds > 2e-6);
        CHECK(size.ours.seconds < 1);
    }
}

}  // namespace

TEST_CASE("sixteen H100 nodes over RoCE") {
    check(
        "system: {gpu: NVIDIA H100 80GB HBM3, gpus_per_node: 8, nodes: 16, intra: NVLink4 + NVSwitch, "
        "nic: 8x ConnectX-7 400GbE, network: RoCEv2 rail-optimized, cpu: Intel Xeon Platinum 8480+}\n"
        "software: {nccl: 2.21.5+cuda12.4, env: NCCL_IB_GID_INDEX=3 NCCL_IB_TC=106}\n"
        "benchmark: {tool: nccl-tests, collective: AllReduce, ranks: 128, dtype: float, "
        "header: nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184}\n",
        {"dgx-h100", 16, 8, "ethernet-400g", "2.21.5", {"hopper", ">=2.18", "roce"}});
}

TEST_CASE("two B200 nodes over NDR, without a version") {
    check(
        "system: {gpu: NVIDIA B200, gpus_per_node: 8, nodes: 2, nic: 8 x NDR400, network: Quantum-2 InfiniBand}\n"
        "software: {cuda: \"12.8\"}\nbenchmark: {collective: all_gather_perf, ranks: 16}\n",
        {"dgx-b200", 2, 8, "infiniband-ndr", "2.26", {"blackwell", ">=2.18", "infiniband-ndr"}});
}

TEST_CASE("GH200 nodes of one and of four GPUs") {
    check(
        "system: {gpu: NVIDIA GH200 480GB, gpus_per_node: 1, nodes: 8, nic: ConnectX-7 NDR200, cpu: Grace}\n"
        "software: {nccl: v2.19.3}\nbenchmark: {collective: all_reduce, ranks: 8}\n",
        {"gh200-1x", 8, 1, "infiniband-ndr200", "2.19.3", {"hopper", ">=2.18", "infiniband-ndr200"}});
    check(
        "system: {gpu: GH200 120GB, gpus_per_node: 4, nodes: 4, nic: 4x Cassini, network: HPE Slingshot-11}\n"
        "software: {nccl: 2.20.3, env: aws-ofi-nccl 1.9.2 FI_CXI_RX_MATCH_MODE=software}\n"
        "benchmark: {collective: alltoall, ranks: 16}\n",
        {"gh200-4x", 4, 4, "slingshot-11", "2.20.3", {"hopper", ">=2.18", "slingshot-11"}});
}

TEST_CASE("A100 on a cloud, named by its instance only") {
    check(
        "system: {gpu: A100-SXM4-80GB, gpus_per_node: 8, nodes: 4, network: Azure ND_A100_v4, cpu: AMD EPYC 7V12}\n"
        "software: {nccl: \"2.18.5\"}\nbenchmark: {collective: all_reduce, ranks: 32, options: -b 8 -e 8G -f 2 -g 1}\n",
        {"dgx-a100", 4, 8, "infiniband-hdr", "2.18.5", {"ampere", ">=2.18", "infiniband-hdr"}});
}

TEST_CASE("L40S cards on PCIe, and more than a template has") {
    check(
        "system: {gpu: NVIDIA L40S, gpus_per_node: 2, nodes: 1, intra: PCIe Gen4 x16 (PHB)}\n"
        "software: {nccl: 2.22.3}\nbenchmark: {collective: reduce_scatter, ranks: 2}\n",
        {"l40s-2x", 1, 2, "", "2.22.3", {"ada", ">=2.18", "pcie"}});
    check(
        "system: {gpu: NVIDIA L40S, gpus_per_node: 16, nodes: 1, intra: PCIe}\n"
        "software: {nccl: 2.22.3}\nbenchmark: {collective: all_reduce, ranks: 16}\n",
        {"16x-l40s-pcie", 1, 16, "", "2.22.3", {"ada", ">=2.18", "pcie-host"}});
}

TEST_CASE("V100 with EDR, four on a board and eight in a cube") {
    check(
        "system: {gpu: Tesla V100-SXM2-16GB, gpus_per_node: 4, nodes: 2, intra: NVLink2, nic: Mellanox ConnectX-5 "
        "EDR}\n"
        "software: {nccl: 2.8.3, cuda: \"11.2\"}\nbenchmark: {collective: all_reduce, ranks: 8}\n",
        {"v100-sxm2-4x", 2, 4, "infiniband-edr", "2.8.3", {"volta", "<2.18", "infiniband-edr"}});
    check(
        "system: {gpu: Tesla V100-SXM2-32GB, gpus_per_node: 8, nodes: 2, intra: DGX-1, nic: 4x EDR IB}\n"
        "software: {nccl: 2.18.3}\nbenchmark: {collective: all_reduce, ranks: 16}\n",
        {"dgx-v100", 2, 8, "infiniband-edr", "2.18.3", {"volta", ">=2.18", "infiniband-edr"}});
}

TEST_CASE("EFA is told by its instance, by its figure or by the GPU beside it") {
    const std::string benchmark = "software: {nccl: 2.23.4}\nbenchmark: {collective: all_reduce, ranks: 16}\n";
    const Expected h200{"dgx-h200", 2, 8, "efa-v3", "2.23.4", {"hopper", ">=2.18", "efa"}};
    check("system: {gpu: NVIDIA H200, gpus_per_node: 8, nodes: 2, network: AWS EFA (p5en.48xlarge)}\n" + benchmark,
          h200);
    check("system: {gpu: NVIDIA H200, gpus_per_node: 8, nodes: 2, nic: 16x 200 Gb/s EFAv3}\n" + benchmark, h200);
    check("system: {gpu: NVIDIA H200, gpus_per_node: 8, nodes: 2, nic: \"EFA, 3200 Gbps\"}\n" + benchmark, h200);
    check("system: {gpu: NVIDIA B200, gpus_per_node: 8, nodes: 2, network: EFA}\n" + benchmark,
          {"dgx-b200", 2, 8, "efa-v4", "2.23.4", {"blackwell", ">=2.18", "efa"}});
    check("system: {gpu: NVIDIA A100-SXM4-40GB, gpus_per_node: 8, nodes: 2, network: p4d.24xlarge}\n" + benchmark,
          {"hgx-a100-efa", 2, 8, "efa-v1", "2.23.4", {"ampere", ">=2.18", "efa-v1"}});
}

TEST_CASE("racks of GB200: half a rack, and two") {
    check(
        "system: {gpu: NVIDIA GB200, gpus_per_node: 4, nodes: 9, intra: NVL36, nic: 4x ConnectX-7}\n"
        "software: {nccl: 2.25.1}\nbenchmark: {collective: all_reduce, ranks: 36}\n",
        {"gb200-nvl72", 1, 36, "", "2.25.1", {"blackwell", ">=2.18", "nvswitch"}});
    check(
        "system: {gpu: GB200, gpus_per_node: 4, nodes: 36, intra: NVL72, nic: 4x ConnectX-7 NDR}\n"
        "software: {nccl: 2.26.2}\nbenchmark: {collective: all_reduce, ranks: 144}\n",
        {"gb200-nvl72", 2, 72, "infiniband-ndr", "2.26.2", {"blackwell", ">=2.18", "infiniband-ndr"}});
}

TEST_CASE("A100 boards of four, and NCCL's version as its code") {
    check(
        "system: {gpu: NVIDIA A100-SXM4-40GB, gpus_per_node: 4, nodes: 4, intra: NVLink3, nic: 4x HDR200 InfiniBand}\n"
        "software: {nccl: 21803}\nbenchmark: {collective: all_reduce, ranks: 16}\n",
        {"a100-mesh-4x", 4, 4, "infiniband-hdr", "2.18.03", {"ampere", ">=2.18", "infiniband-hdr"}});
}

TEST_CASE("other columns and units are read, a table of something else is not") {
    const Comparison c = compared_file(
        "id: foreign\nkind: nccl\nsource: {url: x}\nsystem: {gpu: H100, gpus_per_node: 8, nodes: 1}\n"
        "benchmark: {collective: all_reduce, ranks: 8}\ncolumns: [size, latency_ms, bus_bw_GB/s]\n"
        "rows:\n  - [64K, 0.03, 3.8]\n  - [1 MiB, 0.04, 45]\n  - [1G, 4.2, 447]\n");
    REQUIRE(c.sizes.size() == 3);
    CHECK(c.sizes[0].measured.size.count == 65536);
    CHECK(c.sizes[2].measured.seconds == Approx(4.2e-3));
}

TEST_CASE("machines and networks that the tables do not have are assumed, not refused") {
    const std::string benchmark = "software: {nccl: 2.21.5}\nbenchmark: {collective: all_reduce, ranks: 16}\n";
    check("system: {gpu: AMD Instinct MI300X, gpus_per_node: 8, nodes: 2}\n" + benchmark,
          {"mi300x-8x", 2, 8, "infiniband-ndr", "2.21.5", {"cdna3", ">=2.18", "infiniband-ndr"}});
    check("system: {gpu: V100-SXM2, gpus_per_node: 8, nodes: 2, network: Intel Omni-Path}\n" + benchmark,
          {"dgx-v100", 2, 8, "infiniband-edr", "2.21.5", {"volta", ">=2.18", "infiniband-edr"}});
    check("system: {gpu: H100, gpus_per_node: 8, nodes: 2, network: GCP A3 High}\n" + benchmark,
          {"dgx-h100", 2, 8, "gcp-tcpx", "2.21.5", {"hopper", ">=2.18", "tcpx"}});
    check("system: {gpu: H100, gpus_per_node: 8, nodes: 2, nic: Slingshot-10}\n" + benchmark,
          {"dgx-h100", 2, 8, "slingshot-11", "2.21.5", {"hopper", ">=2.18", "slingshot-11"}});
    check("system: {gpu: H100 NVL, gpus_per_node: 8, nodes: 2, nic: NDR}\n" + benchmark,
          {"8x-h100-nvl-bridges", 2, 8, "infiniband-ndr", "2.21.5", {"hopper", ">=2.18", "infiniband-ndr"}});
}

// github.com/rouge3877/ns3-msccl-data at 76fd624, plain RCCL 2.21.5 on eight MI300X of Azure: the out-of-place columns
// of all logs, every second size.
TEST_CASE("an all-gather of RCCL on eight MI300X is forecast from data files alone, within 15 % in the median") {
    const Comparison c = compared_file(
        "id: mi300x\nkind: nccl\nsource: {repo: github.com/rouge3877/ns3-msccl-data}\n"
        "system: {gpu: AMD Instinct MI300X VF, gpus_per_node: 8, nodes: 1, intra: 'xGMI full mesh, 7 links per GPU'}\n"
        "software: {nccl: 'RCCL 2.21.5'}\nbenchmark: {tool: rccl-tests, collective: all_gather, ranks: 8, dtype: "
        "float}\n"
        "columns: [size_bytes, time_us]\nrows:\n  - [1024, 17.64]\n  - [4096, 18.3]\n  - [16384, 18.96]\n"
        "  - [65536, 19.24]\n  - [262144, 19.43]\n  - [1048576, 35.34]\n  - [4194304, 47.05]\n  - [16777216, 96]\n"
        "  - [67108864, 236]\n  - [268435456, 806.95]\n  - [1073741824, 3079.15]\n");
    REQUIRE(c.sizes.size() == 11);
    std::vector<double> errors;
    for (const ComparedSize& size : c.sizes) {
        errors.push_back(std::abs(size.ours.seconds / size.measured.seconds - 1));
    }
    std::ranges::nth_element(errors, errors.begin() + 5);
    CHECK(errors[5] < 0.1);
    CHECK(*std::ranges::max_element(errors) < 0.45);
}

// Published tables of the same machine whose all-gather MSCCL's programs were forced to run: rings and all pairs, by
// protocol, channels and instances, as the file's words say. Twelve are here, all 36 beside the sources.
TEST_CASE("an algorithm that a file says was forced is forecast, MSCCL's programs within 15 % in the median") {
    namespace fs = std::filesystem;
    const fs::path all = fs::path(FABRICAST_SOURCE_DIR) / "../shared/data/measured/nccl";
    const fs::path here = fs::path(FABRICAST_SOURCE_DIR) / "tests/validate/msccl";
    FabricCache cache(known_parts());
    std::size_t programs = 0;
    for (const auto& entry : fs::directory_iterator(fs::exists(all) ? all : here)) {
        const std::string name = entry.path().filename().string();
        if (name.find("allgather-msccl-") == std::string::npos) { continue; }
        const Comparison c = compare(read_measurement(entry.path()), known_parts(), cache);
        std::vector<double> errors;
        for (const ComparedSize& size : c.sizes) {
            errors.push_back(std::abs(size.ours.seconds / size.measured.seconds - 1));
        }
        const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
        std::ranges::nth_element(errors, middle);
        INFO(name);
        CHECK(*middle < 0.15);
        CHECK(c.sizes.front().ours.algorithm.starts_with("msccl-"));
        ++programs;
    }
    CHECK(programs >= 12);
}

TEST_CASE("an algorithm that nobody knows is said to be ignored") {
    const auto said = [](const std::string& algorithm) {
        const Comparison c =
            compared_file(file("system: {gpu: H100, gpus_per_node: 8, nodes: 1}\n"
                               "benchmark: {collective: all_reduce, ranks: 8, " +
                               algorithm + "}\n"));
        return std::pair{c.sizes.front().ours.algorithm, fmt::format("{}", fmt::join(c.derived.assumptions, "; "))};
    };
    CHECK(said("algorithm: Tree, protocol: LL").first == "tree");
    CHECK(said("algorithm: N-V_LS").second.find("forced to nvls,") != std::string::npos);
    CHECK(said("algorithm: butterfly").second.find("'butterfly' is none that fabricast knows") != std::string::npos);
    CHECK(said("algorithm: default").second.find("forced") == std::string::npos);
}
