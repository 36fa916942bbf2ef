// hwloc's XML (`lstopo --of xml`): the PCI tree below each package, and NVLinks as a matrix of bandwidths.

#include <array>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// The value of <info name=... value=.../> below an object.
std::string info_of(const xml::Element& object, std::string_view name) {
    for (const xml::Element& child : object.children) {
        if (child.name == "info" && child.word("name") == name) { return child.word("value"); }
    }
    return {};
}

// hwloc states GB/s. The same figure may be 16 lanes of one generation or 8 of the next: the wider one is the usual.
PciLink link_of_bandwidth(double gigabytes) {
    static constexpr std::array<std::pair<double, double>, 6> lanes = {
        std::pair(2.5, 0.25), {5.0, 0.5}, {8.0, 0.9846}, {16.0, 1.9692}, {32.0, 3.9385}, {64.0, 7.5625}};
    for (const int width : {16, 8, 4, 2, 1}) {
        for (const auto& [transfers, one] : lanes) {
            if (std::abs(one * width / gigabytes - 1) < 0.02) { return {transfers, width}; }
        }
    }
    return {};
}

// "0302 [10de:1db8] [10de:131d] a1 00" or hwloc 1's "0302 [10de:1db8] ..."
void read_type(const std::string& type, PciSeen& pci) {
    read_class(number_in<std::uint32_t>(std::string_view(type).substr(0, 4), 16).value_or(0) << 8U, pci);
    const std::size_t open = type.find('[');
    if (open == std::string::npos || open + 10 > type.size()) { return; }
    pci.vendor = number_in<std::uint32_t>(std::string_view(type).substr(open + 1, 4), 16).value_or(0);
    pci.device = number_in<std::uint32_t>(std::string_view(type).substr(open + 6, 4), 16).value_or(0);
}

constexpr double most_nvlinks = 1024;  // of a pair of devices

class HwlocReader {
public:
    explicit HwlocReader(const SourceText& source) : source_(source) {}

    Observations read() {
        const xml::Element root = xml::parse(source_.text(), source_.file());
        node_.at = root.place;
        for (const xml::Element& child : root.children) {
            if (child.name == "object") { walk(child, {}, 0); }
            const bool distances = child.name.starts_with("distances2");
            if (distances && child.word("name") == "NVLinkBandwidth") { read_nvlinks(child); }
        }
        Observations seen;
        seen.dropped = std::move(dropped_);
        if (!node_.cpus.empty() || !node_.pci.empty()) { seen.nodes.push_back(std::move(node_)); }
        return seen;
    }

private:
    void walk(const xml::Element& object, const std::string& above, int socket) {
        const std::string type = object.word("type");
        if (type == "Machine") {
            node_.host = info_of(object, "HostName");
            if (node_.host.find(' ') != std::string::npos) { node_.host.clear(); }
        }
        if (type == "Package" || type == "Socket") { socket = add_cpu(object); }
        std::string bus = above;
        if ((type == "Bridge" || type == "PCIDev") && object.get("pci_busid") != nullptr) {
            bus = add_pci(object, above, socket);
            if (bus.empty()) { return; }
        }
        if (type == "OSDev") { add_os_device(object, above); }
        for (const xml::Element& child : object.children) {
            if (child.name == "object") { walk(child, bus, socket); }
        }
    }

    int add_cpu(const xml::Element& package) {
        CpuSeen& cpu = node_.cpus.emplace_back();
        cpu.numa = static_cast<int>(node_.cpus.size()) - 1;
        cpu.vendor = info_of(package, "CPUVendor");
        if (cpu.vendor.empty()) { cpu.vendor = info_of(package, "CPUModel"); }
        cpu.family = number_in<int>(info_of(package, "CPUFamilyNumber")).value_or(0);
        cpu.model = number_in<int>(info_of(package, "CPUModelNumber")).value_or(0);
        cpu.at = package.place;
        return cpu.numa;
    }

