// The messages that proxies post, each with a number from NCCL's source or a measurement.

#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "tests/sim/plan/collectives/between_nodes.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

double simple_post() { return network_figure("net_ib.simple_post"); }

}  // namespace

TEST_CASE("a proxy posts two messages of a tree's chunk at two nodes, three at three, four beyond") {
    CHECK(tree_messages(2) == 2);
    CHECK(tree_messages(3) == 3);
    CHECK(tree_messages(4) == 4);
    CHECK(tree_messages(64) == 4);
    // NVLSTree: a head has all 16 channels. Of 1 GiB a chunk is 1/64 or less, and the first one's messages are in its
    // hops.
    for (const auto& [nodes, messages] : {std::pair(2U, 2.0), std::pair(4U, 4.0)}) {
        const CallPlan plan = plan_of("all_reduce", nodes, "1 GiB", "nvls-tree", "simple");
        const Pipeline& p = pipeline_of(plan);
        CHECK(plan.channels == 16);
        CHECK(to_seconds(p.chunk_posting) ==
              Approx(messages * 16 * simple_post() * (1 - p.chunk / p.bytes_per_edge)).epsilon(1e-6));
    }
}

TEST_CASE("a proxy begins with one peer after another") {
    // Messages of 512 B, so all copy as much.
    const auto start = [&](std::uint32_t nodes, const std::string& cluster = "") {
        const std::string size = std::to_string(nodes * 8 * 512) + " B";
        return to_seconds(pipeline_of(plan_of("all_to_all", nodes, size, "auto", "auto", cluster)).start);
    };
    const double each = network_figure("p2p_per_peer");
    CHECK(each > 1e-6);
    CHECK(start(3) - start(2) == Approx(8 * each).epsilon(1e-6));
    const double shift = to_seconds(pipeline_of(plan_of("sendrecv", 2, "512 B", "auto", "auto")).start);
    CHECK(start(2) - shift == Approx(7 * each).epsilon(1e-3));               // each has its own share of the wire
    CHECK(start(3, efa) - start(2, efa) == Approx(8 * each).epsilon(1e-6));  // NCCL's proxy, whatever the plugin
}

TEST_CASE("a proxy posts what it sends to a peer and what it receives from it") {
    const auto messages = [](const char* collective, const std::string& cluster = "", const char* figure = nullptr) {
        const CallPlan plan = plan_of(collective, 2, "64 KiB", "auto", "auto", cluster);
        const double one = figure ? catalogue().parts.at(figure).number("post") : simple_post();
        return to_seconds(pipeline_of(plan).chunk_posting) / (plan.channels * one);
    };
    CHECK(messages("all_to_all") == Approx(8 * 2));
    // A plugin's provider takes a buffer for a third of what a send costs: on Polaris a peer of an all-to-all
    // takes 10.1 us, 2 of them for its operation, a message of a ring 6.7 to 8.1 (polaris-256n4g-alltoall,
    // polaris-8n4g-allgather).
    const std::string polaris = "node: a100-mesh-4x, fabric: {kind: dragonfly, link: slingshot-11}";
    CHECK(messages("all_to_all", polaris, "transport-cxi-ofi") == Approx(4 * 1.3));
    // A shift leaves a node by its last GPU and enters by its first, unless it has only one.
    CHECK(messages("sendrecv") == Approx(1));
    CHECK(messages("sendrecv", "node: dgx-h100, gpus_per_node: 1, fabric: {kind: fat-tree, link: infiniband-ndr}") ==
          Approx(2));
}

TEST_CASE("NVLSTree takes a channel for each 16 KiB of traffic, and its messages are posted one after another once") {
    const auto plan = [](const std::string& size) {
        return plan_of("all_reduce", 4, size, "nvls-tree", "simple", "", "2.26");
    };
    const double one = to_seconds(network_stage(plan("8 KiB")).overhead);
    for (const auto& [size, channels] : {std::pair("8 KiB", 1), std::pair("64 KiB", 8), std::pair("1 MiB", 16)}) {
        CHECK(plan(size).channels == channels);
        CHECK(network_hops(plan(size)) == 4);
        CHECK(to_seconds(network_stage(plan(size)).overhead) ==
              Approx(one + (channels - 1) / 4.0 * simple_post()).epsilon(1e-6));
    }
}

TEST_CASE("each port of a split adapter is posted to, which halves NVLSTree's small chunks on B300") {
    const auto posting = [](const std::string& options, const std::string& link) {
        const std::string b300 =
            "node: dgx-b300, options: {" + options + "}, fabric: {kind: rail-optimized, link: " + link + "}";
        return to_seconds(
            pipeline_of(plan_of("all_reduce", 4, "8 GiB", "nvls-tree", "simple", b300, "2.29.7")).chunk_posting);
    };
    CHECK(posting("nics: 16", "ethernet-400g") == Approx(2 * posting("nics: 8", "ethernet-800g")));
}

TEST_CASE("a proxy reads every line of an LL message before it posts it") {
    const CallPlan plan = plan_of("all_reduce", 2, "64 KiB", "ring", "ll");
    const Pipeline& p = pipeline_of(plan);
    const double scan = network_figure("ll.scan_rate");
    // One channel comes in at a rank and another leaves there.
    const double messages = to_seconds(p.chunk_posting) / (network_figure("net_ib.post") + 2 * p.chunk / scan);
    CHECK(messages == Approx(std::round(messages)).epsilon(1e-6));
    CHECK(messages > 0.99);
}

TEST_CASE("a message beyond the eager limit asks first") {
    const auto hop = [](const char* size) {
        return to_seconds(network_stage(plan_of("all_reduce", 2, size, "tree", "ll", efa)).overhead);
    };
    CHECK(message_bytes(nccl::Proto::ll, 4096) == 8192);  // half of the bytes are flags
    CHECK(hop("4100 B") - hop("4096 B") ==
          Approx(catalogue().at("transport", "transport-efa-v2").number("rendezvous")).epsilon(0.02));
}

TEST_CASE("a message's own post is part of its hop, those of other channels before it count once for all hops") {
    const std::string polaris = "node: a100-mesh-4x, fabric: {kind: dragonfly, link: slingshot-11}";
    const double one = catalogue().at("transport", "transport-cxi-ofi").number("post");
    const double hop = catalogue().at("transport", "transport-cxi-ofi").number("hop");
    const auto stage = [&](const char* algorithm, std::uint32_t nodes, const char* size) {
        return network_stage(plan_of("all_reduce", nodes, size, algorithm, "ll", polaris));
    };
    for (const char* algorithm : {"tree", "ring"}) {
        CHECK(to_seconds(stage(algorithm, 2, "4 B").overhead) == Approx(hop + one).epsilon(0.01));
    }
    // Eight channels of 4 KiB, two to a proxy, also share the adapters, at each of the two hops of two nodes and the
    // eight of sixteen.
    const auto more = [&](std::uint32_t nodes) {
        const Stage many = stage("tree", nodes, "32 KiB"), alone = stage("tree", nodes, "4 KiB");
        return to_seconds(many.overhead - alone.overhead) * many.count;
    };
    const double shared = (more(16) - more(2)) / (8 - 2);
    const double scan = 8192 / network_figure("ll.scan_rate");
    CHECK(more(2) - 2 * shared == Approx(one + scan).epsilon(0.01));
}
