#include "discovery/site/export_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "discovery/site/device_parts.hpp"
#include "models/link_part.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline site {

namespace {

[[noreturn]] void cannot_hold(const NodeTemplate& node, std::string_view what) {
    throw ClusterError(fmt::format("NCCL's topology cannot hold node '{}': {}", node.name, what));
}

std::string_view kind_of(std::string_view name) { return name.substr(0, name.find_first_of("0123456789")); }

// The place of a kind of device in pci_words; their number if it has no class of its own.
std::size_t row_of(std::string_view kind) {
    const auto* found = std::ranges::find(pci_words, kind, [](const auto& row) { return row.first; });
    return static_cast<std::size_t>(found - std::begin(pci_words));
}

std::string class_of(std::string_view kind) {
    const std::size_t row = row_of(kind);
    return row == std::size(pci_words) ? "" : fmt::format("0x{:06x}", pci_words[row].second);
}

class TopologyWriter {
public:
    TopologyWriter(const NodeTemplate& node, const Catalog& catalog) : node_(node), catalog_(catalog) {}

    std::string write() {
        refuse_what_has_no_words();
        number_buses();
        number_hosts();
        for (const std::string& part : {node_.gpu.name, node_.nic_part}) {
            if (!part.empty() && pci_id_of(catalog_, part).first == 0) {
                out_ += fmt::format("<!-- no PCI id of {} is known: say which part it is -->\n", part);
            }
        }
        out_ += "<system version=\"1\">\n";
        std::map<std::uint32_t, int> written;  // CPUs by host
        for (const NodeDevice& device : node_.devices) {
            if (kind_of(device.name) != "cpu") { continue; }
            const CpuSeen cpu = cpu_numbers_of(catalog_, device.part);
            const std::uint32_t host = host_of_.at(device.name);
            out_ += "  <cpu";
            if (hosts_ > 1) { out_ += fmt::format(" host_hash=\"0x{:016x}\"", host + 1); }
            out_ += fmt::format(" numaid=\"{}\" affinity=\"ffffffff\" arch=\"{}\"",
                                hosts_ > 1 ? written[host]++ : device.numa, cpu.arch);
            if (!cpu.vendor.empty()) {
                out_ += fmt::format(" vendor=\"{}\" familyid=\"{}\" modelid=\"{}\"", cpu.vendor, cpu.family, cpu.model);
            }
            out_ += ">\n";
            write_below(device.name, 4);
            out_ += "  </cpu>\n";
        }
        return out_ + "</system>\n";
    }

private:
    void refuse_what_has_no_words() const {
        for (const NodeDevice& device : node_.devices) {
            const std::string_view kind = kind_of(device.name);
            if (!has_word("cpu memory nic", kind) && row_of(kind) == std::size(pci_words)) {
                cannot_hold(node_, device.name);
            }
        }
        for (const NodeCable& cable : node_.cables) {
            const std::string_view a = kind_of(cable.a), b = kind_of(cable.b);
            if ((a == "nic" && b == "gpu") || (a == "gpu" && b == "nic")) {
                cannot_hold(node_,
                            "it has no word for an adapter that hangs at a GPU (" + cable.a + " - " + cable.b + ")");
            }
        }
    }

    // CPUs that are joined are one host. NCCL takes any two CPUs of a host as joined.
    void number_hosts() {
        std::vector<std::string> cpus;
        for (const NodeDevice& device : node_.devices) {
            if (kind_of(device.name) == "cpu") { cpus.push_back(device.name); }
        }
        const auto joined = [&](const std::string& one, const std::string& other) {
            return std::ranges::any_of(node_.cables, [&](const NodeCable& cable) {
                return (cable.a == one && cable.b == other) || (cable.a == other && cable.b == one);
            });
        };
        for (const std::string& cpu : cpus) {
            std::vector<std::string> peers;
            for (const auto& [other, host] : host_of_) {
                if (joined(cpu, other)) { peers.push_back(other); }
            }
            const std::uint32_t host = peers.empty() ? hosts_++ : host_of_.at(peers.front());
            const auto others =
                std::ranges::count_if(host_of_, [&](const auto& entry) { return entry.second == host; });
            if (!peers.empty() && others != static_cast<std::ptrdiff_t>(peers.size())) {
                cannot_hold(node_, "it has no words for CPUs of one host that are not all joined to each other");
            }
            host_of_[cpu] = host;
        }
    }

    void number_buses() {
        std::map<std::string_view, std::uint32_t> next;
        for (const NodeDevice& device : node_.devices) {
            const std::string_view kind = kind_of(device.name);
            const std::size_t row = row_of(kind);
            if (row == std::size(pci_words) || kind == "gpu" || device.name == "nvswitch") { continue; }
            bus_[device.name] = fmt::format("{:04x}:{:02x}:00.0", 16 * row, ++next[kind]);
        }
        for (std::uint32_t g = 0; g < node_.gpus; ++g) {
            bus_[fmt::format("gpu{}", g)] = fmt::format("0001:{:02x}:00.0", g + 1);
        }
        for (std::uint32_t n = 0; n < node_.nics; ++n) {
            bus_[fmt::format("nic{}", n)] = fmt::format("0002:{:02x}:00.0", n + 1);
        }
    }

