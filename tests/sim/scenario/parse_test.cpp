#include "sim/scenario/parse.hpp"

#include <filesystem>
#include <fstream>

#include "sim/scenario/build.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/sizes.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr const char* good = R"(name: good
cluster: {node: dgx-h100, nodes: 16, fabric: {kind: rail-optimized, link: infiniband-ndr, oversubscription: 2}}
workload: {kind: collective, collective: all_gather, sizes: [1 MiB, 1 GiB], dtype: bfloat16}
library: {nccl: 2.27, env: {NCCL_ALGO: Ring}}
launch: {mode: thread, iterations: 7}
scaling: {nodes: [1, 2], step: {compute: 120 ms, bytes: 2 GiB, overlap: 0.5}}
assert: ["busbw(1 GiB) > 100 GB/s"]
engine: analytic
seed: 42
)";

// A folder of its own for one test, removed at the end.
struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "fabricast_parse_test";
    Folder() {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path / "below");
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return path / name;
    }
};

constexpr const char* workload = "workload: {kind: collective}\n";

}  // namespace

TEST_CASE("every part of a scenario arrives where it belongs") {
    const Scenario s = parse_scenario(good, "good.yaml");
    CHECK(s.name == "good");
    CHECK(s.cluster.node == "dgx-h100");
    CHECK(s.cluster.nodes == 16);
    CHECK(s.cluster.fabric_kind == "rail-optimized");
    CHECK(s.cluster.oversubscription == 2);
    CHECK(collective_of(s).collective == Collective::all_gather);
    CHECK(collective_of(s).sizes == std::vector<Bytes>{{1 << 20}, {1 << 30}});
    CHECK(collective_of(s).dtype == DataType::bfloat16);
    CHECK(s.library.nccl == "2.27");
    CHECK(s.library.env.at("NCCL_ALGO") == "Ring");
    CHECK(s.launch.mode == LaunchMode::thread);
    CHECK(s.launch.iterations == 7);
    CHECK(s.scaling->nodes == std::vector<std::uint32_t>{1, 2});
    CHECK(s.scaling->step->compute.ps == 120'000'000'000);
    CHECK(s.scaling->step->bytes.count == std::int64_t{2} << 30);
    CHECK(s.scaling->step->overlap == 0.5);
    CHECK(s.asserts.size() == 1);
    CHECK(std::holds_alternative<Analytic>(s.engine));
    CHECK(s.seed == 42);
    CHECK(to_string(place_of(s, "cluster.nodes")) == "good.yaml:2:34");
    CHECK(to_string(place_of(s, "cluster.fabric.tiers")) == "good.yaml:2:46");  // not written: its map
}

TEST_CASE("a scenario may ask for the four tiers that are built, and for no fifth") {
    const auto with_tiers = [](int tiers) {
        return "name: a\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, radix: 4, tiers: " +
               std::to_string(tiers) + "}}\n" + workload;
    };
    CHECK(parse_scenario(with_tiers(4), "s.yaml").cluster.tiers == 4);
    CHECK_THROWS_WITH(parse_scenario(with_tiers(5), "s.yaml"), ContainsSubstring("from 1 to 4"));
}

TEST_CASE("a kind of workload has its own keys and no other's") {
    const auto refused_as = [](const char* keys) {
        try {
            parse_scenario("name: a\ncluster: {node: dgx-h100}\nworkload: {" + std::string(keys) + "}\n", "s.yaml");
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string("nothing");
    };
    CHECK_THAT(refused_as("kind: collective, model: gpt3-175b"), ContainsSubstring("unknown key in 'workload'"));
    CHECK_THAT(refused_as("kind: training, model: gpt3-175b, sizes: [8 B]"), ContainsSubstring("'sizes'"));
    CHECK_THAT(refused_as("kind: training"), ContainsSubstring("missing key 'model'"));
    CHECK_THAT(refused_as("kind: trainng, model: gpt3-175b"), ContainsSubstring("training"));
}

TEST_CASE("only name, cluster and workload are needed") {
    const Scenario s =
        parse_scenario("name: small\ncluster: {node: dgx-h100}\nworkload: {kind: collective}\n", "s.yaml");
    CHECK(collective_of(s).sizes == default_sizes());
    CHECK(collective_of(s).sizes.size() == 31);
    CHECK(collective_of(s).sizes.back().count == std::int64_t{8} << 30);
    CHECK(std::holds_alternative<Flow>(s.engine));
}

TEST_CASE("a range of sizes multiplies up to its end and not beyond") {
    CHECK(geometric_sizes({8}, {64}, 2) == std::vector<Bytes>{{8}, {16}, {32}, {64}});
    CHECK(geometric_sizes({8}, {63}, 2) == std::vector<Bytes>{{8}, {16}, {32}});
    CHECK(geometric_sizes({10}, {100}, 1.5) == std::vector<Bytes>{{10}, {15}, {23}, {34}, {51}, {76}});
    CHECK(geometric_sizes({5}, {5}, 2) == std::vector<Bytes>{{5}});
}

TEST_CASE("an override replaces, adds and goes through the same checks") {
    const Scenario s = parse_scenario(good, "good.yaml",
                                      {"cluster.nodes=4", "cluster.fabric.routing=ecmp", "workload.sizes=[8 B]",
                                       "library={nccl: \"2.18\"}", "engine=flow"});
    CHECK(s.cluster.nodes == 4);
    CHECK(s.cluster.routing == "ecmp");
    CHECK(collective_of(s).sizes == std::vector<Bytes>{{8}});
    CHECK(s.library.nccl == "2.18");
    CHECK(s.library.env.empty());
    CHECK(std::holds_alternative<Flow>(s.engine));
    const auto refused = [&](const std::string& assignment) {
        try {
            parse_scenario(good, "good.yaml", {assignment});
            return std::string("accepted");
        } catch (const InputError& error) { return std::string(error.what()); }
    };
    CHECK(refused("cluster.nodes=0") ==
          "--set:1:15: 'nodes' is out of range (found '0'; accepted: a whole number from 1 to 16777216)");
    CHECK(refused("cluster.nodse=4").starts_with("--set:1:9: unknown key in 'cluster' (found 'nodse'"));
    CHECK_THAT(refused("cluster.nodse=4"), ContainsSubstring("nearest: 'node'"));
    CHECK(refused("cluster.nodes.x=4").starts_with("--set:1:15: no key 'x' here"));
    CHECK(refused("cluster.nodes").starts_with("--set:1:1: not an assignment"));
    CHECK(refused("=4").starts_with("--set:1:1: not an assignment"));
    CHECK(refused("cluster..nodes=4").starts_with("--set:1:9: an empty key"));
    CHECK(refused("cluster.nodes=[").starts_with("--set:1:"));
    CHECK(refused("include=[a.yaml]").starts_with("--set:1:1: 'include'"));
}

TEST_CASE("below a map of the user's own names the rest of an override's path is one name, dots and all") {
    const std::vector<std::string> set = {"prices.dgx-h100-system/power.typical=9 kW", "prices.quantum-2=45000 USD"};
    const Scenario s = parse_scenario(good, "good.yaml", set);
    CHECK(s.prices ==
          std::map<std::string, std::string>{{"dgx-h100-system/power.typical", "9 kW"}, {"quantum-2", "45000 USD"}});
    std::vector<std::string> back = set;
    back.emplace_back("prices.dgx-h100-system/power.typical=null");
    CHECK(parse_scenario(good, "good.yaml", back).prices.size() == 1);
    CHECK_THROWS_WITH(parse_scenario(good, "good.yaml", {"prices.=1 USD"}),
                      ContainsSubstring("--set:1:8: an empty key"));
}

TEST_CASE("line 4: an override of null takes a key back, in a design too") {
    const std::string text =
        "name: a\ncluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: infiniband-ndr, oversubscription: "
        "2, spines: 3}}\nworkload: {kind: collective}\n"
        "designs: [{name: even, set: {cluster.fabric.oversubscription: null, cluster.fabric.spines: ~}}]\n";
    const Scenario both = parse_scenario(text, "a.yaml");
    CHECK(both.cluster.oversubscription == 2);
    REQUIRE(both.designs.size() == 1);
    std::vector<std::string> own;
    for (const auto& [path, value] : both.designs[0].set) {
        own.push_back(std::string(path).append("=").append(value));
    }
    const Scenario even = parse_scenario(text, "a.yaml", own);
    CHECK(even.cluster.oversubscription == Scenario{}.cluster.oversubscription);
    CHECK(even.cluster.spines == Scenario{}.cluster.spines);
    CHECK(even.cluster.link == both.cluster.link);
    const auto refused = [&](const std::string& assignment) {
        try {
            parse_scenario(text, "a.yaml", {assignment});
            return std::string("accepted");
        } catch (const InputError& error) { return std::string(error.what()); }
    };
    CHECK(refused("cluster.fabric=null") == "accepted");  // a whole map
    CHECK(refused("cluster.fabric.oversubscripton=null") ==
          "--set:1:16: nothing to unset (found 'oversubscripton'; accepted: a key that a file sets)");
}

TEST_CASE("included files are the ground a scenario stands on") {
    const Folder folder;
    folder.write("below/node.yaml",
                 "cluster: {node: dgx-a100, nodes: 2, gpus_per_node: 4}\ncalibration: [here.yaml]\n");
    folder.write("base.yaml", std::string("include: [below/node.yaml]\ncluster: {nodes: 3}\n") + workload);
    const auto top = folder.write("top.yaml", "name: top\ninclude: [base.yaml]\ncluster: {nodes: 5}\n");
    const Scenario s = read_scenario(top);
    CHECK(s.cluster.node == "dgx-a100");
    CHECK(s.cluster.nodes == 5);
    CHECK(s.cluster.gpus_per_node == 4);
    CHECK_THAT(to_string(place_of(s, "cluster.node")), ContainsSubstring("below/node.yaml:1:"));
    CHECK(s.calibration == std::vector<std::string>{(folder.path / "below/here.yaml").string()});
}

TEST_CASE("an include cannot leave its folder nor come back to itself") {
    const Folder folder;
    const auto refused = [&](const std::string& name, const std::string& text) {
        try {
            read_scenario(folder.write(name, text));
            return std::string("accepted");
        } catch (const InputError& error) { return std::string(error.what()); }
    };
    const std::string inside = (folder.path / "top.yaml").string();
    CHECK(refused("top.yaml", "name: a\ninclude: [../other.yaml]\n")
              .starts_with(inside + ":2:11: 'include[0]' lies outside"));
    CHECK(refused("top.yaml", "name: a\ninclude: [/etc/passwd]\n")
              .starts_with(inside + ":2:11: 'include[0]' lies outside"));
    CHECK(refused("top.yaml", "name: a\ninclude: [gone.yaml]\n")
              .starts_with(inside + ":2:11: 'include[0]' cannot be read"));
    CHECK(refused("top.yaml", "name: a\ninclude: [top.yaml]\n")
              .starts_with(inside + ":2:11: 'include[0]' includes itself"));
    folder.write("below/back.yaml", "include: [../top.yaml]\n");
    CHECK_THAT(refused("top.yaml", "include: [below/back.yaml]\n"),
               ContainsSubstring("back.yaml:1:11: 'include[0]' lies outside"));
    folder.write("two.yaml", "include: [top.yaml]\n");
    CHECK_THAT(refused("top.yaml", "include: [two.yaml]\n"),
               ContainsSubstring("two.yaml:1:11: 'include[0]' includes itself"));
    // A link out of the folder is followed before it is judged.
    std::filesystem::create_symlink("/etc/passwd", folder.path / "link.yaml");
    CHECK_THAT(refused("top.yaml", "include: [link.yaml]\n"), ContainsSubstring("lies outside"));
    // A file that includes its neighbour twice, ten deep: read a hundred times, not a thousand.
    for (int i = 0; i < 10; ++i) {
        const std::string next = "n" + std::to_string(i + 1) + ".yaml";
        folder.write("n" + std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
    }
    folder.write("n10.yaml", "name: end\n");
    CHECK_THAT(refused("top.yaml", "include: [n0.yaml]\n"), ContainsSubstring("one included file too many"));
}

TEST_CASE("a message does not depend on the order of the keys in the file") {
    const auto refused = [](const std::string& text) {
        try {
            parse_scenario(text, "t.yaml");
            return std::string("accepted");
        } catch (const InputError& error) { return error.message; }
    };
    CHECK(refused("{name: a, cluster: {nodes: x, gpus_per_node: y}, workload: {kind: collective}}") ==
          refused("{workload: {kind: collective}, cluster: {gpus_per_node: y, nodes: x}, name: a}"));
}

TEST_CASE("included files bring at most 100,000 values in all") {
    const Folder folder;
    const auto many = [](char letter, int keys) {
        std::string text;
        for (int i = 0; i < keys; ++i) { text += letter + std::to_string(i) + ": 1\n"; }
        return text;
    };
    folder.write("a.yaml", many('a', 45'000));
    folder.write("b.yaml", many('b', 45'000));
    folder.write("c.yaml", many('c', 45'000));
    const auto two = folder.write("two.yaml", "include: [a.yaml, b.yaml]\nname: two\n");
    CHECK(scenario_tree(two, {}).children.size() == 90'001);
    const auto three = folder.write("three.yaml", "include: [a.yaml, b.yaml, c.yaml]\nname: three\n");
    CHECK_THROWS_WITH(scenario_tree(three, {}), ContainsSubstring("'include[2]' brings too many values"));
}

TEST_CASE("the packet engine has the buffer of the switch that is built, named or chosen") {
    for (const std::string named : {"", ", switch: spectrum-4"}) {
        const Scenario written =
            parse_scenario("name: t\ncluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g" +
                               named + "}}\nworkload: {kind: collective}\nengine: packet\n",
                           "t.yaml");
        const Fabric fabric(build(written, catalogue()));
        const Part& part = catalogue().at("switch", fabric.cluster().fabric.switch_part);
        const Scenario scenario = with_engine(written, fabric, catalogue(), 1);
        CHECK(std::get<Packet>(scenario.engine).buffer == part.bytes("buffer"));
    }
}

TEST_CASE("a preset sets marks and pauses of a switch up, unless the scenario states them") {
    const auto packet = [](const std::string& keys) {
        const Scenario written = parse_scenario(
            "name: t\ncluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
            "tomahawk-5}}\nworkload: {kind: collective}\nengine: packet\npacket: {" +
                keys + "}\n",
            "t.yaml");
        const Fabric fabric(build(written, catalogue()));
        return std::get<Packet>(with_engine(written, fabric, catalogue(), 1).engine);
    };
    const Packet sonic = packet("preset: sonic-tomahawk-5");
    CHECK(sonic.buffer.count == 165'660'324 - 29'423'360);
    CHECK(sonic.alpha == 1);
    CHECK(sonic.headroom == 4);
    CHECK(sonic.xon_offset.count == 3556);
    CHECK(sonic.ecn.k_min * 400 == Approx(1 << 20U));
    CHECK(sonic.ecn.k_max * 400 == Approx(1 << 21U));
    CHECK(sonic.dcqcn.additive == packet("preset: dcqcn-connectx").dcqcn.additive);
    const Packet stated = packet("preset: sonic-tomahawk-5, alpha: 0.25, buffer: 1 MiB, xon_offset: 1 KiB");
    CHECK(stated.alpha == 0.25);
    CHECK(stated.buffer.count == 1 << 20U);
    CHECK(stated.xon_offset.count == 1024);
    CHECK(stated.headroom == 4);
    const Packet hpcc = packet("preset: dcqcn-hpcc");
    CHECK(hpcc.ecn.k_max * 25 == Approx(400'000));
    CHECK(hpcc.dcqcn.least_rate == Approx(1e9 / 8));
    // Also where it states what would be usual.
    CHECK(packet("preset: sonic-tomahawk-5, alpha: 0.125").alpha == Packet{}.alpha);
    CHECK(packet("preset: sonic-tomahawk-5, ecn: {p_max: 0.5}").ecn.p_max == 0.5);
    CHECK(packet("preset: uec, ecn: {p_max: 0.2}").ecn.p_max_stated);
    CHECK_FALSE(packet("preset: uec").ecn.p_max_stated);
    CHECK(packet("preset: uec, ecn: {k_min: 2000}").ecn.thresholds_stated);
    CHECK((sonic.ecn.thresholds_stated && sonic.ecn.p_max_stated));
    CHECK_FALSE(packet("preset: uec, trim: false").trim);
    const Packet uec = packet("preset: uec");
    CHECK(uec.trim);
    CHECK(uec.congestion_control == CongestionControl::nscc);
    CHECK(packet("preset: uec, congestion_control: swift").congestion_control == CongestionControl::swift);
    CHECK_THROWS_WITH(packet("preset: uec, flow_control: pfc"), ContainsSubstring("no queue is full"));
    CHECK_THROWS_WITH(packet("trim: true, lanes: {count: 2}"), ContainsSubstring("the links' other lane"));
}

TEST_CASE("a key's old name is read with a note, and refused beside its present name") {
    const std::string transfer =
        "name: t\ncluster: {node: dgx-a100}\n"
        "workload: {kind: transfer, from: node0.gpu0, to: node0.memory0, beside: [node0.gpu1 -> node0.memory0]";
    const Scenario old = parse_scenario(transfer + "}\n", "old.yaml");
    CHECK(std::get<TransferWorkload>(old.workload).concurrent.size() == 1);
    REQUIRE(old.notes.size() == 1);
    CHECK_THAT(old.notes[0], ContainsSubstring("`workload.beside` is now called `workload.concurrent`"));
    CHECK(parse_scenario(transfer + "}\n", "old.yaml", {"workload.beside=null"}).notes.empty());
    CHECK_THROWS_WITH(parse_scenario(transfer + ", concurrent: []}\n", "old.yaml"),
                      ContainsSubstring("old.yaml:3:") && ContainsSubstring("the old name of 'concurrent'"));
    CHECK(find_key("workload.beside") == find_key("workload.concurrent"));
}

TEST_CASE("only the key `include` itself is refused by --set") {
    CHECK_THROWS_WITH(parse_scenario(good, "good.yaml", {"include=other.yaml"}),
                      ContainsSubstring("only be written in"));
    CHECK_THROWS_WITH(parse_scenario(good, "good.yaml", {"included=1"}), ContainsSubstring("unknown key"));
}
