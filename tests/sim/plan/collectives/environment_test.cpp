// NCCL's variables: each that the model reads changes some plan, and where connections then go.

#include "sim/plan/collectives/nccl/environment.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/nccl/plugin_tuner.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

struct Run {
    std::string node;
    std::uint32_t nodes = 1;
    Collective collective = Collective::all_reduce;
    std::int64_t bytes = GiB;
    std::map<std::string, std::string> env = {};
    double oversubscription = 1;
    Protocol protocol = Protocol::automatic;
    std::map<std::string, std::string> options = {};  // of the node
    Registered registered = Registered::none;
    std::string nccl = LibrarySpec{}.nccl;
    std::uint32_t gpus_per_node = 0;  // 0: all
    std::string link = {};            // between nodes
};

struct Planned {
    Fabric fabric;
    CallPlan plan;
};

Planned planned(const Run& run) {
    Scenario s;
    s.cluster.node = run.node;
    s.cluster.nodes = run.nodes;
    s.cluster.node_options = run.options;
    s.cluster.gpus_per_node = run.gpus_per_node;
    s.cluster.oversubscription = run.oversubscription;
    s.cluster.link = run.link;
    collective_of(s).collective = run.collective;
    collective_of(s).protocol = run.protocol;
    s.library.env = run.env;
    s.library.registered = run.registered;
    s.library.nccl = run.nccl;
    const Fabric fabric(build(s, catalogue()));
    return {fabric, Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{run.bytes})};
}

double seconds(const Run& run) {
    const Planned p = planned(run);
    const Timeline t = replay(Flow{}, p.fabric, p.plan.schedule);
    return to_seconds(t.kept[2].finish - t.kept[1].finish);
}

std::vector<Edge> edges(const Planned& p) {
    std::vector<Edge> list;
    for_each_edge(p.plan.schedule.edge_sets.front(), p.fabric, [&](const Edge& edge) { list.push_back(edge); });
    return list;
}

bool between_nodes(const Planned& p, const Edge& edge) {
    return p.fabric.node_of(edge.path.src) != p.fabric.node_of(edge.path.dst);
}

Run with(Run run, const std::string& name, const std::string& value) {
    run.env[name] = value;
    return run;
}

}  // namespace

