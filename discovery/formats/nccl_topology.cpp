// NCCL's topology XML: dumps (NCCL_TOPO_DUMP_FILE), files that steer it (NCCL_TOPO_FILE), and RCCL's dialect, which
// calls the links between GPUs otherwise. Fields: NVIDIA/nccl src/graph/xml.h and topo.h.

#include <algorithm>
#include <map>
#include <set>

#include "base/xml.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

std::uint32_t hex_of(const xml::Element& element, std::string_view attribute) {
    return number_in<std::uint32_t>(normal_guid(element.word(attribute)), 16).value_or(0);
}

class TopologyReader {
public:
    explicit TopologyReader(const SourceText& source) : source_(source) {}

    Observations read() {
        const xml::Element root = xml::parse(source_.text(), source_.file());
        for (const xml::Element& cpu : root.children) {
            if (cpu.name == "cpu") { read_cpu(cpu); }
        }
        Observations seen;
        seen.dropped = std::move(dropped_);
        seen.one_domain = nodes_.size() > 1;
        for (auto& [host, node] : nodes_) {
            complete(node);
            seen.nodes.push_back(std::move(node));
        }
        if (seen.nodes.empty()) { root.fail("<system> holds no <cpu>"); }
        return seen;
    }

private:
    // A dump of several hosts (multi-node NVLink) tells them apart by host_hash, not by numaid: it holds the whole
    // NVLink domain.
    void read_cpu(const xml::Element& cpu) {
        NodeSeen& node = nodes_[cpu.word("host_hash")];
        if (node.at.file == nullptr) { node.at = cpu.place; }
        CpuSeen& seen = node.cpus.emplace_back();
        seen.numa = static_cast<int>(cpu.whole_or("numaid", 0, -1, 4096));
        seen.arch = cpu.word("arch");
        seen.vendor = cpu.word("vendor");
        seen.family = static_cast<int>(cpu.whole_or("familyid", 0, -1, 65535));
        seen.model = static_cast<int>(cpu.whole_or("modelid", 0, -1, 65535));
        seen.at = cpu.place;
        for (const xml::Element& child : cpu.children) { read_child(child, node, {}, seen.numa); }
    }

    void read_child(const xml::Element& child, NodeSeen& node, const PciSeen& above, int numa) {
        if (child.name == "pci") {
            read_pci(child, node, above, numa);
        } else if (child.name == "gpu") {
            read_gpu(child, node, above, numa);
        } else if (child.name == "nic" && above.bus.empty()) {
            // A NIC without a PCI device is a cloud's management interface, repeated below every CPU.
            for (const xml::Element& net : child.children) { drop_once(net, "interface without a PCI device"); }
        } else if (child.name == "nic") {
            read_nic(child, node, above, numa);
        }
    }

    void read_pci(const xml::Element& pci, NodeSeen& node, const PciSeen& above, int numa) {
        PciSeen seen;
        seen.bus = normal_bus(pci.required("busid"));
        if (seen.bus.empty()) {
            pci.fail(error_message("no PCI bus id", shown(pci.required("busid")), "0000:1b:00.0"));
        }
        seen.parent = above.bus;
        seen.numa = numa;
        read_class(hex_of(pci, "class"), seen);
        if (!pci.children.empty() && pci.children.front().name == "pci") { seen.kind = PciKind::bridge; }
        seen.vendor = hex_of(pci, "vendor");
        dumped_ = dumped_ || seen.vendor != 0;
        seen.device = hex_of(pci, "device");
        seen.link = {gigatransfers(pci.word("link_speed")), static_cast<int>(pci.whole_or("link_width", 0, -1, 255))};
        seen.at = pci.place;
        if (!buses_.emplace(&node, seen.bus).second) {
            // Files put together by hand repeat a bridge above each of its devices, or an adapter.
            if (seen.kind != PciKind::bridge && seen.kind != PciKind::nic) {
                pci.fail("a second device with bus id " + seen.bus);
            }
            ++dropped_["second row of a " + std::string(seen.kind == PciKind::nic ? "NIC" : "bridge")];
            if (seen.kind == PciKind::nic) { return; }
        } else {
            node.pci.push_back(seen);
        }
        for (const xml::Element& child : pci.children) { read_child(child, node, seen, numa); }
    }

