// What failures and checkpoints leave of the time, against a job that is played failure by failure.

#include "sim/plan/training/goodput.hpp"

#include <cmath>

#include "base/hash.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// A job of `intervals` stretches of computing with a checkpoint after each; failures come at random with a mean of
// `between` seconds, and a failure during a restart begins the restart anew.
double played_share(double every, double checkpoint, double restart, double between, int intervals) {
    std::uint64_t draws = 0;
    const auto next_failure = [&] {
        const double uniform = (static_cast<double>(mix(++draws) >> 11U) + 0.5) * 0x1p-53;
        return -between * std::log(uniform);
    };
    double time = 0, until_failure = next_failure();
    const auto spend = [&](double seconds) {  // whether no failure came
        const bool whole = until_failure > seconds;
        const double spent = whole ? seconds : until_failure;
        time += spent;
        until_failure = whole ? until_failure - spent : next_failure();
        return whole;
    };
    for (int done = 0; done < intervals;) {
        if (spend(every + checkpoint)) {
            ++done;
            continue;
        }
        while (!spend(restart)) {}
    }
    return intervals * every / time;
}

}  // namespace

TEST_CASE("the useful share is what a job has that is played failure by failure") {
    for (const double between : {2000.0, 10000.0, 100000.0}) {
        for (const double every : {300.0, 1500.0}) {
            const double share = useful_share(every, 30, 240, between);
            CHECK(share == Approx(played_share(every, 30, 240, between, 400'000)).epsilon(0.005));
        }
    }
}

TEST_CASE("no other interval between checkpoints leaves more than the best one") {
    for (const double between : {500.0, 5000.0, 50000.0}) {
        const double best = best_interval(30, between);
        const double share = useful_share(best, 30, 60, between);
        for (const double times : {0.5, 0.8, 1.25, 2.0}) { CHECK(useful_share(times * best, 30, 60, between) < share); }
    }
    CHECK(best_interval(30, 50000) == Approx(std::sqrt(2 * 30 * 50000)).epsilon(0.02));  // Young 1974
    CHECK(best_interval(30, 10) == 10);
}

TEST_CASE("on as many GPUs as Llama 3 had, failures are as many, and its effective time is in the interval") {
    const Scenario s = parse_scenario(
        "name: llama\ncluster: {node: dgx-h100, nodes: 2048, fabric: {kind: fat-tree, link: ethernet-400g}}\n"
        "workload: {kind: training, model: llama-3.1-405b}\n",
        "llama.yaml");
    const Goodput g = goodput_of({microseconds(20'000'000), {}, {}}, Fabric(build(s, catalogue())), catalogue());
    CHECK(g.failures == Approx(419 * 30 / 54.0).epsilon(0.08));
    CHECK(g.low80 < 0.9);
    CHECK(g.high80 > 0.9);
    CHECK(g.share + g.checkpoints + g.restarts + g.lost == Approx(1));
}

TEST_CASE("a rack has the hosts of as many GPUs, not one") {
    const auto failures = [](const std::string& cluster) {
        const Scenario s = parse_scenario(
            "name: hosts\ncluster: {" + cluster + "}\nworkload: {kind: training, model: llama-3.1-405b}\n",
            "hosts.yaml");
        return goodput_of({microseconds(20'000'000), {}, {}}, Fabric(build(s, catalogue())), catalogue()).failures;
    };
    // 576 GPUs and adapters, their cables, and 72 times the host of eight GPUs.
    const double racks = failures("node: gb200-nvl72, nodes: 8, fabric: {kind: fat-tree}");
    CHECK(racks * 12 > 576 * (0.1106 + 0.0029) + 72 * 0.36);
    CHECK(racks == Approx(failures("node: dgx-b200, nodes: 72, fabric: {kind: fat-tree}")).epsilon(0.05));
}

TEST_CASE("where failures leave next to nothing, restarts take no more than what is left") {
    const Scenario s = parse_scenario(
        "name: vast\ncluster: {node: dgx-h100, nodes: 131072, fabric: {kind: fat-tree, link: ethernet-400g}}\n"
        "workload: {kind: training, model: llama-3.1-405b}\n",
        "vast.yaml");
    const Goodput g = goodput_of({microseconds(600'000'000), {}, microseconds(600'000'000)},
                                 Fabric(build(s, catalogue())), catalogue());
    CHECK(g.share < 0.05);
    CHECK(g.restarts == Approx(1 - g.share - g.checkpoints));
    CHECK(g.lost == Approx(0).margin(1e-12));
}

TEST_CASE("a step's report has its goodput where the scenario asks for it, and only there") {
    const auto steps = [](const std::vector<std::string>& overrides) {
        return simulate(parse_scenario(small, "small.yaml", overrides), catalogue()).steps;
    };
    CHECK_FALSE(steps({}).at(0).goodput);
    const StepRow row = steps({"goodput.checkpoint=30 s"}).at(0);
    REQUIRE(row.goodput);
    CHECK(row.goodput->share > 0.98);  // 32 GPUs fail seldom
    CHECK(row.goodput->low80 < row.goodput->share);
    CHECK(row.goodput->high80 > row.goodput->share);
    CHECK(steps({"goodput.checkpoint=30 s", "goodput.every=20 min"}).at(0).goodput->every_s == Approx(1200));
    CHECK_THROWS_WITH(steps({"goodput={every: 1 h}"}), ContainsSubstring("checkpoint"));
}
