#include "core/nvml.hpp"

#include <map>

namespace probe {
namespace {

// NVML's C interface as its reference manual declares it; every call returns 0 for success.
struct PciInfo {
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
constexpr unsigned most_links = 36;  // 18 up to Hopper; later generations may have more

}  // namespace

std::string Nvml::driver_version() const {
    char text[96] = {};
    return library_.call("nvmlSystemGetDriverVersion", &text[0], static_cast<unsigned>(sizeof text)) == 0 ? text : "";
}

void* Nvml::device(const std::string& bus_id) const {
    void* found = nullptr;
    return library_.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &found) == 0 ? found : nullptr;
}

std::string Nvml::wires(const std::string& bus_id) const {
    void* const gpu = device(bus_id);
    return "PCIe " + (gpu == nullptr ? "unknown" : pcie(gpu)) + ", NVLink " +
           (gpu == nullptr ? "unknown" : nvlink(gpu));
}

std::string Nvml::pcie(void* device) const {
    unsigned generation = 0, width = 0, most_generation = 0, most_width = 0;
    const bool known = library_.call("nvmlDeviceGetCurrPcieLinkGeneration", device, &generation) == 0 &&
                       library_.call("nvmlDeviceGetCurrPcieLinkWidth", device, &width) == 0 &&
                       library_.call("nvmlDeviceGetMaxPcieLinkGeneration", device, &most_generation) == 0 &&
                       library_.call("nvmlDeviceGetMaxPcieLinkWidth", device, &most_width) == 0;
    return known ? "gen " + std::to_string(generation) + " of " + std::to_string(most_generation) + ", x" +
                       std::to_string(width) + " of x" + std::to_string(most_width)
                 : "unknown";
}

std::string Nvml::nvlink(void* device) const {
    std::map<std::string, int> links_to;
    unsigned version = 0;
    for (unsigned link = 0; link < most_links; ++link) {
        unsigned active = 0;
        if (library_.call("nvmlDeviceGetNvLinkState", device, link, &active) != 0 || active == 0) { continue; }
        library_.call("nvmlDeviceGetNvLinkVersion", device, link, &version);
        PciInfo remote = {};
        const bool known = library_.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link, &remote) == 0;
        ++links_to[known ? remote.bus_id : "unknown"];
    }
    if (links_to.empty()) { return "none"; }
    std::string text;
    for (const auto& [remote, links] : links_to) {
        text += (text.empty() ? "" : ", ") + std::to_string(links) + " to " + remote;
    }
    return "version " + std::to_string(version) + ": " + text;
}

std::string Nvml::between(const std::string& bus_id, const std::string& other_bus_id) const {
    void* const one = device(bus_id);
    void* const other = device(other_bus_id);
    if (one == nullptr || other == nullptr) { return "unknown"; }
    // The levels of nvmlGpuTopologyLevel_t are 0, 10, 20 and so on.
    const char* const ancestors[] = {"same board", "PIX", "PXB", "PHB", "NODE", "SYS"};
    unsigned level = ~0U;
    const bool known = library_.call("nvmlDeviceGetTopologyCommonAncestor", one, other, &level) == 0 && level <= 50;
    std::string text = known ? ancestors[level / 10] : "unknown";
    // Capability indices 0 read, 1 write, 2 NVLink, 3 atomics; status 0 is "supported".
    const char* const capabilities[] = {"read", "write", "nvlink", "atomics"};
    for (unsigned i = 0; i < 4; ++i) {
        unsigned status = ~0U;
        if (library_.call("nvmlDeviceGetP2PStatus", one, other, i, &status) == 0 && status == 0) {
            text += std::string(" ") + capabilities[i];
        }
    }
    return text;
}

}  // namespace probe
