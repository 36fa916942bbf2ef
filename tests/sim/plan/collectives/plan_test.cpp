// Plans of real systems: what is chosen, what it costs and what the cost rests on.

#include <algorithm>
#include <string>

#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/collectives/nccl/release.hpp"
#include "sim/plan/collectives/path_rules.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

struct System {
    std::string node;
    std::uint32_t nodes = 1;
    std::uint32_t gpus = 0;  // of each node; 0: all
    std::string nccl = "2.27";
    Collective collective = Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;
    Protocol protocol = Protocol::automatic;
    std::map<std::string, std::string> env = {};
    LaunchMode mode = LaunchMode::process;
};

Scenario scenario_of(const System& system) {
    Scenario s;
    s.cluster.node = system.node;
    s.cluster.nodes = system.nodes;
    s.cluster.gpus_per_node = system.gpus;
    collective_of(s).collective = system.collective;
    collective_of(s).algorithm = system.algorithm;
    collective_of(s).protocol = system.protocol;
    s.library.nccl = system.nccl;
    s.library.env = system.env;
    s.launch.mode = system.mode;
    return s;
}

CallPlan plan_of(const System& system, std::int64_t bytes, const Catalog& catalog = catalogue()) {
    const Scenario s = scenario_of(system);
    const Fabric fabric(build(s, catalog));
    return Planner(collective_of(s), fabric, s.library, s.launch, catalog).plan(Bytes{bytes});
}

double seconds_of(const System& system, std::int64_t bytes, const Catalog& catalog = catalogue(),
                  const Engine& engine = Analytic{}) {
    const Scenario s = scenario_of(system);
    const Fabric fabric(build(s, catalog));
    const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalog).plan(Bytes{bytes});
    const Timeline t = replay(engine, fabric, p.schedule);
    REQUIRE(t.kept.size() >= 3);
    return to_seconds(t.kept[2].finish - t.kept[1].finish);
}

double busbw(const System& system, std::int64_t bytes) {
    const double factor = plan_of(system, bytes).bytes_moved_factor;
    return static_cast<double>(bytes) / seconds_of(system, bytes) * factor / 1e9;
}

Catalog with(const std::string& part, const std::string& figure, double factor) {
    Catalog changed = catalogue();
    changed.parts.at(part).figures.at(figure).value.at(0) *= factor;
    return changed;
}

}  // namespace

TEST_CASE(
    "a forced tree falls where NCCL takes Simple for LL128: eighteen hops of 512 KiB are long for 4 MiB a channel") {
    System tree{.node = "dgx-h100", .nodes = 4, .algorithm = Algorithm::tree};
    // NCCL's model: LL128 has min(15/16 * 353, 8 * 29) = 232 GB/s, Simple 8 * 36 = 288; the corrections of 32 MiB are
    // 0.9 and 0.7, of 64 MiB 0.9 and 0.8.
    CHECK(plan_of(tree, 32 * MiB).protocol == Protocol::ll128);
    CHECK(plan_of(tree, 64 * MiB).protocol == Protocol::simple);
    const auto pipeline = [&](Protocol protocol) {
        tree.protocol = protocol;
        const CallPlan p = plan_of(tree, 64 * MiB);
        double hops = 0;
        for (std::uint32_t s = 0; s < p.schedule.pipelines[0].stage_count; ++s) {
            hops += p.schedule.stages[p.schedule.pipelines[0].first_stage + s].count;
        }
        CHECK(p.channels == 16);
        CHECK(hops == 2 * 7 + 2 * 2);
        return p.schedule.pipelines[0];
    };
    // calcCollChunking halves the chunks of LL128's trees alone (NVIDIA/nccl src/enqueue.cc, from 2.20 on).
    const Pipeline simple = pipeline(Protocol::simple);
    CHECK(simple.chunk == 512 * KiB);
    CHECK(simple.bytes_per_edge == 8 * simple.chunk);
    CHECK(pipeline(Protocol::ll128).chunk < 256 * KiB);
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        tree.protocol = protocol;
        for (std::int64_t size = 4 * MiB; size < GiB; size *= 2) {
            INFO(to_string(protocol) << " " << size);
            CHECK(seconds_of(tree, 2 * size) < 2.001 * seconds_of(tree, size));  // by itself no protocol falls
        }
    }
}

