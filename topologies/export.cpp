#include "topologies/export.hpp"

#include <charconv>
#include <string_view>

#include "base/text.hpp"
#include "topologies/flatten.hpp"

namespace fabricast {

namespace {

constexpr std::uint32_t most_simgrid_hosts = 2048;

// The shortest text that reads back as the same double, in any locale.
std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string gigabytes(double bytes_per_second) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, bytes_per_second / 1e9, std::chars_format::fixed, 1).ptr};
}

std::string_view shape_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::gpu:
            return "box";
        case DeviceKind::nic:
            return "cds";
        case DeviceKind::cpu:
            return "component";
        case DeviceKind::host_memory:
            return "cylinder";
        default:
            return "oval";
    }
}

std::string quoted(std::string_view text) { return '"' + markup_text(text) + '"'; }

void write_dot_devices(const Fabric& fabric, std::string& out) {
    const auto write = [&](DeviceId device, std::string_view indent) {
        out.append(indent).append(quoted(fabric.device_name(device)));
        out.append(" [shape=").append(shape_of(fabric.kind(device))).append("];\n");
    };
    const std::uint32_t per_node = fabric.node_device_count();
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        const std::string name = "node" + std::to_string(node);
        out.append("  subgraph \"cluster_").append(name).append("\" {\n    label=\"").append(name).append("\";\n");
        for (std::uint32_t d = 0; d < per_node; ++d) {
            write(DeviceId{node * per_node + d}, "    ");
        }
        out += "  }\n";
    }
    for (std::uint32_t d = fabric.node_count() * per_node; d < fabric.device_count(); ++d) {
        write(DeviceId{d}, "  ");
    }
}

}  // namespace

std::string to_dot(const Fabric& fabric) {
    std::string out = "graph " + quoted(fabric.cluster().name) + " {\n";
    write_dot_devices(fabric, out);
    for (const FlatLink& link : flatten(fabric).links) {
        if (link.ends.resource || link.ends.from > link.ends.to) {
            continue;  // a shared resource, or the other direction of a cable
        }
        const std::string bundle = link.ends.cables > 1 ? "x" + std::to_string(link.ends.cables) + " " : "";
        out += "  " + quoted(fabric.device_name(link.ends.from)) + " -- " + quoted(fabric.device_name(link.ends.to)) +
               " [label=\"" + bundle + gigabytes(link.info.capacity) + " GB/s\"];\n";
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
        out += "    <node id=" + quoted(fabric.device_name(DeviceId{d})) + "><data key=\"kind\">" +
               std::string(to_string(fabric.kind(DeviceId{d}))) + "</data></node>\n";
    }
    for (const FlatLink& link : flatten(fabric).links) {
        out += "    <edge source=" + quoted(fabric.device_name(link.ends.from)) +
               " target=" + quoted(fabric.device_name(link.ends.to)) + "><data key=\"name\">" +
               markup_text(fabric.link_name(link.id)) + "</data><data key=\"class\">" +
               (link.ends.resource ? "shared" : std::string(to_string(link.info.cls))) +
               "</data><data key=\"capacity\">" + number(link.info.capacity) + "</data><data key=\"latency\">" +
               number(to_seconds(link.info.latency)) + "</data><data key=\"cables\">" +
               std::to_string(link.ends.cables) + "</data></edge>\n";
    }
    return out + "  </graph>\n</graphml>\n";
}

std::string to_simgrid(const Fabric& fabric) {
    if (fabric.gpu_count() > most_simgrid_hosts) {
        throw ClusterError(
            "a SimGrid platform writes out a route for each pair of GPUs: " + std::to_string(fabric.gpu_count()) +
            " GPUs are too many (at most " + std::to_string(most_simgrid_hosts) + ")");
    }
    std::string out =
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        "  <zone id=" +
        quoted(fabric.cluster().name) + " routing=\"Full\">\n";
    const std::string speed = number(fabric.node().gpu.fp32 > 0 ? fabric.node().gpu.fp32 : 1e12);
    for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
        out += "    <host id=" + quoted(fabric.device_name(fabric.gpu(rank))) + " speed=\"" + speed + "f\"/>\n";
    }
    // Links are identified by number, because parallel cables may have the same name.
    for (const FlatLink& link : flatten(fabric).links) {
        out += "    <link id=\"l" + std::to_string(static_cast<std::uint32_t>(link.id)) + "\" bandwidth=\"" +
               number(link.info.capacity) + "Bps\" latency=\"" + number(to_seconds(link.info.latency)) +
               "s\"><prop id=\"name\" value=" + quoted(fabric.link_name(link.id)) + "/></link>\n";
    }
    PathQuery query;
    Path path;
    for (std::uint32_t src = 0; src < fabric.gpu_count(); ++src) {
        for (std::uint32_t dst = 0; dst < fabric.gpu_count(); ++dst) {
            if (src == dst) {
                continue;
            }
            query.src = fabric.gpu(src);
            query.dst = fabric.gpu(dst);
            fabric.path(query, path);
            out += "    <route src=" + quoted(fabric.device_name(query.src)) +
                   " dst=" + quoted(fabric.device_name(query.dst)) + " symmetrical=\"NO\">";
            for (const LinkId link : path.span()) {
                out += "<link_ctn id=\"l" + std::to_string(static_cast<std::uint32_t>(link)) + "\"/>";
            }
            out += "</route>\n";
        }
    }
    return out + "  </zone>\n</platform>\n";
}

}  // namespace fabricast
