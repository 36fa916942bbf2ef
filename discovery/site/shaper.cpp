#include "discovery/site/shaper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "discovery/site/nvlink_cables.hpp"
#include "discovery/site/pci_placement.hpp"
#include "models/device_part.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline site {

namespace {

class Shaper {
public:
    Shaper(const NodeSeen& node, const Catalog& catalog, const StatedParts& said) : draft_{node, catalog}, said_(said) {
        for (const PciSeen& pci : node.pci) { draft_.by_bus[pci.bus] = &pci; }
    }

    NodeShape shape() {
        order_ends();
        guess_board();
        choose_parts();
        number_sockets();
        if (draft_.node.pci.empty()) {
            place_by_pairs(draft_);
        } else {
            place_by_tree(draft_);
        }
        choose_switches();
        join_sockets();
        join_by_nvlinks(draft_);
        std::ranges::sort(draft_.shape.devices, {}, [](const auto& device) { return device_order(device.first); });
        return std::move(draft_.shape);
    }

private:
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
        draft_.gpus = draft_.node.gpus;
        in_order(draft_.gpus);
        draft_.shape.gpus = draft_.gpus.size();
        for (const GpuSeen& gpu : draft_.gpus) { draft_.shape.bus_of_gpu.push_back(gpu.bus); }
        draft_.nics = draft_.node.nics;
        in_order(draft_.nics);
        // A management card beside the GPUs' fast adapters is not a rail: NCCL uses what is fast.
        std::int64_t fastest = 0;
        for (const NicSeen& nic : draft_.nics) { fastest = std::max(fastest, nic.megabits); }
        // Where no file states rates, a slot tells: x1 of the second generation beside x16 of the fifth.
        const auto slot_rate = [this](const NicSeen& nic) {
            const PciSeen* slot = draft_.pci(nic.bus);
            return slot == nullptr ? 0 : slot->capable.known() ? slot->capable.rate() : slot->link.rate();
        };
        const auto kind_of = [this](const NicSeen& nic) {
            const PciSeen* slot = draft_.pci(nic.bus);
            return slot == nullptr ? 0U : slot->device;
        };
        std::map<std::uint32_t, std::size_t> kinds;
        for (const NicSeen& nic : draft_.nics) { ++kinds[kind_of(nic)]; }
        double widest = 0;
        for (const NicSeen& nic : draft_.nics) { widest = std::max(widest, slot_rate(nic)); }
        const std::size_t all = draft_.nics.size();
        std::erase_if(draft_.nics, [&](const NicSeen& nic) {
            return fastest > 0 ? nic.megabits > 0 && nic.megabits * 4 <= fastest
                               : (slot_rate(nic) > 0 && slot_rate(nic) * 8 <= widest) ||
                                     (kind_of(nic) != 0 &&
                                      kinds.at(kind_of(nic)) * 2 < all - kinds[0]);  // most are of another kind
        });
        if (all > draft_.nics.size()) {
            draft_.shape.notes.push_back("left out: " + plural(all - draft_.nics.size(), "adapter") +
                                         ", slower or of another kind than most");
        }
        draft_.shape.nics = draft_.nics.size();
        draft_.shape.nic_of = draft_.nics;
    }

    int generation_of(const std::string& bus) const {
        const PciSeen* slot = draft_.pci(bus);
        return slot == nullptr ? 0 : pcie_generation(slot->link.gigatransfers);
    }

    // A file that only steers NCCL need not state NVLinks. Eight GPUs of a kind that has them sit on a board where they
    // meet in NVSwitches.
    void guess_board() {
        const bool silent = std::ranges::none_of(
            draft_.gpus, [](const GpuSeen& gpu) { return gpu.nvlinks_stated || !gpu.nvlinks.empty(); });
        if (draft_.node.trust == Trust::fact || !silent || draft_.gpus.size() != 8) { return; }
        const Part* stated = said_.gpu.empty() ? nullptr : draft_.catalog.find(said_.gpu);
        const bool board = stated != nullptr && gpu_spec(*stated).nvlinks > 0;
        const int sm = stated == nullptr ? draft_.gpus.front().sm : board ? gpu_spec(*stated).compute_capability : 0;
        // A cloud's file that names PCI devices alone says of what time they are by their slots.
        const int era = stated == nullptr && sm == 0 ? generation_of(draft_.gpus.front().bus) : 0;
        const int links = sm == 80 || era == 4 ? 12 : sm >= 90 || era >= 5 ? 18 : 0;
        if (links == 0) { return; }
        for (GpuSeen& gpu : draft_.gpus) { gpu.nvlinks = {{"nvswitch", links}}; }
        draft_.shape.notes.push_back(
            fmt::format("guess: the file states no NVLinks; boards of 8 such GPUs have {} each", links));
    }

