// What a host's set-up changes of a path, each condition by the formula it stands for.

#include <string>

#include "sim/plan/transfers/places.hpp"
#include "tests/sim/plan/transfers/case.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

const std::string ethernet = "node: dgx-a100, nodes: 2, fabric: {link: ethernet-100g, kind: single-switch}";
const std::string gpus = "  from: node0.gpu0\n  to: node1.gpu0\n";
const std::string memories = "  from: node0.memory0\n  to: node1.memory0\n";

std::string host(const std::string& conditions) { return "  host: {" + conditions + "}\n"; }

}  // namespace

TEST_CASE("an IOMMU adds a translation's hit to a message, and ATS takes it away") {
    const double off = Case(two_a100, gpus).at(tiny_message).one_s;
    const double on = Case(two_a100, gpus + host("iommu: true")).at(tiny_message).one_s;
    CHECK(on - off == Approx(figure("host-conditions", "iommu.hit")).epsilon(1e-6));
    CHECK(Case(two_a100, gpus + host("iommu: true, ats: true")).at(tiny_message).one_s == Approx(off));
}

TEST_CASE("writes in strict order keep a part of the rate on AMD hosts, and all of it on Intel's") {
    const std::string strict = gpus + host("relaxed_ordering: false");
    const double kept = Case(two_a100, strict).at(big).bandwidth / Case(two_a100, gpus).at(big).bandwidth;
    CHECK(kept == Approx(figure("rdma", "strict_ordering.share")).epsilon(0.01));
    const std::string intel = "node: dgx-h100, nodes: 2";
    CHECK(Case(intel, strict).at(big).bandwidth == Approx(Case(intel, gpus).at(big).bandwidth));
}

TEST_CASE("pageable memory is copied once more, by a core that bounds it") {
    const std::string copy = "  from: node0.memory0\n  to: node0.gpu0\n";
    const Exchange pinned = Case("node: dgx-a100", copy).at(big);
    const Exchange pageable = Case("node: dgx-a100", copy + host("pinned: false")).at(big);
    CHECK(pageable.choice.path.copies() == pinned.choice.path.copies() + 1);
    CHECK(pageable.bandwidth == Approx(figure("local-copy", "core_rate")).epsilon(0.02));
    CHECK(pageable.bandwidth < pinned.bandwidth);
    CHECK(pageable.sender_cores > 0.9);
}

TEST_CASE("huge pages make registration cheap: two in place of a thousand") {
    const std::string every_time = "registration_cache: false";
    const double cached = Case(two_a100, memories).at(Bytes{4 << 20}).one_s;
    const double small = Case(two_a100, memories + host(every_time)).at(Bytes{4 << 20}).one_s;
    const double huge = Case(two_a100, memories + host(every_time + ", huge_pages: true")).at(Bytes{4 << 20}).one_s;
    CHECK(cached < huge);
    // Both ends pay alike.
    const double pages = 2 * (1024 * figure("rdma", "register.page") - 2 * figure("rdma", "register.huge"));
    CHECK(small - huge == Approx(pages).epsilon(0.01));
}

TEST_CASE("without offloads a core pays for every packet of the wire") {
    const std::string tcp = memories + "  transport: kernel-tcp\n";
    const double payload = figure("kernel-tcp", "mtu") - 52;  // less IPv4 and TCP with timestamps
    const auto core = [&](const char* packet) {
        return 1 / (figure("kernel-tcp", "receive_byte") + figure("kernel-tcp", packet) / payload);
    };
    CHECK(Case(ethernet, tcp).at(big).bandwidth == Approx(core("packet")).epsilon(0.02));
    CHECK(Case(ethernet, tcp + host("offloads: false")).at(big).bandwidth == Approx(core("packet_bare")).epsilon(0.02));
}

TEST_CASE("cores help only as far as there are sockets, and sockets as far as there are cores") {
    const std::string tcp = memories + "  transport: kernel-tcp\n";
    const double one = Case(ethernet, tcp).at(big).bandwidth;
    CHECK(Case(ethernet, tcp + host("qps: 2")).at(big).bandwidth == Approx(one));
    CHECK(Case(ethernet, tcp + host("cores: 2")).at(big).bandwidth == Approx(one));
    CHECK(Case(ethernet, tcp + host("cores: 2, qps: 2")).at(big).bandwidth == Approx(2 * one).epsilon(0.02));
}

TEST_CASE("a small MTU sends more headers") {
    const double usual = Case(two_a100, memories).at(big).bandwidth;
    const double small = Case(two_a100, memories + host("mtu: 256 B")).at(big).bandwidth;
    const LinkSpec link = Case(two_a100, memories).fabric.cluster().fabric.link;
    const auto header = static_cast<double>(link.framing.header.count);
    const auto payload = static_cast<double>(link.framing.payload.count);
    CHECK(small / usual == Approx((256 / (256 + header)) / (payload / (payload + header))).epsilon(0.01));
}

