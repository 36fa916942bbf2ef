// Which NCCL, launch and environment a measurement is forecast with.

#include "tests/support/catch.hpp"
#include "tests/validate/derived.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("sockets, plugins and GPUDirect come from the environment") {
    const std::string system = "{gpu: A100, gpus_per_node: 8, nodes: 2, nic: \"ConnectX-6 200 Gb/s\"}";
    CHECK(derived({system, "{env: \"NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eth0\"}"}).scenario.library.network_plugin ==
          "sockets");
    CHECK(derived({system, "{env: \"NCCL_SOCKET_IFNAME=eth0\"}"}).scenario.library.network_plugin.empty());
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 2, network: \"IPoIB\"}"}).scenario.library.network_plugin ==
          "sockets");
    CHECK(derived({"{gpu: GH200, gpus_per_node: 4, nodes: 2, nic: Slingshot-11}", "{env: \"CXI hook disabled\"}"})
              .scenario.library.network_plugin == "sockets");
    CHECK(derived({system, "{env: \"NCCL_NET_GDR_LEVEL=LOC\"}"}).scenario.cluster.node_options.at("gpu_direct") ==
          "false");
    // By default NCCL's GPUDirect does not cross a host bridge; NCCL_NET_GDR_LEVEL lets it.
    const std::string apart =
        "{gpu: H200, gpus_per_node: 1, nodes: 2, nics_per_node: 1, "
        "nic: \"ConnectX-7 400 Gb/s RoCE; GPU and NIC are not the same PCIe pair\"}";
    CHECK(derived({apart, "{env: gIB}"}).scenario.cluster.node_options.at("gpu_direct") == "false");
    CHECK(derived({apart, "{env: gIB}"}).scenario.library.env.at("NCCL_NET_GDR_LEVEL") == "PIX");
    CHECK_FALSE(
        derived({apart, "{env: \"NCCL_NET_GDR_LEVEL=SYS\"}"}).scenario.cluster.node_options.contains("gpu_direct"));
    const Derived tcpx = derived({"{gpu: H100, gpus_per_node: 8, nodes: 2, network: \"GPUDirect-TCPX\"}"});
    CHECK(tcpx.scenario.cluster.link == "gcp-tcpx");
    CHECK(tcpx.scenario.library.env.at("NCCL_ALGO") == "Ring");
    // What no part of the catalogue is, is the nearest, and widens the interval.
    const Derived slow = derived({"{gpu: H100, gpus_per_node: 8, nodes: 2, nic: \"InfiniBand 37 Gb/s\"}"});
    CHECK(slow.scenario.cluster.link == "infiniband-qdr");
    CHECK(slow.spread == Approx(40.0 / 37));
}

TEST_CASE("variables of NCCL go to the library, quoted or not") {
    const auto env =
        derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}",
                 R"({env: "setup (5): NCCL_ALGO=Ring NCCL_NET=\"AWS Libfabric\" FI_CXI_X=1; NCCL_IB_HCA=mlx5_0,2"})"})
            .scenario.library.env;
    CHECK(env.at("NCCL_ALGO") == "Ring");
    CHECK(env.at("NCCL_NET") == "AWS Libfabric");
    CHECK(env.at("NCCL_IB_HCA") == "mlx5_0,2");
    CHECK_FALSE(env.contains("FI_CXI_X"));
}

TEST_CASE("a plugin's defaults hold on one node too, below what the user sets") {
    const auto env = [](const std::string& software) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1, network: \"AWS EFA\"}", software})
            .scenario.library.env;
    };
    CHECK(env("{}").at("NCCL_NVLS_CHUNKSIZE") == "524288");
    CHECK(env("{env: \"(NCCL_NVLS_CHUNKSIZE=65536)\"}").at("NCCL_NVLS_CHUNKSIZE") == "65536");
    const auto p4d = derived({"{gpu: A100, gpus_per_node: 8, nodes: 2, network: p4d.24xlarge}"}).scenario.library.env;
    CHECK(p4d.at("NCCL_PROTO") == "simple");
}

TEST_CASE("the NCCL version is stated, named elsewhere, shipped with CUDA or usual") {
    const std::string system = "{gpu: H100, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{nccl: \"2.16.5+cuda11.8\"}"}).scenario.library.nccl == "2.16.5");
    CHECK(derived({system, "{env: \"NCCL 2.19\"}"}).scenario.library.nccl == "2.19");
    CHECK(derived({system, "{cuda: \"12.4\"}"}).scenario.library.nccl == "2.21");
    CHECK(derived({system, "{cuda: \"11.2.2\"}"}).scenario.library.nccl == "2.8");
    CHECK(derived({system, "{}"}).scenario.library.nccl == "2.23");
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 1}", "{}"}).scenario.library.nccl == "2.8");
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 2}", "{}"}).scenario.library.nccl == "2.18");
    CHECK(derived({system, "{nccl: \"2.9.9\"}"}).group.nccl_era == "<2.18");
    CHECK(derived({system, "{nccl: \"2.18.1\"}"}).group.nccl_era == ">=2.18");
}

