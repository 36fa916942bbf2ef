// NCCL's tuning model against values worked out from its source, and against what a real log printed.

#include "sim/plan/collectives/nccl/tuning.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::nccl;

namespace {

constexpr double us = 1e-6, gigabyte = 1e9;

Graph graph(int channels, double intra, double inter) {
    return {.channels = channels, .intra = intra * gigabyte, .inter = inter * gigabyte};
}

struct System {
    Communicator comm;
    Graphs graphs;
};

// Four systems, from one A100 node to 32 of them.
System a100_system() {
    System s{{.ranks = 8, .nodes = 1, .compute_capability = 80, .nvswitch = true}, {}};
    s.graphs["ring"] = s.graphs["tree"] = graph(24, 10, 10);
    return s;
}
System h100_system() {
    System s{{.ranks = 8, .nodes = 1, .compute_capability = 90, .nvls = true, .nvswitch = true}, {}};
    s.graphs["ring"] = s.graphs["tree"] = graph(16, 20, 20);
    s.graphs["nvls"] = graph(16, 20, 40);  // no network: the search raises `inter` to twice `intra`
    return s;
}
System four_h100_nodes() {
    System s{{.ranks = 32, .nodes = 4, .compute_capability = 90, .nvls = true, .nvswitch = true}, {}};
    s.graphs["ring"] = s.graphs["tree"] = graph(16, 24, 24);
    s.graphs["nvls"] = s.graphs["nvls_tree"] = graph(16, 20, 24);
    return s;
}
System a100_cluster() {
    System s{{.ranks = 256, .nodes = 32, .compute_capability = 80, .cpu = CpuVendor::amd, .nvswitch = true}, {}};
    s.graphs["ring"] = s.graphs["tree"] = graph(16, 10, 10);
    return s;
}

std::string name(const Estimate& e) { return fmt::format("{}/{}", e.algorithm->name, to_string(e.proto)); }

Estimate chosen(const System& s, double bytes) {
    const Release newest = release(catalogue(), parse_version("2.30"));
    return choose(estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_reduce, bytes));
}

std::map<std::string, double> all_us(const System& s, double bytes) {
    const Release newest = release(catalogue(), parse_version("2.30"));
    std::map<std::string, double> found;
    for (const Estimate& e : estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_reduce, bytes)) {
        found[name(e)] = e.seconds / us;
    }
    return found;
}

struct Expected {
    double bytes;
    std::string choice;
    double time_us;
};

void check(const System& s, const std::vector<Expected>& rows) {
    for (const Expected& row : rows) {
        const Estimate e = chosen(s, row.bytes);
        INFO(row.bytes << " B");
        CHECK(name(e) == row.choice);
        CHECK(e.seconds / us == Approx(row.time_us).epsilon(3e-4));
    }
}

}  // namespace

TEST_CASE("2.30 on one A100 node chooses and times as its source says") {
    check(a100_system(), {{1 * KiB, "Ring/LL", 15.02},
                          {64 * KiB, "Ring/LL", 16.31},
                          {1 * MiB, "Ring/LL", 35.92},
                          {8 * MiB, "Ring/LL128", 107.09},
                          {64 * MiB, "Ring/Simple", 545.34},
                          {1 * GiB, "Ring/Simple", 7885.4}});
}

TEST_CASE("2.30 on one H100 node leaves the ring for NVLS") {
    check(h100_system(), {{1 * KiB, "Ring/LL", 15.01},
                          {64 * KiB, "Ring/LL", 15.81},
                          {1 * MiB, "Ring/LL", 28.01},
                          {8 * MiB, "NVLS/Simple", 53.78},
                          {64 * MiB, "NVLS/Simple", 255.28},
                          {1 * GiB, "NVLS/Simple", 3709.4}});
}

TEST_CASE("2.30 on four H100 nodes takes trees, then NVLSTree") {
    check(four_h100_nodes(), {{1 * KiB, "Tree/LL", 35.31},
                              {64 * KiB, "Tree/LL", 45.91},
                              {1 * MiB, "Tree/LL128", 76.05},
                              {8 * MiB, "Tree/LL128", 121.78},
                              {64 * MiB, "NVLSTree/Simple", 447.20},
                              {1 * GiB, "NVLSTree/Simple", 5526.2}});
}

