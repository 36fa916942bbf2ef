#include "discovery/site/node_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "discovery/site/nvlink_counts.hpp"
#include "models/device_part.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline site {

namespace {

std::string pcie_name(int generation, int width) { return fmt::format("pcie-gen{}-x{}", generation, width); }

class Shaper {
public:
    Shaper(const NodeSeen& node, const Catalog& catalog, const StatedParts& said)
        : node_(node), catalog_(catalog), said_(said) {
        for (const PciSeen& pci : node.pci) { by_bus_[pci.bus] = &pci; }
    }

    NodeShape shape() {
        order_ends();
        guess_board();
        choose_parts();
        number_sockets();
        if (node_.pci.empty()) {
            place_by_pairs();
        } else {
            place_by_tree();
        }
        choose_switches();
        join_sockets();
        add_nvlinks();
        std::ranges::sort(shape_.devices, {}, [](const auto& device) { return device_order(device.first); });
        return std::move(shape_);
    }

private:
    const PciSeen* pci(const std::string& bus) const {
        const auto found = by_bus_.find(bus);
        return found == by_bus_.end() ? nullptr : found->second;
    }

    static std::tuple<int, std::string, int> device_order(const std::string& name) {
        const int kind = name.starts_with("cpu") ? 0 : name.starts_with("switch") ? 1 : 2;
        const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
        return {kind, name.substr(0, digits), std::atoi(name.c_str() + digits)};
    }

