// Data paths between two devices: closed forms, refusals in words, what conditions change.

#include <algorithm>
#include <string>

#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/simulate.hpp"
#include "sim/transports/describe.hpp"
#include "sim/transports/exchange.hpp"
#include "sim/transports/places.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

constexpr Bytes tiny_message{8};
constexpr Bytes mebi{1 << 20};
constexpr Bytes big{256 << 20};

// A transfer on a machine: `lines` go below `workload:`.
struct Case {
    Case(const std::string& cluster, const std::string& lines)
        : scenario(
              parse_scenario("name: t\ncluster: {" + cluster + "}\nworkload:\n  kind: transfer\n" + lines, "t.yaml")),
          fabric(transfer_fabric(Fabric(build(scenario, catalogue())), workload(), catalogue())) {}

    const TransferWorkload& workload() const { return std::get<TransferWorkload>(scenario.workload); }
    Exchange at(Bytes size, const Engine& engine = Flow{}) const {
        return Exchanger(workload(), fabric, catalogue(), engine).at(size);
    }

    Scenario scenario;
    Fabric fabric;
};

double figure(const std::string& part, const std::string& name) { return catalogue().find(part)->number(name); }

std::string refusal_of(const Exchange& e, const std::string& transport) {
    for (const Candidate& candidate : e.choice.refused) {
        if (candidate.transport == transport) {
            return candidate.attempt.refusal;
        }
    }
    return "";
}

const std::string two_a100 = "node: dgx-a100, nodes: 2";

}  // namespace

TEST_CASE("a copy over NVLink takes its start, the links' latency and its bytes at their goodput") {
    const Case c("node: dgx-a100", "  from: node0.gpu0\n  to: node0.gpu5\n");
    const Path links = c.fabric.path(query(c.fabric.gpu(0), c.fabric.gpu(5), Transport::nvlink));
    const Exchange e = c.at(big);
    CHECK(e.choice.path.transport == "nvlink-p2p");
    CHECK(e.one_s == Approx(figure("cuda-copies", "send.overhead") + to_seconds(links.latency) +
                            static_cast<double>(big.count) / narrowest(c.fabric, links)));
    CHECK(e.choice.path.dma_crossings() == 1);
}

TEST_CASE("without peer to peer a copy is staged: two DMA crossings, twice the latency") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu1\n";
    const Exchange peer = Case("node: p100-pcie-8x", ends).at(tiny_message);
    const Exchange staged = Case("node: p100-pcie-8x, options: {peer_to_peer: false}", ends).at(tiny_message);
    CHECK(peer.choice.path.transport == "pcie-p2p");
    CHECK(peer.choice.path.dma_crossings() == 1);
    CHECK(staged.choice.path.transport == "host-staged");
    CHECK(staged.choice.path.dma_crossings() == 2);
    CHECK(staged.one_s > 1.8 * peer.one_s);
    CHECK(refusal_of(staged, "pcie-p2p").find("no peer to peer") != std::string::npos);
}

TEST_CASE("a staged copy streams at the slower of its two legs once its buffers are full") {
    const Case c("node: rtx4090-8x", "  from: node0.gpu0\n  to: node0.gpu2\n");
    const Exchange e = c.at(Bytes{std::int64_t{1} << 32});
    double slowest = std::numeric_limits<double>::infinity();
    for (const Leg& leg : e.choice.path.legs) {
        slowest = std::min({slowest, leg.rate_cap, narrowest(c.fabric, c.fabric.path(leg.paths.front()))});
    }
    CHECK(e.bandwidth < slowest * 1.0001);
    CHECK(e.bandwidth > 0.6 * slowest);
}

TEST_CASE("ACS sends peers below one switch through the root port, and ATS takes them back") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu1\n  direction: both-ways\n";
    const std::string box = "node: p100-pcie-8x";
    const Exchange free = Case(box, ends).at(big);
    const Exchange redirected = Case(box, ends + "  host: {acs: true}\n").at(big);
    const Exchange translated = Case(box, ends + "  host: {acs: true, ats: true}\n").at(big);
    REQUIRE(redirected.choice.path.notes.size() == 1);
    CHECK(redirected.choice.path.notes[0] == "ACS is on: peer traffic goes through the root port");
    CHECK(redirected.one_s > free.one_s);
    CHECK(redirected.bandwidth < 0.75 * free.bandwidth);  // both directions share one uplink
    CHECK(translated.bandwidth == Approx(free.bandwidth));
}

