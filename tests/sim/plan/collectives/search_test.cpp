// What the topology search finds on known nodes, against what NCCL's logs and rules say.

#include "sim/plan/collectives/nccl/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/yaml.hpp"
#include "sim/plan/collectives/nccl/hamilton.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "tests/sim/plan/collectives/nodes.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;
using namespace fabricast::nccl;

namespace {

constexpr double ndr = 50e9, hdr = 25e9;

TopologySearchResult find(const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes, double port,
                          const char* version) {
    return search(all_algorithms(), node, gpus, nodes, port, release(catalogue(), parse_version(version)), {});
}

Environment read(const std::map<std::string, std::string>& variables, Collective collective = Collective::all_reduce,
                 const char* version = "2.27") {
    return read_environment(variables, collective, all_algorithms(), parse_version(version));
}

const Graph& ring(const TopologySearchResult& f) { return f.ring; }
const Graph& nvls(const TopologySearchResult& f) { return f.nvls; }
double gbs(double rate) { return rate / 1e9; }

void check_rings_are_permutations(const TopologySearchResult& f, std::uint32_t gpus) {
    for (const Ring& r : f.rings) {
        std::vector<std::uint16_t> sorted = r.order;
        std::sort(sorted.begin(), sorted.end());
        CHECK(sorted.size() == gpus);
        CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
        CHECK(sorted.back() == gpus - 1);
    }
}

// How often the rings of a mesh cross each directed pair.
std::map<std::pair<int, int>, int> crossings(const TopologySearchResult& f) {
    std::map<std::pair<int, int>, int> count;
    for (const Ring& r : f.rings) {
        for (std::size_t i = 0; i < r.order.size(); ++i) { ++count[{r.order[i], r.order[(i + 1) % r.order.size()]}]; }
    }
    return count;
}

}  // namespace

TEST_CASE("an A100 node runs 24 channels, twelve searched at 20 GB/s") {
    const TopologySearchResult f = find(test::a100_node(), 8, 1, 0, "2.27");
    CHECK(ring(f).channels == 12);
    CHECK(ring(find(test::a100_node(), 8, 1, 0, "2.18")).channels == 12);  // of at most 16 before 2.25, half of 32
    CHECK(gbs(ring(f).intra) == Approx(20));
    CHECK(f.channels == 24);
    CHECK(f.p2p_channels == 32);
    CHECK(f.p2p_channels_per_peer == 32);
    CHECK(f.nvls_channels == 0);
    check_rings_are_permutations(f, 8);
}

TEST_CASE("an H100 node runs 24 channels of rings and 16 of NVLS") {
    // 18 links x 20.6 = 370.8 GB/s: six channels of 60, run as twelve of 30, doubled. NCCL logs "24 coll channels,
    // 16 nvls channels, 32 p2p channels, 32 p2p channels per peer".
    const TopologySearchResult f = find(test::h100_node(), 8, 1, 0, "2.27");
    CHECK(ring(f).channels == 12);
    CHECK(gbs(ring(f).intra) == Approx(30));
    CHECK(f.channels == 24);
    CHECK(f.nvls_channels == 16);
    CHECK(f.p2p_channels == 32);
    CHECK(f.p2p_channels_per_peer == 32);
    // A head loads its own link twice: nine times 40 fits under 370.8.
    CHECK(nvls(f).channels == 8);
    CHECK(gbs(nvls(f).intra) == Approx(40));
}

TEST_CASE("several H100 nodes run 16 channels over eight rails") {
    const TopologySearchResult f = find(test::h100_node(), 8, 4, ndr, "2.27");
    CHECK(ring(f).channels == 8);
    // 48 x 8 is more than a GPU's NVLinks carry if rings leave by PXN (7 x 48), not if they change rails in pairs. NCCL
    // logs "Pattern 4, crossNic 2, nChannels 8, bw 48.000000/48.000000, type NVL/PIX" on such a node.
    CHECK(gbs(ring(f).inter) == Approx(48));
    for (std::size_t c = 0; c < f.rings.size(); c += 2) {
        CHECK(f.rings[c].exit_nic == f.rings[c + 1].nic);
        CHECK(f.rings[c].order.back() == f.rings[c].exit_nic);
        CHECK(f.rings[c].odd_order == f.rings[c + 1].order);
    }
    const TopologySearchResult kept =
        search(all_algorithms(), test::h100_node(), 8, 4, ndr, release(catalogue(), parse_version("2.27")),
               read({{"NCCL_CROSS_NIC", "0"}}));
    CHECK(gbs(ring(kept).inter) == Approx(45));
    CHECK(kept.rings[0].exit_nic == kept.rings[0].nic);
    CHECK(f.channels == 16);
    CHECK(f.rings.size() == 8);
    std::set<int> nics, firsts;
    for (const Ring& r : f.rings) {
        nics.insert(r.nic);
        firsts.insert(r.order.front());
        CHECK(r.order.front() == r.nic);
    }
    CHECK(nics.size() == 8);
    CHECK(firsts.size() == 8);
    CHECK(f.nvls.channels == 8);
    CHECK(gbs(nvls(f).intra) == Approx(40));
    CHECK(gbs(nvls(f).inter) == Approx(48));
    check_rings_are_permutations(f, 8);
}

