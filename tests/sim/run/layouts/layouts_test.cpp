// The search over layouts: it finds what trying every layout finds, however many threads it has, and says why it
// cannot.

#include <fmt/format.h>

#include <atomic>
#include <regex>

#include "sim/plan/training/step_bound.hpp"
#include "sim/run/layouts/layout_report.hpp"
#include "sim/run/layouts/layout_search.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario scenario_of(const std::vector<std::string>& overrides = {}) {
    return parse_scenario(small, "small.yaml", overrides);
}

// Two nodes and a batch that leave some hundred layouts.
const std::vector<std::string> few = {"cluster.nodes=2", "workload.global_batch=8"};
const std::vector<std::string> experts = {"cluster.nodes=2", "workload.global_batch=16",
                                          "workload.dimensions.experts=4", "workload.dimensions.experts_per_token=2",
                                          "workload.dimensions.expert_ffn=4096"};
const std::vector<std::string> long_sequences = {"cluster.nodes=2", "workload.global_batch=8",
                                                 "workload.sequence_length=8192", "workload.overlap.tensor=true"};
const std::vector<std::string> adapters = {"cluster.nodes=2", "workload.global_batch=8", "workload.adapters=16"};

LayoutSearchOptions options_of(std::size_t threads = 1) {
    LayoutSearchOptions options;
    options.draws = 0;
    options.threads = threads;
    return options;
}

std::vector<std::pair<std::string, double>> times_of(const LayoutSearch& search) {
    std::vector<std::pair<std::string, double>> times;
    for (const FoundLayout& found : search.best) { times.emplace_back(words_of(found.choice), found.row.step_time_s); }
    return times;
}

