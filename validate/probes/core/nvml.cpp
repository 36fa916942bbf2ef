#include "core/nvml.hpp"

#include <dlfcn.h>

#include <map>

namespace probe {
namespace {

// NVML's C interface as its reference manual declares it; every call returns 0 for success.
using Device = void*;
struct PciInfo {
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
constexpr unsigned most_links = 36;  // 18 up to Hopper; later generations may have more

template <typename Function> bool load(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

const char* ancestor_name(unsigned level) {
    switch (level) {
        case 0: return "same board";
        case 10: return "PIX";
        case 20: return "PXB";
        case 30: return "PHB";
        case 40: return "NODE";
        case 50: return "SYS";
        default: return "unknown";
    }
}

}  // namespace

struct Nvml::Library {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    int (*by_bus_id)(const char*, Device*) = nullptr;
    int (*pcie_generation)(Device, unsigned*) = nullptr;
    int (*pcie_width)(Device, unsigned*) = nullptr;
    int (*most_pcie_generation)(Device, unsigned*) = nullptr;
    int (*most_pcie_width)(Device, unsigned*) = nullptr;
    int (*link_state)(Device, unsigned, unsigned*) = nullptr;
    int (*link_version)(Device, unsigned, unsigned*) = nullptr;
    int (*link_remote)(Device, unsigned, PciInfo*) = nullptr;
    int (*ancestor)(Device, Device, unsigned*) = nullptr;
    int (*p2p_status)(Device, Device, unsigned, unsigned*) = nullptr;

    bool open(void* file) {
        return load(file, init, "nvmlInit_v2") && load(file, shutdown, "nvmlShutdown") &&
               load(file, driver, "nvmlSystemGetDriverVersion") &&
               load(file, by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
               load(file, pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration") &&
               load(file, pcie_width, "nvmlDeviceGetCurrPcieLinkWidth") &&
               load(file, most_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration") &&
               load(file, most_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth") &&
               load(file, link_state, "nvmlDeviceGetNvLinkState") &&
               load(file, link_version, "nvmlDeviceGetNvLinkVersion") &&
               load(file, link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2") &&
               load(file, ancestor, "nvmlDeviceGetTopologyCommonAncestor") &&
               load(file, p2p_status, "nvmlDeviceGetP2PStatus") && init() == 0;
    }

    Device device(const std::string& bus_id) const {
        Device found = nullptr;
        return by_bus_id(bus_id.c_str(), &found) == 0 ? found : nullptr;
    }
};

Nvml::Nvml() : library_(nullptr) {
    void* file = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (file == nullptr) { return; }
    library_ = new Library;
    if (!library_->open(file)) {
        delete library_;
        library_ = nullptr;
    }
}

Nvml::~Nvml() {
    if (library_ != nullptr) {
        library_->shutdown();
        delete library_;
    }
}

std::string Nvml::driver_version() const {
    char text[96] = {};
    return library_ != nullptr && library_->driver(text, sizeof text) == 0 ? text : "";
}

GpuWires Nvml::wires(const std::string& bus_id) const {
    Device device = library_ == nullptr ? nullptr : library_->device(bus_id);
    if (device == nullptr) { return {"unknown", "unknown"}; }
    GpuWires wires;
    unsigned generation = 0, width = 0, most_generation = 0, most_width = 0;
    const bool known = library_->pcie_generation(device, &generation) == 0 &&
                       library_->pcie_width(device, &width) == 0 &&
                       library_->most_pcie_generation(device, &most_generation) == 0 &&
                       library_->most_pcie_width(device, &most_width) == 0;
    wires.pcie = known ? "gen " + std::to_string(generation) + " of " + std::to_string(most_generation) + ", x" +
                             std::to_string(width) + " of x" + std::to_string(most_width)
                       : "unknown";
    std::map<std::string, int> links_to;
    unsigned version = 0;
    for (unsigned link = 0; link < most_links; ++link) {
        unsigned active = 0;
        if (library_->link_state(device, link, &active) != 0 || active == 0) { continue; }
        library_->link_version(device, link, &version);
        PciInfo remote = {};
        ++links_to[library_->link_remote(device, link, &remote) == 0 ? remote.bus_id : "unknown"];
    }
    for (const auto& [remote, links] : links_to) {
        wires.nvlink += (wires.nvlink.empty() ? "" : ", ") + std::to_string(links) + " to " + remote;
    }
    wires.nvlink = links_to.empty() ? "none" : "version " + std::to_string(version) + ": " + wires.nvlink;
    return wires;
}

std::string Nvml::between(const std::string& bus_id, const std::string& other_bus_id) const {
    Device one = library_ == nullptr ? nullptr : library_->device(bus_id);
    Device other = library_ == nullptr ? nullptr : library_->device(other_bus_id);
    if (one == nullptr || other == nullptr) { return "unknown"; }
    unsigned level = ~0U;
    std::string text = library_->ancestor(one, other, &level) == 0 ? ancestor_name(level) : "unknown";
    // Capability indices 0 read, 1 write, 2 NVLink, 3 atomics; status 0 is "supported".
    const char* const capabilities[] = {"read", "write", "nvlink", "atomics"};
    for (unsigned i = 0; i < 4; ++i) {
        unsigned status = ~0U;
        if (library_->p2p_status(one, other, i, &status) == 0 && status == 0) {
            text += std::string(" ") + capabilities[i];
        }
    }
    return text;
}

}  // namespace probe
