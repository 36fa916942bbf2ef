// RCCL's rings on a full mesh of GPUs.

#include <map>
#include <set>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "tests/sim/plan/collectives/between_nodes.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("RCCL's rings inside a node of a full mesh use every link twice, each for four channels") {
    const auto rings_of = [](std::uint32_t gpus) {
        return nccl::search(nccl::all_algorithms(), node_template("mi300x-8x", catalogue()), gpus, 1, 0,
                            nccl::release(catalogue(), nccl::parse_version("2.21"), "rccl"), {})
            .rings;
    };
    std::map<std::pair<int, int>, int> links;
    for (const nccl::Ring& ring : rings_of(8)) {
        CHECK(std::set(ring.order.begin(), ring.order.end()).size() == 8);
        for (std::size_t i = 0; i < 8; ++i) { ++links[{ring.order[i], ring.order[(i + 1) % 8]}]; }
    }
    CHECK(links.size() == 56);
    for (const auto& [link, rings] : links) { CHECK(rings == 8); }
    CHECK(rings_of(4).size() < 56);  // part of a node is searched as elsewhere
}

TEST_CASE("a part of a full mesh has no fewer rings between nodes, or slower ones, by faster adapters") {
    NodeTemplate node = node_template("mi300x-8x", catalogue());  // four of its GPUs, each under a switch with two NICs
    node.gpus = 4;
    const auto renamed = [](std::string& name) {
        if (!name.starts_with("gpu")) { return false; }
        const int gpu = name.back() - '0';
        name = "gpu" + std::to_string(gpu / 2);
        return gpu % 2 != 0;
    };
    std::erase_if(node.devices, [&](NodeDevice& device) { return renamed(device.name); });
    std::erase_if(node.cables, [&](NodeCable& cable) {
        const bool a = renamed(cable.a), b = renamed(cable.b);
        return a || b;
    });
    double before = 0;
    for (const double port : {12.5e9, 25e9, 50e9}) {
        const auto found = nccl::search(nccl::all_algorithms(), node, 4, 8, port,
                                        nccl::release(catalogue(), nccl::parse_version("2.21"), "rccl"), {});
        CHECK(found.ring.channels * found.ring.inter >= before);
        before = found.ring.channels * found.ring.inter;
        std::map<int, double> in, links;
        for (const nccl::Ring& ring : found.rings) {
            in[ring.nic] += found.ring.inter;
            for (std::size_t i = 0; i + 1 < 4; ++i) {
                links[ring.order[i] * 4 + ring.order[i + 1]] += found.ring.intra;
            }
        }
        CHECK(in.size() >= 4);
        for (const auto& [nic, rate] : in) { CHECK(rate <= port); }
        for (const auto& [link, rate] : links) { CHECK(rate <= links.begin()->second); }
    }
}

TEST_CASE("RCCL's rings between nodes of a full mesh use every link once and every NIC once each way") {
    const std::string mesh = "node: mi300x-8x, fabric: {kind: rail-optimized, link: infiniband-ndr}";
    const NodeTemplate node = node_template("mi300x-8x", catalogue());
    const auto found = nccl::search(nccl::all_algorithms(), node, 8, 2, 50e9,
                                    nccl::release(catalogue(), nccl::parse_version("2.22"), "rccl"), {});
    CHECK(found.channels == 64);
    std::map<std::pair<int, int>, int> links;
    std::map<int, int> in, out;
    for (const nccl::Ring& ring : found.rings) {
        ++in[ring.nic];
        ++out[ring.exit_nic];
        CHECK(std::set(ring.order.begin(), ring.order.end()).size() == 8);
        CHECK(ring.odd_order == std::vector<std::uint16_t>(ring.order.rbegin(), ring.order.rend()));
        for (std::size_t i = 0; i + 1 < ring.order.size(); ++i) { ++links[{ring.order[i], ring.order[i + 1]}]; }
    }
    CHECK(links.size() == 56);
    for (const auto& [link, rings] : links) { CHECK(rings == 8); }
    CHECK(in.size() == 8);
    CHECK(in == out);
    // rome_model_81's ranges: the buffer's size decides, of all-gather a rank's share.
    const auto protocol = [&](const char* collective, const char* size, const char* version) {
        return plan_of(collective, 2, size, "auto", "auto", mesh, version).protocol;
    };
    CHECK(protocol("all_reduce", "1 MiB", "2.22") == Protocol::ll);
    CHECK(protocol("all_reduce", "2 MiB", "2.22") == Protocol::ll128);
    CHECK(protocol("all_reduce", "16 MiB", "2.22") == Protocol::simple);
    CHECK(protocol("all_gather", "64 MiB", "2.22") == Protocol::ll128);
    CHECK(protocol("all_gather", "128 MiB", "2.22") == Protocol::simple);
    CHECK(protocol("all_reduce", "2 MiB", "2.21") != Protocol::ll128);
}
