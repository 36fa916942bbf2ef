// NCCL's graph XML (NCCL_GRAPH_DUMP_FILE): the channels that a search chose. Of the cluster it says how many GPUs there
// are and, by the NETs of its channels, how many adapters.

#include <set>

#include "base/xml.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

Observations read_graph(const SourceText& source) {
    const xml::Element root = xml::parse(source.text(), source.file());
    std::set<std::string> gpus, nets, hosts;
    for (const xml::Element& graph : root.children) {
        if (graph.name != "graph") { graph.fail("<graphs> holds <graph> only, not <" + graph.name + ">"); }
        for (const xml::Element& channel : graph.children) {
            for (const xml::Element& hop : channel.children) {
                const std::string& dev = hop.required("dev");
                // In multi-node NVLink domains a rank is (system << 56) | number, in hexadecimal.
                const bool wide = dev.starts_with("0x") && dev.size() > 15;
                hosts.insert(wide ? dev.substr(0, dev.size() - 14) : "");
                (hop.name == "gpu" ? gpus : nets).insert(dev);
            }
        }
    }
    Observations seen;
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        NodeSeen& node = seen.nodes.emplace_back();
        node.at = root.place;
        add_counted(node.gpus, gpus.size() / hosts.size(), root.place);
        add_counted(node.nics, nets.size() / hosts.size(), root.place);
    }
    seen.notes.emplace_back(
        "a graph of channels counts devices; the topology XML of the same job says how they are joined");
    return seen;
}

}  // namespace

extern const SiteFormat nccl_graph{"nccl-graph", "NCCL's graph XML: `NCCL_GRAPH_DUMP_FILE`",
                                   [](const SourceText& source) { return source.is_xml("graphs"); }, read_graph};

}  // namespace fabricast::inline discovery::formats
