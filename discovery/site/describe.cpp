#include "discovery/site/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "discovery/site/fabric_text.hpp"
#include "discovery/site/mended.hpp"
#include "discovery/site/node_text.hpp"
#include "discovery/site/stated.hpp"
#include "discovery/source_text.hpp"
#include "topologies/node_reader.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline site {

namespace {

constexpr std::size_t most_gpus = 1024;  // of a node; a shape has a figure for each pair

class Describer {
public:
    Describer(Site& site, const Catalog& catalog, const DescribeOptions& options)
        : site_(site), catalog_(catalog), options_(options) {}

    Description describe() {
        choose_shape();
        contradict_statements(site_, catalog_, options_.node, options_.said);
        // A table of cables does not say of which technology they are; the class of a node's adapters does.
        const bool planned =
            std::ranges::none_of(site_.cables, [](const SiteCable& cable) { return cable.trust == Trust::fact; });
        site_.infiniband = site_.infiniband || (planned && made_.shape && made_.shape->infiniband);
        const std::vector<NicSeen> known = made_.shape ? made_.shape->nic_of : std::vector<NicSeen>{};
        made_.wiring = wire(site_, known);
        if (site_.hosts.empty() && site_.unnamed.empty()) { return without_hosts(); }
        fit_nics();
        refuse_without_gpus();
        choose_node();
        if (made_.wiring.hosts.empty() && site_.unnamed.empty() && site_.trays == 0) {
            throw InputError(
                first_file(),
                "no host in it that could be a node (accepted: a file that names hosts, or the inside of one)");
        }
        const Mended whole = mended(made_.wiring);
        const std::size_t nodes = !whole.wiring.hosts.empty()   ? whole.wiring.hosts.size()
                                  : !made_.wiring.hosts.empty() ? made_.wiring.hosts.size()
                                  : site_.trays > 0             ? site_.hosts.size()
                                                                : site_.unnamed.size();
        made_.nodes = static_cast<std::uint32_t>(nodes);
        if (whole.left_out > 0) { site_.dropped["node with an adapter that has no cable"] += whole.left_out; }
        if (whole.cables > 0) {
            site_.notes.push_back(fmt::format(
                "guess: {} adapters without a cable are drawn with the one that their peers have", whole.cables));
        }
        if (made_.nodes > 1 && made_.wiring.bundles.empty() && made_.shape && made_.shape->nics == 0) {
            made_.asked.push_back(
                fmt::format("{} nodes were seen, but no adapter that joins them: one is described", made_.nodes));
            made_.nodes = 1;
        }
        const FabricText fabric =
            fabric_text(site_, whole.wiring, catalog_, made_.node_block, made_.nodes, options_.routing);
        made_.fabric = fabric.kind;
        if (fabric.kind == "explicit") {
            made_.routing = options_.routing.empty() ? std::string(graph_routing_names.front()) : options_.routing;
        }
        made_.asked.insert(made_.asked.end(), fabric.asked.begin(), fabric.asked.end());
        made_.yaml = head() + scenario_text(options_.name, made_.node_block + names_of_nodes(whole.wiring.hosts) +
                                                               fmt::format("  nodes: {}\n", made_.nodes) + fabric.text);
        return std::move(made_);
    }

private:
    // Switches alone make no scenario, but their cables can be held against a plan.
    Description without_hosts() {
        const std::size_t cables = site_.cables.size() + site_.planned.size();
        if (cables == 0) {
            throw InputError(first_file(), fmt::format("{} and no cable: this makes no cluster (accepted: a file that "
                                                       "names hosts or neighbours, or the inside of a host)",
                                                       plural(site_.devices.size(), "switch")));
        }
        made_.nodes = 0;
        made_.fabric = "explicit";
        made_.asked.push_back(
            fmt::format("no host: {} are known, but no scenario can be made of them; add the files of hosts, or of the "
                        "switches below",
                        plural(site_.devices.size(), "switch")));
        return std::move(made_);
    }

    // Hosts without GPUs, or hosts that nothing joins, are not a cluster, and are not made one by a guess.
    void refuse_without_gpus() const {
        const bool inside =
            std::ranges::any_of(site_.hosts, [](const SiteHost& host) { return host.inside.has_value(); });
        const bool described = inside || !site_.unnamed.empty();
        if (made_.shape || !described || !options_.node.empty() || !made_.wiring.bundles.empty()) { return; }
        SourceLocation at = site_.unnamed.empty() ? SourceLocation{} : site_.unnamed.front().at;
        throw InputError(
            at.file == nullptr ? first_file() : *at.file,
            "no GPU in it (accepted: devices of PCI class 0x0302, 0x0300 or 0x1200; or say `--node TEMPLATE`)");
    }

    std::string first_file() const {  // of "ib.out: ibnetdiscover"
        return site_.files.empty() ? "no file" : site_.files.front().substr(0, site_.files.front().rfind(": "));
    }

