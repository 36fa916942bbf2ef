// A kind of fabric is a row and a generator: this one joins the switches of the nodes to a chain.

#include <algorithm>
#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"
#include "topologies/export.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast {
namespace {

// Switch n is node n's; trunk 2n goes from switch n to switch n + 1, trunk 2n + 1 back.
class Chain : public FabricGenerator {
public:
    explicit Chain(const Cluster& cluster)
        : nodes_(cluster.nodes), cable_{goodput(cluster.fabric.link), cluster.fabric.link.latency, LinkClass::other} {}

    std::uint32_t switch_count() const override { return nodes_; }
    std::uint32_t trunk_count() const override { return 2 * (nodes_ - 1); }
    Trunk trunk(std::uint32_t index) const override {
        const std::uint32_t at = index / 2;
        return index % 2 == 0 ? Trunk{at, at + 1, 1, cable_} : Trunk{at + 1, at, 1, cable_};
    }
    std::string switch_name(std::uint32_t index) const override { return "pearl" + std::to_string(index); }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override {
        const auto number = number_after(name, "pearl");
        return number && *number < nodes_ ? number : std::nullopt;
    }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const override { return end.node; }
    bool route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t, TrunkRoute& route) const override {
        for (std::uint32_t at = from.node; at != to.node; at = at < to.node ? at + 1 : at - 1) {
            route.add(at < to.node ? 2 * at : 2 * at - 1, cable_.latency);
        }
        return true;
    }
    std::uint32_t longest_route() const override { return nodes_ - 1; }
    std::vector<FabricTier> tiers() const override { return {{"pearl", nodes_, nodes_ - 1}}; }
    bool hashes() const override { return false; }

private:
    std::uint32_t nodes_;
    LinkInfo cable_;
};

std::unique_ptr<const FabricGenerator> chain(const Cluster& cluster, const Trays&) {
    return std::make_unique<Chain>(cluster);
}

const Topology chain_row{"chain", "the switches of the nodes in a row", "", chain};

Fabric chain_of(std::uint32_t nodes) { return Fabric(tiny::cluster(nodes, 1, tiny::fabric(FabricKind(chain_row), 8))); }

TEST_CASE("a topology that only a test knows has devices, links and paths") {
    const Fabric fabric = chain_of(4);
    CHECK(fabric.device_name(fabric.device("pearl2")) == "pearl2");
    for (std::uint32_t from = 0; from < fabric.gpu_count(); ++from) {
        for (std::uint32_t to = 0; to < fabric.gpu_count(); ++to) {
            const std::uint32_t a = from / fabric.gpus_per_node(), b = to / fabric.gpus_per_node();
            if (a == b) { continue; }
            const Path path = fabric.path({.src = fabric.gpu(from), .dst = fabric.gpu(to)});
            std::uint32_t trunks = 0;
            DeviceId at = fabric.gpu(from);
            for (const LinkId link : path.span()) {
                const LinkEnds ends = fabric.ends(link);
                if (!ends.resource) {
                    CHECK(ends.from == at);
                    at = ends.to;
                }
                trunks += fabric.link(link).cls == LinkClass::other ? 1 : 0;
            }
            CHECK(at == fabric.gpu(to));
            CHECK(trunks == (a < b ? b - a : a - b));
        }
    }
}

TEST_CASE("a topology that only a test knows is counted, cut and drawn") {
    const Fabric fabric = chain_of(4);
    const Bill bill = bill_of(fabric);
    CHECK(bill.switch_count() == 4);
    CHECK(bill.cable_count() == 4 + 3);  // one to each node's NIC, three between
    CHECK(bisection_bandwidth(fabric) == Approx(goodput(fabric.cluster().fabric.link)));
    CHECK(to_string(fabric.cluster().fabric.kind) == "chain");
    CHECK(to_dot(fabric).find("pearl3") != std::string::npos);
    const BoughtSwitches bought(fabric);
    CHECK(bought.count() == 4);
    CHECK(bought.cables_at(*bought.find("pearl1")).size() == 2 * 3);
}

TEST_CASE("the kinds that code names are rows of the table") {
    for (const FabricKind kind :
         {FabricKind::none, FabricKind::single_switch, FabricKind::fat_tree, FabricKind::rail_optimized,
          FabricKind::rail_only, FabricKind::dual_plane, FabricKind::dragonfly, FabricKind::dragonfly_plus,
          FabricKind::torus, FabricKind::explicit_graph}) {
        const auto same = [&](const Topology& row) { return FabricKind(row) == kind; };
        CHECK(std::ranges::count_if(topology_kinds(), same) == 1);
    }
    CHECK(FabricKind::fat_tree->takes("spines"));
    CHECK_FALSE(FabricKind::torus->takes("spines"));
}

}  // namespace
}  // namespace fabricast
