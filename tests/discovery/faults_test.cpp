// Faults planted among healthy machines: each check finds its own, names the device, and says nothing of healthy ones.

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "discovery/site/export_node.hpp"
#include "discovery/site/export_site.hpp"
#include "tests/discovery/planted.hpp"
#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;
using namespace fabricast::testing;

namespace {

using Plant = std::function<Planted(Random&)>;

Planted fewer_nvlinks(Random& random) {
    Planted made{nodes_of(random), {}};
    std::string& text = made.texts[random.below(static_cast<std::uint32_t>(made.texts.size()))].second;
    const std::uint32_t gpu = random.below(8);
    const std::size_t at = nth(text, "<gpu ", gpu);
    const std::size_t link = text.find("<nvlink", at);
    if (random.below(2) == 0) {
        text.erase(link, text.find("/>", link) + 2 - link);
    } else {
        const std::size_t count = text.find("count=\"", link) + 7;
        text.replace(count, text.find('"', count) - count, std::to_string(4 + random.below(8)));
    }
    const std::size_t dev = text.find("dev=\"", at) + 5;
    made.device = "gpu" + text.substr(dev, text.find('"', dev) - dev);
    return made;
}

Planted narrow_slot(Random& random) {
    Planted made{nodes_of(random), {}};
    std::string& text = made.texts[random.below(static_cast<std::uint32_t>(made.texts.size()))].second;
    const bool nic = random.below(2) == 0;
    const std::size_t end = nth(text, nic ? "<nic>" : "<gpu ", random.below(8));
    const std::size_t pci = text.rfind("<pci", end);
    if (random.below(2) == 0) {
        replace_first(text, "link_width=\"16\"", "link_width=\"8\"", pci);
    } else {
        const std::size_t speed = text.find("link_speed=\"", pci) + 12;
        text.replace(speed, text.find(' ', speed) - speed, "8.0");
    }
    const std::size_t bus = text.find("busid=\"", pci) + 7;
    made.device = text.substr(bus, 12);
    return made;
}

// A NIC moves below the other CPU.
Planted wrong_socket(Random& random) {
    Planted made{nodes_of(random), {}};
    std::string& text = made.texts[random.below(static_cast<std::uint32_t>(made.texts.size()))].second;
    const std::size_t other = text.find("<cpu", text.find("<cpu") + 1);
    REQUIRE(other != std::string::npos);
    const std::size_t end = text.find("<nic>");
    const std::size_t pci = text.rfind("<pci", end);
    const std::size_t stop = text.find("</pci>", end) + 6;
    const std::string device = text.substr(pci, stop - pci);
    const std::size_t into = text.find(">\n", other) + 2;
    text.insert(into, device + "\n");
    text.erase(pci, stop - pci);
    made.device = "nic";
    return made;
}

std::string fabric_text(Random& random, std::uint32_t least) {
    const std::uint32_t nodes = least + random.below(random.below(8) == 0 ? 480 : 60);
    const std::uint32_t unit = nodes > 128 ? 32 : std::vector<std::uint32_t>{8, 16, 32}[random.below(3)];
    return to_ibnetdiscover(
        fabric_of(scenario_on("{node: dgx-h100, nodes: " + std::to_string(nodes) +
                              ", fabric: {kind: rail-optimized, scalable_unit: " + std::to_string(unit) + "}}")));
}

// The adapter's block and its line at the switch.
std::string drop_adapter(std::string& text, const std::string& name) {
    const std::size_t block = text.find("# \"" + name + "\"\n");
    REQUIRE(block != std::string::npos);
    const std::size_t begin = text.rfind("\nvendid", block);
    const std::size_t end = text.find("\n\n", block);
    text.erase(begin, (end == std::string::npos ? text.size() : end + 1) - begin);
    const std::size_t line = text.find("\"" + name + "\" lid");
    REQUIRE(line != std::string::npos);
    drop_line(text, line);
    return name;
}

std::uint32_t nodes_in(const std::string& text) {
    std::uint32_t nodes = 0;
    while (text.find("\"node" + std::to_string(nodes) + " mlx5_0\"") != std::string::npos) { ++nodes; }
    return nodes;
}

std::string some_adapter(Random& random, const std::string& text) {
    return "node" + std::to_string(random.below(nodes_in(text))) + " mlx5_" + std::to_string(random.below(8));
}

Planted missing_from_rail(Random& random) {
    std::string text = fabric_text(random, 3);
    const std::string name = drop_adapter(text, some_adapter(random, text));
    return {{{"ib.out", text}}, name};
}

// Two NICs of one node change places at their leaves.
Planted swapped_rails(Random& random) {
    std::string text = fabric_text(random, 8);
    const std::string node = "node" + std::to_string(random.below(nodes_in(text)));
    const std::uint32_t a = random.below(8), b = (a + 1 + random.below(7)) % 8;
    const std::string one = "\"" + node + " mlx5_" + std::to_string(a) + "\"";
    const std::string two = "\"" + node + " mlx5_" + std::to_string(b) + "\"";
    std::size_t at = 0;
    const auto swap_names = [&](const std::string& from, const std::string& to) {
        for (at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    };
    swap_names(one, "\"?\"");
    swap_names(two, one);
    swap_names("\"?\"", two);
    return {{{"ib.out", text}}, node};
}

Planted slow_cable(Random& random) {
    std::string text = fabric_text(random, 2);
    const std::string name = some_adapter(random, text);
    const std::size_t line = text.find("\"" + name + "\" lid");
    replace_first(text, "4xNDR", "4xHDR", line);
    const std::size_t block = text.find("# \"" + name + "\"\n");
    replace_first(text, "4xNDR", "4xHDR", block);
    return {{{"ib.out", text}}, name};
}

// A cable between a leaf and a spine: its line at the leaf, and the one at the spine.
struct Trunk {
    std::string leaf;
    std::size_t near = 0, far = 0;
};

Trunk some_trunk(Random& random, const std::string& text) {
    std::vector<std::size_t> ups;
    for (std::size_t at = text.find("\t\t# lid 1 lmc 0 \"spine"); at != std::string::npos;
         at = text.find("\t\t# lid 1 lmc 0 \"spine", at + 1)) {
        ups.push_back(at);
    }
    REQUIRE(!ups.empty());
    const std::size_t at = ups[random.below(static_cast<std::uint32_t>(ups.size()))];
    const std::size_t begin = text.rfind('\n', at) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t name = text.find("# \"", text.rfind("Switch\t", begin)) + 3;
    const std::size_t port = line.rfind("\"[");
    const std::string spine_port = line.substr(port + 2, line.find(']', port) - port - 2);
    const std::size_t spine_at = line.find("\"spine");
    const std::string spine = line.substr(spine_at + 1, line.find("\" lid", spine_at) - spine_at - 1);
    const std::size_t far = text.find("# \"" + spine + "\"\n");
    return {text.substr(name, text.find('"', name) - name), begin, text.find("\n[" + spine_port + "]", far) + 1};
}

Planted slow_trunk(Random& random) {
    std::string text = fabric_text(random, 33);
    const Trunk trunk = some_trunk(random, text);
    for (const std::size_t line : {trunk.near, trunk.far}) { replace_first(text, "4xNDR", "4xHDR", line); }
    return {{{"ib.out", text}}, trunk.leaf};
}

// A dark cable, of which neither end says anything.
Planted missing_uplink(Random& random) {
    std::string text = fabric_text(random, 33);
    const Trunk trunk = some_trunk(random, text);
    drop_line(text, std::max(trunk.near, trunk.far));
    drop_line(text, std::min(trunk.near, trunk.far));
    return {{{"ib.out", text}}, trunk.leaf};
}

}  // namespace

TEST_CASE("planted faults are found, and named") {
    struct Case {
        const char* check;
        Plant plant;
    };
    const std::vector<Case> cases = {{"nvlinks", fewer_nvlinks},  {"width", narrow_slot},     {"socket", wrong_socket},
                                     {"rail", missing_from_rail}, {"rail", swapped_rails},    {"cable", slow_cable},
                                     {"cable", slow_trunk},       {"uplinks", missing_uplink}};
    int number = 0;
    for (const Case& of : cases) {
        const std::string check = of.check;
        int found = 0;
        std::string missed;
        for (int i = 0; i < planted_each; ++i) {
            Random random{static_cast<std::uint64_t>(1000 * number + i)};
            const Planted made = of.plant(random);
            const std::vector<Finding> findings = findings_of(made.texts);
            const bool hit = std::ranges::any_of(findings, [&](const Finding& finding) {
                return finding.check == check && names(finding, made.device);
            });
            found += hit ? 1 : 0;
            if (!hit) {
                missed += " " + std::to_string(i) + ":" + made.device;
                for (const Finding& f : findings) { missed += "[" + f.check + " " + f.device + " " + f.message + "]"; }
            }
        }
        std::cout << "figure: planted " << number << " " << check << " found " << found << " of " << planted_each
                  << "\n";
        INFO(check << ": missed" << missed.substr(0, 2000));
        CHECK(found * 100 >= planted_each * 98);
        ++number;
    }
}

TEST_CASE("healthy sites raise no alarm") {
    int alarms = 0, all = 0;
    std::string what;
    for (int i = 0; i < 2 * planted_each; ++i) {
        Random random{static_cast<std::uint64_t>(777 + i)};
        const Texts texts = i % 2 == 0 ? nodes_of(random) : Texts{{"ib.out", fabric_text(random, 2)}};
        const std::vector<Finding> findings = findings_of(texts);
        alarms += findings.empty() ? 0 : 1;
        ++all;
        for (const Finding& finding : findings) {
            what += " [" + finding.check + " " + finding.device + " " + finding.message + "]";
        }
    }
    std::cout << "figure: false_alarms " << alarms << " of " << all << "\n";
    INFO(what.substr(0, 3000));
    CHECK(alarms * 100 <= all);
}

TEST_CASE("each finding says what it costs, or why no forecast can") {
    const Fabric fabric =
        fabric_of(scenario_on("{node: dgx-h100, nodes: 64, fabric: {kind: rail-optimized, scalable_unit: 32}}"));
    std::string plan = to_links_csv(fabric);
    const std::size_t line = plan.find("\nnode1,");
    plan.erase(line, plan.find('\n', line + 1) - line);
    replace_first(plan, "node", "other", plan.find("\nnode2,"));
    Random random{5};
    std::set<std::string> costs;
    for (const Texts& texts :
         {Texts{{"plan.csv", plan}, {"ib.out", to_ibnetdiscover(fabric)}}, missing_uplink(random).texts,
          swapped_rails(random).texts, slow_cable(random).texts, missing_from_rail(random).texts}) {
        Site site = fabricast::testing::site_of(texts);
        DescribeOptions options;
        if (texts.back().first == "ib.out") { options.node = "dgx-h100"; }
        const Description made = describe(site, catalogue(), options);
        std::vector<Finding> findings = check(site, made, catalogue(), {});
        forecast_costs(findings, site, made, catalogue(), {});
        CHECK(!findings.empty());
        for (const Finding& finding : findings) {
            INFO(finding.check << " " << finding.device << " " << finding.message << ": " << finding.cost);
            CHECK(!finding.cost.empty());
            costs.insert(finding.check + ": " + finding.cost);
        }
    }
    for (const std::string& cost : costs) { std::cout << cost << "\n"; }
}

TEST_CASE("templates of the catalogue are healthy") {
    for (const Part& part : node_parts()) {
        std::string text;
        try {
            text = to_nccl_topology(node_template(part.name, catalogue()), catalogue());
        } catch (const ClusterError&) { continue; }
        std::string what;
        for (const Finding& finding : findings_of({{"node.xml", text}})) {
            what += finding.device + " " + finding.message + "; ";
        }
        INFO(part.name);
        CHECK(what.empty());
    }
}

TEST_CASE("a fault's cost is the difference of two forecasts") {
    std::string text = to_nccl_topology(node_template("dgx-h100", catalogue()), catalogue());
    const std::size_t link = text.find("<nvlink", nth(text, "<gpu ", 3));
    text.erase(link, text.find("/>", link) + 2 - link);
    std::vector<Observations> seen;
    seen.push_back(observe(SourceText(text, "node.xml")));
    Site site = join(std::move(seen));
    const Description made = describe(site, catalogue(), {});
    std::vector<Finding> findings = check(site, made, catalogue(), {});
    forecast_costs(findings, site, made, catalogue(), {});
    REQUIRE(findings.size() == 1);
    std::cout << findings.front().device << ": " << findings.front().message << ": " << findings.front().cost << "\n";
    CHECK(findings.front().cost.starts_with("all_reduce at 1 GiB: "));
}