    // CUDA and NCCL order by number where there is one, by bus id where not.
    template <class Device> static void in_order(std::vector<Device>& devices) {
        std::stable_sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) {
            return std::pair(a.index < 0 ? 1 << 30 : a.index, a.bus) <
                   std::pair(b.index < 0 ? 1 << 30 : b.index, b.bus);
        });
    }

    void order_ends() {
        gpus_ = node_.gpus;
        in_order(gpus_);
        shape_.gpus = gpus_.size();
        for (const GpuSeen& gpu : gpus_) { shape_.bus_of_gpu.push_back(gpu.bus); }
        nics_ = node_.nics;
        in_order(nics_);
        // A management card beside the GPUs' fast adapters is not a rail: NCCL uses what is fast.
        std::int64_t fastest = 0;
        for (const NicSeen& nic : nics_) { fastest = std::max(fastest, nic.megabits); }
        const std::size_t all = nics_.size();
        std::erase_if(nics_, [&](const NicSeen& nic) { return nic.megabits > 0 && nic.megabits * 4 <= fastest; });
        if (all > nics_.size()) {
            shape_.notes.push_back(fmt::format("{} slower adapters are left out", all - nics_.size()));
        }
        shape_.nics = nics_.size();
        shape_.nic_of = nics_;
    }

    // A file that only steers NCCL need not state NVLinks. Eight GPUs of a kind that has them sit on a board where they
    // meet in NVSwitches.
    void guess_board() {
        const bool silent =
            std::ranges::none_of(gpus_, [](const GpuSeen& gpu) { return gpu.nvlinks_stated || !gpu.nvlinks.empty(); });
        if (node_.trust == Trust::fact || !silent || gpus_.size() != 8) { return; }
        const Part* stated = said_.gpu.empty() ? nullptr : catalog_.find(said_.gpu);
        const bool board = stated != nullptr && gpu_spec(*stated).nvlinks > 0;
        const int sm = stated == nullptr ? gpus_.front().sm : board ? gpu_spec(*stated).compute_capability : 0;
        const int links = sm == 80 ? 12 : sm >= 90 ? 18 : 0;
        if (links == 0) { return; }
        for (GpuSeen& gpu : gpus_) { gpu.nvlinks = {{"nvswitch", links}}; }
        shape_.notes.push_back(
            fmt::format("guess: the file states no NVLinks; boards of 8 such GPUs have {} each", links));
    }

    void choose_parts() {
        const bool arm = !node_.cpus.empty() && node_.cpus.front().arch.starts_with("arm");
        // A GPU that lost its links says less about its kind than its peers.
        const GpuSeen gpu = gpus_.empty() ? GpuSeen{} : *std::ranges::max_element(gpus_, {}, &GpuSeen::nvlink_count);
        const auto stated_or = [](const std::string& stated, PartFound found) {
            return stated.empty() ? found : PartFound{stated, Trust::fact, "stated"};
        };
        shape_.gpu = stated_or(said_.gpu, gpu_part(catalog_, gpu, pci(gpu.bus), arm || gpu.c2c));
        shape_.peers = catalog_.at("gpu", shape_.gpu.name).word_or("peer_to_peer", "yes") == "yes";
        const NicSeen nic = nics_.empty() ? NicSeen{} : nics_.front();
        const std::int64_t megabits = nic.megabits / std::max(nic.ports, 1);
        const int generation = pcie_spec(catalog_.at("link", host_link("gpu", shape_.gpu.name))).generation;
        shape_.nic = stated_or(said_.nic, nic_part(catalog_, nic, pci(nic.bus), megabits, generation));
        const CpuSeen cpu = node_.cpus.empty() ? CpuSeen{} : node_.cpus.front();
        shape_.cpu = stated_or(said_.cpu, cpu_part(catalog_, cpu, shape_.gpu.name));
        shape_.ports = std::max(nic.ports, 1);
        const PciSeen* slot = pci(nic.bus);
        if (!nics_.empty()) { shape_.port = port_link(slot, megabits); }
        shape_.infiniband = slot != nullptr && slot->kind == PciKind::nic && slot->layer == NicLayer::infiniband;
    }

    // The link of a port: the adapter's usual one, unless the file states another rate. Virtual machines print a rate
    // that is a tenth below the link's (OCI: 180 Gb/s).
    std::string port_link(const PciSeen* slot, std::int64_t megabits) const {
        const std::string usual = nic_spec(catalog_.at("nic", shape_.nic.name)).port_link;
        const std::string family = catalog_.at("link", usual).word("family");
        const bool ethernet = family == "ethernet" || (slot != nullptr && slot->layer == NicLayer::ethernet);
        if (megabits == 0 || (family != "infiniband" && family != "ethernet")) { return usual; }
        for (const std::int64_t rate : {25'000, 50'000, 100'000, 200'000, 400'000, 800'000}) {
            if (megabits > rate) { continue; }
            const bool halved = rate == 200'000 && usual == "infiniband-ndr";
            const std::string link = network_link(rate, halved ? "2xNDR" : "4x", !ethernet);
            return link.empty() ? usual : link;
        }
        return usual;
    }

    // NUMA nodes may be quarters of a socket (NPS4, SNC); the catalogue's CPU is a socket, and servers have two at most
    // of them with GPUs. More than two are taken as two, in the order of their numbers.
    void number_sockets() {
        std::set<int> domains;
        for (const CpuSeen& cpu : node_.cpus) { domains.insert(std::max(cpu.numa, 0)); }
        for (const GpuSeen& gpu : gpus_) { domains.insert(std::max(gpu.numa, 0)); }
        std::size_t index = 0;
        const bool arm = !node_.cpus.empty() && node_.cpus.front().arch.starts_with("arm");
        const bool hosts = !node_.cpus.empty() && node_.cpus.back().host > 0;
        const std::size_t sockets = arm || hosts ? domains.size() : std::min<std::size_t>(domains.size(), 2);
        for (const int domain : domains) { socket_of_[domain] = static_cast<int>(index++ * sockets / domains.size()); }
        sockets_ = static_cast<int>(std::max<std::size_t>(sockets, 1));
        for (const CpuSeen& cpu : node_.cpus) { host_of_[socket_of_[std::max(cpu.numa, 0)]] = cpu.host; }
        for (int i = 0; i < sockets_; ++i) { shape_.devices.emplace_back(fmt::format("cpu{}", i), ""); }
        if (domains.size() > sockets) {
            shape_.notes.push_back(fmt::format("guess: {} NUMA domains are taken as 2 sockets", domains.size()));
        }
    }

    std::string cpu_of(int numa) const {
        const auto found = socket_of_.find(std::max(numa, 0));
        return fmt::format("cpu{}", found == socket_of_.end() ? 0 : found->second);
    }

    // --- by the PCI tree

    // The bridges above a device, the nearest first.
    std::vector<std::string> bridges_above(const std::string& bus) const {
        std::vector<std::string> above;
        for (const PciSeen* at = pci(bus); at != nullptr && !at->parent.empty() && above.size() < 64;
             at = pci(at->parent)) {
            above.push_back(at->parent);
        }
        return above;
    }

    // A bridge with at least two ways to GPUs and NICs is a switch; others are ports on the way.
    void place_by_tree() {
        std::map<std::string, std::set<std::string>> ways;  // by bridge: the children that lead to an end
        const auto follow = [&](const std::string& bus) {
            std::string below = bus;
            for (const std::string& bridge : bridges_above(bus)) {
                ways[bridge].insert(below);
                below = bridge;
            }
        };
        for (const GpuSeen& gpu : gpus_) { follow(gpu.bus); }
        for (const NicSeen& nic : nics_) { follow(nic.bus); }
        // Adapters with two functions are one card in one slot, no switch.
        for (const auto& [bridge, below] : ways) {
            std::set<std::string> slots;
            for (const std::string& bus : below) { slots.insert(bus.substr(0, bus.rfind('.'))); }
            if (slots.size() > 1) { switches_.emplace(bridge, ""); }
        }
        for (const GpuSeen& gpu : gpus_) { name_switches(gpu); }
        for (const NicSeen& nic : nics_) { name_switches(nic); }
        for (std::size_t g = 0; g < gpus_.size(); ++g) {
            const bool nvlink =
                std::ranges::find(gpus_[g].nvlinks, "cpu", &NvlinkSeen::target) != gpus_[g].nvlinks.end();
            if (gpus_[g].c2c) {
                shape_.cables.push_back({fmt::format("gpu{}", g), cpu_of(gpus_[g].numa), "nvlink-c2c"});
            }
            // Joined to its CPU otherwise, it has PCIe only to what shares its switch.
            if ((!gpus_[g].c2c && !nvlink) || (gpus_[g].c2c && !switches_above(gpus_[g].bus).empty())) {
                attach(fmt::format("gpu{}", g), gpus_[g], shape_.gpu.name, gpus_[g].c2c);
            }
        }
        for (std::size_t n = 0; n < nics_.size(); ++n) { attach(fmt::format("nic{}", n), nics_[n], shape_.nic.name); }
        place_others();
    }

    // Drives, capture cards and memory expanders, where the file states their links.
    void place_others() {
        std::map<std::string, int> count;
        for (const auto& [bus, seen] : by_bus_) {
            if (seen->word.empty() || !seen->link.known()) { continue; }
            const std::string name = fmt::format("{}{}", seen->word, count[seen->word]++);
            const int generation = std::clamp(pcie_generation(seen->link.gigatransfers), 1, 9);
            shape_.devices.emplace_back(name, other_part(catalog_, seen->word, generation));
            shape_.cables.push_back(
                {name, above(bus, seen->numa), pcie_name(generation, std::min(seen->link.width, 16))});
        }
    }

    // Switches are numbered in the order of the GPUs below them; one that has only GPUs joined by C2C below it carries
    // nothing of NCCL's.
    void name_switches(const EndSeen& end) {
        for (const std::string& bridge : switches_above(end.bus)) {
            std::string& name = switches_[bridge];
            if (name.empty()) { name = fmt::format("switch{}", named_++); }
        }
    }

    // The bus ids of the switches above a device, the nearest first.
    std::vector<std::string> switches_above(const std::string& bus) const {
        std::vector<std::string> above = bridges_above(bus);
        std::erase_if(above, [&](const std::string& bridge) { return !switches_.contains(bridge); });
        return above;
    }

    // The switch above a device, or its CPU.
    std::string above(const std::string& bus, int numa) const {
        const std::vector<std::string> switches = switches_above(bus);
        return switches.empty() ? cpu_of(numa) : switches_.at(switches.front());
    }

    void attach(const std::string& name, const EndSeen& end, const std::string& part, bool c2c = false) {
        shape_.cables.push_back({name, above(end.bus, end.numa), leg(end.bus, part)});
        const PciSeen* seen = pci(end.bus);
        for (const std::string& bridge : switches_above(end.bus)) {
            if (!done_.insert(bridge).second) { continue; }
            add_switch(bridge, switches_.at(bridge), seen == nullptr ? PciLink{} : seen->link, end.numa, c2c);
        }
    }

    // The link of an end, no faster than its part: what a virtual machine prints may be anything.
    std::string leg(const std::string& bus, const std::string& part) const {
        const std::string usual = catalog_.find(part) == nullptr ? "" : catalog_.find(part)->word_or("host_link", "");
        const PciSeen* seen = pci(bus);
        if (seen == nullptr || !seen->link.known()) { return usual.empty() ? pcie_name(4, 16) : usual; }
        const int width = std::min(seen->link.width, 16);
        const int generation = std::max(pcie_generation(seen->link.gigatransfers), 1);
        const std::string own = pcie_name(generation, width);
        if (usual.empty() || !catalog_.find(usual)->has("generation") || shape_.ports > 1) { return own; }
        // Eight lanes of the next generation carry as much as sixteen of this one.
        const PcieSpec most = pcie_spec(catalog_.at("link", usual));
        if ((width << generation) <= (most.lanes << most.generation)) { return own; }
        return pcie_name(std::min(generation, most.generation), std::min(width, most.lanes));
    }

    // A switch's way up. What the port states counts only if it is a real port of the host: switches with a synthetic
    // upstream bridge print 5.0 GT/s, or 16.0 GT/s x1, above links that are faster. Where a GPU has C2C, such a port is
    // no data path.
    void add_switch(const std::string& bridge, const std::string& name, const PciLink& below, int numa, bool c2c) {
        const PciSeen& port = *pci(bridge);
        const bool synthetic = !c2c && (port.link.width < 4 || pcie_generation(port.link.gigatransfers) < 3);
        const bool believed = port.link.known() && (!below.known() || !synthetic || port.link.rate() >= below.rate());
        const PciLink link = believed ? port.link : below;
        const int generation = std::max(pcie_generation(link.gigatransfers), 3);
        if (!believed && port.link.known()) {
            shape_.notes.push_back(fmt::format("{} at {} prints {} GT/s x{}; taken as fast as what is below it", name,
                                               bridge, port.link.gigatransfers, port.link.width));
        }
        shape_.devices.emplace_back(name, "");
        shape_.cables.push_back(
            {name, above(bridge, numa), pcie_name(generation, link.known() ? std::min(link.width, 16) : 16)});
    }

    // The part of a switch by the fastest of its links.
    void choose_switches() {
        for (auto& [name, part] : shape_.devices) {
            if (!name.starts_with("switch") || !part.empty()) { continue; }
            int generation = 3;
            for (const ShapeCable& cable : shape_.cables) {
                const bool own = cable.from == name || cable.to == name;
                if (own && cable.link.starts_with("pcie-gen")) {
                    generation = std::max(generation, cable.link[8] - '0');
                }
            }
            part = pcie_switch_part(catalog_, generation);
        }
    }

    // --- by nvidia-smi's distances

    // Whether two devices are at one of these distances.
    bool apart(const std::string& a, const std::string& b, std::string_view distances) const {
        return std::ranges::any_of(node_.pairs, [&](const PairSeen& pair) {
            const bool same = (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
            return same && has_word(distances, pair.word);
        });
    }

    // Devices that are PIX or PXB from each other share a switch; a NIC without one hangs on the CPU of a GPU near it.
    void place_by_pairs() {
        const std::string gpu_link = host_link("gpu", shape_.gpu.name);
        const std::string nic_link = host_link("nic", shape_.nic.name);
        std::vector<std::vector<std::string>> groups;
        std::map<std::string, int> numa;
        const auto join = [&](const std::string& name) {
            const auto group = std::ranges::find_if(groups, [&](const std::vector<std::string>& others) {
                return std::ranges::any_of(others, [&](const auto& other) { return apart(name, other, "PIX PXB"); });
            });
            (group == groups.end() ? groups.emplace_back() : *group).push_back(name);
        };
        for (std::size_t g = 0; g < gpus_.size(); ++g) {
            const std::string name = fmt::format("gpu{}", g);
            numa[name] = gpus_[g].numa;
            if (gpus_[g].c2c) {
                shape_.cables.push_back({name, cpu_of(gpus_[g].numa), "nvlink-c2c"});
            } else {
                join(name);
            }
        }
        // GPUs joined by C2C are SYS from every NIC: then NICs near each other are one socket's, in order.
        std::vector<int> sockets;
        for (const auto& [domain, socket] : socket_of_) {
            const bool taken = std::ranges::any_of(
                gpus_, [domain = domain](const GpuSeen& gpu) { return gpu.numa == domain && !gpu.c2c; });
            if (!taken) { sockets.push_back(domain); }
        }
        auto next = sockets.begin();
        for (std::size_t n = 0; n < nics_.size(); ++n) {
            const std::string name = fmt::format("nic{}", n);
            const auto near = std::ranges::find_if(
                numa, [&](const auto& other) { return apart(name, other.first, "PHB NODE PIX PXB"); });
            numa[name] = near != numa.end() ? near->second : next == sockets.end() ? 0 : *next++;
            join(name);
        }
        for (const std::vector<std::string>& group : groups) {
            std::string up = cpu_of(numa[group.front()]);
            if (group.size() > 1) {
                const std::string name = fmt::format("switch{}", named_++);
                const PcieSpec link = pcie_spec(catalog_.at("link", gpu_link));
                shape_.devices.emplace_back(name, pcie_switch_part(catalog_, link.generation));
                shape_.cables.push_back({name, up, gpu_link});
                up = name;
            }
            for (const std::string& name : group) {
                shape_.cables.push_back({name, up, name.starts_with("gpu") ? gpu_link : nic_link});
            }
        }
        shape_.notes.emplace_back(
            "guess: PCIe links run as fast as their devices; nvidia-smi's matrix states no speed");
    }

    std::string host_link(std::string_view kind, const std::string& part) const {
        const std::string link = catalog_.at(kind, part).word_or("host_link", "");
        const bool pcie = !link.empty() && catalog_.at("link", link).has("generation");
        return pcie ? link : pcie_name(5, 16);
    }

    void join_sockets() {
        for (int i = 0; i < sockets_; ++i) {
            for (int j = i + 1; j < sockets_; ++j) {
                if (host_of_[i] != host_of_[j]) { continue; }
                shape_.cables.push_back({fmt::format("cpu{}", i), fmt::format("cpu{}", j), ""});
            }
        }
    }

    void add_nvlinks() {
        const Part& part = catalog_.at("gpu", shape_.gpu.name);
        const double capability = part.number_or("compute_capability", 80);
        std::string link = part.word_or("nvlink", "");
        if (link.empty()) {  // a card with a bridge
            link = capability < 80 ? "nvlink-2" : capability < 90 ? "nvlink-3-bridge" : "nvlink-4";
        }
        NvlinkCounts counts = count_nvlinks(gpus_, gpu_spec(part).nvlinks);
        for (std::size_t g = 0; g < gpus_.size(); ++g) {
            const std::string name = fmt::format("gpu{}", g);
            if (counts.to_switch[g] > 0) {
                shape_.cables.push_back({name, plane_name(counts, counts.plane[g]), link, counts.to_switch[g]});
            }
            if (counts.to_cpu[g] > 0) {
                shape_.cables.push_back({name, cpu_of(gpus_[g].numa), link, counts.to_cpu[g]});
            }
        }
        if (counts.any_to_switch) {
            const int generation = capability >= 100 ? 4 : capability >= 90 ? 3 : capability >= 80 ? 2 : 1;
            for (int plane = 0; plane < counts.planes; ++plane) {
                shape_.devices.emplace_back(plane_name(counts, plane), fmt::format("nvswitch-{}", generation));
            }
            join_planes(counts, link);
        }
        if (!counts.mesh.empty()) {
            shape_.mesh_link = link;
            shape_.mesh = std::move(counts.mesh);
        }
    }

    static std::string plane_name(const NvlinkCounts& counts, int plane) {
        return counts.planes == 1 ? "nvswitch" : fmt::format("nvswitch{}", plane);
    }

    // No file states the cables between NVSwitches. Two boards are joined by as many links as the GPUs of one have, as
    // in a DGX-2 (Hot Chips 30).
    void join_planes(const NvlinkCounts& counts, const std::string& link) {
        if (counts.planes < 2) { return; }
        std::vector<int> links(static_cast<std::size_t>(counts.planes));
        for (std::size_t g = 0; g < gpus_.size(); ++g) {
            links[static_cast<std::size_t>(counts.plane[g])] += counts.to_switch[g];
        }
        const int each = *std::ranges::min_element(links) / (counts.planes - 1);
        for (int a = 0; a < counts.planes; ++a) {
            for (int b = a + 1; b < counts.planes; ++b) {
                shape_.cables.push_back({plane_name(counts, a), plane_name(counts, b), link, each});
            }
        }
        shape_.notes.push_back(fmt::format(
            "guess: {} boards whose GPUs share no NVSwitch are joined by {} links a pair", counts.planes, each));
    }

    const NodeSeen& node_;
    const Catalog& catalog_;
    const StatedParts& said_;
    std::map<std::string, const PciSeen*> by_bus_;
    std::vector<GpuSeen> gpus_;
    std::vector<NicSeen> nics_;
    std::map<int, int> socket_of_;                 // by NUMA domain
    std::map<int, int> host_of_;                   // by socket
    std::map<std::string, std::string> switches_;  // name by bus id of the bridge
    std::set<std::string> done_;
    int sockets_ = 1, named_ = 0;
    NodeShape shape_;
};

}  // namespace

NodeShape shape_of(const NodeSeen& node, const Catalog& catalog, const StatedParts& said) {
    return Shaper(node, catalog, said).shape();
}

}  // namespace fabricast::inline site
