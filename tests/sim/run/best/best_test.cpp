// Every choice that NCCL has is one that a user could set, at the time that a run of it forecasts.

#include <algorithm>

#include "base/text.hpp"
#include "sim/run/best/best_report.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario two_nodes(const std::string& more = "collective: all_reduce", const std::string& library = "") {
    return parse_scenario(
        "name: t\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: rail-optimized, link: "
        "infiniband-ndr, switch: quantum-2}}\nworkload: {kind: collective, sizes: [1 KiB, 1 MiB, 256 MiB], " +
            more + "}\n" + library,
        "t.yaml");
}

const BestOptions quick{.draws = 12};

}  // namespace

TEST_CASE("each choice takes the time of a run that sets it, and NCCL's own that of a plain run") {
    const Scenario scenario = two_nodes();
    const std::vector<BestRow> rows = best_choices(scenario, catalogue(), quick);
    const Report plain = simulate(scenario, catalogue());
    REQUIRE(rows.size() == 3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const BestRow& row = rows[i];
        INFO(text(row.size));
        REQUIRE(row.choices.size() > 6);  // ring and tree by three protocols at the least
        CHECK(std::ranges::is_sorted(row.choices, {}, &Choice::time_s));
        CHECK(row.default_choice().time_s == Approx(plain.rows[i].time_s));
        CHECK(row.default_choice().setting.channels == plain.rows[i].channels);
        CHECK(row.gain.value >= 0);
        CHECK(row.gain.low80 <= row.gain.value);
        CHECK(row.gain.high80 >= row.gain.value);
        const Choice& fastest = row.fastest();
        Scenario set = scenario;
        std::get<CollectiveWorkload>(set.workload).sizes = {row.size};
        set.library.env = {{"NCCL_ALGO", std::string(fastest.setting.algorithm->name)},
                           {"NCCL_PROTO", std::string(to_string(fastest.setting.protocol))},
                           {"NCCL_MAX_NCHANNELS", std::to_string(fastest.setting.channels)}};
        if (!fastest.setting.algorithm->name.starts_with("NVLS")) { set.library.env["NCCL_NVLS_ENABLE"] = "0"; }
        CHECK(simulate(set, catalogue()).rows.at(0).time_s == Approx(fastest.time_s));
    }
    // Small messages gain nothing from every channel's launch, large ones lose from a single one.
    const auto ring_of = [&](std::size_t row, int channels) {
        return std::ranges::find_if(rows[row].choices, [&](const Choice& c) {
            return c.setting == Setting{&nccl::ring_model, nccl::Proto::simple, channels};
        });
    };
    REQUIRE(ring_of(2, 1) != rows[2].choices.end());
    CHECK(ring_of(2, 1)->time_s > 4 * rows[2].fastest().time_s);
}

TEST_CASE("the tuner's file says what gains, in ranges that do not overlap") {
    const Scenario scenario = two_nodes();
    std::vector<BestRow> rows = best_choices(scenario, catalogue(), quick);
    const Choice tree{{&nccl::tree_model, nccl::Proto::ll128, 8}, 1e-5},
        ring{{&nccl::ring_model, nccl::Proto::simple, 16}, 2e-5};
    for (std::size_t i = 0; i < rows.size(); ++i) {  // the first two gain, the last is not sure
        rows[i].choices = {tree, ring};
        rows[i].chosen = 1;
        rows[i].gain = {1, i < 2 ? 0.5 : -0.1, 1.5};
    }
    const Fabric fabric(build(scenario, catalogue()));
    std::vector<std::string> lines;
    const std::string file = tuner_file(scenario, fabric, rows);
    for (const std::string_view line : split(file, '\n')) {
        if (!line.empty() && line.front() != '#') { lines.emplace_back(line); }
    }
    CHECK(lines == std::vector<std::string>{"allreduce,1024,268435455,tree,ll128,8,2,16,-1,-1"});
    for (BestRow& row : rows) { row.gain.low80 = -0.1; }
    CHECK(tuner_file(scenario, fabric, rows).find("\nallreduce") == std::string::npos);
}

TEST_CASE("where NCCL has no choice, or none is left to it, the scenario is refused at its line") {
    const auto refused = [](const Scenario& scenario) {
        try {
            best_choices(scenario, catalogue(), quick);
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string("not refused");
    };
    CHECK_THAT(refused(two_nodes("collective: all_to_all")), Catch::Contains("no choice"));
    CHECK_THAT(refused(two_nodes("collective: all_reduce, algorithm: ring")), Catch::Contains("none may be forced"));
    CHECK_THAT(refused(two_nodes("collective: all_reduce", "library: {env: {NCCL_PROTO: LL}}\n")),
               Catch::Contains("none may be forced"));
}