TEST_CASE("every NCCL variable that is modelled changes some plan") {
    const Run h100{.node = "dgx-h100"}, a100{.node = "dgx-a100"};
    const Run two{.node = "dgx-h100", .nodes = 2};
    const Run windows{.node = "dgx-h100", .registered = Registered::window};
    const Run rails{.node = "dgx-h100",
                    .nodes = 4,
                    .collective = Collective::all_gather,
                    .bytes = 1 * MiB,
                    .registered = Registered::window,
                    .nccl = "2.30"};
    const Run ring{.node = "dgx-h100", .nodes = 64, .env = {{"NCCL_ALGO", "Ring"}}, .oversubscription = 4};
    const struct {
        const char *name, *value;
        Run run;
    } cases[] = {
        {"NCCL_ALGO", "Tree", h100},
        {"NCCL_PROTO", "Simple", {.node = "dgx-h100", .bytes = 65536}},
        {"NCCL_NVLS_ENABLE", "0", h100},
        {"NCCL_MIN_NCHANNELS", "32", a100},
        {"NCCL_MIN_NRINGS", "32", a100},
        {"NCCL_MIN_CTAS", "32", a100},
        {"NCCL_MAX_NCHANNELS", "4", a100},
        {"NCCL_MAX_NRINGS", "4", a100},
        {"NCCL_MAX_CTAS", "4", a100},
        {"NCCL_BUFFSIZE", "1048576", {.node = "dgx-a100", .bytes = 256 * MiB}},
        {"NCCL_NVLS_CHUNKSIZE", "65536", h100},
        {"NCCL_NVLSTREE_MAX_CHUNKSIZE", "32768", {.node = "dgx-h100", .nodes = 4, .env = {{"NCCL_ALGO", "NVLSTree"}}}},
        {"NCCL_P2P_NET_CHUNKSIZE", "65536", {.node = "dgx-h100", .nodes = 2, .collective = Collective::sendrecv}},
        {"NCCL_P2P_NVL_CHUNKSIZE",
         "65536",
         {.node = "dgx-h100", .collective = Collective::sendrecv, .bytes = 16 * MiB}},
        {"NCCL_CROSS_NIC", "1", ring},
        {"NCCL_PXN_DISABLE", "1", {.node = "dgx-h100", .nodes = 2, .collective = Collective::scatter}},
        {"NCCL_COLLNET_ENABLE",
         "1",
         {.node = "dgx-h100", .nodes = 4, .bytes = 16 * MiB, .env = {{"NCCL_ALGO", "CollnetDirect,Ring"}}}},
        {"NCCL_P2P_DISABLE", "1", a100},
        {"NCCL_P2P_LEVEL", "LOC", {.node = "dgx-h100", .collective = Collective::all_gather}},
        {"NCCL_NET_GDR_LEVEL", "LOC", two},
        {"NCCL_IB_GDR_LEVEL", "0", two},
        {"NCCL_WIN_ENABLE", "0", windows},
        {"NCCL_CUMEM_ENABLE", "0", windows},
        {"NCCL_SYM_KERNEL", "AllReduce_RSxLD_AGxST", windows},
        {"NCCL_CTA_POLICY",
         "ZERO",
         {.node = "dgx-h100", .collective = Collective::all_to_all, .registered = Registered::window, .nccl = "2.28"}},
        {"NCCL_SYM_CE_THRESHOLD",
         "1",
         {.node = "dgx-b200",
          .collective = Collective::all_gather,
          .bytes = 128 * MiB,
          .registered = Registered::window,
          .nccl = "2.30"}},
        {"NCCL_GIN_ENABLE", "0", rails},
        {"NCCL_SYM_GIN_KERNELS_ENABLE", "0", rails},
        {"NCCL_GIN_TYPE", "2", rails},
        {"NCCL_TUNER_PLUGIN",
         "none",
         {.node = "hgx-h100-efa", .nodes = 16, .bytes = 256 * MiB, .nccl = "2.28", .link = "efa-v2"}},
        {"NCCL_SYM_CTAS", "1", with(windows, "NCCL_SYM_KERNEL", "AllReduce_RSxLD_AGxST")},
    };
    std::set<std::string_view> tried;
    for (const auto& c : cases) {
        INFO(c.name << "=" << c.value);
        tried.insert(c.name);
        CHECK(seconds(with(c.run, c.name, c.value)) != Approx(seconds(c.run)).epsilon(1e-6));
    }
    for (const std::string_view name : nccl::modelled_variables()) {
        INFO(name);
        CHECK(tried.contains(name));
    }
    CHECK(planned(with(h100, "NCCL_SHM_DISABLE", "1")).plan.notes ==
          std::vector<std::string>{"NCCL_SHM_DISABLE is not modelled: ignored"});
    for (const char* file : {"NCCL_GRAPH_FILE", "NCCL_TOPO_FILE"}) {
        const Run named = with(h100, file, "/etc/nccl.xml");
        REQUIRE(planned(named).plan.notes.size() == 1);
        CHECK_THAT(planned(named).plan.notes.front(), ContainsSubstring(std::string(file) + " is not read"));
        CHECK(seconds(named) == Approx(seconds(h100)));
    }
}

TEST_CASE("NICs reach GPU memory as far as NCCL_NET_GDR_LEVEL says") {
    const auto at = [](const Run& run, const char* level) { return seconds(with(run, "NCCL_NET_GDR_LEVEL", level)); };
    const Run switches{.node = "dgx-h100", .nodes = 2};  // NICs and GPUs on one PCIe switch
    CHECK(at(switches, "PIX") == Approx(seconds(switches)));
    CHECK(at(switches, "LOC") > 1.3 * seconds(switches));
    const Run ports{.node = "a100-mesh-4x", .nodes = 2};  // on root ports: the way leads over the host bridge
    CHECK(at(ports, "3") == Approx(at(ports, "PHB")));
    CHECK(at(ports, "PXB") > 1.1 * at(ports, "PHB"));
    // NCCL's own limit is PXB, and the plan says what is lost by it.
    CHECK(seconds(ports) == Approx(at(ports, "PXB")));
    CHECK_THAT(planned(ports).plan.notes.front(), ContainsSubstring("no GPUDirect: a host bridge"));
    CHECK(planned(with(ports, "NCCL_NET_GDR_LEVEL", "PXB")).plan.notes.empty());
    CHECK(planned(switches).plan.notes.empty());
    const Run grace{.node = "gh200-4x", .nodes = 2};  // NVLink to the processor counts as switches (PATH_P2C)
    CHECK(at(grace, "PXB") == Approx(seconds(grace)));
    CHECK(at(grace, "PIX") != Approx(seconds(grace)));
}