TEST_CASE("one H100 node takes the ring while small and NVLS from 2 MiB") {
    const System h100{"dgx-h100"};
    CHECK(plan_of(h100, 8).algorithm == Algorithm::ring);
    CHECK(plan_of(h100, 8).protocol == Protocol::ll);
    CHECK(plan_of(h100, 4 * MiB).algorithm == Algorithm::nvls);
    CHECK(plan_of(h100, GiB).channels == 16);
    const System without{.node = "dgx-h100", .env = {{"NCCL_NVLS_ENABLE", "0"}}};
    CHECK(plan_of(without, GiB).algorithm == Algorithm::ring);
    CHECK(plan_of(without, GiB).protocol == Protocol::simple);
}

TEST_CASE("several nodes take trees while small") {
    const System four{"dgx-h100", 4};
    CHECK(plan_of(four, 8).algorithm == Algorithm::tree);
    CHECK(plan_of(four, 8).protocol == Protocol::ll);
    CHECK(plan_of({"dgx-h100", 2}, GiB).algorithm == Algorithm::nvls_tree);
}

TEST_CASE("forecasts of one node stand near what such nodes measure") {
    // facts nccl-mechanisms.md, section 4, shape figures; a band, not a fit.
    CHECK(busbw({"dgx-h100"}, 8 * GiB) == Approx(480).epsilon(0.05));
    CHECK(busbw({.node = "dgx-h100", .collective = Collective::all_gather}, 8 * GiB) == Approx(365).epsilon(0.08));
    CHECK(busbw({.node = "dgx-a100", .nccl = "2.27"}, 8 * GiB) == Approx(235).epsilon(0.12));
    CHECK(busbw({.node = "dgx-v100", .nccl = "2.12"}, 8 * GiB) == Approx(135).epsilon(0.1));
    CHECK(seconds_of({"dgx-h100"}, 512) * 1e6 == Approx(15.6).epsilon(0.15));
    CHECK(seconds_of({.node = "dgx-a100", .nccl = "2.27"}, 512) * 1e6 == Approx(21.3).epsilon(0.2));
}

TEST_CASE("LL hands its lines on as they come: a ring's step of 4 KiB takes hardly longer than one of 64 B") {
    // Eight B200 take 25.1 us for 512 B and 27.3 for 32 KiB, both on one channel (aic-b200-1n8g-allreduce-half).
    const System ring{.node = "dgx-b200", .algorithm = Algorithm::ring, .protocol = Protocol::ll};
    const double more = seconds_of(ring, 32 * KiB) - seconds_of(ring, 512);
    CHECK(more > 0.5e-6);
    CHECK(more < 3e-6);
    // Beyond a pass of 512 threads the channel's rate holds its every step.
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("ll.channel_rate");
    // All 32 channels have 8 and 16 KiB a step of 2 and 4 MiB.
    CHECK(seconds_of(ring, 4 * MiB) - seconds_of(ring, 2 * MiB) == Approx(14 * 8.0 * KiB / rate).epsilon(0.1));
}

TEST_CASE("a pair inside a node goes by LL at the pace of LL's channels, and by Simple beyond") {
    // A shift over eight B200: 20.9 and 32.1 us for 256 and 512 KiB (validate/held-out, vultr-b200-1n8g-sendrecv).
    const System shift{.node = "dgx-b200", .collective = Collective::sendrecv};
    CHECK(plan_of(shift, 512 * KiB).protocol == Protocol::ll);
    CHECK(plan_of(shift, 512 * KiB).channels == 4);
    CHECK(plan_of(shift, 512 * KiB + 1).protocol == Protocol::simple);
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("ll.channel_rate");
    CHECK(seconds_of(shift, 512 * KiB) - seconds_of(shift, 256 * KiB) == Approx(64 * KiB / rate).epsilon(0.05));
    CHECK(plan_of({.node = "dgx-b200", .nodes = 2, .collective = Collective::sendrecv}, 8).protocol ==
          Protocol::simple);
}

