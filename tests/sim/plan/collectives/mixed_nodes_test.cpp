// Nodes of several kinds in one cluster: collectives, steps, bills, and what cannot take them.

#include <string>

#include "sim/plan/collectives/planner.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/study/parts_list.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"
#include "topologies/export.hpp"

using namespace fabricast;
using Catch::Matchers::WithinRel;

namespace {

const std::string mixed = "nodes: [{node: dgx-h100, count: 2}, {node: dgx-a100, count: 2}]";
const std::string two_old = "node: dgx-a100, nodes: 2", four_old = "node: dgx-a100, nodes: 4";
const std::string four_new = "node: dgx-h100, nodes: 4";

Scenario on_cluster(const std::string& cluster, const std::string& workload, const std::string& more = {}) {
    return parse_scenario("name: t\ncluster: {" + cluster + "}\nworkload: {" + workload + "}\n" + more, "t.yaml");
}

std::string collective(const std::string& words) { return "kind: collective, sizes: [8 KiB, 4 MiB, 1 GiB], " + words; }

Report forecast(const std::string& cluster, const std::string& workload, const std::string& more = {}) {
    return simulate(on_cluster(cluster, workload, more), catalogue());
}

Fabric built(const std::string& cluster) { return Fabric(build(on_cluster(cluster, collective("")), catalogue())); }

std::vector<double> times(const Report& report) {
    std::vector<double> seconds;
    for (const Row& row : report.rows) { seconds.push_back(row.time_s); }
    for (const StepRow& step : report.steps) { seconds.push_back(step.step_time_s); }
    REQUIRE_FALSE(seconds.empty());
    return seconds;
}

// A box in the words of the catalogue, under a name of its own.
std::string box(const std::string& name, const std::string& cpu = "xeon-sapphire-rapids") {
    return "{name: " + name + ", gpus: {part: h100-sxm, count: 8, joined: nvswitch}, cpus: {part: " + cpu +
           ", count: 2}, pcie: two GPUs and two NICs a switch, nics: {part: connectx-7, count: 8}}";
}

}  // namespace

TEST_CASE("equal nodes written as two entries are one kind") {
    const std::string twice = "nodes: [{node: dgx-h100, count: 1}, {node: dgx-h100, count: 3}]";
    for (const std::string words : {"collective: all_reduce", "collective: all_to_all", "algorithm: ring"}) {
        CHECK(times(forecast(twice, collective(words))) == times(forecast(four_new, collective(words))));
    }
    CHECK(build(on_cluster(twice, collective("")), catalogue()).runs.empty());
    CHECK(to_dot(built(twice)) == to_dot(built(four_new)));
}

TEST_CASE("nodes that differ by name only are planned run by run, with the same times") {
    const std::string twice = "nodes: [{node: " + box("a") + ", count: 2}, {node: " + box("b") + ", count: 2}]";
    const std::string once = "node: " + box("a") + ", nodes: 4";
    REQUIRE(built(twice).runs().size() == 2);
    CHECK(to_dot(built(twice)) == to_dot(built(once)));
    CHECK(bisection_bandwidth(built(twice)) == bisection_bandwidth(built(once)));
    for (const std::string words :
         {"collective: all_reduce", "collective: all_gather", "collective: all_to_all", "collective: sendrecv",
          "collective: broadcast", "algorithm: tree", "algorithm: nvls-tree", "algorithm: hierarchical"}) {
        INFO(words);
        CHECK(times(forecast(twice, collective(words))) == times(forecast(once, collective(words))));
    }
    const std::string step = "kind: training, model: llama-2-7b, precision: bf16, sharding: zero-3, global_batch: 64";
    CHECK(times(forecast(twice, step)) == times(forecast(once, step)));
}

TEST_CASE("a mixed cluster is no faster than its slower half, and about as fast as one of slow nodes alone") {
    for (const std::string words : {"collective: all_reduce", "collective: all_gather", "collective: reduce_scatter",
                                    "collective: broadcast", "collective: all_to_all"}) {
        const std::string simple =
            words.ends_with("all_to_all") ? words : words + ", protocol: simple, algorithm: ring";
        const std::vector<double> mix = times(forecast(mixed, collective(simple)));
        const std::vector<double> half = times(forecast(two_old, collective(simple)));
        const std::vector<double> old = times(forecast(four_old, collective(simple)));
        const std::vector<double> young = times(forecast(four_new, collective(simple)));
        for (std::size_t i = 0; i < mix.size(); ++i) {
            INFO(simple << " row " << i);
            CHECK(mix[i] >= half[i] * 0.995);  // the mix's adapters are of another rate, with a transport of their own
            CHECK(mix[i] >= young[i] * (1 - 1e-9));
            CHECK(mix[i] <= old[i] * 1.03);
        }
    }
}

TEST_CASE("nodes of several kinds have the least of all channels, and LL128 only from Hopper on") {
    const auto protocol = [](const std::string& cluster) {
        return forecast(cluster, "kind: collective, sizes: [1 MiB]").rows.front().protocol;
    };
    CHECK(protocol(four_old) == "ll128");
    CHECK(protocol(four_new) == "ll128");
    CHECK(protocol(mixed) != "ll128");
    CHECK_THROWS_WITH(forecast(mixed, collective("algorithm: nvls-tree")), ContainsSubstring("nvls-tree cannot run"));
    CHECK_NOTHROW(forecast(four_new, collective("algorithm: nvls-tree")));
    const std::string hopper = "nodes: [{node: dgx-h100, count: 2}, {node: dgx-h200, count: 2}]";
    CHECK(protocol(hopper) == "ll128");
}