TEST_CASE("without verbs the kernel carries messages: IPoIB on InfiniBand, TCP on Ethernet, both slower") {
    const Exchange verbs = Case(two_a100, memories).at(tiny_message);
    const Exchange ipoib = Case(two_a100, memories + host("rdma: false")).at(tiny_message);
    CHECK(verbs.choice.path.transport == "host-rdma");
    CHECK(ipoib.choice.path.transport == "ipoib");
    CHECK(refusal_of(ipoib, "host-rdma").find("rdma: false") != std::string::npos);
    CHECK(ipoib.one_s > 5 * verbs.one_s);
    CHECK(Case(ethernet, memories + host("rdma: false")).at(mebi).choice.path.transport == "kernel-tcp");
}

TEST_CASE("staging in the far socket's memory crosses between the sockets") {
    const std::string staged = gpus + host("peer_memory: false");
    const std::string far = gpus + host("peer_memory: false, numa: far");
    CHECK(Case(two_a100, far).at(tiny_message).one_s > Case(two_a100, staged).at(tiny_message).one_s);
    CHECK(Case(two_a100, far).at(big).bandwidth <= Case(two_a100, staged).at(big).bandwidth);
}

TEST_CASE("an adapter of the wrong socket reads over the bus between them, and one that is not there is not taken") {
    const Case near(two_a100, gpus);
    const Case far(two_a100, gpus + host("nic: far"));
    const auto way = [](const Case& c) {
        return c.fabric.path(c.at(tiny_message).choice.path.legs.front().paths.front());
    };
    CHECK_FALSE(has_class(near.fabric, way(near), LinkClass::cpu_bus));
    CHECK(has_class(far.fabric, way(far), LinkClass::cpu_bus));
    const double later = to_seconds(way(far).latency - way(near).latency);
    CHECK(later > 0);
    CHECK(far.at(tiny_message).one_s - near.at(tiny_message).one_s == Approx(later).epsilon(1e-3));
    CHECK(far.at(big).bandwidth <= near.at(big).bandwidth);
    CHECK_THROWS_WITH(Case("node: gh200-1x, nodes: 2", gpus + host("nic: far")).at(mebi),
                      ContainsSubstring("`nic: far`"));
}

TEST_CASE("PXN leaves by the receiver's rail: a step over NVLink first, then as fast as the adapter") {
    const std::string ends = "  from: node0.gpu0\n  to: node1.gpu6\n";
    const Exchange direct = Case(two_a100, ends).at(big);
    const Case by_rail(two_a100, ends + "  transport: pxn-rdma\n");
    const Exchange pxn = by_rail.at(big);
    CHECK(pxn.bandwidth == Approx(direct.bandwidth).epsilon(0.02));
    CHECK(by_rail.at(tiny_message).one_s > Case(two_a100, ends).at(tiny_message).one_s);
    REQUIRE(pxn.choice.path.legs.size() == 2);
    const std::uint16_t rail = by_rail.fabric.nearest_nic(6);
    CHECK(by_rail.fabric.nearest_nic(0) != rail);
    CHECK(pxn.choice.path.legs[1].paths.front().src_nic == rail);
    CHECK_THROWS_WITH(Case(two_a100, "  from: node0.gpu6\n  to: node1.gpu6\n  transport: pxn-rdma\n").at(mebi),
                      ContainsSubstring("rail already"));
}

TEST_CASE("a frame grabber writes GPU memory itself, where its traffic may go below the switch") {
    const std::string node = "node: dgx-a100-storage";
    const std::string ends = "  from: node0.capture0\n  to: node0.gpu0\n";
    const Case c(node, ends);
    const Exchange e = c.at(big);
    REQUIRE(e.choice.path.transport == "peer-device");
    CHECK(e.choice.path.copies() == 1);
    CHECK(e.receiver_cores == 0);
    CHECK(e.bandwidth ==
          Approx(narrowest(c.fabric, c.fabric.path(e.choice.path.legs.front().paths.front()))).epsilon(0.02));
    CHECK_THROWS_WITH(Case(node, ends + host("acs: true")).at(mebi), ContainsSubstring("ACS is on"));
    CHECK_THROWS_WITH(Case(node, ends + host("peer_memory: false")).at(mebi), ContainsSubstring("nvidia_peermem"));
    // Host memory is open to it all the same.
    const std::string memory = "  from: node0.capture0\n  to: node0.memory0\n";
    CHECK(Case(node, memory + host("peer_memory: false")).at(mebi).choice.path.transport == "peer-device");
}

TEST_CASE("a copy inside one memory reads and writes each byte") {
    const Case c("node: dgx-a100", "  from: node0.gpu0\n  to: node0.gpu0\n");
    const Exchange e = c.at(big);
    CHECK(e.choice.path.transport == "local-copy");
    CHECK(e.bandwidth < c.fabric.node().gpu.memory_bandwidth / 2);
    CHECK(e.bandwidth > c.fabric.node().gpu.memory_bandwidth / 4);
}

}  // namespace fabricast