    // The bus id; empty for a device that is left out.
    std::string add_pci(const xml::Element& object, const std::string& above, int socket) {
        PciSeen pci;
        pci.bus = normal_bus(object.word("pci_busid"));
        if (pci.bus.empty()) { object.fail("no PCI bus id (found " + shown(object.word("pci_busid")) + ")"); }
        pci.parent = above;
        pci.numa = socket;
        read_type(object.word("pci_type"), pci);
        if (object.word("type") == "Bridge") { pci.kind = PciKind::bridge; }
        const double speed = figure_in_word(object.word("pci_link_speed")).value_or(0);
        if (speed > 0) { pci.link = link_of_bandwidth(speed); }
        pci.at = object.place;
        if (info_of(object, "PCIDevice").find("Virtual Function") != std::string::npos) {
            ++dropped_["virtual function"];
            return {};
        }
        list_end(object, pci);
        node_.pci.push_back(pci);
        return pci.bus;
    }

    void list_end(const xml::Element& object, const PciSeen& pci) {
        by_index_["PCIDev:" + object.word("gp_index")] = pci.kind == PciKind::gpu ? pci.bus : "nvswitch";
        const std::string model = info_of(object, "PCIDevice");
        const bool gigabit = model.find("Gigabit") != std::string::npos && model.find(" 10 Gig") == std::string::npos &&
                             model.find("10-Gig") == std::string::npos && model.find("25 Gig") == std::string::npos;
        const bool management = gigabit || pci.vendor == 0x8086 || pci.vendor == 0x10ec || pci.vendor == 0x1af4;
        // ATI's ES1000 and Rage XL are the consoles of servers.
        const bool console = pci.vendor == 0x1002 && (pci.device == 0x515e || pci.device == 0x4752);
        if (pci.kind == PciKind::nic && management) {
            ++dropped_["management port"];
        } else if (pci.kind == PciKind::nic) {
            add_end(node_.nics, -1, pci);
        } else if (pci.kind == PciKind::gpu && !console && (pci.vendor == 0x10de || pci.vendor == 0x1002)) {
            add_end(node_.gpus, static_cast<int>(node_.gpus.size()), pci).amd = pci.vendor == 0x1002;
        }
    }

    void add_os_device(const xml::Element& object, const std::string& bus) {
        by_index_["OSDev:" + object.word("gp_index")] = bus;
        for (GpuSeen& gpu : node_.gpus) {
            if (gpu.bus == bus && gpu.model.empty()) { gpu.model = info_of(object, "GPUModel"); }
        }
        for (NicSeen& nic : node_.nics) {
            if (nic.bus != bus) { continue; }
            const std::string guid = normal_guid(info_of(object, "NodeGUID"));
            if (!guid.empty() || nic.name.empty()) { nic.name = object.word("name"); }
            if (!guid.empty()) { nic.guids.push_back(guid); }
        }
    }

    // MB/s between each pair of objects; a link of NVLink 1 is 20,000, all later ones print 25,000.
    void read_nvlinks(const xml::Element& matrix) {
        std::vector<std::string> names;
        std::vector<double> values;
        const std::string type = matrix.word("type");
        for (const xml::Element& child : matrix.children) {
            for (const std::string_view word : split(child.text, ' ')) {
                if (child.name == "indexes") {
                    const bool plain = word.find(':') == std::string_view::npos;
                    names.push_back((plain ? type + ":" : "") + std::string(word));
                } else if (child.name == "u64values") {
                    values.push_back(figure_in_word(word).value_or(0));
                }
            }
        }
        if (values.size() != names.size() * names.size()) {
            matrix.fail("a matrix of " + std::to_string(values.size()) + " values for " + std::to_string(names.size()) +
                        " devices");
        }
        for (GpuSeen& gpu : node_.gpus) {
            gpu.nvlinks_stated = true;
            const bool pascal = gpu.model.find("P100") != std::string::npos;
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (by_index_[names[i]] != gpu.bus) { continue; }
                for (std::size_t j = 0; j < names.size(); ++j) {
                    const double links = values[i * names.size() + j] / (pascal ? 20000 : 25000) + 0.5;
                    const int count = links > 0 && links < most_nvlinks ? static_cast<int>(links) : 0;
                    if (count > 0 && i != j) { gpu.nvlinks.push_back({by_index_[names[j]], count}); }
                }
            }
        }
    }

    const SourceText& source_;
    NodeSeen node_;
    std::map<std::string, std::string> by_index_;  // bus id by "OSDev:802"
    std::map<std::string, std::uint64_t> dropped_;
};

}  // namespace

extern const SiteFormat hwloc{"hwloc", "hwloc's XML: `lstopo --of xml`",
                              [](const SourceText& source) { return source.is_xml("topology"); },
                              [](const SourceText& source) { return HwlocReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
