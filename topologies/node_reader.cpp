#include "topologies/node_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "models/pcie.hpp"
#include "topologies/node_links.hpp"
#include "topologies/node_parts.hpp"

namespace fabricast::inline topologies {

namespace {

// Looks up a part for a value and reports a CatalogError as an InputError at that value.
template <class Look> auto look_up(const yaml::Node& at, Look&& look) {
    try {
        return look();
    } catch (const CatalogError& error) { at.fail(error.what()); }
}

// "gpu0-3" -> gpu0, gpu1, gpu2, gpu3; "cpu0-4/2" -> cpu0, cpu2, cpu4; "nvswitch" -> itself.
std::vector<std::string> expand(const yaml::Node& at) {
    const std::string& text = at.as_string();
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos) { return {text}; }
    const std::size_t digits = text.find_first_of("0123456789");
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto number = [&](std::size_t from, std::size_t to) {
        return from < to ? number_in<int>(std::string_view(text).substr(from, to - from)).value_or(-1) : -1;
    };
    const int first = number(digits, dash);
    const int last = number(dash + 1, slash);
    const int step = slash == text.size() ? 1 : number(slash + 1, text.size());
    constexpr int most = 1'000'000;
    if (first < 0 || last < first || last - first > 4096 || last > most || step < 1 || step > most) {
        at.fail("this names no range of devices", "gpu0-7, gpu0-6/2, cpu0, nvswitch");
    }
    std::vector<std::string> names;
    for (int i = first; i <= last; i += step) { names.push_back(text.substr(0, digits) + std::to_string(i)); }
    return names;
}

// "topologies/nodes/dgx-h100.yaml" -> "dgx-h100".
std::string_view stem(std::string_view file) {
    file.remove_prefix(file.rfind('/') + 1);
    return file.substr(0, file.rfind('.'));
}

bool is_cpu(std::string_view name) { return name.starts_with("cpu"); }

Duration passing_latency(const Part& part) {
    return part.kind == "cpu" ? cpu_spec(part).root_complex_latency : part.duration("latency");
}

class Reader {
public:
    Reader(const yaml::Node& tree, const Catalog& catalog) : tree_(tree), catalog_(catalog) {}

    NodeTemplate read() {
        tree_.allow({"name", "note", "gpu", "gpus", "cpu", "nic", "nics", "port", "ports", "peer_to_peer", "gpu_direct",
                     "devices", "cables", "mesh"});
        read_parts();
        for (const yaml::Node& item : tree_.items_of("devices")) { read_device(item); }
        for (const yaml::Node& item : tree_.items_of("cables")) { read_cable(item); }
        if (const yaml::Node* mesh = tree_.get("mesh")) { read_mesh(*mesh); }
        const yaml::Node* links = tree_.get("cables") != nullptr ? tree_.get("cables") : tree_.get("mesh");
        look_up(links != nullptr ? *links : tree_, [&] { check_node_links(node_, catalog_); });
        return std::move(node_);
    }

private:
    std::uint32_t count(std::string_view key, std::uint32_t fallback) const {
        const yaml::Node* at = tree_.get(key);
        return at == nullptr ? fallback : static_cast<std::uint32_t>(at->as_int(0, 4096));
    }

    bool flag(std::string_view key) const {
        const yaml::Node* at = tree_.get(key);
        return at == nullptr || at->as_bool();
    }

    void read_parts() {
        node_.name = tree_.required("name").as_string();
        const yaml::Node& gpu = tree_.required("gpu");
        node_.gpu = look_up(gpu, [&] { return gpu_spec(catalog_.at("gpu", gpu.as_string())); });
        node_.gpus = count("gpus", 1);
        node_.nics = count("nics", 0);
        node_.nic_ports = static_cast<int>(count("ports", 1));
        node_.peer_to_peer = flag("peer_to_peer");
        node_.gpu_direct = flag("gpu_direct");
        if (const yaml::Node* at = tree_.get("cpu")) {
            cpu_ = look_up(*at, [&] { return cpu_spec(catalog_.at("cpu", at->as_string())); });
            node_.cpu_vendor = cpu_->vendor;
            node_.cpu_family = cpu_->family;
        }
        if (node_.nics > 0) { read_nic(tree_.required("nic"), tree_.required("port")); }
    }

    LinkSpec link_at(const yaml::Node& at) const {
        return look_up(at, [&] { return link_spec(catalog_.at("link", at.as_string())); });
    }

    void read_nic(const yaml::Node& nic, const yaml::Node& port) {
        const NicSpec spec = look_up(nic, [&] { return nic_spec(catalog_.at("nic", nic.as_string())); });
        link_at(port);  // throws if there is no such link
        node_.nic_part = spec.name;
        node_.nic_link = port.as_string();
        for (std::uint32_t i = 0; i < node_.nics; ++i) {
            node_.devices.push_back(
                {.name = "nic" + std::to_string(i), .part = spec.name, .latency = passing_latency(spec)});
        }
    }

    void read_device(const yaml::Node& item) {
        item.allow({"name", "part"});
        const yaml::Node& name = item.required("name");
        for (const std::string& one : expand(name)) {
            if (is_cpu(one)) {
                add_cpu(one, name);
                continue;
            }
            const yaml::Node& at = item.required("part");
            const Part* part = catalog_.find(at.as_string());
            if (part == nullptr) {
                look_up(at, [&] { return catalog_.at("pcie-switch", at.as_string()); });  // throws, naming the nearest
            }
            if (part->kind == "nvswitch") {
                node_.nvlink = NvlinkShape::nvswitch;
                node_.nvswitch_generation = look_up(at, [&] { return nvswitch_spec(*part).generation; });
            }
            node_.devices.push_back(
                {.name = one, .part = part->name, .latency = look_up(at, [&] { return passing_latency(*part); })});
        }
    }