TEST_CASE("the launch is one process for all, one a GPU, or a framework's loop") {
    const auto mode = [](const std::string& benchmark) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: all_reduce, " + benchmark + "}"})
            .scenario.launch.mode;
    };
    CHECK(mode("header: \"nThread 1 nGpus 8 minBytes 8\"") == LaunchMode::thread);
    CHECK(mode("header: \"nThread 8 nGpus 1 minBytes 8\"") == LaunchMode::threads);
    CHECK(mode("options: \"-b 8 -e 16G -g 8\"") == LaunchMode::thread);
    CHECK(mode("options: \"-b 8 -e 16G -g 1\"") == LaunchMode::process);
    CHECK(mode("tool: \"all_reduce_bench.py (torch.distributed)\"") == LaunchMode::framework);
    CHECK(mode("tool: nccl-tests") == LaunchMode::process);
}

TEST_CASE("nccl-tests' -a says whose time it prints, which was rank 0's until July 2021") {
    const auto average = [](const std::string& benchmark, const std::string& date = "2024-01-01") {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: broadcast, " + benchmark + "}",
                        "{url: x, date: \"" + date + "\"}"})
            .scenario.launch.average;
    };
    CHECK(average("tool: nccl-tests") == RankTime::mean);
    CHECK(average("options: \"-b 8 -a 3 -g 1\"") == RankTime::max);
    CHECK(average("tool: nccl-tests", "2021-07-21") == RankTime::rank0);
    CHECK(average("tool: nccl-tests, options: \"--average 1\"", "2021-07-21") == RankTime::mean);
    CHECK(average("tool: other", "2021-07-21") == RankTime::mean);
}

TEST_CASE("nccl-tests' -R says how buffers are registered") {
    const auto derived_of = [](const std::string& options) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{nccl: \"2.28.3\"}",
                        "{collective: all_reduce, options: \"-b 8 -e 16G -g 1" + options + "\"}"});
    };
    CHECK(derived_of(" -R 2").scenario.library.registered == Registered::window);
    CHECK(derived_of("").scenario.library.registered == Registered::none);
    const Derived local = derived_of(" -R 1");
    CHECK(local.scenario.library.registered == Registered::buffer);
    CHECK(local.assumptions.size() == derived_of("").assumptions.size() + 1);
}

TEST_CASE("collectives and element types are known or refused by name") {
    const auto collective = [](const std::string& name) {
        return collective_of(
                   derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: " + name + "}"}).scenario)
            .collective;
    };
    CHECK(collective("alltoall") == Collective::all_to_all);
    CHECK(collective("all_to_all") == Collective::all_to_all);
    CHECK(collective("AllReduce") == Collective::all_reduce);
    CHECK(collective("reduce") == Collective::reduce);
    CHECK(collective("reduce_scatter_perf") == Collective::reduce_scatter);
    CHECK(collective("sendrecv") == Collective::sendrecv);
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: several}"}),
               ContainsSubstring("'several'"));
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: all_reduce, dtype: complex}"}),
               ContainsSubstring("'complex'"));
}

TEST_CASE("A log that nccl-tests of 2022 or later wrote is not forecast by an NCCL of years before") {
    const std::string a100 = "{gpu: A100-SXM4-80GB, gpus_per_node: 8, nodes: 1}";
    const auto version = [&](const std::string& header) {
        const Said said{a100, "{}", "{collective: all_reduce, header: \"" + header + "\"}"};
        return derived(said).scenario.library.nccl;
    };
    CHECK(version("nThread 1 nGpus 8 minBytes 8 maxBytes 8 validation: 1") == "2.8");
    CHECK(version("nThread 1 nGpus 8 minBytes 8 maxBytes 8 validation: 1 graph: 0") == "2.18");
}

TEST_CASE("what runs neither NCCL nor RCCL is refused") {
    for (const char* gpu : {"Intel Gaudi 3", "Huawei Ascend 910B", "TPU v5e"}) {
        INFO(gpu);
        CHECK_THAT(refusal({std::string("{gpu: ") + gpu + ", gpus_per_node: 8, nodes: 1}"}),
                   ContainsSubstring("neither NCCL nor RCCL"));
    }
    CHECK(node("H100", "gpus_per_node: 8, nodes: 1, notes: compared with a Gaudi 3") == "dgx-h100");
    CHECK(refusal({"{gpus_per_node: 8, nodes: 1, notes: compared with a Gaudi 3}"}).empty());
}

TEST_CASE("a toolkit newer than the table leaves NCCL's version a guess") {
    const std::string system = "{gpu: B200, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{cuda: \"13.1\"}"}).nccl_guessed);
    CHECK_FALSE(derived({system, "{cuda: \"13.0.1\"}"}).nccl_guessed);
    CHECK_FALSE(derived({system, "{cuda: \"12.2\"}"}).nccl_guessed);
    CHECK(derived({"{gpu: MI355X, gpus_per_node: 8, nodes: 1}", "{cuda: ROCm 7.2.2}"}).nccl_guessed);
    CHECK_FALSE(derived({"{gpu: MI355X, gpus_per_node: 8, nodes: 1}", "{cuda: ROCm 7.1.1}"}).nccl_guessed);
}

TEST_CASE("the library's code counts beside its headers', and a release that does not exist is said") {
    const std::string system = "{gpu: B200, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{nccl: nccl-headers=22809 nccl-library=22907}"}).scenario.library.nccl == "2.29.07");
    const Derived unknown = derived({system, "{nccl: \"3.0\"}"});
    CHECK(unknown.nccl_guessed);
    CHECK(assumes(unknown, "nccl: '3.0' is no release"));
}