TEST_CASE("between nodes LL goes further where all hosts are AMD's, as NCCL's limits have it") {
    // 4 MiB by a ring without LL128: LL's limit is 87.7 GB/s on AMD's hosts and 39 on all others.
    const auto protocol = [](const std::string& first, const std::string& second) {
        const std::string nodes =
            "nodes: [{node: " + box("a", first) + ", count: 2}, {node: " + box("b", second) + ", count: 2}]";
        return forecast(nodes, "kind: collective, sizes: [4 MiB]",
                        "library: {env: {NCCL_ALGO: Ring, NCCL_PROTO: 'LL,Simple'}}\n")
            .rows.front()
            .protocol;
    };
    const std::string amd = "epyc-rome", intel = "xeon-sapphire-rapids";
    CHECK(protocol(amd, amd) == "ll");
    CHECK(protocol(intel, intel) == "simple");
    CHECK(protocol(amd, intel) == "simple");
    CHECK(protocol(intel, amd) == "simple");
}

TEST_CASE("both engines agree on a mixed cluster") {
    for (const std::string words : {"collective: all_reduce, algorithm: ring, protocol: simple", "algorithm: tree"}) {
        const std::string workload = "kind: collective, sizes: [1 MiB, 64 MiB], " + words;
        const std::vector<double> flow = times(forecast(mixed, workload));
        const std::vector<double> packet = times(forecast(mixed, workload, "engine: packet\n"));
        // As on equal nodes: a large ring of Simple is up to a tenth faster in packets, whose slices return their slots
        // one by one.
        for (std::size_t i = 0; i < flow.size(); ++i) { CHECK_THAT(packet[i], WithinRel(flow[i], 0.1)); }
    }
}

TEST_CASE("every port of a mixed cluster runs at its own rate, and the bill counts each kind") {
    const Fabric fabric = built(mixed);
    const auto rate = [&](std::uint32_t node) {
        return fabric
            .link(fabric.path({.src = fabric.nic(node, 0), .dst = fabric.nic(1 - node % 2 + node / 2 * 2, 0)}).links[0])
            .capacity;
    };
    CHECK_THAT(rate(0) / rate(2), WithinRel(2.0, 0.01));
    CHECK(fabric.node().gpu.name == "a100-sxm4-40");  // the slowest sets the pace
    CHECK(fabric.device_name(fabric.device("node3.gpu7")) == "node3.gpu7");
    CHECK(bill_of(fabric).cables.front().cables == 32);
    const Scenario s = on_cluster(mixed, collective(""));
    double systems = 0, modules = 0;
    for (const auto& line : parts_list(s, fabric, catalogue()).lines) {
        systems += line.part == "dgx-h100-system" || line.part == "dgx-a100-system" ? line.count : 0;
        modules += line.what.find("node-leaf") != std::string::npos ? line.count : 0;
    }
    CHECK(systems > 0);
    CHECK(modules > 0);
}

TEST_CASE("the slowest GPU sets the pace of a training step") {
    const std::string step = "kind: training, model: llama-2-7b, precision: bf16, sharding: zero-3, global_batch: 64";
    const double mix = times(forecast(mixed, step)).front();
    const double old = times(forecast(four_old, step)).front();
    CHECK(mix > times(forecast(four_new, step)).front());
    CHECK_THAT(mix, WithinRel(old, 0.03));
}

TEST_CASE("what cannot take nodes of several kinds is refused at its line") {
    const auto refusal = [](const std::string& cluster, const std::string& workload) {
        try {
            forecast(cluster, workload);
        } catch (const std::runtime_error& error) { return std::string(error.what()); }
        return std::string("none");
    };
    const std::string plain = collective("");
    CHECK_THAT(refusal("nodes: [{node: dgx-h100, count: 1}, {node: gb200-nvl72, count: 1}]", plain),
               ContainsSubstring("t.yaml:2:") && ContainsSubstring("equal numbers of GPUs"));
    CHECK_THAT(refusal("nodes: [{node: dgx-h100, count: 1}, {node: hgx-a100-4nic, count: 1}]", plain),
               ContainsSubstring("equal numbers of NICs"));
    CHECK_THAT(refusal("nodes: [{node: dgx-h100, count: 1}, {node: dgx-h101, count: 1}]", plain),
               ContainsSubstring("t.yaml:2:") && ContainsSubstring("dgx-h101"));
    CHECK_THAT(refusal("node: dgx-h100, " + mixed, plain), ContainsSubstring("does not go with 'cluster.node'"));
    CHECK_THAT(refusal("nodes: []", plain), ContainsSubstring("must not be empty"));
    CHECK_THAT(refusal(mixed, "kind: transfer, from: node0.gpu0, to: node2.gpu0, sizes: [1 MiB]"),
               ContainsSubstring("between nodes of one kind"));
    CHECK(on_cluster("options: {nics: 4}, nodes: [{node: dgx-h100, count: 1}, {node: hgx-a100-4nic, count: 1}]", plain)
              .cluster.nodes == 2);
}

TEST_CASE("ranks on nodes of one kind are planned as a cluster of that kind") {
    const Report placed = forecast(mixed + ", place: \"node[2-3]\"", collective(""));
    const std::vector<double> alone = times(forecast(two_old + ", fabric: {link: infiniband-hdr}", collective("")));
    for (std::size_t i = 0; i < alone.size(); ++i) { CHECK_THAT(placed.rows[i].time_s, WithinRel(alone[i], 0.02)); }
}
