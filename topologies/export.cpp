#include "topologies/export.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

#include "base/enum_name.hpp"
#include "base/text.hpp"

namespace fabricast::inline topologies {

namespace {

constexpr std::uint32_t most_simgrid_hosts = 2048;

// The shortest text that reads back as the same double, in any locale.
std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// Graphviz's shapes, in the order of DeviceKind.
constexpr std::array<std::string_view, 7> shapes = {"box", "cds", "component", "oval", "oval", "oval", "cylinder"};

std::string quoted(std::string_view text) { return '"' + markup_text(text) + '"'; }

template <class... Values> void write(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

void write_dot_devices(const Fabric& fabric, std::string& out) {
    const auto device = [&](std::uint32_t d, std::string_view indent) {
        write(out, "{}{} [shape={}];\n", indent, quoted(fabric.device_name(DeviceId{d})),
              enum_name(shapes, fabric.kind(DeviceId{d})));
    };
    const std::uint32_t per_node = fabric.node_device_count();
    for (std::uint32_t node = 0; node < fabric.cluster().nodes; ++node) {
        write(out, "  subgraph \"cluster_node{0}\" {{\n    label=\"node{0}\";\n", node);
        for (std::uint32_t d = node * per_node; d < (node + 1) * per_node; ++d) { device(d, "    "); }
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
            write(out, "    <route src={} dst={} symmetrical=\"NO\">", quoted(fabric.device_name(query.src)),
                  quoted(fabric.device_name(query.dst)));
            for (const LinkId link : path.span()) { write(out, "<link_ctn id=\"l{}\"/>", index(link)); }
            out += "</route>\n";
        }
    }
}

}  // namespace

std::string to_dot(const Fabric& fabric) {
    std::string out = "graph " + quoted(fabric.cluster().name) + " {\n";
    write_dot_devices(fabric, out);
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (ends.resource || ends.from > ends.to) {
            continue;  // a shared resource, or the other direction of a cable
        }
        write(out, "  {} -- {} [label=\"{}{:.1f} GB/s\"];\n", quoted(fabric.device_name(ends.from)),
              quoted(fabric.device_name(ends.to)), ends.cables > 1 ? fmt::format("x{} ", ends.cables) : "",
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
        write(out, "    <node id={}><data key=\"kind\">{}</data></node>\n", quoted(fabric.device_name(DeviceId{d})),
              to_string(fabric.kind(DeviceId{d})));
    }
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkId id{l};
        const LinkEnds ends = fabric.ends(id);
        const LinkInfo info = fabric.link(id);
        write(out,
              "    <edge source={} target={}><data key=\"name\">{}</data><data key=\"class\">{}</data>"
              "<data key=\"capacity\">{}</data><data key=\"latency\">{}</data><data key=\"cables\">{}</data></edge>\n",
              quoted(fabric.device_name(ends.from)), quoted(fabric.device_name(ends.to)),
              markup_text(fabric.link_name(id)), ends.resource ? "shared" : to_string(info.cls), number(info.capacity),
              number(to_seconds(info.latency)), ends.cables);
    }
    return out + "  </graph>\n</graphml>\n";
}

std::string to_simgrid(const Fabric& fabric) {
    if (fabric.gpu_count() > most_simgrid_hosts) {
        throw ClusterError(fmt::format(
            "a SimGrid platform writes out a route for each pair of GPUs: {} GPUs are too many (at most {})",
            fabric.gpu_count(), most_simgrid_hosts));
    }
    std::string out =
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n";
    write(out, "  <zone id={} routing=\"Full\">\n", quoted(fabric.cluster().name));
    const std::string speed = number(fabric.node().gpu.fp32 > 0 ? fabric.node().gpu.fp32 : 1e12);
    for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
        write(out, "    <host id={} speed=\"{}f\"/>\n", quoted(fabric.device_name(fabric.gpu(rank))), speed);
    }
    // Links are identified by number, because parallel cables may have the same name.
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkInfo info = fabric.link(LinkId{l});
        write(out, "    <link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"{}s\"><prop id=\"name\" value={}/></link>\n", l,
              number(info.capacity), number(to_seconds(info.latency)), quoted(fabric.link_name(LinkId{l})));
    }
    write_simgrid_routes(fabric, out);
    return out + "  </zone>\n</platform>\n";
}

}  // namespace fabricast::inline topologies