    // A GPU that lost all its NVLinks is drawn with those of its peers: no forecast can be made of it as it is, and the
    // check says what it costs.
    NodeShape drawn(NodeSeen node) const {
        const auto best = std::ranges::max_element(node.gpus, {}, &GpuSeen::nvlink_count);
        std::vector<NvlinkSeen> links = best == node.gpus.end() ? std::vector<NvlinkSeen>{} : best->nvlinks;
        // In a matrix all cells of GPUs behind NVSwitches are alike, and each counts all their links.
        const bool matrix = links.size() > 1 && best->nvlink_count() == links.front().count;
        if (matrix) { links = {{"nvswitch", best->nvlink_count()}}; }
        std::string lost;
        for (GpuSeen& gpu : node.gpus) {
            if (!gpu.nvlinks.empty() || links.size() != 1 || links.front().target != "nvswitch") { continue; }
            gpu.nvlinks = links;
            lost += fmt::format(" gpu{}", gpu.index);
        }
        for (GpuSeen& gpu : node.gpus) {
            if (matrix && !lost.empty()) { gpu.nvlinks = links; }
        }
        NodeShape shape = shape_of(node, catalog_, options_.said);
        if (!lost.empty()) { shape.notes.push_back("guess: drawn with the NVLinks of their peers:" + lost); }
        return shape;
    }

    // Most nodes look like one of the insides that files describe; the commonest stands for all.
    void choose_shape() {
        std::map<std::string, std::pair<std::size_t, NodeShape>> shapes;
        const auto add = [&](const NodeSeen& node) {
            if (node.gpus.empty()) { return; }
            if (node.gpus.size() > most_gpus) {
                refuse(node.at, "too many GPUs in one node", std::to_string(node.gpus.size()),
                       "at most " + std::to_string(most_gpus));
            }
            NodeShape shape = drawn(node);
            auto& entry = shapes[node_yaml(shape, "node", 0, false)];
            if (++entry.first == 1) { entry.second = std::move(shape); }
        };
        for (const SiteHost& host : site_.hosts) {
            if (host.inside) { add(*host.inside); }
        }
        for (const NodeSeen& node : site_.unnamed) { add(node); }
        const auto commonest = std::ranges::max_element(
            shapes, {}, [](const auto& entry) { return std::pair(entry.second.first, entry.second.second.gpus); });
        if (commonest == shapes.end()) { return; }
        made_.shape = commonest->second.second;
        if (shapes.size() > 1) {
            made_.shape->notes.push_back(
                fmt::format("hint: {} kinds of node were seen; this is the commonest", shapes.size()));
        }
    }

    // NICs that the fabric does not know have no cable; a path must not choose them.
    void fit_nics() {
        if (!made_.shape || made_.wiring.labels.empty() || made_.wiring.labels.size() >= made_.shape->nics) { return; }
        NodeShape& shape = *made_.shape;
        const std::vector<std::string>& labels = made_.wiring.labels;
        const auto named = [&](const NicSeen& nic) { return std::ranges::find(labels, nic.name) != labels.end(); };
        const bool any_named = std::ranges::any_of(shape.nic_of, named);
        const std::size_t all = shape.nics;
        const std::vector<NicSeen> nics = shape.nic_of;
        keep_nics(shape, [&](std::size_t nic) { return any_named ? named(nics[nic]) : nic < labels.size(); });
        shape.notes.push_back(fmt::format("{} adapters without a cable in the fabric are left out", all - shape.nics));
    }

    // What no file names, in one line each.
    void ask_for_parts(const NodeShape& shape) {
        for (const auto& [kind, part] : {std::pair("gpu", &shape.gpu), {"cpu", &shape.cpu}, {"nic", &shape.nic}}) {
            if (part->trust != Trust::guess || (part == &shape.nic && shape.nics == 0)) { continue; }
            made_.asked.push_back(
                fmt::format("the {}: `{}` of the catalogue is a guess ({}); say which with `--{} PART`", kind,
                            part->name, part->why, kind));
        }
    }

    // The template in the file, a stated one, or one of the catalogue with as many NICs of this link.
    void choose_node() {
        if (made_.shape && options_.node.empty()) {
            ask_for_parts(*made_.shape);
            const std::string rate = fabric_link(site_, made_.wiring);
            if (made_.shape->nics > 0 && !rate.empty()) { made_.shape->port = rate; }
            made_.node = fmt::format("{} x {}", made_.shape->gpus, made_.shape->gpu.name);
            made_.node_block = "  node:\n" + node_yaml(*made_.shape, options_.name + "-node", 4, true);
            return;
        }
        if (site_.trays > 0) {
            use_rack();
            return;
        }
        if (!options_.node.empty()) {
            use_template(options_.node, "stated");
            return;
        }
        const std::string link = fabric_link(site_, made_.wiring);
        const std::string name = usual_template(catalog_, options_.said, made_.wiring.labels.size(), link);
        made_.asked.push_back(
            fmt::format("no file describes the inside of a node: `{}` of the catalogue is a guess; say which "
                        "with `--node TEMPLATE`, or add a node's `nvidia-smi topo -m` or NCCL topology",
                        name));
        use_template(name, fmt::format("guess: a node with {}{}", plural(made_.wiring.labels.size(), "adapter"),
                                       link.empty() ? "" : " of " + link));
    }