TEST_CASE("CTAs limit NVLS too, numbers of channels do not") {
    const auto channels = [](const char* name, const char* value) {
        return planned(with({.node = "dgx-h100"}, name, value)).plan.channels;
    };
    CHECK(channels("NCCL_MAX_CTAS", "4") == 4);
    CHECK(channels("NCCL_MIN_CTAS", "32") == 32);
    CHECK(channels("NCCL_MAX_NCHANNELS", "4") == 16);
    // From 2.22 to 2.27 rings are raised to as many as NVLS has.
    Run ring{.node = "dgx-h100", .env = {{"NCCL_ALGO", "Ring"}}};
    CHECK(planned(with(ring, "NCCL_MAX_CTAS", "4")).plan.channels == 4);
    CHECK(planned(with(ring, "NCCL_MAX_NCHANNELS", "4")).plan.channels == 16);
    ring.nccl = "2.21";
    CHECK(planned(with(ring, "NCCL_MAX_NCHANNELS", "4")).plan.channels == 4);
    // NRINGS is the older name of NCHANNELS, which wins; 0 is no minimum, and as a maximum 1.
    ring.node = "dgx-a100";
    CHECK(planned(with(with(ring, "NCCL_MAX_NRINGS", "2"), "NCCL_MAX_NCHANNELS", "8")).plan.channels == 8);
    CHECK(planned(with(ring, "NCCL_MIN_NCHANNELS", "0")).plan.channels == planned(ring).plan.channels);
    CHECK(planned(with(ring, "NCCL_MAX_NCHANNELS", "0")).plan.channels == 1);
}

TEST_CASE("two GPUs of a node have NVLS from 2.28.7 on") {
    const auto nvls = [](const char* nccl, std::uint32_t gpus) {
        return planned({.node = "dgx-h100", .env = {{"NCCL_ALGO", "NVLS"}}, .nccl = nccl, .gpus_per_node = gpus});
    };
    CHECK_THROWS_AS(nvls("2.21", 2), PlanError);
    CHECK(nvls("2.21", 4).plan.algorithm == Algorithm::nvls);
    CHECK_THROWS_AS(nvls("2.28.3", 2), PlanError);
    CHECK(nvls("2.28.9", 2).plan.algorithm == Algorithm::nvls);
}

TEST_CASE("without peer to peer a ring goes through host memory, NVLS stays") {
    const Planned off = planned(with({.node = "dgx-a100"}, "NCCL_P2P_DISABLE", "1"));
    for (const Edge& edge : edges(off)) { CHECK(edge.path.kind == PathKind::host_staged); }
    CHECK(planned(with({.node = "dgx-a100"}, "NCCL_P2P_DISABLE", "0")).plan.channels ==
          planned({.node = "dgx-a100"}).plan.channels);
    const Run h100{.node = "dgx-h100"};
    CHECK(planned(with(h100, "NCCL_P2P_DISABLE", "1")).plan.algorithm == Algorithm::nvls);
    CHECK_FALSE(planned(with(h100, "NCCL_P2P_DISABLE", "1")).plan.notes.empty());
    // What NVLS costs does not change with it, also where no part of PCIe has figures of NVLS.
    for (const std::string node : {"dgx-h100", "dgx-b200", "dgx-b300"}) {
        for (const auto& [name, value] : {std::pair{"NCCL_P2P_DISABLE", "1"}, {"NCCL_P2P_LEVEL", "LOC"}}) {
            const Run nvls{.node = node, .env = {{"NCCL_ALGO", "NVLS"}}};
            CHECK(seconds(with(nvls, name, value)) == Approx(seconds(nvls)));
        }
    }
    // NVLink only: the switch is NVLink, slots are not.
    CHECK(seconds(with({.node = "dgx-a100"}, "NCCL_P2P_LEVEL", "NVL")) == Approx(seconds({.node = "dgx-a100"})));
    const Run box{.node = "a100-pcie-2x"};
    for (const Edge& edge : edges(planned(with(box, "NCCL_P2P_LEVEL", "NVL")))) {
        CHECK(edge.path.kind == PathKind::host_staged);
    }
    for (const Edge& edge : edges(planned(with(box, "NCCL_P2P_LEVEL", "SYS")))) {
        CHECK(edge.path.kind == PathKind::p2p);
    }
    // What the driver does not allow, no variable does.
    for (const Edge& edge : edges(planned(with({.node = "rtx4090-8x"}, "NCCL_P2P_LEVEL", "SYS")))) {
        CHECK(edge.path.kind == PathKind::host_staged);
    }
    CHECK_THROWS_AS(planned(with(h100, "NCCL_P2P_LEVEL", "NVLINK")), PlanError);
}