TEST_CASE("a pair begins with a hop of its protocol, and of Simple copies its last chunk") {
    // Two A100 on PCIe take 17.3 us for 32 KiB by LL and 24.9 for 64 KiB by Simple (a100pcie-1n2g-extpcie-sendrecv).
    const System shift{.node = "dgx-b200", .collective = Collective::sendrecv};
    const auto costs = [&](std::int64_t bytes, const char* part, const char* figure) {
        return seconds_of(shift, bytes, with(part, figure, 2)) - seconds_of(shift, bytes);
    };
    const Part& kernels = catalogue().parts.at("nccl-blackwell-nvswitch");
    CHECK(costs(32 * KiB, "nccl-blackwell-nvswitch", "ll.hop") == Approx(kernels.number("ll.hop")));
    CHECK(costs(MiB, "nccl-blackwell-nvswitch", "simple.hop") == Approx(kernels.number("simple.hop")));
    CHECK(costs(32 * KiB, "nccl-blackwell-nvswitch", "simple.hop") == 0);
    // On four channels 1 MiB is one chunk of 256 KiB each and 16 MiB are chunks of 512 KiB.
    const double rate = catalogue().parts.at("nccl-kernels").number("copy_rate");
    for (const auto& [bytes, chunk] : {std::pair{MiB, 256 * KiB}, {16 * MiB, 512 * KiB}}) {
        CHECK(costs(bytes, "nccl-kernels", "copy_rate") == Approx(-0.5 * static_cast<double>(chunk) / rate));
    }
}

TEST_CASE("a ring's copies count for one step however many it has, until its channels are out of step") {
    // 424, 557 and 617 GB/s of bus bandwidth on two, four and eight B200 (aic-b200-1n*g-allgather-half).
    const auto wire = [](const std::string& node, std::uint32_t gpus, std::int64_t bytes) {
        const System ring{.node = node,
                          .gpus = gpus,
                          .collective = Collective::all_gather,
                          .algorithm = Algorithm::ring,
                          .protocol = Protocol::simple};
        return plan_of(ring, bytes).schedule.pipelines.at(0).wire_ratio;
    };
    const double of_steps = catalogue().parts.at("nccl-blackwell-nvswitch").number("simple.wire");
    const Fabric node(build(scenario_of({.node = "dgx-b200"}), catalogue()));
    const double links = narrowest(node, node.path({.src = node.gpu(0), .dst = node.gpu(1)}));
    const double copies = links / (32 * catalogue().parts.at("nccl-kernels").number("copy_rate"));
    for (const std::uint32_t gpus : {2U, 4U, 8U}) {
        const std::int64_t round = 32 * std::int64_t{gpus} * 2 * MiB;
        CHECK(wire("dgx-b200", gpus, round) == Approx(of_steps + copies / (gpus - 1)));
        CHECK(wire("dgx-b200", gpus, round / 8) == Approx(of_steps + copies / (gpus - 1)));
        CHECK(wire("dgx-b200", gpus, 16 * round) == Approx(of_steps + copies / (gpus - 1) * 7 / 16));
    }
    // Two L40S have 19.1 to 19.6 GB/s from 16 to 512 MiB (aic-l40s-1n2g-allgather-half).
    CHECK(wire("l40s-2x", 2, 8 * MiB) == Approx(wire("l40s-2x", 2, 512 * MiB)));
    // Pairs of cards joined by a bridge: the slots between the pairs are the ring's pace, not the bridges.
    const Scenario bridged = parse_scenario(
        "name: box\ncluster: {nodes: 1, node: {name: box, gpus: {part: a100-pcie-80, count: 4, joined: bridges}, cpus: "
        "{part: epyc-milan, count: 1}, pcie: GPUs on root ports, nics: {part: connectx-7, count: 1}}}\n"
        "workload: {kind: collective, collective: all_gather, sizes: [64 MiB], algorithm: ring, protocol: simple}\n"
        "library: {nccl: \"2.21\"}\n",
        "box.yaml");
    const Fabric box(build(bridged, catalogue()));
    const CallPlan p =
        Planner(collective_of(bridged), box, bridged.library, bridged.launch, catalogue()).plan(Bytes{64 * MiB});
    const double slots = 2 * narrowest(box, box.path({.src = box.gpu(1), .dst = box.gpu(2)}));  // one for each ring
    const double a_byte = 1 / (p.channels * catalogue().parts.at("nccl-kernels").number("copy_rate"));
    const double steps = catalogue().parts.at("nccl-ampere-nvswitch").number("simple.wire");
    CHECK(p.schedule.pipelines.at(0).wire_ratio == Approx(steps + slots * a_byte / 3));
}

