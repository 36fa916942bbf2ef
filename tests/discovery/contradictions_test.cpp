// Two files that speak of one fact of one host among many: what they differ in is found, whichever host it is and
// whichever file comes first.

#include <algorithm>
#include <iostream>
#include <set>

#include "discovery/site/export_site.hpp"
#include "tests/discovery/planted.hpp"

using namespace fabricast;
using namespace fabricast::testing;

namespace {

struct Host {
    std::string name, tree;
    NodeSeen seen;  // by its tree
};

std::vector<Host> hosts_of(Random& random) {
    std::vector<Host> hosts;
    Texts texts = nodes_of(random);
    texts.resize(std::min<std::size_t>(texts.size(), 12));
    for (const auto& [file, text] : texts) {
        const Observations seen = observe(SourceText(text, file));
        hosts.push_back({file.substr(0, file.find('.')), text, seen.nodes.front()});
    }
    return hosts;
}

const PciSeen& slot(const NodeSeen& node, const std::string& bus) {
    return *std::ranges::find(node.pci, bus, &PciSeen::bus);
}

std::string root_of(const NodeSeen& node, std::string bus) {
    while (!slot(node, bus).parent.empty()) { bus = slot(node, bus).parent; }
    return bus;
}

// What nvidia-smi prints of such a host; `odd` may change a cell.
std::string matrix_of(const NodeSeen& node, const std::function<std::string(std::size_t, std::size_t)>& odd = {},
                      int odd_numa = -1) {
    std::string text;
    for (std::size_t i = 0; i < node.gpus.size(); ++i) { text += "\tGPU" + std::to_string(i); }
    for (std::size_t i = 0; i < node.nics.size(); ++i) { text += "\tNIC" + std::to_string(i); }
    text += "\tCPU Affinity\tNUMA Affinity\n";
    for (std::size_t g = 0; g < node.gpus.size(); ++g) {
        text += "GPU" + std::to_string(g);
        for (std::size_t i = 0; i < node.gpus.size(); ++i) {
            const std::string word = odd && i != g ? odd(g, i) : "";
            text += "\t" + (i == g ? "X" : !word.empty() ? word : "NV" + std::to_string(node.gpus[g].nvlink_count()));
        }
        for (std::size_t n = 0; n < node.nics.size(); ++n) {
            const std::string word = odd ? odd(g, 100 + n) : "";
            const bool near = root_of(node, node.gpus[g].bus) == root_of(node, node.nics[n].bus);
            const bool socket = node.gpus[g].numa == node.nics[n].numa;
            text += "\t" + (!word.empty() ? word : near ? "PIX" : socket ? "NODE" : "SYS");
        }
        const int numa = static_cast<int>(g) == odd_numa ? 1 - node.gpus[g].numa : node.gpus[g].numa;
        text += "\t0-55\t" + std::to_string(numa) + "\n";
    }
    text += "\nNIC Legend:\n\n";
    for (std::size_t n = 0; n < node.nics.size(); ++n) {
        text += "  NIC" + std::to_string(n) + ": " + node.nics[n].name + "\n";
    }
    return text;
}

// What lspci -vv prints of its GPUs and adapters.
std::string lspci_of(const NodeSeen& node, std::size_t narrow) {
    std::string text;
    std::size_t place = 0;
    for (const PciSeen& pci : node.pci) {
        if (pci.kind != PciKind::gpu && pci.kind != PciKind::nic) { continue; }
        const bool gpu = pci.kind == PciKind::gpu;
        text += pci.bus + (gpu ? " 3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1)\n"
                               : " Infiniband controller [0207]: Mellanox Technologies Device [15b3:1021]\n");
        const std::string speed = "Speed " + std::to_string(static_cast<int>(pci.link.gigatransfers)) + "GT/s, ";
        text += "\t\tLnkCap:\tPort #0, " + speed + "Width x16, ASPM not supported\n";
        text += "\t\tLnkSta:\t" + speed + "Width x" + (place++ == narrow ? "8" : "16") + "\n";
    }
    return text;
}

// Each host's tree and matrix, in any order.
Texts files_of(const std::vector<Host>& hosts, Random& random, std::size_t odd = 1000, const std::string& matrix = {}) {
    Texts texts;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        texts.emplace_back(hosts[h].name + "/topo.xml", hosts[h].tree);
        texts.emplace_back("smi_" + hosts[h].name + ".txt", h == odd ? matrix : matrix_of(hosts[h].seen));
    }
    for (std::size_t i = texts.size(); i > 1; --i) {
        std::swap(texts[i - 1], texts[random.below(static_cast<std::uint32_t>(i))]);
    }
    return texts;
}