TEST_CASE("several B300 nodes use their rails of 800 Gb/s in full") {
    // 18 x 40.1 = 721.8 GB/s: seven channels of 96 by PXN, eight where a GPU's NVLinks carry seven of the eight.
    const TopologySearchResult f = find(test::b200_node(8, 126), 8, 4, 100e9, "2.29.7");
    CHECK(ring(f).channels * gbs(ring(f).inter) == Approx(768));
    CHECK(f.rings[0].exit_nic == f.rings[1].nic);
}

TEST_CASE("several A100 nodes run 16 channels at PCIe generation 4 speed") {
    const TopologySearchResult f = find(test::a100_node(), 8, 4, hdr, "2.18");
    CHECK(ring(f).channels == 8);
    CHECK(gbs(ring(f).inter) == Approx(24));
    CHECK(f.channels == 16);
    CHECK_FALSE(f.graphs.at("tree").simple_tree);
    CHECK(f.graphs.at("tree").intra > f.graphs.at("tree").inter);
}

TEST_CASE("channels of one node's NVSwitch or of one rail visit the GPUs alike, those of several rails do not") {
    CHECK(ring(find(test::a100_node(), 8, 1, 0, "2.18")).same_channels);
    CHECK_FALSE(ring(find(test::a100_node(), 8, 4, hdr, "2.18")).same_channels);
    CHECK(ring(find(test::nvswitch_node(8, 1, 8, 24), 8, 4, hdr, "2.18")).same_channels);
}

TEST_CASE("LL128 between nodes needs NICs within PCIe switches at both ends of a ring, from Hopper on or by PXN") {
    const auto ring_of = [](int compute_capability, std::uint32_t per_switch) {
        NodeTemplate node = test::nvswitch_node(8, 8, per_switch, 24);
        test::set_gpu(node, GpuArch::ampere, compute_capability, 12, 25);
        return search(all_algorithms(), node, 8, 4, hdr, release(catalogue(), parse_version("2.18")),
                      read({{"NCCL_CROSS_NIC", "0"}}));
    };
    CHECK(ring_of(80, 2).ring.ll128);
    CHECK_FALSE(ring_of(80, 1).ring.ll128);
    CHECK(ring_of(80, 1).graphs.at("tree").ll128);
    CHECK(ring_of(90, 1).ring.ll128);
    const auto kept = [](const char* name, const char* version) {
        const NodeTemplate node = node_template(name, catalogue());
        return keeps_ll128(node, locality(node, node.gpus), release(catalogue(), parse_version(version)), 0, 0);
    };
    CHECK(kept("dgx-v100", "2.8"));
    CHECK_FALSE(kept("v100-sxm2-4x", "2.8"));  // beside the processors
    CHECK_FALSE(kept("gh200-4x", "2.26"));
    CHECK(kept("gh200-4x", "2.27.3"));  // over C2C
}

TEST_CASE("NVLS pays from five H100 and from six B200, as measured") {
    // 2.27 counts 5/6 of heads x speed against the ring's n / 2(n-1) of its bus bandwidth.
    const auto prefers_nvls = [](const NodeTemplate& node, std::uint32_t gpus) {
        const TopologySearchResult f = find(node, gpus, 1, 0, "2.27");
        const double nvls_rate = nvls(f).channels * std::min(nvls(f).intra, nvls(f).inter) * 5 / 6;
        const double ring_rate = ring(f).channels * ring(f).intra * gpus / (2.0 * (gpus - 1));
        return nvls_rate > ring_rate;
    };
    CHECK_FALSE(prefers_nvls(test::h100_node(4), 4));
    CHECK(prefers_nvls(test::h100_node(5), 5));
    CHECK(prefers_nvls(test::h100_node(8), 8));
    CHECK_FALSE(prefers_nvls(test::b200_node(5), 5));
    CHECK(prefers_nvls(test::b200_node(6), 6));
    CHECK(prefers_nvls(test::b200_node(8), 8));
}