TEST_CASE("an AMD node's library is RCCL, whose newest release stands in for newer ones") {
    const auto notes = [](const std::string& nccl) { return plan_of({.node = "mi300x-8x", .nccl = nccl}, MiB).notes; };
    CHECK(notes("2.22").empty());
    REQUIRE(notes("2.30.7").size() == 1);
    CHECK(notes("2.30.7").front() ==
          "RCCL 2.30.7 is newer than any release in the catalogue: rccl-2.22's constants are used");
    CHECK(nccl::library_name("rccl-cdna4") == "RCCL");
    CHECK(nccl::library_name("nccl") == "NCCL");
}

TEST_CASE("the peers of a rank share the blocks of its channels") {
    // Four channels move 4 x 20.8 GB/s, to one peer as to all seven: 7/8 of the buffer at that rate, whose busbw is the
    // rate itself. To the seven of a gather's root come 7/8 of its buffer.
    const double rate = catalogue().parts.at("nccl-hopper-nvswitch").number("p2p.channel_rate") / 1e9;
    const auto on = [](Collective collective, const std::string& name, const std::string& value) {
        return System{.node = "dgx-h100", .nccl = "2.30", .collective = collective, .env = {{name, value}}};
    };
    for (const Collective collective :
         {Collective::sendrecv, Collective::all_to_all, Collective::gather, Collective::scatter}) {
        INFO(to_string(collective));
        CHECK(busbw(on(collective, "NCCL_MAX_CTAS", "4"), 8 * GiB) == Approx(4 * rate).epsilon(0.01));
        CHECK(busbw(on(collective, "NCCL_MAX_NCHANNELS", "1"), 8 * GiB) == Approx(rate).epsilon(0.01));
    }
    // Thirty-two channels move 666 GB/s, more than the links of 450: nothing binds that did not.
    const System all{.node = "dgx-h100", .nccl = "2.30", .collective = Collective::all_to_all};
    CHECK(busbw(all, 8 * GiB) > 300);
    CHECK(seconds_of(all, 8 * GiB, with("nccl-hopper-nvswitch", "p2p.channel_rate", 1.2)) ==
          Approx(seconds_of(all, 8 * GiB)).epsilon(1e-6));
}

TEST_CASE("a message to another node is copied into a buffer before it leaves and out of one when it has come") {
    System shift{.node = "dgx-b200", .nodes = 2, .nccl = "2.27", .collective = Collective::sendrecv};
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("p2p.channel_rate");
    const Catalog slower = with("nccl-blackwell-nvswitch", "p2p.channel_rate", 0.5);
    // Messages of 16 and 64 KiB go as chunks of 16 and 32 KiB on one channel, 256 KiB as chunks of 64 KiB on two. Each
    // chunk is copied in, the last one out.
    struct Case {
        std::int64_t bytes, chunk;
        int copies;
    };
    for (const auto& [bytes, chunk, copies] :
         {Case{16 * KiB, 16 * KiB, 2}, {64 * KiB, 32 * KiB, 3}, {256 * KiB, 64 * KiB, 3}}) {
        CHECK(seconds_of(shift, bytes, slower) - seconds_of(shift, bytes) ==
              Approx(copies * static_cast<double>(chunk) / rate).epsilon(0.01));
    }
    // So two channels bring less than their adapter of 48.9 GB/s: 35.8 GB/s of a shift on NDR (validate/held-out,
    // vultr-b200-2n8g-sendrecv-v2). From 2.29 on there are as many as the adapter takes at 14 GB/s each.
    CHECK(GiB / seconds_of(shift, GiB) == Approx(2 * rate).epsilon(0.03));
    shift.nccl = "2.29";
    CHECK(GiB / seconds_of(shift, GiB) > 2.05 * rate);
}

TEST_CASE("a forced algorithm that cannot run is refused with what would") {
    const System nvls{.node = "dgx-a100", .algorithm = Algorithm::nvls};
    CHECK_THROWS_WITH(plan_of(nvls, MiB), ContainsSubstring("nvls cannot run") && ContainsSubstring("Ring/LL"));
    const System gather{.node = "dgx-a100", .collective = Collective::all_gather, .algorithm = Algorithm::tree};
    CHECK_THROWS_AS(plan_of(gather, MiB), PlanError);
    const System p2p{.node = "dgx-a100", .collective = Collective::all_to_all, .algorithm = Algorithm::ring};
    CHECK_THROWS_WITH(plan_of(p2p, MiB), ContainsSubstring("ring has no form of all_to_all"));
    const System unknown{.node = "dgx-a100", .env = {{"NCCL_ALGO", "Rung"}}};
    CHECK_THROWS_WITH(plan_of(unknown, MiB), ContainsSubstring("Rung"));
    CHECK_THROWS_AS(plan_of({"dgx-a100", 1, 1}, MiB), PlanError);
}