Planted matrix_against_tree(Random& random) {
    const std::vector<Host> hosts = hosts_of(random);
    const std::size_t h = random.below(static_cast<std::uint32_t>(hosts.size()));
    const NodeSeen& node = hosts[h].seen;
    const std::size_t gpu = random.below(8);
    std::string matrix;
    switch (random.below(3)) {
        case 0:
            matrix = matrix_of(node, [&](std::size_t a, std::size_t b) {
                return b < 100 && (a == gpu || b == gpu) ? std::string("NV3") : std::string();
            });
            break;
        case 1: matrix = matrix_of(node, {}, static_cast<int>(gpu)); break;
        default:
            // Its own adapter is said to be on the other socket.
            matrix = matrix_of(node, [&](std::size_t a, std::size_t b) {
                const bool near = b >= 100 && root_of(node, node.gpus[a].bus) == root_of(node, node.nics[b - 100].bus);
                return a == gpu && near ? std::string("SYS") : std::string();
            });
    }
    return {files_of(hosts, random, h, matrix), hosts[h].name + "."};
}

Planted lspci_against_tree(Random& random) {
    const std::vector<Host> hosts = hosts_of(random);
    const std::size_t h = random.below(static_cast<std::uint32_t>(hosts.size()));
    Texts texts = files_of(hosts, random);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        texts.emplace_back(hosts[i].name + "-lspci.txt", lspci_of(hosts[i].seen, i == h ? random.below(8) : 1000));
    }
    return {texts, hosts[h].name + "."};
}

// `nvidia-smi nvlink --status` of each host; one GPU of one host has lost some.
Planted status_against_tree(Random& random) {
    const std::vector<Host> hosts = hosts_of(random);
    const std::size_t odd = random.below(static_cast<std::uint32_t>(hosts.size())), gpu = random.below(8);
    Texts texts = files_of(hosts, random);
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        std::string text;
        for (std::size_t g = 0; g < 8; ++g) {
            text += "GPU " + std::to_string(g) + ": NVIDIA H100 80GB HBM3 (UUID: GPU-" + std::to_string(g) + ")\n";
            const int lost = h == odd && g == gpu ? 1 + static_cast<int>(random.below(4)) : 0;
            for (int link = 0; link < hosts[h].seen.gpus[g].nvlink_count() - lost; ++link) {
                text += "\t Link " + std::to_string(link) + ": 26.562 GB/s\n";
            }
        }
        texts.emplace_back(hosts[h].name + "_nvlink.txt", text);
    }
    return {texts, hosts[odd].name + ".gpu" + std::to_string(gpu)};
}

// NCCL's rate of an adapter against its cable's, by ibnetdiscover.
Planted cable_against_adapter(Random& random) {
    const std::uint32_t nodes = 2 + random.below(20);
    const Fabric fabric = fabric_of(scenario_on("{node: dgx-h100, nodes: " + std::to_string(nodes) + "}"));
    const std::string xml = to_nccl_topology(node_template("dgx-h100", catalogue()), catalogue());
    const std::uint32_t odd = random.below(nodes);
    const std::string nic = "mlx5_" + std::to_string(random.below(8));
    Texts texts{{"ib.out", to_ibnetdiscover(fabric)}};
    for (std::uint32_t i = 0; i < nodes; ++i) {
        std::string own = xml;
        if (i == odd) { replace_first(own, "speed=\"400000\"", "speed=\"200000\"", own.find("\"" + nic + "\"")); }
        texts.emplace_back("node" + std::to_string(i) + ".xml", own);
    }
    return {texts, "node" + std::to_string(odd) + "." + nic};
}

// Slurm's tree has a host below a leaf of another unit.
Planted tree_against_cables(Random& random) {
    const Fabric fabric =
        fabric_of(scenario_on("{node: dgx-h100, nodes: 32, fabric: {kind: rail-optimized, scalable_unit: 16}}"));
    const std::uint32_t odd = random.below(16);
    std::string first, second;
    for (std::uint32_t i = 0; i < 32; ++i) {
        std::string& list = (i < 16) == (i != odd) ? first : second;
        list += (list.empty() ? "node" : ",node") + std::to_string(i);
    }
    return {{{"topology.conf", "SwitchName=leaf0 Nodes=" + first + "\nSwitchName=leaf8 Nodes=" + second +
                                   "\nSwitchName=top Switches=leaf0,leaf8\n"},
             {"ib.out", to_ibnetdiscover(fabric)}},
            "node" + std::to_string(odd)};
}

