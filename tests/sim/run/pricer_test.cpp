// What other simulators are told is what `fabricast run` prints; and asking costs next to nothing.

#include "sim/run/pricer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr const char* four_nodes = R"(name: four
cluster: {node: dgx-h100, nodes: 4, fabric: {kind: rail-optimized, link: infiniband-ndr}}
workload: {kind: collective, collective: all_reduce, sizes: [1 MiB]}
)";

Catalog parts() { return calibrated_catalog("", nullptr, {}); }

double row_seconds(const std::vector<std::string>& overrides) {
    return simulate(parse_scenario(four_nodes, "four.yaml", overrides), parts()).rows.back().time_s;
}

}  // namespace

TEST_CASE("a priced collective takes as long as its row says") {
    Pricer pricer(parse_scenario(four_nodes, "four.yaml"), parts());
    CHECK(pricer.seconds(PricedCall{Collective::all_reduce, Bytes{3'000'000}}, true) ==
          row_seconds({"workload.sizes=[3000000 B]"}));
    CHECK(pricer.seconds(PricedCall{Collective::all_gather, Bytes{1 << 20}, 2, 4}, true) ==
          row_seconds({"workload.collective=all_gather", "cluster.nodes=2", "cluster.gpus_per_node=4"}));
    // On the grid nothing is interpolated.
    CHECK(pricer.seconds(PricedCall{Collective::all_reduce, Bytes{1 << 20}}) == row_seconds({}));
}

TEST_CASE("between sizes of the grid a price is near that of the size itself") {
    Pricer pricer(parse_scenario(four_nodes, "four.yaml"), parts());
    std::vector<double> errors;
    for (const Collective kind : {Collective::all_reduce, Collective::all_gather, Collective::all_to_all}) {
        for (const std::uint32_t nodes : {1U, 4U}) {
            for (int step = 10 * 4; step < 28 * 4; ++step) {
                const Bytes size{std::llround(std::exp2((step + 0.31) / 4))};
                const double exact = pricer.seconds(PricedCall{kind, size, nodes}, true);
                errors.push_back(std::abs(pricer.seconds(PricedCall{kind, size, nodes}) / exact - 1));
            }
        }
    }
    std::ranges::sort(errors);
    const double median = errors[errors.size() / 2], high = errors[errors.size() * 98 / 100];
    std::printf(
        "figure: price_interpolation_median %.4f %%\nfigure: price_interpolation_p98 %.2f %%\n"
        "figure: price_interpolation_worst %.2f %%\n",
        100 * median, 100 * high, 100 * errors.back());
    CHECK(median < 0.001);
    // A step of the chunks between two grid sizes becomes a slope.
    CHECK(high < 0.08);
    CHECK(errors.back() < 0.2);
}

TEST_CASE("messages that share a link take longer, and others do not") {
    Pricer pricer(parse_scenario(four_nodes, "four.yaml"), parts());
    const Bytes size{256 << 20};
    const double alone = pricer.seconds({{"node0.gpu0", "node1.gpu0", size}}).front();
    // A port of NDR carries 50 GB/s.
    CHECK(alone > static_cast<double>(size.count) / 50e9);
    CHECK(alone < static_cast<double>(size.count) / 40e9);
    const auto apart = pricer.seconds({{"node0.gpu0", "node1.gpu0", size}, {"node2.gpu3", "node3.gpu3", size}});
    CHECK(apart[0] == Approx(alone).epsilon(1e-6));
    CHECK(apart[1] == Approx(alone).epsilon(1e-6));
    const auto shared = pricer.seconds({{"node0.gpu0", "node1.gpu0", size}, {"node2.gpu0", "node1.gpu0", size}});
    CHECK(shared[0] == Approx(2 * alone).epsilon(0.02));
    CHECK(pricer.seconds(std::vector<PricedTransfer>{}).empty());
}

TEST_CASE("what cannot be priced is refused with its reason") {
    Pricer pricer(parse_scenario(four_nodes, "four.yaml"), parts());
    CHECK_THROWS_WITH(pricer.seconds(PricedCall{Collective::all_reduce, Bytes{1024}, 5}),
                      ContainsSubstring("four.yaml:2:") && ContainsSubstring("larger than the cluster"));
    CHECK_THROWS_AS(pricer.seconds(PricedCall{Collective::all_reduce, Bytes{0}}), InputError);
    CHECK_THROWS_AS(pricer.seconds({{"node0.gpu0", "node9.gpu0", Bytes{1}}}), InputError);
    CHECK_THROWS_WITH(collective_named("allreduce"), ContainsSubstring("nearest: 'all_reduce'"));
}

TEST_CASE("a known price takes microseconds, from any thread") {
    Pricer pricer(parse_scenario(four_nodes, "four.yaml"), parts());
    const PricedCall call{Collective::all_reduce, Bytes{3'000'000}, 1, 8};
    const double first = pricer.seconds(call);
    constexpr int calls = 100'000;
    const std::clock_t begun = std::clock();  // of this process, whatever else the machine does
    double sum = 0;
    for (int i = 0; i < calls; ++i) { sum += pricer.seconds(call); }
    const double each_us = 1e6 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC / calls;
    std::printf("figure: price_us %.3f us\n", each_us);
    CHECK(sum == Approx(calls * first));
    CHECK(each_us < 20);
    std::vector<std::thread> threads;
    std::atomic<int> different{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 1; i < 50; ++i) {
                const PricedCall own{Collective::all_gather, Bytes{1000 * i}, 1, 8};
                different += pricer.seconds(own) != pricer.seconds(own) ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) { thread.join(); }
    CHECK(different == 0);
}
