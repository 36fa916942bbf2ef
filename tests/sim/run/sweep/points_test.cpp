// Which points a sweep has.

#include "sim/run/sweep/points.hpp"

#include <set>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/run/sweep/sweep.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

const std::string points_text =
    "name: small\ncluster: {node: dgx-h100, nodes: 2}\n"
    "workload: {kind: collective, collective: all_reduce, sizes: [1 MiB]}\n";

SweepSpec spec_of(const std::string& block) { return parse_scenario(points_text + "sweep:\n" + block, "a.yaml").sweep; }

std::vector<std::vector<std::string>> texts(const SweepPoints& points) {
    std::vector<std::vector<std::string>> all;
    for (const auto& values : points.values) {
        auto& row = all.emplace_back();
        for (const SweepValue& value : values) { row.push_back(value.text); }
    }
    return all;
}

Sweep prepared(const std::string& text, const std::vector<std::string>& vary) {
    std::vector<Variation> variations;
    for (const std::string& argument : vary) { variations.push_back(parse_variation(argument)); }
    return prepare_sweep(scenario_tree(text, "a.yaml"), "a.yaml", variations,
                         [](const Scenario&) { return read_catalog(); });
}

std::string complaint_of(const std::string& text, const std::vector<std::string>& vary) {
    try {
        prepared(text, vary);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

using Texts = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("values are parted by commas outside brackets and quotes") {
    const Variation v = parse_variation("a.b=1, [2, 3],{c: 4, d: 5},\"6,7\",8 GiB");
    std::vector<std::string> values;
    for (const SweepValue& value : v.values) { values.push_back(value.text); }
    CHECK(v.path == "a.b");
    CHECK(values == std::vector<std::string>{"1", "[2, 3]", "{c: 4, d: 5}", "\"6,7\"", "8 GiB"});
    CHECK(v.values[1].place.column == 8);
    CHECK_THROWS_AS(parse_variation("a.b=1,,2"), InputError);
    CHECK_THROWS_AS(parse_variation("a.b="), InputError);
    CHECK_THROWS_AS(parse_variation("=1"), InputError);
}

TEST_CASE("a grid is every combination, its last key turns fastest, and --vary replaces a key of the block") {
    const SweepSpec spec = spec_of("  grid: {cluster.nodes: [8, 16], seed: [1, 2]}\n");
    CHECK(texts(sweep_points(spec, {}, 1)) == Texts{{"8", "1"}, {"8", "2"}, {"16", "1"}, {"16", "2"}});
    const SweepPoints over = sweep_points(spec, {parse_variation("cluster.nodes=4"), parse_variation("name=x,y")}, 1);
    CHECK(over.varied == std::vector<std::string>{"cluster.nodes", "seed", "name"});
    CHECK(texts(over) == Texts{{"4", "1", "x"}, {"4", "1", "y"}, {"4", "2", "x"}, {"4", "2", "y"}});
}

TEST_CASE("a list leaves alone what an entry does not name, and goes with a grid") {
    const SweepSpec spec = spec_of("  list: [{cluster.nodes: 8}, {seed: 3, cluster.nodes: 16}]\n");
    const SweepPoints points = sweep_points(spec, {parse_variation("engine=flow,analytic")}, 1);
    CHECK(points.varied == std::vector<std::string>{"cluster.nodes", "seed", "engine"});
    CHECK(texts(points) ==
          Texts{{"8", "", "flow"}, {"8", "", "analytic"}, {"16", "3", "flow"}, {"16", "3", "analytic"}});
    CHECK(overrides_of(points, 0) == std::vector<std::string>{"cluster.nodes=8", "engine=flow"});
}

TEST_CASE("random points depend on the seed alone, lie in their range and have its decimals") {
    const std::string block =
        "  random: {points: 400, seed: 7, ranges: {cluster.nodes: {from: 2, to: 5}, "
        "cluster.fabric.cable_latency: {from: 0.50 us, to: 0.75 us}, seed: [3, 9], "
        "launch.iterations: {from: 1, to: 1024, scale: log}}}\n";
    const Texts points = texts(sweep_points(spec_of(block), {}, 1));
    CHECK(points == texts(sweep_points(spec_of(block), {}, 2)));  // the block's own seed counts
    std::set<std::string> nodes, latencies, seeds;
    std::size_t below_32 = 0;
    for (const auto& point : points) {
        nodes.insert(point[0]);
        latencies.insert(point[1]);
        seeds.insert(point[2]);
        below_32 += std::stoi(point[3]) < 32 ? 1 : 0;
        CHECK(std::stoi(point[3]) <= 1024);
    }
    CHECK(nodes == std::set<std::string>{"2", "3", "4", "5"});
    CHECK(latencies.size() == 26);  // 0.50, 0.51 ... 0.75
    CHECK(*latencies.begin() == "0.50 us");
    CHECK(*latencies.rbegin() == "0.75 us");
    CHECK(seeds == std::set<std::string>{"3", "9"});
    CHECK(below_32 > 150);  // half of the decades, not a thirtieth
    CHECK(below_32 < 250);
    const std::string other = std::string(block).replace(block.find("seed: 7"), 7, "seed: 8");
    CHECK(points != texts(sweep_points(spec_of(other), {}, 1)));
}

TEST_CASE("a path that is not a key is refused with the nearest, before anything runs") {
    CHECK(complaint_of(points_text, {"cluster.nodess=1,2"}) ==
          "--vary:1:1: no such key of a scenario (found 'cluster.nodess'; accepted: the path of a key; nearest: "
          "'cluster.nodes')");
    CHECK(complaint_of(points_text + "sweep: {grid: {cluster.nodez: [1, 2]}}\n", {})
              .starts_with("a.yaml:4:16: no such key"));
    CHECK(complaint_of(points_text, {"sweep.grid={}"}) == "--vary:1:1: 'sweep' cannot be varied");
    CHECK(complaint_of(points_text, {"library.env.NCCL_ALGO=Ring,Tree"}).empty());
}

TEST_CASE("a value that its key refuses is a slip of the pen, not a point") {
    CHECK(complaint_of(points_text, {"cluster.nodes=8,16x"}) ==
          "--vary:1:17: 'nodes' must be a whole number (found '16x'; accepted: a whole number from 1 to 16777216)");
    CHECK(complaint_of(points_text + "sweep: {grid: {cluster.fabric.cable_latency: [1 us, 2]}}\n", {})
              .starts_with("a.yaml:4:53: 'cable_latency': a figure without its unit"));
}

TEST_CASE("a sweep without points, with a key twice or with points in two ways is refused") {
    CHECK_THAT(complaint_of(points_text, {}), ContainsSubstring("nothing varies"));
    CHECK_THAT(complaint_of(points_text, {"seed=1", "seed=2"}), ContainsSubstring("'seed' is varied twice"));
    CHECK_THAT(complaint_of(points_text + "sweep: {grid: {seed: [1]}, list: [{seed: 2}]}\n", {}),
               ContainsSubstring("in two ways"));
    CHECK_THAT(complaint_of(points_text + "sweep: {random: {points: 2, ranges: {seed: {from: 5, to: 1}}}}\n", {}),
               ContainsSubstring("a range that descends"));
    CHECK_THAT(complaint_of(points_text + "sweep: {random: {points: 2, ranges: {seed: {from: 1 us, to: 5 ms}}}}\n", {}),
               ContainsSubstring("differ in unit"));
}

TEST_CASE("a scenario with a sweep is written again as it was read") {
    const std::string text = points_text +
                             "sweep: {list: [{cluster.nodes: 8, workload.sizes: [1 MiB, 2 MiB], library.nccl: "
                             "\"2.20\"}]}\n";
    const Scenario scenario = parse_scenario(text, "a.yaml");
    const Scenario again = parse_scenario(to_json(scenario).dump(), "a.yaml");
    CHECK(again.sweep.list.at(0).at(0).value.text == "8");
    CHECK(to_json(again) == to_json(scenario));
}