    void read_gpu(const xml::Element& gpu, NodeSeen& node, const PciSeen& pci, int numa) {
        constexpr std::int64_t most_ranks = 1 << 24;
        std::int64_t index = gpu.whole_or("rank", -1, -1, most_ranks);
        // Hexadecimal across hosts: (system << 56) | number.
        if (index < 0) { index = count_in_word(gpu.word("dev")).value_or(-1); }
        if (index > most_ranks) { index = -1; }
        GpuSeen& seen = add_end(node.gpus, static_cast<int>(index), gpu.place);
        seen.bus = pci.bus;
        seen.sm = static_cast<int>(gpu.whole_or("sm", 0, 0, 10000));
        if (const std::string gcn = gpu.word("gcn"); !gcn.empty()) {
            seen.amd = true;
            seen.gfx = gcn.starts_with("gfx") ? gcn : "gfx" + gcn;
        }
        seen.numa = numa;
        seen.gpu_direct = gpu.word("gdr") != "0";
        for (const xml::Element& link : gpu.children) {
            seen.c2c = seen.c2c || link.name == "c2c";
            if (link.get("target") == nullptr) { continue; }  // NVLinks, and what RCCL calls its own
            dumped_ = true;
            const std::string bus = normal_bus(link.word("target"));
            if (!bus.empty() && bus == pci.bus) {  // a virtual machine shows no peer behind the links of a bridge
                dropped_["NVLink from a GPU to itself"] +=
                    static_cast<std::uint64_t>(link.whole_or("count", 1, 0, 1024));
                continue;
            }
            seen.nvlinks.push_back({target_of(link), static_cast<int>(link.whole_or("count", 1, 0, 1024))});
            if (seen.nvlinks.back().target == "nvswitch" && !bus.starts_with("fffffff")) {
                seen.nvlinks.back().hub = bus;
            }
        }
    }

    // NVSwitches are bridges of class 0x0680; since NCCL 2.28 all of them are one row with a target beyond the bus.
    static std::string target_of(const xml::Element& link) {
        const std::string bus = normal_bus(link.word("target"));
        const PciKind kind = pci_kind(hex_of(link, "tclass"));
        if (kind == PciKind::nvswitch || bus.starts_with("fffffff")) { return "nvswitch"; }
        return kind == PciKind::gpu || bus.empty() ? bus : "cpu";
    }

    void read_nic(const xml::Element& nic, NodeSeen& node, const PciSeen& pci, int numa) {
        NicSeen seen;
        seen.bus = pci.bus;
        seen.numa = numa;
        seen.at = nic.place;
        seen.ports = 0;
        for (const xml::Element& net : nic.children) {
            if (net.name != "net") { continue; }
            if (seen.ports++ == 0) {
                seen.name = net.word("name");
                seen.index = static_cast<int>(net.whole_or("dev", -1, -1, 4096));
            }
            seen.gpu_direct = net.word("gdr") != "0";
            seen.megabits += net.whole_or("speed", 0, -1, 1 << 30);
            if (const std::string guid = normal_guid(net.word("guid")); guid.size() > 6) { add_guid(seen, guid); }
        }
        if (seen.ports > 0) { node.nics.push_back(std::move(seen)); }
    }

    // NCCL prints the GUID as a little-endian machine holds it, with its bytes the other way round.
    static void add_guid(NicSeen& nic, const std::string& guid) {
        std::string turned;
        const std::string digits = std::string(16 - std::min<std::size_t>(guid.size(), 16), '0') + guid;
        for (std::size_t i = digits.size(); i >= 2; i -= 2) { turned += digits.substr(i - 2, 2); }
        nic.guids.push_back(guid);
        nic.guids.push_back(normal_guid(turned));
    }

    void drop_once(const xml::Element& net, const std::string& kind) {
        if (names_.insert(net.word("name")).second) { ++dropped_[kind]; }
    }

    // A dump says who made each device, or which NVLinks there are; a file that steers NCCL leaves out what it does not
    // need. Files that steer NCCL may name only PCI devices; CUDA numbers GPUs in the order of their bus ids.
    void complete(NodeSeen& node) const {
        node.trust = dumped_ ? Trust::fact : Trust::hint;
        for (GpuSeen& gpu : node.gpus) { gpu.nvlinks_stated = dumped_; }
        std::map<std::string, const PciSeen*> by_bus;
        for (const PciSeen& pci : node.pci) { by_bus[pci.bus] = &pci; }
        for (const auto& [bus, pci] : by_bus) {
            add_unlisted(node.gpus, PciKind::gpu, *pci);
            add_unlisted(node.nics, PciKind::nic, *pci);
        }
    }

    template <class End> static void add_unlisted(std::vector<End>& ends, PciKind kind, const PciSeen& pci) {
        const auto is_listed = [&](const End& end) { return end.bus == pci.bus; };
        if (pci.kind == kind && std::ranges::none_of(ends, is_listed)) { add_end(ends, -1, pci); }
    }

    const SourceText& source_;
    std::map<std::string, NodeSeen> nodes_;  // by host_hash
    std::set<std::pair<const NodeSeen*, std::string>> buses_;
    std::set<std::string> names_;
    std::map<std::string, std::uint64_t> dropped_;
    bool dumped_ = false;
};

}  // namespace

extern const SiteFormat nccl_topology{"nccl-topology",
                                      "NCCL's or RCCL's topology XML: `NCCL_TOPO_DUMP_FILE`, `NCCL_TOPO_FILE`",
                                      [](const SourceText& source) { return source.is_xml("system"); },
                                      [](const SourceText& source) { return TopologyReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