TEST_CASE("NICs are crossed when asked for; without PXN rings take two rails in turn instead of forwarding") {
    const Run ring{.node = "dgx-h100", .nodes = 4, .env = {{"NCCL_ALGO", "Ring"}}};
    const auto rails = [](const Planned& p, const Edge& edge) {
        const auto own = [&](DeviceId gpu) { return p.fabric.nearest_nic(gpu); };
        return std::pair{std::pair{edge.path.src_nic, edge.path.dst_nic},
                         std::pair{own(edge.path.src), own(edge.path.dst)}};
    };
    std::size_t crossed = 0;
    const Planned usual = planned(ring), crossing = planned(with(ring, "NCCL_CROSS_NIC", "1"));
    for (const Edge& edge : edges(usual)) {
        CHECK((!between_nodes(usual, edge) || edge.path.src_nic == edge.path.dst_nic));
    }
    for (const Edge& edge : edges(crossing)) {
        if (between_nodes(crossing, edge)) {
            const auto [taken, own] = rails(crossing, edge);
            CHECK(taken.first == own.first);
            CHECK(taken.second == own.second);  // by the NIC beside the last GPU, into the one beside the first
            crossed += taken.first != taken.second ? 1 : 0;
        }
    }
    CHECK(crossed > 0);
    // Four GPUs as far from each of two NICs (Polaris): as many rings leave by the one as by the other.
    const Planned mesh = planned({.node = "a100-mesh-4x",
                                  .nodes = 2,
                                  .env = {{"NCCL_ALGO", "Ring"}, {"NCCL_CROSS_NIC", "1"}},
                                  .options = {{"nics", "2"}}});
    std::map<std::uint16_t, int> leaving;
    for (const Edge& edge : edges(mesh)) {
        if (between_nodes(mesh, edge)) { ++leaving[edge.path.src_nic]; }
    }
    CHECK(leaving.size() == 2);
    CHECK(leaving[0] == leaving[1]);
    // No GPU of a Grace tray is beside a NIC: all are at their CPU. A DGX H100's are, two a switch, and forward
    // nothing.
    Run four = ring;
    four.node = "gb200-tray-4x";
    const Planned pairs = planned(with(four, "NCCL_PXN_DISABLE", "1"));
    std::set<std::uint16_t> used;
    for (const Edge& edge : edges(pairs)) {
        if (between_nodes(pairs, edge)) {
            const auto [taken, own] = rails(pairs, edge);
            CHECK(taken == own);                 // nothing is forwarded over NVLink
            CHECK(taken.first == taken.second);  // and no rail is left
            used.insert(taken.first);
        }
    }
    CHECK(used.size() == 4);
    for (const Edge& edge : edges(planned(with(with(four, "NCCL_PXN_DISABLE", "1"), "NCCL_CROSS_NIC", "0")))) {
        CHECK((!between_nodes(pairs, edge) || !edge.path.forwarded));
    }
}

