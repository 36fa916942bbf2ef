#include "discovery/site/pair_placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline site {

namespace {

class PairPlacement {
public:
    explicit PairPlacement(ShapeDraft& draft) : draft_(draft) {}

    // Devices that are PIX or PXB from each other share a switch; a NIC without one hangs on the CPU of a GPU near it.
    void run() {
        const std::string gpu_link = host_link(draft_.catalog, "gpu", draft_.shape.gpu.name);
        const std::string nic_link = host_link(draft_.catalog, "nic", draft_.shape.nic.name);
        std::vector<std::vector<std::string>> groups;
        std::map<std::string, int> numa;
        const auto join = [&](const std::string& name) {
            const auto group = std::ranges::find_if(groups, [&](const std::vector<std::string>& others) {
                return std::ranges::any_of(others, [&](const auto& other) { return apart(name, other, "PIX PXB"); });
            });
            (group == groups.end() ? groups.emplace_back() : *group).push_back(name);
        };
        for (std::size_t g = 0; g < draft_.gpus.size(); ++g) {
            const std::string name = fmt::format("gpu{}", g);
            numa[name] = draft_.gpus[g].numa;
            if (draft_.gpus[g].c2c) {
                draft_.shape.cables.push_back({name, draft_.cpu_of(draft_.gpus[g].numa), "nvlink-c2c"});
            } else {
                join(name);
            }
        }
        // GPUs joined by C2C are SYS from every NIC: then NICs near each other are one socket's, in order.
        std::vector<int> sockets;
        for (const auto& [domain, socket] : draft_.socket_of) {
            const bool taken = std::ranges::any_of(
                draft_.gpus, [domain = domain](const GpuSeen& gpu) { return gpu.numa == domain && !gpu.c2c; });
            if (!taken) { sockets.push_back(domain); }
        }
        auto next = sockets.begin();
        for (std::size_t n = 0; n < draft_.nics.size(); ++n) {
            const std::string name = fmt::format("nic{}", n);
            const auto near = std::ranges::find_if(
                numa, [&](const auto& other) { return apart(name, other.first, "PHB NODE PIX PXB"); });
            numa[name] = near != numa.end() ? near->second : next == sockets.end() ? 0 : *next++;
            join(name);
        }
        for (const std::vector<std::string>& group : groups) {
            std::string up = draft_.cpu_of(numa[group.front()]);
            if (group.size() > 1) {
                const std::string name = fmt::format("switch{}", named_++);
                const PcieSpec link = pcie_spec(draft_.catalog.at("link", gpu_link));
                draft_.shape.devices.emplace_back(name, pcie_switch_part(draft_.catalog, link.generation));
                draft_.shape.cables.push_back({name, up, gpu_link});
                up = name;
            }
            for (const std::string& name : group) {
                draft_.shape.cables.push_back({name, up, name.starts_with("gpu") ? gpu_link : nic_link});
            }
        }
        draft_.shape.notes.emplace_back("guess: PCIe links run as fast as their devices; nvidia-smi states no speed");
    }

private:
    // Whether two devices are at one of these distances.
    bool apart(const std::string& a, const std::string& b, std::string_view distances) const {
        return std::ranges::any_of(draft_.node.pairs, [&](const PairSeen& pair) {
            const bool same = (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
            return same && has_word(distances, pair.word);
        });
    }

    ShapeDraft& draft_;
    int named_ = 0;
};

}  // namespace

void place_by_pairs(ShapeDraft& draft) { PairPlacement(draft).run(); }

}  // namespace fabricast::inline site