    // Adds a CPU and its memory, which data staged through the host are written to and read from.
    void add_cpu(const std::string& name, const yaml::Node& at) {
        if (!cpu_) { at.fail("a template with CPUs says which: `cpu: PART`"); }
        const int numa = std::atoi(name.c_str() + 3);
        node_.devices.push_back(
            {.name = name, .part = cpu_->name, .latency = cpu_->root_complex_latency, .numa = numa});
        NodeDevice memory{.name = "memory" + name.substr(3), .part = {}, .latency = {}, .numa = numa};
        memory.duplex_capacity = cpu_->memory_bandwidth;  // reads and writes share the memory channels
        LinkSpec channels;
        channels.name = "memory channels";
        channels.family = LinkFamily::memory;
        channels.rate = Rate::per_second(rounded_bytes(cpu_->memory_bandwidth).count);
        node_.cables.push_back({.a = name, .b = memory.name, .link = channels});
        node_.devices.push_back(std::move(memory));
    }

    // The link of a cable and its usual count. Between CPUs, `link` may be absent: their part states it.
    std::pair<LinkSpec, int> read_link(const yaml::Node& item) const {
        const bool sockets = item.get("link") == nullptr && cpu_ && is_cpu(item.required("from").as_string()) &&
                             is_cpu(item.required("to").as_string()) && !cpu_->socket_link.empty();
        if (sockets) {
            return {look_up(item, [&] { return link_spec(catalog_.at("link", cpu_->socket_link)); }),
                    cpu_->socket_links};
        }
        const yaml::Node& at = item.required("link");
        return {link_at(at), 1};
    }

    void read_cable(const yaml::Node& item) {
        item.allow({"from", "to", "link", "count"});
        const auto [link, usual_count] = read_link(item);
        const std::vector<std::string> from = expand(item.required("from"));
        const std::vector<std::string> to = expand(item.required("to"));
        const yaml::Node* count = item.get("count");
        if (from.size() % to.size() != 0) {
            item.required("to").fail("the devices of `from` cannot be shared out evenly among those of `to`");
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
            NodeCable cable{.a = from[i], .b = to[i * to.size() / from.size()], .link = link};
            cable.count = count == nullptr ? usual_count : static_cast<int>(count->as_int(1, 4096));
            if (link.family == LinkFamily::pcie && cpu_ && (is_cpu(cable.a) || is_cpu(cable.b))) {
                // Both directions of a root port share its capacity.
                cable.duplex_capacity = duplex_capacity(goodput(link) * cable.count, cpu_->duplex_share);
            }
            node_.cables.push_back(std::move(cable));
        }
    }

    void read_mesh(const yaml::Node& mesh) {
        mesh.allow({"link", "links"});
        const yaml::Node& at = mesh.required("link");
        const LinkSpec link = link_at(at);
        const auto& rows = mesh.required("links").items();
        if (rows.size() != node_.gpus) {
            mesh.required("links").fail(fmt::format("one row for each of the {} GPUs", node_.gpus));
        }
        node_.nvlink = NvlinkShape::mesh;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& row = rows[i].items();
            if (row.size() != rows.size()) {
                rows[i].fail(fmt::format("one figure for each of the {} GPUs", node_.gpus));
            }
            for (std::size_t j = 0; j < i; ++j) {
                if (row[j].as_int(0, 64) != rows[j].items()[i].as_int(0, 64)) {
                    row[j].fail(fmt::format("gpu{} and gpu{} disagree on the links between them", i, j));
                }
                if (row[j].as_int() > 0) {
                    node_.cables.push_back({.a = "gpu" + std::to_string(j),
                                            .b = "gpu" + std::to_string(i),
                                            .link = link,
                                            .count = static_cast<int>(row[j].as_int())});
                }
            }
        }
    }

    const yaml::Node& tree_;
    const Catalog& catalog_;
    NodeTemplate node_;
    std::optional<CpuSpec> cpu_;
};

}  // namespace

NodeTemplate read_node(const yaml::Node& tree, const Catalog& catalog) {
    if (!told_by_parts(tree)) { return Reader(tree, catalog).read(); }
    const yaml::Node written = written_out(tree, catalog);
    return Reader(written, catalog).read();
}

NodeTemplate node_template(std::string_view name, const Catalog& catalog) {
    const Part* part = catalog.find(name);
    if (part != nullptr && part->kind == "node") {
        const std::string file(part->word_or("file", part->name + ".yaml"));
        return read_node(of_known_version(yaml::parse(part->word("yaml"), file)), catalog);
    }
    std::vector<std::string> names = names_of(catalog.of_kind("node"), &Part::name);
    for (const EmbeddedFile& node : embedded_nodes()) {
        if (stem(node.name) == name) { return read_node(yaml::parse(node.text, std::string(node.name)), catalog); }
        names.emplace_back(stem(node.name));
    }
    throw CatalogError("no node template '{}'{}", name, did_you_mean(name, names, "; see `fabricast catalog list`"));
}

std::vector<Part> node_parts() {
    std::vector<Part> parts;
    for (const EmbeddedFile& node : embedded_nodes()) {
        const yaml::Node tree = yaml::parse(node.text, std::string(node.name));
        Part part;
        part.name = stem(node.name);
        part.kind = "node";
        part.note = tree.required("note").as_string();
        part.text = {{"yaml", std::string(node.text)}, {"file", std::string(node.name)}};
        parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace fabricast::inline topologies
