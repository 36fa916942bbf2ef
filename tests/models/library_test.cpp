// Which catalogue entry speaks for a version of NCCL, and how its tables are looked up.

#include "models/library.hpp"

#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

const Part& nccl(std::string_view version) { return nccl_library(testing::catalog(), version); }

TEST_CASE("a version is served by the newest entry that is not newer") {
    CHECK(nccl("2.8.4").name == "nccl-2.8");
    CHECK(nccl("2.9").name == "nccl-2.8");
    CHECK(nccl("2.17.1").name == "nccl-2.16");
    CHECK(nccl("2.18").name == "nccl-2.18");
    CHECK(nccl("2.20.5").name == "nccl-2.19");
    CHECK(nccl("2.27.3").name == "nccl-2.27");
    CHECK(nccl("2.30.7").name == "nccl-2.30");
    CHECK(nccl("3.0").name == "nccl-2.30");
    CHECK_THROWS_WITH(nccl("2.7.8"), ContainsSubstring("the oldest is nccl-2.8"));
    CHECK_THROWS_AS(nccl("2.x"), CatalogError);
    CHECK_THROWS_AS(nccl(""), CatalogError);
    CHECK_THROWS_AS(nccl("2."), CatalogError);
}

TEST_CASE("versions compare number by number") {
    CHECK(version_numbers("2.27.3") == std::vector<int>{2, 27, 3});
    CHECK(version_numbers("2.8") < version_numbers("2.18"));
}

TEST_CASE("a newer entry inherits what it does not change") {
    CHECK(nccl("2.30").list("hw_latency.net.tree") == std::vector<double>{5.0e-6, 8.5e-6, 14e-6});  // since 2.23
    CHECK(nccl("2.21").list("hw_latency.net.tree") == std::vector<double>{5.0e-6, 8.5e-6, 28e-6});  // since 2.19
    CHECK(nccl("2.30").number("buffer.simple", "B") == 4 * 1024 * 1024);                            // since 2.8
    CHECK(nccl("2.30").figure("buffer.simple").source.front().find("v2.8.4") != std::string::npos);
    CHECK(nccl("2.28").word("nvls_model") == "pipelined");
    CHECK(nccl("2.27").word("nvls_model") == "ratio");
}

TEST_CASE("base latencies changed with 2.18 and with 2.23") {
    CHECK(nccl("2.16").list("base_latency.ring") == std::vector<double>{3.6e-6, 10e-6, 8.4e-6});
    CHECK(nccl("2.18").list("base_latency.ring") == std::vector<double>{6.6e-6, 14e-6, 8.4e-6});
    CHECK(nccl("2.21").list("base_latency.tree")[2] == 0);
    CHECK(nccl("2.23").list("base_latency.tree")[2] == 8.4e-6);
}

TEST_CASE("a GPU newer than the tables takes the last generation they know") {
    CHECK(generation_row(nccl("2.8"), "per_channel.tree", GpuArch::hopper)[0] == 24e9);
    CHECK(generation_row(nccl("2.24"), "per_channel.tree", GpuArch::blackwell)[0] == 38.7e9);
    CHECK(generation_row(nccl("2.26"), "per_channel.tree", GpuArch::blackwell)[0] == 77.4e9);
    CHECK(generation_row(nccl("2.30"), "per_channel.tree", GpuArch::ada)[0] == 24e9);
    CHECK(generation_row(nccl("2.30"), "per_channel.tree", GpuArch::pascal)[0] == 26.5e9);
    CHECK_THROWS_AS(generation_row(nccl("2.27"), "per_channel.nvls_tree", GpuArch::hopper), CatalogError);
}

TEST_CASE("the search counts each NVLink as the version's table says") {
    CHECK(nccl_nvlink_bandwidth(nccl("2.8"), 80) == 21e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.12"), 70) == 22e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.30"), 60) == 18e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.30"), 86) == 12e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.30"), 89) == 20e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.30"), 90) == 20.6e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.30"), 103) == 40.1e9);
    CHECK(nccl_nvlink_bandwidth(nccl("2.24"), 100) == 20.6e9);
}

TEST_CASE("links times NCCL's constant is near the large ring bandwidth that is measured") {
    CHECK(12 * nccl_nvlink_bandwidth(nccl("2.27"), 80) == Approx(234.9e9).epsilon(0.03));
    CHECK(18 * nccl_nvlink_bandwidth(nccl("2.27"), 90) == Approx(366e9).epsilon(0.03));
    CHECK(18 * nccl_nvlink_bandwidth(nccl("2.27"), 100) == Approx(682.2e9).epsilon(0.06));
}

TEST_CASE("search speeds fall and belong to the GPU's generation") {
    for (const Part* library : testing::catalog().of_kind("library")) {
        for (const auto arch :
             {GpuArch::pascal, GpuArch::volta, GpuArch::ampere, GpuArch::hopper, GpuArch::blackwell}) {
            for (const char* scope : {"intra", "inter"}) {
                const std::vector<double>& speeds = nccl_search_speeds(*library, scope, arch);
                INFO(library->name << ' ' << scope);
                CHECK(speeds.size() >= 8);
                CHECK(std::is_sorted(speeds.rbegin(), speeds.rend()));
            }
        }
    }
    CHECK(nccl_search_speeds(nccl("2.30"), "inter", GpuArch::blackwell)[1] == 86e9);
    CHECK(nccl_search_speeds(nccl("2.24"), "intra", GpuArch::blackwell)[0] == 60e9);
    CHECK(nccl_search_speeds(nccl("2.12"), "intra", GpuArch::hopper)[0] == 44e9);
}

TEST_CASE("every entry has the figures its algorithms need") {
    for (const Part* library : testing::catalog().of_kind("library")) {
        if (!library->name.starts_with("nccl-")) {
            continue;
        }
        INFO(library->name);
        std::string algorithm;
        for (const char c : library->word("algorithms") + " ") {
            if (c != ' ') {
                algorithm += c;
                continue;
            }
            INFO(algorithm);
            CHECK(library->list("base_latency." + algorithm).size() == 3);
            for (const char* link : {"nvlink", "pci", "net"}) {
                CHECK(library->list("hw_latency." + std::string(link) + "." + algorithm).size() == 3);
            }
            algorithm.clear();
        }
        for (const char* protocol : {"ll", "ll128", "simple"}) {
            CHECK(library->list("tree_correction." + std::string(protocol)).size() >= 23);
        }
    }
}

}  // namespace
}  // namespace fabricast