TEST_CASE("a guest without the clique capability has no peers") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu1\n";
    const Exchange flat = Case("node: p100-pcie-8x", ends + "  host: {virtualised: true}\n").at(mebi);
    CHECK(flat.choice.path.transport == "host-staged");
    CHECK(refusal_of(flat, "pcie-p2p").find("flat topology") != std::string::npos);
    const Exchange told = Case("node: p100-pcie-8x", ends + "  host: {virtualised: true, p2p_clique: true}\n").at(mebi);
    CHECK(told.choice.path.transport == "pcie-p2p");
}

TEST_CASE("sockets of old Xeons carry no peers, those of new ones do") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu7\n  transport: pcie-p2p\n";
    CHECK_THROWS_AS(Case("node: p100-pcie-8x", ends).at(mebi), NoDataPath);
    CHECK_NOTHROW(Case("node: dgx-h100", ends).at(mebi));
}

TEST_CASE("GPUDirect RDMA needs peer memory and enough locked memory; else the path is staged or refused") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n";
    const Exchange direct = Case(two_a100, ends).at(mebi);
    CHECK(direct.choice.path.transport == "gpudirect-rdma");
    CHECK(direct.choice.path.dma_crossings() == 2);
    CHECK(direct.choice.path.copies() == 0);
    const Exchange staged = Case(two_a100, ends + "  host: {peer_memory: false}\n").at(tiny_message);
    CHECK(staged.choice.path.transport == "staged-rdma");
    CHECK(staged.choice.path.dma_crossings() == 4);
    CHECK(refusal_of(staged, "gpudirect-rdma").find("nvidia_peermem") != std::string::npos);
    CHECK(staged.one_s > 4 * Case(two_a100, ends).at(tiny_message).one_s);
    const Exchange poor = Case(two_a100, ends + "  host: {locked_memory: 64 KiB}\n").at(mebi);
    CHECK(refusal_of(poor, "gpudirect-rdma").find("locked-memory limit of 64 KiB") != std::string::npos);
    CHECK(poor.choice.path.transport == "ipoib");
}

TEST_CASE("a blocking cudaMemcpy holds its core: staged small messages follow each other, not overlap") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n  host: {peer_memory: false}\n";
    const Exchange staged = Case(two_a100, ends).at(tiny_message);
    const double copy = figure("staged-rdma", "memcpy");
    CHECK(staged.each_s >= 0.999 * copy);
    CHECK(staged.each_s < 1.2 * copy);
    CHECK(staged.one_s > 2 * copy);
}

TEST_CASE("registering a buffer without a cache costs its pages at both ends") {
    const std::string ends = "  from: node0.memory0\n  to: node1.memory0\n";
    const double cached = Case(two_a100, ends).at(mebi).one_s;
    const double fresh = Case(two_a100, ends + "  host: {registration_cache: false}\n").at(mebi).one_s;
    const double each = figure("rdma", "register.start") + 256 * figure("rdma", "register.page");
    CHECK(fresh - cached == Approx(2 * each).epsilon(1e-6));
}

TEST_CASE("a core of the kernel's stack bounds TCP, and more cores fill the link") {
    const std::string ends = "  from: node0.memory0\n  to: node1.memory0\n  transport: kernel-tcp\n";
    const std::string cluster = "node: dgx-a100, nodes: 2, fabric: {link: ethernet-200g, kind: fat-tree}";
    const double one_core = Case(cluster, ends).at(big).bandwidth;
    const double payload = figure("kernel-tcp", "mtu") - 52;
    const double core = 1 / (figure("kernel-tcp", "receive_byte") + figure("kernel-tcp", "packet") / payload);
    CHECK(one_core == Approx(core).epsilon(0.02));
    const Exchange jumbo = Case(cluster, ends + "  host: {mtu: 9000 B}\n").at(big);
    CHECK(jumbo.bandwidth > 1.3 * one_core);
    CHECK(jumbo.receiver_cores == Approx(1).epsilon(0.05));
    const Exchange many = Case(cluster, ends + "  host: {mtu: 9000 B, cores: 16, qps: 16}\n").at(big);
    CHECK(many.bandwidth > 18e9);
    CHECK(many.bandwidth < 25e9);
}