TEST_CASE("a DGX-1 V100 packs its cube mesh into six rings, twelve channels") {
    const TopologySearchResult f = find(test::dgx1_v100(), 8, 1, 0, "2.18");
    CHECK(ring(f).channels == 6);
    CHECK(gbs(ring(f).intra) == Approx(20));
    CHECK(f.channels == 12);
    CHECK(f.nvlink);
    check_rings_are_permutations(f, 8);
    const auto places = locality(test::dgx1_v100(), 8);
    for (const auto& [pair, count] : crossings(f)) {
        CHECK(count <= places.links(static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second)));
    }
    // Every link is used in both directions: 6 rings x 8 hops = 48 = 24 cables x 2.
    int hops = 0;
    for (const auto& [pair, count] : crossings(f)) { hops += count; }
    CHECK(hops == 48);
}

TEST_CASE("of GPUs on paths of one kind a NIC goes to the one with fewer switches between") {
    NodeTemplate node;
    node.gpus = node.nics = 2;
    for (const auto& [a, b] : {std::pair("nic0", "switch0"),
                               {"nic1", "switch0"},
                               {"switch0", "switch1"},
                               {"switch1", "switch2"},
                               {"gpu1", "switch1"},
                               {"gpu0", "switch2"},
                               {"switch2", "cpu0"}}) {
        node.cables.push_back({a, b, {}});
        node.cables.back().link.family = LinkFamily::pcie;
    }
    const Locality l = locality(node, 2);
    REQUIRE(l.nic_path(0, 0) == l.nic_path(1, 0));
    CHECK(l.nearest_gpu == std::vector<std::uint32_t>{1, 1});
}

TEST_CASE("a DGX-1 P100 has four rings, eight channels") {
    const TopologySearchResult f = find(test::dgx1_p100(), 8, 1, 0, "2.12");
    CHECK(ring(f).channels == 4);
    CHECK(gbs(ring(f).intra) == Approx(18));
    CHECK(f.channels == 8);
}

TEST_CASE("four fully joined GPUs use all six directed rings") {
    const TopologySearchResult v100 = find(test::quad(GpuArch::volta, 70, 2, 25, 15.75), 4, 1, 0, "2.18");
    CHECK(ring(v100).channels == 6);
    CHECK(v100.channels == 12);
    const TopologySearchResult a100 = find(test::quad(GpuArch::ampere, 80, 4, 25, 31.5), 4, 1, 0, "2.27");
    CHECK(ring(a100).channels == 12);
    CHECK(gbs(ring(a100).intra) == Approx(20));
    CHECK(a100.channels == 24);
    std::set<std::vector<std::uint16_t>> different;
    for (const Ring& r : a100.rings) { different.insert(r.order); }
    CHECK(different.size() >= 3);
    const TopologySearchResult h100 = find(test::quad(GpuArch::hopper, 90, 6, 25, 63), 4, 1, 0, "2.27");
    CHECK(ring(h100).channels * gbs(ring(h100).intra) == Approx(360));
}

TEST_CASE("a mesh node with four NICs runs a channel a NIC") {
    const TopologySearchResult f = find(test::quad(GpuArch::ampere, 80, 4, 25, 31.5, 4), 4, 2, hdr, "2.18");
    CHECK(ring(f).channels == 4);
    CHECK(gbs(ring(f).inter) == Approx(24));
    CHECK(f.channels == 8);
    check_rings_are_permutations(f, 4);
    // Every GPU lets one ring in and another out, or its slot would halve them both.
    std::set<int> first, last;
    for (const Ring& r : f.rings) {
        first.insert(r.order.front());
        last.insert(r.order.back());
    }
    CHECK(first.size() == 4);
    CHECK(last.size() == 4);
}

TEST_CASE("PCIe boxes are held by the slot or by the bus between the CPUs") {
    const TopologySearchResult pair = find(test::pcie_node(2, GpuArch::ampere, 80, 31.5, 1, "amd"), 2, 1, 0, "2.18");
    CHECK(ring(pair).channels == 2);
    CHECK(gbs(ring(pair).intra) == Approx(12));
    CHECK_FALSE(pair.nvlink);
    const TopologySearchResult eight = find(test::pcie_node(8, GpuArch::ampere, 80, 31.5, 2, "intel"), 8, 1, 0, "2.18");
    CHECK(ring(eight).channels * gbs(ring(eight).intra) == Approx(10));  // Skylake's 10 GB/s between sockets
}