std::string refusal_of(const std::vector<std::string>& overrides, const LayoutSearchOptions& options = options_of()) {
    try {
        search_layouts(scenario_of(overrides), catalogue(), options);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

}  // namespace

TEST_CASE("the best layouts are those that trying every one finds") {
    for (const auto& overrides : {few, experts, long_sequences}) {
        const Scenario scenario = scenario_of(overrides);
        LayoutSearchOptions all = options_of();
        all.exhaustive = true;
        const LayoutSearch slow = search_layouts(scenario, catalogue(), all);
        const LayoutSearch quick = search_layouts(scenario, catalogue(), options_of());
        CHECK(slow.pruned() == 0);
        CHECK(slow.best.size() == 12);
        CHECK(quick.pruned() > slow.layouts / 10);
        CHECK(times_of(quick) == times_of(slow));
    }
}

TEST_CASE("no forecast of a layout falls below its bound") {
    std::size_t layouts = 0;
    for (const auto& overrides : {few, experts, long_sequences, adapters}) {
        Scenario scenario = scenario_of(overrides);
        auto& workload = std::get<TrainingWorkload>(scenario.workload);
        workload.check_memory = false;
        const Fabric fabric(build(scenario, catalogue()));
        const ModelShape model = model_shape(catalogue(), workload);
        const LayoutLimits limits{workload, model, fabric.gpu_count(), fabric.gpus_per_node()};
        const std::vector<LayoutChoice> space = layout_space(limits, {});
        for (std::size_t i = 0; i < space.size(); i += 3) {
            Scenario one = scenario;
            const TrainingWorkload cut = with_layout(workload, space[i]);
            one.workload = cut;
            const Layout layout = make_layout(cut, model, fabric.gpu_count(), fabric.gpus_per_node());
            const ComputeCosts costs(catalogue(), fabric.node().gpu, cut, fabric.gpu_count());
            const double bound = least_step_seconds({costs, model, cut, layout}, fabric);
            const double seconds = simulate(one, catalogue()).steps.at(0).step_time_s;
            INFO(words_of(space[i]));
            CHECK(bound <= seconds);
            CHECK(bound > 0.2 * seconds);
            ++layouts;
        }
    }
    CHECK(layouts > 300);
}

TEST_CASE("the result does not depend on the threads, nor on where an earlier search was stopped") {
    const Scenario scenario = scenario_of(few);
    const LayoutSearch whole = search_layouts(scenario, catalogue(), options_of(1));
    CHECK(layouts_json(whole) == layouts_json(search_layouts(scenario, catalogue(), options_of(4))));

    std::atomic<bool> stop{false};
    LayoutSearchOptions first = options_of(2);
    LayoutOutcomes kept;
    first.finished = [&](const std::string& words, const LayoutOutcome& outcome) {
        kept[words] = {outcome.seconds, outcome.refused};
        stop = kept.size() >= 20;
    };
    const LayoutSearch part = search_layouts(scenario, catalogue(), first, {&stop, {}});
    CHECK(part.stopped);
    CHECK(part.forecast >= 20);
    CHECK(part.forecast < whole.forecast);
    CHECK(part.best.size() == 12);  // of what was done

    LayoutSearchOptions second = options_of(3);
    second.known = kept;
    std::size_t again = 0;
    second.finished = [&](const std::string& words, const LayoutOutcome&) {
        CHECK_FALSE(kept.contains(words));
        ++again;
    };
    CHECK(layouts_json(search_layouts(scenario, catalogue(), second)) == layouts_json(whole));
    CHECK(again + kept.size() == whole.forecast + whole.refused);
}

TEST_CASE("what varies may be limited, and each layout runs as its overrides say") {
    LayoutSearchOptions options = options_of();
    options.allowed = allowed_layouts(
        {parse_variation("workload.parallelism.tensor=4"), parse_variation("workload.sharding=zero-1,zero-3")});
    const LayoutSearch search = search_layouts(scenario_of(few), catalogue(), options);
    for (const FoundLayout& found : search.best) {
        CHECK(found.choice[0] == 4);
        std::vector<std::string> overrides = few;
        for (const std::string& one : overrides_of(found.choice, search.own)) { overrides.push_back(one); }
        CHECK(simulate(scenario_of(overrides), catalogue()).steps.at(0).step_time_s == found.row.step_time_s);
        CHECK(found.memory_share < 1);
    }
    CHECK_THROWS_WITH(
        allowed_layouts({parse_variation("workload.parallelism.tensr=4")}),
        ContainsSubstring("no axis of a layout") && ContainsSubstring("nearest: 'workload.parallelism.tensor'"));
    CHECK_THROWS_WITH(allowed_layouts({parse_variation("workload.sharding=zero-4")}), ContainsSubstring("ddp, zero-1"));
}

TEST_CASE("the pipeline's order, deferred gradients and offload are searched where they are allowed, and only there") {
    LayoutSearchOptions options = options_of();
    const std::vector<std::string> piped = {"cluster.nodes=2", "workload.global_batch=32"};
    options.exhaustive = true;
    options.allowed = allowed_layouts(
        {parse_variation("workload.parallelism.tensor=4"), parse_variation("workload.parallelism.pipeline=2"),
         parse_variation("workload.sharding=zero-1"), parse_variation("workload.micro_batch=1")});
    const LayoutSearch usual = search_layouts(scenario_of(piped), catalogue(), options);
    for (const Variation& more :
         {parse_variation("workload.order=1f1b,dual-pipe"), parse_variation("workload.deferred_embedding=false,true"),
          parse_variation("workload.offload.optimizer=false,true")}) {
        options.allowed = allowed_layouts(
            {parse_variation("workload.parallelism.tensor=4"), parse_variation("workload.parallelism.pipeline=2"),
             parse_variation("workload.sharding=zero-1"), parse_variation("workload.micro_batch=1"), more});
        const LayoutSearch search = search_layouts(scenario_of(piped), catalogue(), options);
        CHECK(search.layouts > usual.layouts);
        for (const FoundLayout& found : search.best) {
            std::vector<std::string> overrides = piped;
            for (const std::string& one : overrides_of(found.choice, search.own)) { overrides.push_back(one); }
            CHECK(simulate(scenario_of(overrides), catalogue()).steps.at(0).step_time_s == found.row.step_time_s);
        }
    }
}

TEST_CASE("a layout as written that the search leaves out for its memory is said to be left out") {
    // 1.9e9 parameters of 18 bytes on every GPU: 34 GB.
    const std::vector<std::string> whole = {"cluster.nodes=2", "workload.global_batch=16", "workload.sharding=ddp",
                                            "workload.parallelism.tensor=1", "workload.parallelism.pipeline=1"};
    LayoutSearchOptions options = options_of();
    CHECK_THAT(layouts_table(search_layouts(scenario_of(whole), catalogue(), options)), !ContainsSubstring("left out"));
    options.memory_margin = 0.7;  // of 86 GB, 26 may be filled
    const LayoutSearch search = search_layouts(scenario_of(whole), catalogue(), options);
    REQUIRE(search.written);
    CHECK(search.written->memory_share > 0.3);
    CHECK_THAT(layouts_table(search), ContainsSubstring("against the first, but left out: too large for the memory"));
}

TEST_CASE("where nothing fits the refusal names what comes nearest") {
    const std::vector<std::string> large = {"cluster.nodes=1", "workload.dimensions.layers=80",
                                            "workload.dimensions.hidden=8192", "workload.dimensions.heads=64"};
    CHECK_THAT(refusal_of(large), ContainsSubstring("no layout fits the memory") &&
                                      ContainsSubstring("the one that needs least") && ContainsSubstring("nodes") &&
                                      ContainsSubstring("would fit"));
    // On so many nodes one fits, with the memory that the search itself prints; on one node less none does.
    const std::string refusal = refusal_of(large);
    std::smatch found;
    REQUIRE(std::regex_search(refusal, found, std::regex("on ([0-9]+) nodes .* would fit, ([0-9.]+ GB)")));
    const int nodes = std::stoi(found[1]);
    std::vector<std::string> enough = large, too_few = large;
    enough.front() = fmt::format("cluster.nodes={}", nodes);
    too_few.front() = fmt::format("cluster.nodes={}", nodes - 1);
    LayoutSearchOptions all = options_of();
    all.exhaustive = true;
    all.best = 10'000;
    CHECK_THAT(layouts_table(search_layouts(scenario_of(enough), catalogue(), all)), ContainsSubstring(found[2]));
    CHECK_THAT(refusal_of(too_few), ContainsSubstring("no layout fits the memory"));
    CHECK_THAT(refusal_of({"workload.global_batch=7", "cluster.nodes=8"}), ContainsSubstring("not a multiple"));
    CHECK_THAT(refusal_of({"workload.global_batch=null"}), ContainsSubstring("at one batch"));
    LayoutSearchOptions margin = options_of();
    margin.memory_margin = 0.95;
    CHECK_THAT(refusal_of(few, margin), ContainsSubstring("4.3 GB that may be filled"));
    try {
        search_layouts(parse_scenario("name: a\ncluster: {node: dgx-h100}\nworkload: {kind: collective, collective: "
                                      "all_reduce, sizes: [1 MiB]}\n",
                                      "a.yaml"),
                       catalogue(), options_of());
        FAIL();
    } catch (const InputError& error) { CHECK_THAT(error.what(), ContainsSubstring("training")); }
}

TEST_CASE("each of the best is held against the next as a study holds designs") {
    LayoutSearchOptions options = options_of(2);
    options.draws = 10;
    options.best = 3;
    const LayoutSearch search = search_layouts(scenario_of(few), catalogue(), options);
    REQUIRE(search.best.size() == 3);
    REQUIRE(search.best[0].to_next);
    CHECK(search.best[0].to_next->time.value ==
          Approx(search.best[1].row.step_time_s / search.best[0].row.step_time_s - 1));
    CHECK_FALSE(search.best[2].to_next);
    CHECK_THAT(layouts_table(search), ContainsSubstring(std::string(to_string(search.best[0].to_next->verdict))));
}

TEST_CASE("a search that is stopped before it has a layout says so") {
    const std::atomic<bool> stop = true;
    const LayoutSearch search = search_layouts(scenario_of(few), catalogue(), options_of(), Watch{&stop});
    CHECK(search.stopped);
    CHECK(search.best.empty());
    CHECK_THAT(layouts_table(search), ContainsSubstring("stopped while the layouts' least times were computed"));
}
