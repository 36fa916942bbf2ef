#include "topologies/export.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

#include "base/enum_name.hpp"
#include "base/text.hpp"
#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"

namespace fabricast::inline topologies {

namespace {

DeviceId device_of(const Fabric& fabric, const std::string& name) {
    return name.find(".port") == std::string::npos ? fabric.device(name) : find_port(fabric, name).device;
}

constexpr std::uint32_t most_simgrid_hosts = 2048;

// The shortest text that reads back as the same double, in any locale.
std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Graphviz's shapes, in the order of DeviceKind.
constexpr std::array<std::string_view, 7> shapes = {"box", "cds", "component", "oval", "oval", "oval", "cylinder"};

std::string in_quotes(std::string_view text) { return '"' + markup_text(text) + '"'; }

template <class... Values> void write(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

void write_dot_devices(const Fabric& fabric, std::string& out) {
    const auto device = [&](std::uint32_t d, std::string_view indent) {
        write(out, "{}{} [shape={}];\n", indent, in_quotes(fabric.device_name(DeviceId{d})),
              enum_name(shapes, fabric.kind(DeviceId{d})));
    };
    for (std::uint32_t node = 0; node < fabric.cluster().nodes; ++node) {
        write(out, "  subgraph \"cluster_node{0}\" {{\n    label=\"node{0}\";\n", node);
        for (std::uint32_t d = fabric.first_device(node); d < fabric.first_device(node + 1); ++d) { device(d, "    "); }
        out += "  }\n";
    }
    for (std::uint32_t d = fabric.first_switch(); d < fabric.device_count(); ++d) { device(d, "  "); }
}

void write_simgrid_routes(const Fabric& fabric, std::string& out) {
    Path path;
    for (std::uint32_t src = 0; src < fabric.gpu_count(); ++src) {
        for (std::uint32_t dst = 0; dst < fabric.gpu_count(); ++dst) {
            if (src == dst) { continue; }
            const PathQuery query{.src = fabric.gpu(src), .dst = fabric.gpu(dst)};
            fabric.path(query, path);
            write(out, "    <route src={} dst={} symmetrical=\"NO\">", in_quotes(fabric.device_name(query.src)),
                  in_quotes(fabric.device_name(query.dst)));
            for (const LinkId link : path.span()) { write(out, "<link_ctn id=\"l{}\"/>", index(link)); }
            out += "</route>\n";
        }
    }
}

Json node_json(const NodeTemplate& node) {
    return {
        {"name", node.name}, {"gpu", node.gpu.name}, {"gpus", node.gpus}, {"nic", node.nic_part}, {"nics", node.nics}};
}

}  // namespace

std::string to_dot(const Fabric& fabric) {
    std::string out = "graph " + in_quotes(fabric.cluster().name) + " {\n";
    write_dot_devices(fabric, out);
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (ends.resource || ends.from > ends.to) {
            continue;  // a shared resource, or the other direction of a cable
        }
        write(out, "  {} -- {} [label=\"{}{:.1f} GB/s\"];\n", in_quotes(fabric.device_name(ends.from)),
              in_quotes(fabric.device_name(ends.to)), ends.cables > 1 ? fmt::format("x{} ", ends.cables) : "",
              fabric.link(LinkId{l}).capacity / 1e9);
    }
    return out + "}\n";
}

std::string to_graphml(const Fabric& fabric) {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
        "  <key id=\"name\" for=\"edge\" attr.name=\"name\" attr.type=\"string\"/>\n"
        "  <key id=\"class\" for=\"edge\" attr.name=\"class\" attr.type=\"string\"/>\n"
        "  <key id=\"capacity\" for=\"edge\" attr.name=\"capacity_Bps\" attr.type=\"double\"/>\n"
        "  <key id=\"latency\" for=\"edge\" attr.name=\"latency_s\" attr.type=\"double\"/>\n"
        "  <key id=\"cables\" for=\"edge\" attr.name=\"cables\" attr.type=\"int\"/>\n"
        "  <graph edgedefault=\"directed\">\n";
    for (std::uint32_t d = 0; d < fabric.device_count(); ++d) {
        write(out, "    <node id={}><data key=\"kind\">{}</data></node>\n", in_quotes(fabric.device_name(DeviceId{d})),
              to_string(fabric.kind(DeviceId{d})));
    }
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkId id{l};
        const LinkEnds ends = fabric.ends(id);
        const LinkInfo info = fabric.link(id);
        write(out,
              "    <edge source={} target={}><data key=\"name\">{}</data><data key=\"class\">{}</data>"
              "<data key=\"capacity\">{}</data><data key=\"latency\">{}</data><data key=\"cables\">{}</data></edge>\n",
              in_quotes(fabric.device_name(ends.from)), in_quotes(fabric.device_name(ends.to)),
              markup_text(fabric.link_name(id)), ends.resource ? "shared" : to_string(info.cls), number(info.capacity),
              number(to_seconds(info.latency)), ends.cables);
    }
    return out + "  </graph>\n</graphml>\n";
}