TEST_CASE("the environment bounds the channels and switches NVLS off") {
    const Release r = release(catalogue(), parse_version("2.27"));
    const auto with = [&](const std::map<std::string, std::string>& env) {
        return search(all_algorithms(), test::h100_node(), 8, 1, 0, r, read(env));
    };
    CHECK(with({{"NCCL_MAX_NCHANNELS", "4"}, {"NCCL_NVLS_ENABLE", "0"}}).channels == 4);
    CHECK(with({{"NCCL_MIN_NCHANNELS", "32"}}).channels == 32);
    // Up to 2.27 rings follow NVLS's 16 channels whatever the limit; from 2.28 on they do not (src/graph/connect.cc).
    CHECK(with({{"NCCL_MAX_NCHANNELS", "4"}}).channels == 16);
    const Release later = release(catalogue(), parse_version("2.28"));
    CHECK(search(all_algorithms(), test::h100_node(), 8, 1, 0, later, read({{"NCCL_MAX_NCHANNELS", "4"}})).channels ==
          4);
    CHECK(with({{"NCCL_NVLS_ENABLE", "0"}}).nvls_channels == 0);
}

TEST_CASE("NCCL's lists include, exclude and name collectives") {
    const auto ar = read({{"NCCL_ALGO", "ring,NVLS"}, {"NCCL_PROTO", "^LL128"}});
    CHECK_FALSE(ar.allowed.refused.contains("ring"));
    CHECK_FALSE(ar.allowed.refused.contains("nvls"));
    CHECK(ar.allowed.refused.contains("tree"));
    CHECK_FALSE(ar.allowed.proto[index(Proto::ll128)]);
    CHECK(ar.allowed.proto[index(Proto::simple)]);
    const std::map<std::string, std::string> two{{"NCCL_ALGO", "ring;allreduce:tree"}};
    CHECK_FALSE(read(two, Collective::all_reduce).allowed.refused.contains("tree"));
    CHECK(read(two, Collective::all_reduce).allowed.refused.contains("ring"));
    CHECK(read(two, Collective::all_gather).allowed.refused.contains("tree"));
    CHECK_THROWS_AS(read({{"NCCL_ALGO", "rings"}}), PlanError);
    CHECK_THROWS_AS(read({{"NCCL_MAX_NCHANNELS", "-1"}}), PlanError);
    CHECK(read({{"NCCL_DEBUG", "INFO"}}).notes.size() == 1);
}

TEST_CASE(
    "a list for a collective is refused where NCCL refuses it: an unknown one, none on a later list, before 2.24") {
    const auto algo = [](const std::string& list, const char* version = "2.24") {
        return read({{"NCCL_ALGO", list}}, Collective::all_reduce, version);
    };
    CHECK(algo("AllReduce:tree").allowed.refused.contains("ring"));
    CHECK_FALSE(algo("broadcast:ring;reduce:ring;allgather:nvls;reducescatter:nvls").allowed.refused.contains("tree"));
    for (const char* list : {"all_reduce:ring", "foo:ring", "alltoall:ring", ":ring"}) {
        INFO(list);
        CHECK_THROWS_WITH(algo(list), ContainsSubstring("NCCL takes no list for '") &&
                                          ContainsSubstring("broadcast, reduce, allgather, reducescatter, allreduce"));
    }
    CHECK_THROWS_WITH(algo("allreduce:tree;ring"),
                      ContainsSubstring("only the first list") && ContainsSubstring("'ring'"));
    CHECK_THROWS_WITH(algo("broadcast:rings"), ContainsSubstring("no 'rings'"));  // of another collective, too
    CHECK_THROWS_AS(read({{"NCCL_PROTO", "alreduce:LL"}}), PlanError);
    CHECK_THROWS_WITH(algo("allreduce:tree", "2.23"), ContainsSubstring("no 'allreduce:tree'"));
    CHECK_THROWS_WITH(algo("ring;allreduce:tree", "2.23.4"), ContainsSubstring("no 'ring;allreduce:tree'"));
}