    // The hosts of an NVLink domain are the trays of one node; NVLink between hosts first came with the GB200.
    void use_rack() {
        const bool stated = !options_.node.empty();
        const std::string name = stated ? options_.node : "gb200-nvl72";
        const NodeTemplate node = node_template(name, catalog_);
        const std::size_t trays = Trays(node).count;
        if (site_.trays > trays) {
            throw InputError(first_file(),
                             fmt::format("an NVLink domain of {}, but a {} is {} (accepted: `--node` with a "
                                         "template of as many; a file of the switches above them, if the "
                                         "blocks are no NVLink domains)",
                                         plural(site_.trays, "host"), name, plural(trays, "host")));
        }
        const std::size_t gpus = node.gpus / trays * site_.trays;
        if (!stated) {
            made_.asked.push_back(fmt::format(
                "no file describes the inside of a host: {} GPUs of `{}` of the catalogue are a guess for {}, for "
                "they are in one NVLink domain; say which with `--node TEMPLATE`",
                gpus, name, plural(site_.trays, "host")));
        }
        use_template(name, stated ? "stated" : "guess: hosts that are in one NVLink domain");
        if (gpus < node.gpus) { made_.node_block += fmt::format("  gpus_per_node: {}\n", gpus); }
    }

    void use_template(const std::string& name, const std::string& why) {
        const NodeTemplate node = node_template(name, catalog_);
        const std::array<std::array<std::string, 3>, 3> stated = {{{"gpu", options_.said.gpu, node.gpu.name},
                                                                   {"nic", options_.said.nic, node.nic_part},
                                                                   {"cpu", options_.said.cpu, ""}}};
        for (const auto& [kind, said, own] : stated) {
            if (said.empty() || catalog_.at(kind, said).name == own) { continue; }
            made_.asked.push_back(
                fmt::format("`--{} {}` changes nothing in the template {}; state one with `--node`", kind, said, name));
        }
        made_.node = name;
        made_.node_block = fmt::format("  node: {}  # {}\n", name, why);
        const std::size_t nics = made_.wiring.labels.size();
        if (nics > 0 && nics < node.nics) { made_.node_block += fmt::format("  options: {{nics: {}}}\n", nics); }
    }

    std::string head() const {
        std::string text = "# Made by `fabricast cluster` of\n";
        for (const std::string& file : site_.files) { text += "#   " + file + "\n"; }
        text +=
            "# Each line is a fact that a program read from the hardware, a hint that somebody wrote, or a guess.\n";
        const std::size_t cables = site_.cables.size();
        const auto facts = static_cast<std::size_t>(std::ranges::count(site_.cables, Trust::fact, &SiteCable::trust));
        if (cables > 0) { text += fmt::format("# Cables: {} facts, {} hints or guesses.\n", facts, cables - facts); }
        for (const auto& [kind, count] : site_.dropped) { text += fmt::format("# Left out: {} x {}\n", count, kind); }
        for (const std::string& note : site_.notes) { text += "# " + note + "\n"; }
        for (const std::string& asked : made_.asked) { text += "# Missing: " + asked + "\n"; }
        return text;
    }

    // Which host is which node, for whoever reads or edits the file.
    std::string names_of_nodes(const std::vector<std::uint32_t>& hosts) const {
        std::string text;
        std::vector<std::string> names;
        std::set<std::string> each;
        for (const std::uint32_t host : hosts) {
            names.push_back(site_.hosts[host].name);
            each.insert(names.back());
        }
        // Two hosts of one name, or a name that no list can hold, are told apart by their numbers only.
        const bool listed = each.size() == names.size() && std::ranges::all_of(names, [](const std::string& name) {
                                return !name.empty() && name.find_first_of(", []\"\\#\n\t") == std::string::npos;
                            });
        if (listed && names.size() == made_.nodes) { text += fmt::format("  hosts: \"{}\"\n", hostlist_text(names)); }
        if (!made_.wiring.labels.empty() && made_.wiring.labels.size() <= 64) {
            text += "  # nic0 and on:";
            for (const std::string& label : made_.wiring.labels) { text += " " + label; }
            text += "\n";
        }
        return text;
    }

    Site& site_;
    const Catalog& catalog_;
    const DescribeOptions& options_;
    Description made_;
};

}  // namespace

Description describe(Site& site, const Catalog& catalog, const DescribeOptions& options) {
    return Describer(site, catalog, options).describe();
}

}  // namespace fabricast::inline site