TEST_CASE("an environment variable that is not modelled leaves a note") {
    const CallPlan p = plan_of({.node = "dgx-a100", .env = {{"NCCL_SOCKET_IFNAME", "eth0"}}}, MiB);
    CHECK(std::any_of(p.notes.begin(), p.notes.end(),
                      [](const std::string& note) { return note.find("NCCL_SOCKET_IFNAME") != std::string::npos; }));
}

TEST_CASE("every figure that a plan reports moves its time") {
    struct Probe {
        System system;
        std::int64_t bytes;
        std::vector<std::string> idle;  // figures read but not binding at this point
    };
    const std::vector<Probe> probes{
        {{"dgx-h100"}, 512 * KiB, {"process.issue", "ll.wire"}},
        {{"dgx-h100"}, GiB, {"process.issue", "nvls.chunk_overhead"}},
        {{.node = "dgx-a100", .collective = Collective::all_gather},
         GiB,
         {"process.issue", "simple.channel_rate", "simple.hop"}},
        {{.node = "dgx-a100", .collective = Collective::all_to_all}, GiB, {"process.issue", "p2p.channel_rate"}},
        {{"dgx-h100", 4}, 64 * KiB, {"process.issue", "ll.channel_rate", "ll.fill"}},
        {{"dgx-h100", 2}, GiB, {"process.issue", "net_ib.post", "wire"}},
    };
    for (const Probe& probe : probes) {
        const double before = seconds_of(probe.system, probe.bytes);
        for (const FigureUsed& figure : plan_of(probe.system, probe.bytes).figures) {
            if (std::find(probe.idle.begin(), probe.idle.end(), figure.figure) != probe.idle.end()) { continue; }
            INFO(probe.system.node << " x " << probe.system.nodes << ", " << probe.bytes << " B: " << figure.part << " "
                                   << figure.figure);
            // Rates slow when smaller, costs when larger: one of both must move the time.
            const double more = seconds_of(probe.system, probe.bytes, with(figure.part, figure.figure, 1.5));
            const double less = seconds_of(probe.system, probe.bytes, with(figure.part, figure.figure, 0.5));
            CHECK((more != before || less != before));
        }
    }
}

TEST_CASE("broadcast shows the rate at which the root can start it, not its depth") {
    const System broadcast{.node = "dgx-a100", .nccl = "2.8", .collective = Collective::broadcast};
    const System all_reduce{.node = "dgx-a100", .nccl = "2.8"};
    CHECK(seconds_of(broadcast, 8) < 0.6 * seconds_of(all_reduce, 8));
    // The same for four times the nodes: nothing waits for the far end.
    System far = broadcast;
    far.nodes = 4;
    CHECK(seconds_of(far, 8) == Approx(seconds_of(broadcast, 8)).epsilon(0.3));
}

TEST_CASE("broadcasts over channels that go different ways follow each other only when one has arrived") {
    // As NCCL counts it (src/graph/tuning.cc, sameChannels). ABCI measured 0.9 ms for 4 MiB to 64 A100, 2.1 to 128.
    System few{.node = "dgx-a100", .nodes = 2, .nccl = "2.8", .collective = Collective::broadcast};
    System many = few;
    many.nodes = 16;
    CHECK(seconds_of(many, 4 * MiB) > 3 * seconds_of(few, 4 * MiB));
    few.env = many.env = {{"NCCL_MAX_NCHANNELS", "1"}};
    CHECK(seconds_of(many, 4 * MiB) < 1.5 * seconds_of(few, 4 * MiB));
}

TEST_CASE("one process for all GPUs shows its issue rate while small") {
    System threads{.node = "dgx-a100", .mode = LaunchMode::thread};
    const double per_gpu = catalogue().at("launch", "nccl-tests").number("thread.issue_per_gpu");
    CHECK(seconds_of(threads, 8) == Approx(8 * per_gpu).epsilon(1e-3));
    CHECK(seconds_of(threads, GiB) == Approx(seconds_of({"dgx-a100"}, GiB)).epsilon(1e-6));
    threads.mode = LaunchMode::framework;
    const double gap = catalogue().at("launch", "nccl-tests").number("framework.gap");
    CHECK(seconds_of(threads, GiB) == Approx(seconds_of({"dgx-a100"}, GiB) + gap).epsilon(1e-9));
}