std::string to_simgrid(const Fabric& fabric) {
    if (fabric.gpu_count() > most_simgrid_hosts) {
        throw ClusterError(
            "a SimGrid platform writes out a route for each pair of GPUs: {} GPUs are too many (at most {})",
            fabric.gpu_count(), most_simgrid_hosts);
    }
    std::string out =
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n";
    write(out, "  <zone id={} routing=\"Full\">\n", in_quotes(fabric.cluster().name));
    for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
        const double fp32 = fabric.node(rank / fabric.gpus_per_node()).gpu.fp32;
        const std::string speed = number(fp32 > 0 ? fp32 : 1e12);
        write(out, "    <host id={} speed=\"{}f\"/>\n", in_quotes(fabric.device_name(fabric.gpu(rank))), speed);
    }
    // Links are identified by number, because parallel cables may have the same name.
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkInfo info = fabric.link(LinkId{l});
        write(out, "    <link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"{}s\"><prop id=\"name\" value={}/></link>\n", l,
              number(info.capacity), number(to_seconds(info.latency)), in_quotes(fabric.link_name(LinkId{l})));
    }
    write_simgrid_routes(fabric, out);
    return out + "  </zone>\n</platform>\n";
}

std::map<LinkKind, std::uint64_t> count_links(const Fabric& fabric) {
    std::map<LinkKind, std::uint64_t> counts;
    const auto add = [&](std::uint32_t l, std::uint64_t times) {
        const LinkInfo info = fabric.link(LinkId{l});
        counts[{info.cls, info.capacity, info.latency, fabric.ends(LinkId{l}).resource}] += times;
    };
    for (const NodeSpan& run : fabric.runs()) {
        for (std::uint32_t l = fabric.first_link(run.first); l < fabric.first_link(run.first + 1); ++l) {
            add(l, run.nodes);
        }
    }
    for (std::uint32_t l = fabric.first_trunk(); l < fabric.link_count(); ++l) { add(l, 1); }
    return counts;
}

Path path_between(const Fabric& fabric, const std::string& from, const std::string& to, PathKind kind) {
    PathQuery query;
    query.src = device_of(fabric, from);
    query.dst = device_of(fabric, to);
    query.kind = kind;
    return fabric.path(query);
}

std::string node_words(const Fabric& fabric) {
    std::string words;
    for (const NodeRun& run : fabric.cluster().runs) {
        words += fmt::format("{}{} x {}", words.empty() ? "" : " + ", run.nodes, run.node.name);
    }
    return words.empty() ? fmt::format("{} x {}", fabric.node_count(), fabric.node().name) : words;
}

Json fabric_json(const Fabric& fabric) {
    Json json = {{"name", fabric.cluster().name},
                 {"nodes", fabric.cluster().nodes},
                 {"gpus", fabric.whole().gpu_count()},
                 {"node", node_json(fabric.node())},
                 {"fabric", to_string(fabric.cluster().fabric.kind)},
                 {"bisection_Bps", bisection_bandwidth(fabric)},
                 {"tiers", Json::array()},
                 {"links", Json::array()}};
    for (const NodeRun& run : fabric.cluster().runs) {
        json["kinds"].push_back({{"nodes", run.nodes}, {"node", node_json(run.node)}});
    }
    for (const FabricTier& tier : fabric.tiers()) {
        json["tiers"].push_back({{"tier", tier.name}, {"switches", tier.switches}, {"cables", tier.cables}});
    }
    for (const auto& [kind, count] : count_links(fabric)) {
        json["links"].push_back({{"class", to_string(kind.cls)},
                                 {"count", count},
                                 {"payload_Bps", kind.capacity},
                                 {"latency_s", to_seconds(kind.latency)},
                                 {"both_directions", kind.resource}});
    }
    return json;
}

Json path_json(const Fabric& fabric, const std::string& from, const std::string& to, PathKind kind) {
    const Path path = path_between(fabric, from, to, kind);
    Json json = {{"from", from}, {"to", to}, {"latency_s", to_seconds(path.latency)}, {"links", Json::array()}};
    for (const LinkId link : path.span()) {
        const LinkInfo info = fabric.link(link);
        json["links"].push_back({{"link", fabric.link_name(link)},
                                 {"payload_Bps", info.capacity},
                                 {"latency_s", to_seconds(info.latency)}});
    }
    return json;
}

}  // namespace fabricast::inline topologies