TEST_CASE("2.30 on 32 A100 nodes stays with trees") {
    check(a100_cluster(), {{1 * KiB, "Tree/LL", 65.32},
                           {64 * KiB, "Tree/LL", 76.70},
                           {1 * MiB, "Tree/LL128", 141.83},
                           {8 * MiB, "Tree/LL128", 251.58},
                           {64 * MiB, "Tree/LL128", 1197.2},
                           {1 * GiB, "Tree/Simple", 14793.3}});
}

TEST_CASE("every candidate at 1 MiB has the time its source gives") {
    const auto close = [](double value) { return Approx(value).margin(0.06); };
    auto a = all_us(a100_system(), MiB);
    CHECK(a["Ring/LL"] == close(35.9));
    CHECK(a["Ring/LL128"] == close(48.9));
    CHECK(a["Ring/Simple"] == close(63.6));
    CHECK(a["Tree/LL"] == close(87.4));
    CHECK(a["Tree/LL128"] == close(51.9));
    CHECK(a["Tree/Simple"] == close(83.4));
    auto b = all_us(h100_system(), MiB);
    CHECK(b["NVLS/Simple"] == close(28.6));
    CHECK(b["Ring/LL"] == close(28.0));
    auto c = all_us(four_h100_nodes(), MiB);
    CHECK(c["Ring/LL"] == close(178.4));
    CHECK(c["Ring/LL128"] == close(150.2));
    CHECK(c["Ring/Simple"] == close(401.2));
    CHECK(c["Tree/LL"] == close(240.8));
    CHECK(c["Tree/LL128"] == close(76.1));
    CHECK(c["Tree/Simple"] == close(132.3));
    CHECK(c["NVLSTree/Simple"] == close(113.9));
}

TEST_CASE("the time that a real log printed comes out to the last digit") {
    // NVIDIA/nccl issue 1453, 8 H100 a node: "128 Bytes -> Algo 0 proto 0 time 25.214764". The fixed part is
    // 6.8 + 2 (7 x 0.6 + 1 x 5.0) = 25.2; the rest is 128 B at 8.67 GB/s, which is LL's limit of 20.4 GB/s on three and
    // more Intel nodes x 0.85 (simple tree) / 2.
    System s{{.ranks = 24, .nodes = 3, .compute_capability = 90, .nvls = true, .nvswitch = true}, {}};
    s.graphs["tree"] = s.graphs["ring"] = graph(8, 48, 48);
    s.graphs["tree"].simple_tree = true;
    const Release then = release(catalogue(), parse_version("2.21.5"));
    const Estimate e = choose(estimates(all_algorithms(), then, s.comm, s.graphs, Collective::all_reduce, 128));
    CHECK(e.algorithm == &tree_model);
    CHECK(e.proto == Proto::ll);
    CHECK(e.seconds / us == Approx(25.214764).margin(1e-6));
}

TEST_CASE("CollNetDirect gathers along the rails, each GPU of a node its part: its time grows by that rate") {
    System s{{.ranks = 32, .nodes = 4, .compute_capability = 90, .nvswitch = true, .collnet = true}, {}};
    s.graphs["ring"] = s.graphs["tree"] = graph(8, 24, 24);
    const Release then = release(catalogue(), parse_version("2.27"));
    const auto rate = [&](double intra, double inter) {
        s.graphs["collnet_direct"] = graph(8, intra, inter);
        const auto seconds = [&](double bytes) {
            for (const Estimate& e :
                 estimates(all_algorithms(), then, s.comm, s.graphs, Collective::all_gather, bytes)) {
                if (e.algorithm->name == std::string_view("CollNetDirect") && e.proto == Proto::simple) {
                    return e.seconds;
                }
            }
            return 0.0;
        };
        return GiB / (seconds(2 * GiB) - seconds(GiB)) / 1e9;
    };
    CHECK(rate(24, 20) == Approx(8 * 0.9 * 20));
    CHECK(rate(12, 20) == Approx(8 * 12));
}

