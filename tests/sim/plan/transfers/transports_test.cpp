// Data paths between two devices: closed forms, refusals in words, what conditions change.

#include <algorithm>
#include <string>

#include "models/catalog_reader.hpp"
#include "sim/plan/transfers/places.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "tests/sim/plan/transfers/case.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

TEST_CASE("a copy over NVLink takes its start, the links' latency and its bytes at their goodput") {
    const Case c("node: dgx-a100", "  from: node0.gpu0\n  to: node0.gpu5\n");
    const Path links = c.fabric.path(query(c.fabric.gpu(0), c.fabric.gpu(5), PathKind::nvlink));
    const Exchange e = c.at(big);
    CHECK(e.choice.path.transport == "nvlink-p2p");
    CHECK(e.one_s == Approx(figure("a100-sxm4-40", "copy.issue") + to_seconds(links.latency) +
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

TEST_CASE("staged both ways, two cards carry 1.2 to 1.5 of what they carry one way") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu2\n";
    const Bytes matrix{40'000'000};  // of p2pBandwidthLatencyTest
    const double one = Case("node: rtx4090-8x", ends).at(matrix).bandwidth;
    const double both = Case("node: rtx4090-8x", ends + "  direction: both-ways\n").at(matrix).bandwidth;
    CHECK(both / one > 1.2);
    CHECK(both / one < 1.5);
}

TEST_CASE("a read over NVLink costs the links its requests only where data goes both ways") {
    const std::string ends = "  from: node0.gpu0\n  to: node0.gpu5\n";
    const auto rate = [&](const std::string& more) { return Case("node: dgx-a100", ends + more).at(big).bandwidth; };
    CHECK(rate("  operation: read\n") == Approx(rate("")));
    CHECK(rate("  direction: both-ways\n") / rate("  operation: read\n  direction: both-ways\n") ==
          Approx(figure("nvlink-p2p", "read.wire")).epsilon(0.02));
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

TEST_CASE("with ACS an adapter's reads of GPU memory go up to the root port and down again, unless ATS translates") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n";
    const Exchange free = Case(two_a100, ends).at(big);
    const Exchange redirected = Case(two_a100, ends + "  transport: gpudirect-rdma\n  host: {acs: true}\n").at(big);
    const Exchange translated = Case(two_a100, ends + "  host: {acs: true, ats: true}\n").at(big);
    REQUIRE(redirected.choice.path.notes.size() == 1);
    CHECK(redirected.choice.path.notes[0] == "ACS is on: peer traffic goes through the root port");
    // Two ends, each up and down.
    CHECK(redirected.choice.path.legs.front().paths.size() == free.choice.path.legs.front().paths.size() + 4);
    CHECK(redirected.one_s > free.one_s);
    CHECK(translated.one_s == Approx(free.one_s));
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

TEST_CASE("an adapter that holds its interrupt back adds that to a TCP message") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n  transport: kernel-tcp\n";
    const std::string cluster = "node: dgx-a100, nodes: 2, fabric: {link: ethernet-100g, kind: single-switch}";
    const double prompt = Case(cluster, ends).at(tiny_message).one_s;
    const double held = Case(cluster, ends + "  host: {interrupt_delay: 16 us}\n").at(tiny_message).one_s;
    CHECK(held - prompt == Approx(16e-6).epsilon(1e-6));
}

TEST_CASE("a small MSS sends more headers, and costs a core more packets") {
    const std::string ends = "  from: node0.memory0\n  to: node1.memory0\n  transport: kernel-tcp\n";
    const std::string cluster = "node: dgx-a100, nodes: 2, fabric: {link: ethernet-100g, kind: single-switch}";
    const double whole = Case(cluster, ends).at(big).bandwidth;
    const Exchange small = Case(cluster, ends + "  host: {mss: 536 B}\n").at(big);
    const double core = 1 / (figure("kernel-tcp", "receive_byte") + figure("kernel-tcp", "packet") / 536);
    CHECK(small.bandwidth == Approx(core).epsilon(0.02));
    CHECK(small.bandwidth < 0.7 * whole);
    // An MSS above what the MTU leaves changes nothing.
    CHECK(Case(cluster, ends + "  host: {mss: 8948 B}\n").at(big).bandwidth == Approx(whole));
}

TEST_CASE("below one switch GPUDirect beats staging at every size; Skylake's host bridge turns large ones round") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n  messaging: openmpi-ucx\n";
    const std::string staged = ends + "  host: {peer_memory: false}\n";
    const std::string below =
        "node: v100-mesh-4x, nodes: 2, options: {nic: connectx-6}, fabric: {link: infiniband-hdr}";
    const std::string roots = "node: a100-gen3-1x, nodes: 2";
    for (const std::int64_t size : {8, 1024, 16 << 10, 256 << 10, 4 << 20}) {
        INFO(size);
        CHECK(Case(below, ends).at(Bytes{size}).one_s < Case(below, staged).at(Bytes{size}).one_s);
    }
    const Exchange limited = Case(roots, ends).at(big);
    CHECK(limited.bandwidth == Approx(figure("xeon-skylake", "p2p.read_limit")).epsilon(0.01));
    CHECK(Case(roots, staged).at(big).bandwidth > limited.bandwidth);
}

TEST_CASE("pairs that run beside each other share the uplink that both cross") {
    // Two GPUs below one switch copy to host memory: its uplink carries both.
    const std::string ends = "  from: node0.gpu0\n  to: node0.memory0\n";
    const double alone = Case("node: dgx-a100", ends).at(big).bandwidth;
    const Exchange both = Case("node: dgx-a100", ends + "  concurrent: [node0.gpu1 -> node0.memory0]\n").at(big);
    CHECK(both.bandwidth == Approx(alone / 2).epsilon(0.02));
    CHECK(both.aggregate_bandwidth == Approx(alone).epsilon(0.02));
    // With an adapter that receives into a third, nothing is left over.
    const Exchange other = Case("node: dgx-a100", ends + "  concurrent: [node0.gpu2 -> node0.memory0]\n").at(big);
    CHECK(other.aggregate_bandwidth == Approx(2 * alone).epsilon(0.02));
    CHECK_THROWS_AS(Case("node: dgx-a100", ends + "  concurrent: [node0.gpu1]\n").at(mebi), PlanError);
}

TEST_CASE("GPUDirect Storage spares the bounce: a drive's own pace, here and over the network") {
    const std::string read = "  from: node0.nvme0\n  to: node0.gpu0\n";
    const Exchange direct = Case("node: dgx-h100-storage", read).at(big);
    CHECK(direct.choice.path.transport == "gpudirect-storage");
    CHECK(direct.choice.path.dma_crossings() == 1);
    const Exchange bounced = Case("node: dgx-h100-storage", read + "  transport: storage-bounce\n").at(big);
    CHECK(bounced.choice.path.copies() == 3);
    CHECK(bounced.bandwidth == Approx(figure("local-copy", "core_rate")).epsilon(0.02));
    CHECK(direct.bandwidth > 1.2 * bounced.bandwidth);
    CHECK(bounced.receiver_cores == Approx(1).epsilon(0.05));
    // ACS sends it through the host after all.
    const Exchange acs = Case("node: dgx-h100-storage", read + "  host: {acs: true}\n").at(mebi);
    CHECK(acs.choice.path.transport == "storage-bounce");
    CHECK(refusal_of(acs, "gpudirect-storage").find("ACS is on") != std::string::npos);
    // NVMe over fabrics: the drive's access and the network's latency, the slower of both rates.
    const Case remote("node: dgx-h100-storage, nodes: 2", "  from: node1.nvme0\n  to: node0.gpu0\n");
    const Exchange far = remote.at(big);
    CHECK(far.choice.path.transport == "gpudirect-storage");
    CHECK(far.bandwidth == Approx(direct.bandwidth).epsilon(0.05));
    CHECK(remote.at(Bytes{4096}).one_s > figure("nvme-gen5", "read.latency") + 2e-6);
}

TEST_CASE("a CXL pool is a PCIe link with lines of 64 B and an access time of its own") {
    const Case c("node: dgx-a100-storage", "  from: node0.cxl0\n  to: node0.gpu0\n");
    const Exchange e = c.at(big);
    CHECK(e.choice.path.transport == "cxl-pool");
    const Path links = c.fabric.path(e.choice.path.legs.front().paths.front());
    CHECK(e.bandwidth == Approx(narrowest(c.fabric, links) / figure("cxl-pool", "line.wire")).epsilon(0.01));
    CHECK(e.choice.path.fixed_latency() == from_seconds(figure("cxl-pool", "access")));
}

TEST_CASE("iWARP is taken where the adapter speaks it, and pays TCP's headers and its own latency") {
    const std::string ends = "  from: node0.memory0\n  to: node1.memory0\n";
    const std::string fabric = "fabric: {link: ethernet-100g, kind: single-switch}";
    const Exchange tcp = Case("node: dgx-a100, nodes: 2, options: {nic: chelsio-t6}, " + fabric, ends).at(big);
    CHECK(tcp.choice.path.transport == "iwarp");
    // Ethernet 38, IPv4 and TCP 40, MPA, DDP and RDMAP 20 around what an MTU of 1500 leaves.
    CHECK(tcp.bandwidth < 12.5e9 * 1440 / 1538);
    CHECK(tcp.bandwidth > 0.97 * 12.5e9 * 1440 / 1538);
    const Exchange roce = Case("node: dgx-a100, nodes: 2, " + fabric, ends).at(tiny_message);
    CHECK(refusal_of(roce, "iwarp").empty());  // no word about what nobody would expect
    CHECK(Case("node: dgx-a100, nodes: 2, options: {nic: chelsio-t6}, " + fabric, ends).at(tiny_message).one_s >
          roce.one_s + 0.9 * figure("iwarp", "offload"));
}

TEST_CASE("GDRCopy writes by combined stores and reads by loads: small writes in a tenth of a microsecond") {
    const std::string ends = "  from: node0.memory0\n  to: node0.gpu0\n  transport: gdrcopy\n";
    const Case write("node: dgx-v100", ends);
    CHECK(write.at(big).bandwidth > 9e9);
    CHECK(write.at(tiny_message).one_s < 1.5e-6);
    const Exchange read =
        Case("node: dgx-v100", "  from: node0.gpu0\n  to: node0.memory0\n  transport: gdrcopy\n").at(mebi);
    const double loads = figure("gdrcopy", "loads") * figure("gdrcopy", "store") / figure("gdrcopy", "load.round_trip");
    CHECK(read.bandwidth == Approx(loads).epsilon(0.01));
    CHECK_THROWS_AS(Case(two_a100, "  from: node0.gpu0\n  to: node1.gpu0\n  transport: gdrcopy\n").at(mebi),
                    NoDataPath);
}

TEST_CASE("GPU threads that post take no core, start later and post more") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu0\n";
    const Exchange proxy = Case("node: dgx-h100, nodes: 2", ends).at(tiny_message);
    const Exchange own = Case("node: dgx-h100, nodes: 2", ends + "  transport: gpu-initiated\n").at(tiny_message);
    CHECK(own.one_s > proxy.one_s);
    CHECK(own.sender_cores == 0);
    CHECK(own.each_s < 0.1 * proxy.each_s);
    CHECK_THROWS_AS(Case("node: dgx-h100, nodes: 2",
                         "  from: node0.memory0\n  to: node1.gpu0\n  transport: "
                         "gpu-initiated\n")
                        .at(mebi),
                    NoDataPath);
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
    CHECK(below.mode == MessageMode::eager);
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

TEST_CASE("each transport has a function and a part, and a note and messaging of its own") {
    const Catalog& catalog = catalogue();
    const std::vector<std::string> names = transport_names(catalog);
    CHECK(names.size() >= 10);
    for (const Part* part : catalog.of_kind("data-path")) {
        INFO(part->name);
        const bool transport = std::find(names.begin(), names.end(), part->name) != names.end();
        CHECK(part->has("preference") == transport);
        if (transport) { CHECK_NOTHROW(catalog.at("messaging", part->word("messaging"))); }
    }
}

namespace {

// A way that needs nothing but a link between two GPUs of a node.
PathAttempt toy_way(const PathRequest& r) {
    if (!same_node(r)) { return Refusal{"the toy does not leave its node"}; }
    DataPath path;
    path.legs = {{.what = "toy", .paths = {query(r.from, r.to, PathKind::nvlink)}}};
    path.latency = {r.figures.latency("the toy's start", "toy-way", "start")};
    return path;
}

}  // namespace

TEST_CASE("a transport is a function in the table and a part of the catalogue") {
    Catalog catalog = catalogue();
    add_parts(
        catalog,
        {yaml::parse("toy-way:\n  kind: data-path\n  note: A toy.\n  ends: gpu-gpu inside\n  messaging: cuda-copies\n"
                     "  figures:\n    preference: {value: 0.5, origin: estimated, source: a test}\n"
                     "    start: {value: 3 us, low80: 2 us, high80: 4 us, origin: estimated, source: a test}\n",
                     "toy.yaml")});
    const std::vector<Transport> table = {every_transport().front(), {"toy-way", toy_way}};
    const Case c(two_a100, "  from: node0.gpu0\n  to: node0.gpu1\n");
    DataPathFigures figures(catalog);
    PathRequest request{
        c.fabric, c.fabric.gpu(0), c.fabric.gpu(1), mebi, TransferOperation::write, c.workload().host, figures, table};
    const ChosenPath chosen = choose_path("auto", request);
    CHECK(chosen.path.transport == "toy-way");
    CHECK(chosen.path.fixed_latency() == microseconds(3) - Time{});
    request.to = c.fabric.gpu(8);
    CHECK_THROWS_WITH(choose_path("toy-way", request), ContainsSubstring("does not leave its node"));
}

TEST_CASE("a path is told hop by hop, with what forbids a better one") {
    const Case c("node: p100-pcie-8x", "  from: node0.gpu0\n  to: node0.gpu4\n");
    const std::string told = describe(c.at(mebi), c.workload(), c.fabric);
    CHECK(told.find("transport  host-staged") != std::string::npos);
    CHECK(told.find("DMA        2 crossings") != std::string::npos);
    CHECK(told.find("node0.switch0") != std::string::npos);
    CHECK(told.find("pcie-p2p") != std::string::npos);
}

TEST_CASE("a transfer is never known to the percent, and its interval ends where its links do") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: transfer, from: node0.gpu0, to: node1.gpu0, "
        "sizes: [8 B, 64 KiB, 1 MiB, 64 MiB, 1 GiB]}\n",
        "t.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const Path path = fabric.path({.src = fabric.nic(0, 0), .dst = fabric.nic(1, 0)});
    const double nic = fabric.link(path.links[0]).capacity;  // 48.8 GB/s of payload on a port of NDR
    for (const Row& row : simulate(scenario, catalogue()).rows) {
        const auto bytes = static_cast<double>(row.size.count);
        INFO(row.size.count);
        CHECK(row.time_high80_s > 1.05 * row.time_s);
        CHECK(row.time_low80_s <= row.time_s);
        CHECK(row.time_low80_s >= bytes / nic * (1 - 1e-9));
        CHECK(row.busbw * row.time_s / row.time_low80_s <= nic * (1 + 1e-9));
    }
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
    } catch (const InputError& error) { CHECK(std::string(error.what()).find("t.yaml:6:") == 0); }
    CHECK_THROWS_AS(simulate(parse_scenario("name: t\ncluster: {node: dgx-a100}\nworkload: {kind: transfer, from: "
                                            "node0.gpu0, to: node0.gpu1, transport: nvlnk-p2p}\n",
                                            "t.yaml"),
                             catalogue()),
                    InputError);
}

}  // namespace fabricast
