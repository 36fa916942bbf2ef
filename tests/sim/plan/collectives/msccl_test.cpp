// Rings and all pairs as MSCCL's interpreter runs them.

#include <cmath>
#include <string>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using Catch::Matchers::WithinRel;

namespace {

double msccl(const std::string& name) { return catalogue().at("kernel", "msccl").number(name); }

Report gathered(const std::string& workload, const std::string& cluster = "node: mi300x-8x, nodes: 1") {
    const bool said = workload.find("collective:") != std::string::npos;
    return simulate(parse_scenario("name: t\ncluster: {" + cluster + "}\nlibrary: {nccl: \"2.21\"}\nworkload: {kind: " +
                                       "collective, " + (said ? "" : "collective: all_gather, ") + workload + "}\n",
                                   "t.yaml"),
                    catalogue());
}

double seconds(const std::string& workload) { return gathered(workload).rows.front().time_s; }

}  // namespace

TEST_CASE("a block sends its pieces one after the other: a ring of one channel takes n - 1 of them a loop") {
    const double piece = (1 << 20) / 8.0 / msccl("simple.block_rate");
    const double ring = seconds("algorithm: msccl-ring, protocol: simple, sizes: [1 MiB]");
    CHECK_THAT(ring, WithinRel(msccl("simple.start") + 7 * msccl("simple.hop") + 7 * piece, 0.03));
    const double pairs = seconds("algorithm: msccl-all-pairs, protocol: simple, sizes: [1 MiB]");
    CHECK_THAT(pairs, WithinRel(msccl("simple.start") + msccl("simple.hop") + piece, 0.05));
}

TEST_CASE("in a loop the last piece of a block starts c floor((n - 2) / c) hops after its own") {
    // 64 loops of 128 KiB: the steady state. A piece of one loop takes 16 KiB at the block's rate.
    const double loops = 64, piece = msccl("ll.loop") / 8 / msccl("ll.block_rate"), forward = msccl("ll.forward");
    const double first = msccl("ll.start") + 7 * msccl("ll.hop");
    const std::string call = "algorithm: msccl-ring, protocol: ll, sizes: [8 MiB], channels: ";
    CHECK_THAT(seconds(call + "2"), WithinRel(first + loops * (6 * forward + 1) * piece, 0.02));
    CHECK_THAT(seconds(call + "4"), WithinRel(first + loops * (4 * forward + 1) * piece, 0.02));
    CHECK_THAT(seconds(call + "8"), WithinRel(first + loops * piece, 0.1));
    CHECK_THAT(seconds(call + "8, instances: 2"), WithinRel(first + loops * piece / 2, 0.1));
}

TEST_CASE("an all-reduce of all pairs scatters and then gathers") {
    const std::string call = "algorithm: msccl-all-pairs, protocol: ll, sizes: [64 MiB]";
    CHECK_THAT(seconds("collective: all_reduce, " + call) / seconds(call), WithinRel(2, 0.02));
}

TEST_CASE("RCCL without a program reaches on eight MI300X what was measured there, and more on faster links") {
    const auto busbw = [](const std::string& gpu) {
        return gathered("sizes: [4 GiB]",
                        "node: {name: n, gpus: {part: " + gpu +
                            ", count: 8, joined: mesh}, cpus: {part: epyc-turin, count: 2}, pcie: two GPUs and two "
                            "NICs a switch, nics: {part: connectx-7, count: 8}}, nodes: 1")
            .rows.front()
            .busbw;
    };
    CHECK_THAT(busbw("mi300x"), WithinRel(310.5e9, 0.02));  // mi300x-azure-1n8g-allgather-default
    CHECK_THAT(busbw("mi355x") / busbw("mi300x"), WithinRel(76.8 / 64, 0.01));
}

TEST_CASE("a program of MSCCL runs in one node, and its keys belong to it") {
    const auto refused = [](const std::string& workload, const std::string& cluster = "node: mi300x-8x, nodes: 1") {
        try {
            gathered(workload, cluster);
        } catch (const std::exception& error) { return std::string(error.what()); }
        return std::string("taken");
    };
    CHECK(refused("algorithm: msccl-ring", "node: mi300x-8x, nodes: 2").find("inside one node only") !=
          std::string::npos);
    CHECK(refused("channels: 4").find("an MSCCL program's") != std::string::npos);
    CHECK(refused("instances: 2").find("an MSCCL program's") != std::string::npos);
    CHECK(refused("root: 3").find("it has no effect on all_gather") != std::string::npos);
    CHECK(refused("algorithm: msccl-all-pairs, channels: 4").find("more of them are instances") != std::string::npos);
    CHECK(refused("collective: broadcast, algorithm: msccl-ring").find("has no form of broadcast") !=
          std::string::npos);
    // Measured on one kind of GPU; elsewhere the model is all there is.
    CHECK(gathered("algorithm: msccl-ring").rows.front().evidence == Evidence::same_family);
    CHECK(gathered("algorithm: msccl-ring", "node: dgx-a100, nodes: 1").rows.front().evidence ==
          Evidence::formula_only);
}
