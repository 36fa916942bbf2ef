// NCCL's constants by release, against its own source where versions differ.

#include <algorithm>
#include <cmath>

#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

const Part& nccl(const std::string& version) { return testing::part("library", "nccl-" + version); }

std::vector<double> microseconds_of(const Part& library, const std::string& path) {
    std::vector<double> values = library.list(path);
    for (double& value : values) {
        value = std::round(value * 1e9) / 1e3;  // to the nanosecond
    }
    return values;
}

using Row = std::vector<double>;

TEST_CASE("base latencies changed with 2.18.1 and 2.23") {
    CHECK(microseconds_of(nccl("2.17"), "base_latency.ring") == Row{3.6, 10, 8.4});
    CHECK(microseconds_of(nccl("2.18.1"), "base_latency.ring") == Row{6.6, 14, 8.4});
    CHECK(microseconds_of(nccl("2.21"), "base_latency.tree") == Row{6.8, 14, 0});
    CHECK(microseconds_of(nccl("2.23"), "base_latency.tree") == Row{6.8, 14, 8.4});
}

TEST_CASE("a tree's Simple hop between nodes went 28, 14, 28 and 14 us") {
    CHECK(microseconds_of(nccl("2.18.1"), "hw_latency.net.tree") == Row{5, 8.5, 28});
    CHECK(microseconds_of(nccl("2.18.3"), "hw_latency.net.tree") == Row{5, 8.5, 14});
    CHECK(microseconds_of(nccl("2.19"), "hw_latency.net.tree") == Row{5, 8.5, 28});
    CHECK(microseconds_of(nccl("2.23"), "hw_latency.net.tree") == Row{5, 8.5, 14});
    CHECK(microseconds_of(nccl("2.30"), "hw_latency.net.tree") == Row{5, 8.5, 14});
}

TEST_CASE("a newer entry inherits what it does not change, with the source that last touched it") {
    CHECK(nccl("2.30").number("buffer.simple", "B") == 4 * 1024 * 1024);
    CHECK_THAT(nccl("2.30").figure("buffer.simple").source.front(), ContainsSubstring("v2.8.4"));
    CHECK_THAT(nccl("2.30").figure("hw_latency.net.tree").source.front(), ContainsSubstring("v2.23.4"));
    CHECK(nccl("2.27.6").word("nvls_model") == "ratio");
    CHECK(nccl("2.28.3").word("nvls_model") == "pipelined");
}

TEST_CASE("patch releases differ where the library did") {
    CHECK(microseconds_of(nccl("2.28.7"), "hw_latency.net.nvls_tree")[2] == 14);
    CHECK(microseconds_of(nccl("2.28.9"), "hw_latency.net.nvls_tree")[2] == 20.9);
    CHECK(nccl("2.29.2").list("per_channel.ring_ll128.blackwell") == Row{34.5e9, 34.6e9, 34.5e9});
    CHECK(nccl("2.29.7").list("per_channel.ring_ll128.blackwell") == Row{40e9, 40e9, 40e9});
    CHECK(nccl("2.27.3").list("search.inter.blackwell")[0] == 47.9e9);
    CHECK(nccl("2.27.6").list("search.inter.blackwell")[0] == 96e9);
    for (const char* line : {"2.18", "2.27", "2.28", "2.29"}) {
        // Without a patch level: the last of its line, figure by figure.
        const Part& any = nccl(line);
        const Part* last = nullptr;
        for (const Part* part : testing::catalog().of_kind("library")) {
            last = part->name.starts_with(any.name + ".") ? part : last;
        }
        REQUIRE(last != nullptr);
        for (const auto& [path, figure] : last->figures) {
            INFO(line << ' ' << path);
            CHECK(any.list(path) == figure.value);
        }
    }
}

TEST_CASE("the search counts each NVLink as the release's table says") {
    CHECK(nccl("2.8").number("nvlink.sm80") == 21e9);
    CHECK(nccl("2.10").number("nvlink.sm70") == 22e9);
    CHECK(nccl("2.18").number("nvlink.sm90") == 20e9);
    CHECK(nccl("2.20").number("nvlink.sm90") == 20.6e9);
    CHECK(nccl("2.25").number("nvlink.sm100") == 40e9);
    CHECK(nccl("2.30").number("nvlink.sm100") == 40.1e9);
    CHECK(nccl("2.30").number("nvlink.sm86") == 12e9);
}

TEST_CASE("links times NCCL's constant is near the large ring bandwidth that is measured") {
    CHECK(12 * nccl("2.27").number("nvlink.sm80") == Approx(234.9e9).epsilon(0.03));
    CHECK(18 * nccl("2.27").number("nvlink.sm90") == Approx(366e9).epsilon(0.03));
    CHECK(18 * nccl("2.27").number("nvlink.sm100") == Approx(682.2e9).epsilon(0.06));
}

TEST_CASE("search speeds fall") {
    for (const Part* library : testing::catalog().of_kind("library")) {
        for (const auto& [path, figure] : library->figures) {
            if (path.starts_with("search.")) {
                INFO(library->name << ' ' << path);
                CHECK(figure.value.size() >= 8);
                CHECK(std::is_sorted(figure.value.rbegin(), figure.value.rend()));
            }
        }
    }
    CHECK(nccl("2.30").list("search.inter.blackwell")[1] == 86e9);
    CHECK(nccl("2.8").list("search.intra.pre_hopper")[0] == 42e9);
}

TEST_CASE("every release has the figures its algorithms need") {
    for (const Part* library : testing::catalog().of_kind("library")) {
        if (!library->name.starts_with("nccl-")) { continue; }
        INFO(library->name);
        std::string algorithm;
        for (const char c : library->word("algorithms") + " ") {
            if (c != ' ') {
                algorithm += c;
                continue;
            }
            INFO(algorithm);
            CHECK(library->list("base_latency." + algorithm).size() == 3);
            // PAT's only hops are those of a GPU alone on its node, which count as the tree's.
            const bool on_nvswitch = algorithm.starts_with("nvls") || algorithm == "collnet_direct";
            for (const std::string_view link : {"nvlink", "pci", "net"}) {
                if ((link == "pci" && on_nvswitch) || (link == "net" && algorithm == "pat")) { continue; }
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