TEST_CASE("sends and receives leave by the receiver's rail, without PXN by the sender's") {
    for (const Collective collective : {Collective::sendrecv, Collective::gather, Collective::scatter}) {
        INFO(to_string(collective));
        const Run run{.node = "dgx-h100", .nodes = 2, .collective = collective, .bytes = MiB};
        const Planned on = planned(run), off = planned(with(run, "NCCL_PXN_DISABLE", "1"));
        std::size_t seen = 0;
        for (const Edge& edge : edges(on)) {
            if (between_nodes(on, edge)) {
                ++seen;
                CHECK(edge.path.src_nic == on.fabric.nearest_nic(edge.path.dst));
                CHECK(edge.path.dst_nic == edge.path.src_nic);
            }
        }
        CHECK(seen > 0);
        for (const Edge& edge : edges(off)) { CHECK((!between_nodes(off, edge) || edge.path.src_nic == any_nic)); }
    }
}

TEST_CASE("a protocol forced on sends and receives changes them, NCCL_PROTO is noted") {
    const Run run{.node = "dgx-h100", .collective = Collective::sendrecv, .bytes = 16 * MiB};
    Run forced = run;
    forced.protocol = Protocol::ll;
    CHECK(planned(forced).plan.protocol == Protocol::ll);
    // Four channels of 4 MiB each, at what a channel of LL moves.
    const double rate = catalogue().at("kernel", "nccl-hopper-nvswitch").number("ll.channel_rate");
    CHECK(planned(forced).plan.channels == 4);
    CHECK(seconds(forced) == Approx(4 * MiB / rate).epsilon(0.04));
    CHECK(seconds(forced) != Approx(seconds(run)).epsilon(0.01));
    CHECK_THAT(planned(with(run, "NCCL_PROTO", "LL")).plan.notes.front(),
               ContainsSubstring("no say in sends and receives"));
    CHECK(seconds(with(run, "NCCL_PROTO", "LL")) == seconds(run));
}

TEST_CASE("a scenario that asks for Simple sends and receives gets what NCCL sends anyway") {
    const auto time = [](const std::string& collective, const std::string& protocol) {
        const Scenario s = parse_scenario(
            "name: t\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: collective, "
            "collective: " +
                collective + ", protocol: " + protocol + ", sizes: [1 KiB, 4 MiB]}\n",
            "t.yaml");
        return simulate(s, catalogue()).rows.back().time_s;
    };
    for (const char* collective : {"sendrecv", "all_to_all", "gather", "scatter"}) {
        CHECK(time(collective, "simple") == time(collective, "auto"));
        CHECK(time(collective, "ll") != time(collective, "auto"));
    }
}

TEST_CASE("the tuner of AWS's plugin chooses on more than two nodes, where NCCL can run what it chooses") {
    const auto chosen = [](std::uint32_t nodes, std::int64_t bytes, const std::string& nccl = "2.28",
                           const std::string& tuner = "") {
        Run run{.node = "hgx-h100-efa", .nodes = nodes, .bytes = bytes, .nccl = nccl, .link = "efa-v2"};
        if (!tuner.empty()) { run.env["NCCL_TUNER_PLUGIN"] = tuner; }
        const CallPlan plan = planned(run).plan;
        return fmt::format("{} {}", to_string(plan.algorithm), to_string(plan.protocol));
    };
    // region_init_internal_p5_p5e, all-reduce of 8 GPUs a node: 128 ranks.
    CHECK(chosen(16, 256 * MiB) == "tree ll128");
    CHECK(chosen(16, 302 * MiB) == "ring ll128");
    CHECK(chosen(16, 4 * GiB) == "nvls-tree simple");
    CHECK(chosen(16, 8 * GiB) == "ring simple");
    CHECK(chosen(16, 256 * MiB, "2.28", "none") == "nvls-tree simple");
    CHECK(chosen(16, 8 * GiB, "2.20") == chosen(16, 8 * GiB, "2.20", "none"));
    CHECK(chosen(16, 8 * GiB, "2.20", "libnccl-ofi-tuner.so") == "ring simple");
    CHECK(chosen(2, 8 * GiB) == chosen(2, 8 * GiB, "2.28", "none"));
    const nccl::TunerRegion triangle{"ring", "simple", {{0, 0}, {4, 0}, {0, 4}}};
    CHECK(triangle.holds(2, 2));
    CHECK(triangle.holds(4, 4));  // on the edge
    CHECK(!triangle.holds(8, 4));
}