TEST_CASE("a rendezvous asks first: one round trip more, and no more bandwidth") {
    const std::string ends = "  from: node0.memory0\n  to: node1.memory0\n  messaging: ";
    const Case mpi(two_a100, ends + "openmpi-ucx\n");
    const Exchange below = mpi.at(Bytes{16 << 10});
    const Exchange above = mpi.at(Bytes{(16 << 10) + 1});
    CHECK(below.mode == MessageMode::at_once);
    CHECK(above.mode == MessageMode::rendezvous);
    CHECK(above.one_s - below.one_s > 2e-6);
    CHECK(above.one_s - below.one_s < 8e-6);
    CHECK(mpi.at(big).bandwidth == Approx(Case(two_a100, ends + "verbs\n").at(big).bandwidth).epsilon(0.01));
}

TEST_CASE("alone on the network the analytic engine and flow agree") {
    for (const char* lines : {"  from: node0.gpu0\n  to: node1.gpu3\n", "  from: node0.memory0\n  to: node1.memory1\n",
                              "  from: node0.gpu0\n  to: node0.gpu1\n"}) {
        const Case c(two_a100, lines);
        CHECK(c.at(mebi, Analytic{}).one_s == Approx(c.at(mebi).one_s).epsilon(1e-5));
    }
}

TEST_CASE("reading costs the request's way there") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n  operation: ";
    CHECK(Case(two_a100, ends + "read\n").at(tiny_message).one_s >
          Case(two_a100, ends + "write\n").at(tiny_message).one_s + 1e-6);
}

TEST_CASE("each transport has a file and a part, and a note and messaging of its own") {
    const Catalog& catalog = catalogue();
    const std::vector<std::string> names = transport_names(catalog);
    CHECK(names.size() >= 10);
    for (const Part* part : catalog.of_kind("data-path")) {
        INFO(part->name);
        const bool transport = std::find(names.begin(), names.end(), part->name) != names.end();
        CHECK(part->has("preference") == transport);
        if (transport) {
            CHECK_NOTHROW(catalog.at("messaging", part->word("messaging")));
        }
    }
}

TEST_CASE("a path is told hop by hop, with what forbids a better one") {
    const Case c("node: p100-pcie-8x", "  from: node0.gpu0\n  to: node0.gpu4\n");
    const std::string told = describe(c.at(mebi), c.workload(), c.fabric, mebi);
    CHECK(told.find("transport  host-staged") != std::string::npos);
    CHECK(told.find("DMA        2 crossings") != std::string::npos);
    CHECK(told.find("node0.switch0") != std::string::npos);
    CHECK(told.find("pcie-p2p") != std::string::npos);
}

TEST_CASE("a transfer runs as a scenario: a row a size, refusals as notes, unknown ends at their line") {
    const auto scenario = [](const std::string& to) {
        return parse_scenario(
            "name: t\ncluster: {node: dgx-a100, nodes: 2}\nworkload:\n  kind: transfer\n"
            "  from: node0.gpu0\n  to: " +
                to + "\n  sizes: [8 B, 1 MiB]\n",
            "t.yaml");
    };
    const Report report = simulate(scenario("node1.gpu0"), catalogue());
    REQUIRE(report.rows.size() == 2);
    CHECK(report.rows[0].algorithm == "gpudirect-rdma");
    CHECK(report.rows[0].time_low80_s < report.rows[0].time_s);
    CHECK(report.rows[1].busbw > report.rows[1].algbw);
    CHECK(!report.figures.empty());
    try {
        simulate(scenario("node1.gpu9"), catalogue());
        FAIL("no such GPU");
    } catch (const ScenarioError& error) {
        CHECK(std::string(error.what()).find("t.yaml:6:") == 0);
    }
    CHECK_THROWS_AS(simulate(parse_scenario("name: t\ncluster: {node: dgx-a100}\nworkload: {kind: transfer, from: "
                                            "node0.gpu0, to: node0.gpu1, transport: nvlnk-p2p}\n",
                                            "t.yaml"),
                             catalogue()),
                    ScenarioError);
}

}  // namespace fabricast