TEST_CASE("2.18 counted NVLSTree's hops between nodes one by one") {
    const auto fixed_us = [](std::uint32_t nodes) {
        System s = four_h100_nodes();
        s.comm.nodes = nodes;
        s.comm.ranks = 8 * nodes;
        const Release then = release(catalogue(), parse_version("2.18.3"));
        for (const Estimate& e : estimates(all_algorithms(), then, s.comm, s.graphs, Collective::all_reduce, 0)) {
            if (e.algorithm->name == std::string_view("NVLSTree")) { return e.seconds / us; }
        }
        return 0.0;
    };
    const Release then = release(catalogue(), parse_version("2.18.3"));
    const auto figure = [&](const char* name) { return then.item(name, 2) / us; };
    const double once = figure("base_latency.nvls_tree") + figure("hw_latency.nvlink.nvls_tree");
    const double hop = figure("hw_latency.net.nvls_tree");
    CHECK(fixed_us(4) == Approx(once + 2 * 3 * hop));
    CHECK(fixed_us(12) == Approx(once + 2 * 11 * hop));
}

TEST_CASE("a version between two entries takes the older") {
    CHECK(release(catalogue(), parse_version("2.21.5")).entry->name == "nccl-2.21");
    CHECK(release(catalogue(), parse_version("2.18.5")).entry->name == "nccl-2.18.3");
    CHECK(release(catalogue(), parse_version("2.28.3")).entry->name == "nccl-2.28.3");
    CHECK(release(catalogue(), parse_version("2.28")).entry->name == "nccl-2.28");
    CHECK(release(catalogue(), parse_version("2.30.7")).entry->name == "nccl-2.30.7");
    CHECK(release(catalogue(), parse_version("2.4")).entry->name == "nccl-2.8");
    CHECK_THROWS_AS(parse_version("latest"), PlanError);
    CHECK_THROWS_AS(parse_version("2."), PlanError);
    CHECK_THROWS_AS(parse_version("-2.27"), PlanError);
    CHECK_THROWS_AS(parse_version("2.-27"), PlanError);
}

TEST_CASE("excluding what would be chosen changes the choice") {
    const System s = h100_system();
    const Release newest = release(catalogue(), parse_version("2.30"));
    Allowed allowed;
    allowed.refused.insert("nvls");
    const Estimate e = choose(
        estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_reduce, GiB, DataType::float32, allowed));
    CHECK(e.algorithm == &ring_model);
    allowed.keep_only(all_algorithms(), [](const AlgorithmModel&) { return false; });
    CHECK_THROWS_AS(choose(estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_reduce, GiB,
                                     DataType::float32, allowed)),
                    PlanError);
}

TEST_CASE("older releases keep their own rules") {
    // LL on a ring had a quarter of the bus bandwidth up to 2.20, half from 2.21 on: at 1 MiB, 8 A100, 240 GB/s.
    const System s = a100_system();
    const auto ll_at = [&](const char* version) {
        for (const Estimate& e : estimates(all_algorithms(), release(catalogue(), parse_version(version)), s.comm,
                                           s.graphs, Collective::all_reduce, MiB)) {
            if (e.algorithm == &ring_model && e.proto == Proto::ll) { return e.seconds / us; }
        }
        return 0.0;
    };
    // 6.6 + 14 x 0.6 + 1 MiB / (240/4 x 8/14)
    CHECK(ll_at("2.19") == Approx(15.0 + MiB / (60e3 * 8 / 14)).epsilon(1e-6));
    CHECK(ll_at("2.21") == Approx(15.0 + MiB / (87.7e3 * 8 / 14)).epsilon(1e-6));
    // 2.8 also clamps the bus of a ring at 235 GB/s and has its first latencies: 3.6 + 14 x 0.47.
    CHECK(ll_at("2.8") == Approx(3.6 + 14 * 0.47 + MiB / (235e3 / 4 * 8 / 14)).epsilon(1e-6));
}

TEST_CASE("a long ring of FP8 sums is taken last") {
    const Release newest = release(catalogue(), parse_version("2.30"));
    const System s = a100_cluster();
    const auto f8 =
        choose(estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_gather, GiB, DataType::float8));
    const auto f32 = choose(estimates(all_algorithms(), newest, s.comm, s.graphs, Collective::all_gather, GiB));
    CHECK(f8.seconds == Approx(1024 * f32.seconds));
}
