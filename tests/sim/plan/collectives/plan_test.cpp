// Plans of real systems: what is chosen, and what it costs.

#include <string>

#include "sim/plan/collectives/nccl/release.hpp"
#include "sim/plan/collectives/path_rules.hpp"
#include "tests/sim/plan/collectives/planned_system.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE(
    "a forced tree falls where NCCL takes Simple for LL128: eighteen hops of 512 KiB are long for 4 MiB a channel") {
    PlannedSystem tree{.node = "dgx-h100", .nodes = 4, .algorithm = Algorithm::tree};
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
    const PlannedSystem h100{"dgx-h100"};
    CHECK(plan_of(h100, 8).algorithm == Algorithm::ring);
    CHECK(plan_of(h100, 8).protocol == Protocol::ll);
    CHECK(plan_of(h100, 4 * MiB).algorithm == Algorithm::nvls);
    CHECK(plan_of(h100, GiB).channels == 16);
    const PlannedSystem without{.node = "dgx-h100", .env = {{"NCCL_NVLS_ENABLE", "0"}}};
    CHECK(plan_of(without, GiB).algorithm == Algorithm::ring);
    CHECK(plan_of(without, GiB).protocol == Protocol::simple);
}

TEST_CASE("several nodes take trees while small") {
    const PlannedSystem four{"dgx-h100", 4};
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
    const PlannedSystem ring{.node = "dgx-b200", .algorithm = Algorithm::ring, .protocol = Protocol::ll};
    const double more = seconds_of(ring, 32 * KiB) - seconds_of(ring, 512);
    CHECK(more > 0.5e-6);
    CHECK(more < 3e-6);
    // Beyond a pass of 512 threads the channel's rate holds its every step.
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("ll.channel_rate");
    // All 32 channels have 8 and 16 KiB a step of 2 and 4 MiB.
    CHECK(seconds_of(ring, 4 * MiB) - seconds_of(ring, 2 * MiB) == Approx(14 * 8.0 * KiB / rate).epsilon(0.1));
}

TEST_CASE("a ring's copies count for one step however many it has, until its channels are out of step") {
    // 424, 557 and 617 GB/s of bus bandwidth on two, four and eight B200 (aic-b200-1n*g-allgather-half).
    const auto wire = [](const std::string& node, std::uint32_t gpus, std::int64_t bytes) {
        const PlannedSystem ring{.node = node,
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
            const PlannedSystem system{.node = "dgx-a100", .nodes = nodes, .collective = collective};
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
        const PlannedSystem system{.node = "dgx-a100", .nodes = 2, .collective = collective, .algorithm = algorithm};
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
    const PlannedSystem pat{.node = "gh200-1x", .nodes = 8, .nccl = "2.27", .collective = Collective::all_gather};
    CHECK(plan_of(pat, 64 * KiB).algorithm == Algorithm::pat);
    CHECK(plan_of(pat, 64 * KiB).evidence == Evidence::formula_only);
    PlannedSystem older = pat;
    older.nccl = "2.21";
    CHECK(plan_of(older, 64 * KiB).algorithm == Algorithm::ring);
}

TEST_CASE("switches that reduce are used when asked for, on InfiniBand") {
    const PlannedSystem sharp{
        .node = "dgx-h100", .nodes = 4, .algorithm = Algorithm::collnet, .env = {{"NCCL_COLLNET_ENABLE", "1"}}};
    CHECK(plan_of(sharp, GiB).algorithm == Algorithm::collnet);
    PlannedSystem without = sharp;
    without.env.clear();
    CHECK_THROWS_AS(plan_of(without, GiB), PlanError);
}

TEST_CASE("busbw factors are nccl-tests'") {
    CHECK(busbw_factor(Collective::all_reduce, 8) == Approx(1.75));
    CHECK(busbw_factor(Collective::all_gather, 8) == Approx(0.875));
    CHECK(busbw_factor(Collective::all_to_all, 4) == Approx(0.75));
    CHECK(busbw_factor(Collective::broadcast, 8) == 1);
}