namespace {

// The most rings of four GPUs by trying each number of each of the six cycles.
std::size_t most_rings(const std::vector<int>& capacity, std::size_t first = 0) {
    constexpr std::size_t cycles[6][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3},
                                          {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
    std::size_t most = 0;
    for (std::size_t cycle = first; cycle < 6; ++cycle) {
        std::vector<int> left = capacity;
        bool fits = true;
        for (std::size_t i = 0; i < 4; ++i) {
            fits = --left[cycles[cycle][i] * 4 + cycles[cycle][(i + 1) % 4]] >= 0 && fits;
        }
        if (fits) { most = std::max(most, 1 + most_rings(left, cycle)); }
    }
    return most;
}

}  // namespace

TEST_CASE("rings of four GPUs are as many as any choice of cycles gives") {
    for (int k = 0; k < 100; ++k) {
        std::vector<int> capacity(16, 1 + k % 3);  // full meshes, and uneven ones
        for (int i = 0; i < 16 && k >= 3; ++i) { capacity[static_cast<std::size_t>(i)] = (7 * k + 3 * i * i + i) % 4; }
        for (std::size_t gpu = 0; gpu < 4; ++gpu) { capacity[gpu * 5] = 0; }
        INFO(k);
        CHECK(hamiltonian_rings(4, capacity, 32).size() == most_rings(capacity));
    }
    std::vector<int> three(16, 3);
    for (std::size_t gpu = 0; gpu < 4; ++gpu) { three[gpu * 5] = 0; }
    CHECK(most_rings(three) == 8);  // nine leave each GPU, but four GPUs' links are not a sum of cycles
}

TEST_CASE("rings never use an edge more often than it has room") {
    // A square with one diagonal: only the two directions around are Hamiltonian.
    std::vector<int> capacity(16, 0);
    for (const auto& [a, b] :
         std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}) {
        capacity[a * 4 + b] = capacity[b * 4 + a] = 1;
    }
    CHECK(hamiltonian_rings(4, capacity, 8).size() == 2);
    CHECK(hamiltonian_rings(4, std::vector<int>(16, 0), 8).empty());
}

TEST_CASE("bridged cards leave their bridge by different cards where rings that differ find more") {
    const auto cards = [](std::string_view part, int count, std::string_view joined, std::string_view cpu,
                          int sockets) {
        const std::string text = fmt::format(
            "{{name: box, gpus: {{part: {}, count: {}, joined: {}}}, cpus: {{part: {}, count: {}}}, pcie: GPUs on root "
            "ports, nics: {{part: connectx-7, count: 1}}}}",
            part, count, joined, cpu, sockets);
        return read_node(yaml::parse(text, "box.yaml"), catalogue());
    };
    // Two pairs of A100 below one processor: alike, two rings of 12 GB/s fill the slot that both leave by; unlike, two
    // of 20, each card sending in one ring and receiving in the other.
    const TopologySearchResult pairs = find(cards("a100-pcie-80", 4, "bridges", "epyc-milan", 1), 4, 1, 0, "2.21");
    REQUIRE(pairs.rings.size() == 2);
    CHECK(gbs(ring(pairs).intra) == Approx(20));
    CHECK(pairs.rings[0].order == std::vector<std::uint16_t>{0, 1, 2, 3});
    CHECK(crossings(pairs)[{1, 2}] == 1);
    CHECK(crossings(pairs)[{3, 0}] == 1);
    CHECK_FALSE(ring(pairs).same_channels);
    CHECK_FALSE(pairs.nvlink);

    // Between the sockets of an AMD host they are alike since 2.19, and before 2.26 there may be one alone.
    const NodeTemplate apart = cards("a100-pcie-80", 4, "bridges", "epyc-milan", 2);
    CHECK(find(apart, 4, 1, 0, "2.21").rings.size() == 1);
    const TopologySearchResult several = find(apart, 4, 1, 0, "2.27");
    CHECK(several.rings.size() == 4);  // 4 of 4 GB/s fill the 16 that NCCL counts between AMD's nodes, 2 of 7 do not
    CHECK(gbs(ring(several).intra) == Approx(4));
    CHECK(ring(several).same_channels);

    // Fours of H200 on PCIe 5.0: eight rings of 24 GB/s, two by each card, whose slot counts 48.
    const TopologySearchResult fours =
        find(cards("h200-nvl", 8, "bridges, group: 4", "epyc-genoa", 1), 8, 1, 0, "2.28");
    CHECK(ring(fours).channels * gbs(ring(fours).intra) == Approx(192));
    std::map<std::uint16_t, int> leaving;
    for (const Ring& r : fours.rings) {
        for (std::size_t i = 0; i < 8; ++i) {
            if (r.order[i] / 4 != r.order[(i + 1) % 8] / 4) { ++leaving[r.order[i]]; }
        }
    }
    CHECK(leaving.size() == 8);
}