    void choose_parts() {
        const bool arm = !draft_.node.cpus.empty() && draft_.node.cpus.front().arch.starts_with("arm");
        // A GPU that lost its links says less about its kind than its peers.
        const GpuSeen gpu =
            draft_.gpus.empty() ? GpuSeen{} : *std::ranges::max_element(draft_.gpus, {}, &GpuSeen::nvlink_count);
        const auto stated_or = [](const std::string& stated, PartFound found) {
            return stated.empty() ? found : PartFound{stated, Trust::fact, "stated"};
        };
        draft_.shape.gpu = stated_or(said_.gpu, gpu_part(draft_.catalog, gpu, draft_.pci(gpu.bus), arm || gpu.c2c));
        draft_.shape.peers = draft_.catalog.at("gpu", draft_.shape.gpu.name).word_or("peer_to_peer", "yes") == "yes";
        const auto direct = [](const auto& ends) {
            return ends.empty() || std::ranges::any_of(ends, [](const auto& end) { return end.gpu_direct; });
        };
        draft_.shape.gpu_direct = draft_.shape.peers && direct(draft_.gpus) && direct(draft_.nics);
        const NicSeen nic = draft_.nics.empty() ? NicSeen{} : draft_.nics.front();
        const std::int64_t megabits = nic.megabits / std::max(nic.ports, 1);
        const Part& link = draft_.catalog.at("link", host_link(draft_.catalog, "gpu", draft_.shape.gpu.name));
        const int generation = std::max(generation_of(nic.bus), pcie_spec(link).generation);
        draft_.shape.nic =
            stated_or(said_.nic, nic_part(draft_.catalog, nic, draft_.pci(nic.bus), megabits, generation));
        const CpuSeen cpu = draft_.node.cpus.empty() ? CpuSeen{} : draft_.node.cpus.front();
        draft_.shape.cpu = stated_or(said_.cpu, cpu_part(draft_.catalog, cpu, draft_.shape.gpu.name));
        draft_.shape.ports = std::max(nic.ports, 1);
        const auto others = std::ranges::count_if(draft_.nics, [&](const NicSeen& other) {
            return other.ports != nic.ports || (other.megabits > 0 && other.megabits != nic.megabits);
        });
        if (others > 0) {
            draft_.shape.notes.push_back(
                fmt::format("guess: {} of {} adapters have other ports or rates than {}: drawn as that", others,
                            draft_.nics.size(), nic.name));
        }
        const PciSeen* slot = draft_.pci(nic.bus);
        if (!draft_.nics.empty()) { draft_.shape.port = port_link(slot, megabits); }
        draft_.shape.infiniband = slot != nullptr && slot->kind == PciKind::nic && slot->layer == NicLayer::infiniband;
    }

    // The link of a port: the adapter's usual one, unless the file states another rate. Virtual machines print a rate
    // that is a tenth below the link's (OCI: 180 Gb/s).
    std::string port_link(const PciSeen* slot, std::int64_t megabits) const {
        const std::string usual = nic_spec(draft_.catalog.at("nic", draft_.shape.nic.name)).port_link;
        const std::string family = draft_.catalog.at("link", usual).word("family");
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
        for (const CpuSeen& cpu : draft_.node.cpus) { domains.insert(std::max(cpu.numa, 0)); }
        for (const GpuSeen& gpu : draft_.gpus) { domains.insert(std::max(gpu.numa, 0)); }
        std::size_t index = 0;
        const bool arm = !draft_.node.cpus.empty() && draft_.node.cpus.front().arch.starts_with("arm");
        const bool hosts = !draft_.node.cpus.empty() && draft_.node.cpus.back().host > 0;
        const std::size_t sockets = arm || hosts ? domains.size() : std::min<std::size_t>(domains.size(), 2);
        for (const int domain : domains) {
            draft_.socket_of[domain] = static_cast<int>(index++ * sockets / domains.size());
        }
        sockets_ = static_cast<int>(std::max<std::size_t>(sockets, 1));
        for (const CpuSeen& cpu : draft_.node.cpus) { host_of_[draft_.socket_of[std::max(cpu.numa, 0)]] = cpu.host; }
        for (int i = 0; i < sockets_; ++i) { draft_.shape.devices.emplace_back(fmt::format("cpu{}", i), ""); }
        if (domains.size() > sockets) {
            draft_.shape.notes.push_back(fmt::format("guess: {} NUMA domains are taken as 2 sockets", domains.size()));
        }
    }

    // The part of a switch by the fastest of its links.
    void choose_switches() {
        for (auto& [name, part] : draft_.shape.devices) {
            if (!name.starts_with("switch") || !part.empty()) { continue; }
            int generation = 3;
            for (const ShapeCable& cable : draft_.shape.cables) {
                const bool own = cable.from == name || cable.to == name;
                if (own && cable.link.starts_with("pcie-gen")) {
                    generation = std::max(generation, cable.link[8] - '0');
                }
            }
            part = pcie_switch_part(draft_.catalog, generation);
        }
    }

    void join_sockets() {
        for (int i = 0; i < sockets_; ++i) {
            for (int j = i + 1; j < sockets_; ++j) {
                if (host_of_[i] != host_of_[j]) { continue; }
                draft_.shape.cables.push_back({fmt::format("cpu{}", i), fmt::format("cpu{}", j), ""});
            }
        }
    }

    ShapeDraft draft_;
    const StatedParts& said_;
    std::map<int, int> host_of_;  // by socket
    int sockets_ = 1;
};

}  // namespace

NodeShape shape_of(const NodeSeen& node, const Catalog& catalog, const StatedParts& said) {
    return Shaper(node, catalog, said).shape();
}

}  // namespace fabricast::inline site