TEST_CASE("a thread a GPU issues at its own rate, and the scenario's count of calls shows where calls overlap") {
    const System threads{
        .node = "dgx-a100", .nccl = "2.8", .collective = Collective::broadcast, .mode = LaunchMode::threads};
    const double per_gpu = catalogue().at("launch", "nccl-tests").number("threads.issue_per_gpu");
    CHECK(seconds_of(threads, 8) >= 8 * per_gpu * (1 - 1e-9));
    const Scenario s = scenario_of(threads);
    const Fabric fabric(build(s, catalogue()));
    const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{MiB});
    CHECK(p.timed_calls == s.launch.iterations);
    CHECK(p.schedule.kept.size() == 4);  // three calls, and the last one's arrival at the far end
}

TEST_CASE("more bytes never take less time to exchange, but where the provider charges for small messages") {
    const auto exchange = [](std::int64_t bytes, const std::string& transport) {
        Scenario s = scenario_of({.node = "dgx-h100", .nodes = 64, .collective = Collective::all_to_all});
        s.library.network_plugin = transport;
        const Fabric fabric(build(s, catalogue()));
        const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{bytes});
        const Timeline t = replay(Analytic{}, fabric, p.schedule);
        return to_seconds(t.kept[2].finish - t.kept[1].finish);
    };
    const std::int64_t ranks = 512;
    for (std::int64_t each = 16; each < 4096; each *= 2) {
        CHECK(exchange(2 * each * ranks, "") >= exchange(each * ranks, ""));
    }
    CHECK(exchange(256 * ranks, "cxi-ofi-1.6") < exchange(255 * ranks, "cxi-ofi-1.6"));
}

TEST_CASE("evidence is strong at home and weak far from the data") {
    CHECK(plan_of({"dgx-h100"}, GiB).evidence == Evidence::same_gpu_era_fabric);
    // A figure that matters is hardly told by the A100s' data; which is which stands in evidence_test.cpp.
    CHECK(plan_of({.node = "dgx-a100", .nccl = "2.27"}, GiB).evidence == Evidence::same_family);
    CHECK(plan_of({"gb200-nvl72"}, GiB).evidence == Evidence::same_family);
    CHECK(plan_of({"dgx-p100"}, MiB).evidence == Evidence::formula_only);
    const CallPlan far = plan_of({"dgx-h100", 64}, GiB);
    CHECK(far.evidence == Evidence::formula_only);
    CHECK_FALSE(far.evidence_notes.empty());
    CHECK(far.relative_high80 >= 0.5);
    CHECK(plan_of({"dgx-h100"}, GiB).relative_high80 < far.relative_high80);
}

TEST_CASE("a transport is named by its part, by its family, or follows from the link") {
    const auto transport = [](const std::string& named, bool gpu_direct = true) {
        Scenario s = scenario_of({"dgx-a100", 2});
        const Fabric fabric(build(s, catalogue()));
        s.library.network_plugin = named;
        return cost_parts(catalogue(), fabric, {2, 27, 0}, s.library, gpu_direct).transport->name;
    };
    CHECK(transport("") == "transport-ib-hdr");
    CHECK(transport("infiniband") == "transport-ib-hdr");
    CHECK(transport("", false) == "transport-ib-hdr-nogdr");
    CHECK(transport("roce") == "transport-roce");
    CHECK(transport("transport-efa-v2") == "transport-efa-v2");
    CHECK_THROWS_WITH(transport("pigeon"), ContainsSubstring("pigeon") && ContainsSubstring("transport-roce"));
}

TEST_CASE("figures measured here say so") {
    Catalog here = catalogue();
    for (const char* part : {"nccl-hopper-nvswitch", "nccl-kernels", "nccl-tests"}) {
        for (auto& [name, figure] : here.parts.at(part).figures) {
            figure.source = {std::string(measured_here_prefix) + " my-cluster.yaml"};
        }
    }
    const CallPlan measured = plan_of({"dgx-h100"}, GiB, here);
    CHECK(measured.evidence == Evidence::measured_here);
    // What the measurements hardly told is named.
    here.parts.at("nccl-hopper-nvswitch").figures.at("nvls.rate").source = {std::string(kept_here_source)};
    const CallPlan kept = plan_of({"dgx-h100"}, GiB, here);
    CHECK(kept.evidence == Evidence::measured_here);
    REQUIRE(kept.evidence_notes.size() == measured.evidence_notes.size() + 1);
    CHECK_THAT(kept.evidence_notes.back(), ContainsSubstring("nccl-hopper-nvswitch/nvls.rate"));
}