    // What hangs below a CPU or a switch, by PCIe; a GPU joined by C2C or NVLink alone has its PCI device too.
    void write_below(const std::string& above, std::size_t indent) {
        for (const auto& [name, bus] : bus_) {
            const NodeCable* up = up_of(name);
            if (name != above && up != nullptr && (up->a == above || up->b == above)) {
                write_device(name, bus, *up, indent);
            }
        }
    }

    const NodeCable* up_of(const std::string& name) const {
        const NodeCable* found = nullptr;
        for (const NodeCable& cable : node_.cables) {
            if (cable.a != name && cable.b != name) { continue; }
            const std::string& other = cable.a == name ? cable.b : cable.a;
            const bool up = other.starts_with("cpu") ||
                            (other.starts_with("switch") && (!name.starts_with("switch") || cable.a == name));
            if (up && (found == nullptr || cable.link.family == LinkFamily::pcie)) { found = &cable; }
        }
        return found;
    }

    void write_device(const std::string& name, const std::string& bus, const NodeCable& up, std::size_t indent) {
        const std::string blanks(indent, ' ');
        const bool gpu = name.starts_with("gpu"), nic = name.starts_with("nic");
        PcieSpec link;
        link.generation = 4;
        if (up.link.family == LinkFamily::pcie) { link = pcie_spec(catalog_.at("link", up.link.name)); }
        const double transfers = link.generation < 3 ? 2.5 * link.generation : 8.0 * (1 << (link.generation - 3));
        const auto [vendor, device] = gpu                         ? pci_id_of(catalog_, node_.gpu.name)
                                      : nic                       ? pci_id_of(catalog_, node_.nic_part)
                                      : kind_of(name) == "switch" ? std::pair(0x1000U, 0xc030U)
                                                                  : std::pair(0U, 0U);
        out_ +=
            fmt::format("{}<pci busid=\"{}\" class=\"{}\"", blanks, bus, nic ? nic_class() : class_of(kind_of(name)));
        if (vendor != 0) { out_ += fmt::format(" vendor=\"0x{:04x}\" device=\"0x{:04x}\"", vendor, device); }
        out_ += fmt::format(" link_speed=\"{:.1f} GT/s PCIe\" link_width=\"{}\">\n", transfers, link.lanes);
        if (gpu) { write_gpu(name, indent + 2); }
        if (nic) { write_nic(name, indent + 2); }
        if (!gpu && !nic) { write_below(name, indent + 2); }
        out_ += blanks + "</pci>\n";
    }

    std::string nic_class() const { return node_.nic_link.starts_with("ethernet") ? "0x020000" : "0x020700"; }

    void write_gpu(const std::string& name, std::size_t indent) {
        const std::string blanks(indent, ' ');
        const std::string number = name.substr(3);
        out_ += fmt::format("{}<gpu dev=\"{}\" sm=\"{}\" rank=\"{}\" gdr=\"{:d}\">\n", blanks, number,
                            node_.gpu.compute_capability, number, node_.gpu_direct);
        for (const NodeCable& cable : node_.cables) {
            if ((cable.a != name && cable.b != name) || cable.link.family == LinkFamily::pcie) { continue; }
            const std::string& other = cable.a == name ? cable.b : cable.a;
            if (cable.link.family == LinkFamily::c2c) {
                constexpr double lane = 44712e6;  // as dumps of GB300 state it
                out_ += fmt::format("{}  <c2c bw=\"44712\" count=\"{:.0f}\"/>\n", blanks,
                                    cable.link.rate.bytes_per_second() / lane);
                continue;
            }
            std::pair<std::string, std::string> target = {"0005:00:00.0", class_of("switch")};
            if (other == "nvswitch") { target = {"fffffff:ff:ff.0", class_of("nvswitch")}; }
            if (bus_.contains(other)) { target = {bus_.at(other), class_of(kind_of(other))}; }
            out_ += fmt::format("{}  <nvlink target=\"{}\" count=\"{}\" tclass=\"{}\"/>\n", blanks, target.first,
                                cable.count, target.second);
        }
        out_ += blanks + "</gpu>\n";
    }

    void write_nic(const std::string& name, std::size_t indent) {
        const std::string blanks(indent, ' ');
        const int number = std::atoi(name.c_str() + 3);
        const double port = link_spec(catalog_.at("link", node_.nic_link)).rate.bytes_per_second() * 8e-6;
        out_ += blanks + "<nic>\n";
        for (int p = 0; p < node_.nic_ports; ++p) {
            out_ += fmt::format(
                "{}  <net name=\"mlx5_{}\" dev=\"{}\" speed=\"{:.0f}\" port=\"{}\" guid=\"0x{:x}\" gdr=\"{:d}\"/>\n",
                blanks, number, number, port, p + 1, 0x1000000 + number, node_.gpu_direct);
        }
        out_ += blanks + "</nic>\n";
    }

    const NodeTemplate& node_;
    const Catalog& catalog_;
    std::map<std::string, std::string> bus_;
    std::map<std::string, std::uint32_t> host_of_;  // by CPU
    std::uint32_t hosts_ = 0;
    std::string out_;
};

}  // namespace

std::string to_nccl_topology(const NodeTemplate& node, const Catalog& catalog) {
    return TopologyWriter(node, catalog).write();
}

}  // namespace fabricast::inline site