// Two discoveries of one fabric, between which two cables changed places.
Planted two_discoveries(Random& random) {
    const Fabric fabric =
        fabric_of(scenario_on("{node: dgx-h100, nodes: " + std::to_string(4 + random.below(30)) + "}"));
    const std::string one = to_ibnetdiscover(fabric);
    std::string other = one;
    const std::string node = "node" + std::to_string(random.below(4));
    const std::string a = "\"" + node + " mlx5_0\"", b = "\"" + node + " mlx5_1\"";
    const std::size_t at = other.find(a + " lid"), to = other.find(b + " lid");
    // The lines of the switches: the adapters of both change places.
    const auto line = [&](std::size_t in) {
        const std::size_t begin = other.rfind('\n', in) + 1;
        return std::pair(begin + other.substr(begin).find('\t'), other.find('\n', in));
    };
    const auto [from_a, end_a] = line(at);
    const auto [from_b, end_b] = line(to);
    const std::string text_a = other.substr(from_a, end_a - from_a), text_b = other.substr(from_b, end_b - from_b);
    other.replace(std::max(from_a, from_b), (from_a > from_b ? text_a : text_b).size(),
                  from_a > from_b ? text_b : text_a);
    other.replace(std::min(from_a, from_b), (from_a > from_b ? text_b : text_a).size(),
                  from_a > from_b ? text_a : text_b);
    return {{{"morning.out", one}, {"evening.out", other}}, node};
}

}  // namespace

TEST_CASE("two files that contradict each other are found, on every host and of every pair of kinds") {
    const std::vector<std::pair<const char*, Planted (*)(Random&)>> cases = {
        {"nvidia-smi topo against NCCL's XML", matrix_against_tree},
        {"nvidia-smi nvlink against NCCL's XML", status_against_tree},
        {"lspci against NCCL's XML", lspci_against_tree},
        {"ibnetdiscover against NCCL's XML", cable_against_adapter},
        {"Slurm against ibnetdiscover", tree_against_cables},
        {"two ibnetdiscover", two_discoveries}};
    for (const auto& [what, plant] : cases) {
        int found = 0;
        std::string missed;
        for (int i = 0; i < planted_each; ++i) {
            Random random{static_cast<std::uint64_t>(5000 + i)};
            const Planted made = plant(random);
            const std::vector<Finding> findings = findings_of(made.texts);
            const bool hit = std::ranges::any_of(findings, [&](const Finding& finding) {
                return finding.check == "contradiction" &&
                       (finding.device + " " + finding.cable + " " + finding.message).find(made.device) !=
                           std::string::npos;
            });
            found += hit ? 1 : 0;
            if (!hit) { missed += " " + std::to_string(i) + ":" + made.device; }
        }
        std::cout << "figure: contradictions " << what << ": found " << found << " of " << planted_each << "\n";
        INFO(what << ": missed" << missed);
        CHECK(found * 100 >= planted_each * 98);
    }
}

TEST_CASE("files that agree raise no alarm, in any order") {
    int alarms = 0;
    std::string what;
    for (int i = 0; i < planted_each; ++i) {
        Random random{static_cast<std::uint64_t>(7000 + i)};
        const std::vector<Host> hosts = hosts_of(random);
        Texts texts = files_of(hosts, random);
        for (const Host& host : hosts) { texts.emplace_back(host.name + "-lspci.txt", lspci_of(host.seen, 1000)); }
        const std::vector<Finding> findings = findings_of(texts);
        alarms += findings.empty() ? 0 : 1;
        for (const Finding& finding : findings) { what += " [" + finding.device + " " + finding.message + "]"; }
    }
    std::cout << "figure: false_alarms of files that agree " << alarms << " of " << planted_each << "\n";
    INFO(what.substr(0, 2000));
    CHECK(alarms == 0);
}

TEST_CASE("a contradiction costs what the worse of the two files would") {
    Random random{3};
    std::set<std::string> costs;
    for (const Texts& texts : {matrix_against_tree(random).texts, lspci_against_tree(random).texts,
                               cable_against_adapter(random).texts, two_discoveries(random).texts}) {
        Site site = fabricast::testing::site_of(texts);
        const Description made = describe(site, catalogue(), {});
        std::vector<Finding> findings = check(site, made, catalogue(), {});
        forecast_costs(findings, site, made, catalogue(), {});
        for (const Finding& finding : findings) {
            CHECK(!finding.cost.empty());
            costs.insert(finding.check + ": " + finding.message.substr(0, 90) + ": " + finding.cost);
        }
    }
    for (const std::string& cost : costs) { std::cout << cost << "\n"; }
}