TEST_CASE("a plan costs as many operations at two nodes as at a thousand") {
    for (const std::int64_t bytes : {std::int64_t{8}, MiB, GiB}) {
        CHECK(plan_of({"dgx-h100", 2}, bytes).schedule.size() == plan_of({"dgx-h100", 1000}, bytes).schedule.size());
    }
}

TEST_CASE("every collective has a plan on one node and on several") {
    for (const Collective collective :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::broadcast,
          Collective::reduce, Collective::all_to_all, Collective::all_to_all_v, Collective::sendrecv,
          Collective::gather, Collective::scatter}) {
        for (const std::uint32_t nodes : {1U, 3U}) {
            const System system{.node = "dgx-a100", .nodes = nodes, .collective = collective};
            INFO(to_string(collective) << " on " << nodes);
            double last = 0;
            for (const std::int64_t bytes : {std::int64_t{8}, 64 * KiB, 16 * MiB, 4 * GiB}) {
                const double time = seconds_of(system, bytes);
                CHECK(time >=
                      0.95 * last);  // more bytes never take less, but for messages below 256 B (transports.yaml)
                last = time;
            }
            CHECK(last > static_cast<double>(GiB) / 1e12);
        }
    }
}

TEST_CASE("algorithms of other libraries run message by message") {
    for (const auto& [algorithm, collective] :
         std::vector<std::pair<Algorithm, Collective>>{{Algorithm::recursive_doubling, Collective::all_reduce},
                                                       {Algorithm::recursive_doubling, Collective::all_gather},
                                                       {Algorithm::recursive_doubling, Collective::reduce_scatter},
                                                       {Algorithm::hierarchical, Collective::all_reduce},
                                                       {Algorithm::pairwise, Collective::all_to_all}}) {
        const System system{.node = "dgx-a100", .nodes = 2, .collective = collective, .algorithm = algorithm};
        INFO(to_string(algorithm) << " " << to_string(collective));
        const CallPlan p = plan_of(system, 16 * MiB);
        CHECK(p.algorithm == algorithm);
        CHECK(p.schedule.transfers.size() > 16);
        CHECK(seconds_of(system, 16 * MiB, catalogue(), Flow{}) > seconds_of(system, 64 * KiB, catalogue(), Flow{}));
    }
    CHECK_THROWS_WITH(
        plan_of(
            {.node = "dgx-a100", .nodes = 500, .collective = Collective::all_to_all, .algorithm = Algorithm::pairwise},
            MiB),
        ContainsSubstring("messages"));
}

TEST_CASE("one GPU a node takes PAT for all-gather from 2.23 on") {
    const System pat{.node = "gh200-1x", .nodes = 8, .nccl = "2.27", .collective = Collective::all_gather};
    CHECK(plan_of(pat, 64 * KiB).algorithm == Algorithm::pat);
    CHECK(plan_of(pat, 64 * KiB).evidence == Evidence::formula_only);
    System older = pat;
    older.nccl = "2.21";
    CHECK(plan_of(older, 64 * KiB).algorithm == Algorithm::ring);
}

TEST_CASE("switches that reduce are used when asked for, on InfiniBand") {
    const System sharp{
        .node = "dgx-h100", .nodes = 4, .algorithm = Algorithm::collnet, .env = {{"NCCL_COLLNET_ENABLE", "1"}}};
    CHECK(plan_of(sharp, GiB).algorithm == Algorithm::collnet);
    System without = sharp;
    without.env.clear();
    CHECK_THROWS_AS(plan_of(without, GiB), PlanError);
}

TEST_CASE("busbw factors are nccl-tests'") {
    CHECK(busbw_factor(Collective::all_reduce, 8) == Approx(1.75));
    CHECK(busbw_factor(Collective::all_gather, 8) == Approx(0.875));
    CHECK(busbw_factor(Collective::all_to_all, 4) == Approx(0.75));
    CHECK(busbw_factor(Collective::broadcast, 8) == 1);
}
