#include "cuda/topology.hpp"

#include <cuda_runtime_api.h>

#include <map>

#include "core/command.hpp"
#include "core/ending.hpp"
#include "core/library.hpp"
#include "core/machine.hpp"
#include "cuda/buffers.hpp"

namespace probe {
namespace {

// NVML's C interface as its reference manual declares it; every call returns 0 for success.
struct PciInfo {
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
constexpr unsigned most_links = 36;  // 18 up to Hopper; later generations may have more

// What NVIDIA's management library tells of GPUs and the wires between them. Without it everything reads "unknown".
class Nvml {
public:
    Nvml() { library_.call("nvmlInit_v2"); }
    ~Nvml() { library_.call("nvmlShutdown"); }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    std::string driver_version() const {
        char text[96] = {};
        library_.call("nvmlSystemGetDriverVersion", &text[0], static_cast<unsigned>(sizeof text));
        return text;
    }

    // Of a GPU by its PCI bus id, "00000000:3B:00.0" or shorter: "PCIe gen 5 of 5, x16 of x16, NVLink version 4: 18 to
    // 00000000:86:00.0", or "NVLink none".
    std::string wires(const std::string& bus_id) const {
        void* const gpu = device(bus_id);
        return "PCIe " + (gpu == nullptr ? "unknown" : pcie(gpu)) + ", NVLink " +
               (gpu == nullptr ? "unknown" : nvlink(gpu));
    }

    // "PIX", "PXB", "PHB", "NODE", "SYS" as `nvidia-smi topo -m` names the nearest common ancestor; and P2P status.
    std::string between(const std::string& bus_id, const std::string& other_bus_id) const {
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

private:
    void* device(const std::string& bus_id) const {
        void* found = nullptr;
        return library_.call("nvmlDeviceGetHandleByPciBusId_v2", bus_id.c_str(), &found) == 0 ? found : nullptr;
    }

    std::string pcie(void* device) const {
        unsigned generation = 0, width = 0, most_generation = 0, most_width = 0;
        const bool known = library_.call("nvmlDeviceGetCurrPcieLinkGeneration", device, &generation) == 0 &&
                           library_.call("nvmlDeviceGetCurrPcieLinkWidth", device, &width) == 0 &&
                           library_.call("nvmlDeviceGetMaxPcieLinkGeneration", device, &most_generation) == 0 &&
                           library_.call("nvmlDeviceGetMaxPcieLinkWidth", device, &most_width) == 0;
        return known ? "gen " + std::to_string(generation) + " of " + std::to_string(most_generation) + ", x" +
                           std::to_string(width) + " of x" + std::to_string(most_width)
                     : "unknown";
    }

    std::string nvlink(void* device) const {
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

    Library library_{"libnvidia-ml.so.1"};
};

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string attributes_between(int a, int b) {
    int access = 0, atomics = 0, rank = 0;
    cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, a, b);
    cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, a, b);
    cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, a, b);
    cudaGetLastError();
    return std::string(access != 0 ? "access" : "no access") + (atomics != 0 ? ", atomics" : "") + ", rank " +
           std::to_string(rank);
}

bool enable_access(int from, int to) {
    int can = 0;
    require(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
    require(cudaSetDevice(from), "cudaSetDevice");
    const cudaError_t enabled = can != 0 ? cudaDeviceEnablePeerAccess(to, 0) : cudaErrorNotSupported;
    cudaGetLastError();
    return enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace

std::vector<GpuInfo> find_gpus() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        throw NotHere(std::string("no GPU: ") +
                      (status == cudaSuccess ? "CUDA finds none" : cudaGetErrorString(status)));
    }
    std::vector<GpuInfo> gpus;
    for (int gpu = 0; gpu < count; ++gpu) {
        cudaDeviceProp properties = {};
        require(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
        char bus_id[32] = {};
        require(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, gpu), "cudaDeviceGetPCIBusId");
        gpus.push_back(
            {properties.name, bus_id, numa_node_of_pci(bus_id), static_cast<std::uint64_t>(properties.l2CacheSize)});
    }
    return gpus;
}

GpuSet connect_gpus(int count) {
    GpuSet set;
    set.count = count;
    set.reaches.resize(static_cast<std::size_t>(count));
    for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
            set.reaches[static_cast<std::size_t>(a)].push_back(a == b || enable_access(a, b));
        }
    }
    return set;
}

Section describe(const std::vector<GpuInfo>& gpus, std::size_t gpus_per_node, std::size_t nodes) {
    const Nvml nvml;
    Section section = {words("gpu", gpus.front().name), count("gpus_per_node", gpus_per_node), count("nodes", nodes)};
    const auto key = [](std::size_t gpu) { return "gpu" + std::to_string(gpu); };
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const GpuInfo& gpu = gpus[i];
        section.push_back(words(key(i), gpu.name + ", " + gpu.bus_id + ", NUMA node " + std::to_string(gpu.numa_node) +
                                            ", " + nvml.wires(gpu.bus_id) + ", L2 " + size_text(gpu.cache_bytes)));
    }
    for (std::size_t a = 0; a < gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            const std::string peers = attributes_between(static_cast<int>(a), static_cast<int>(b));
            section.push_back(
                words(key(a) + "_" + key(b), nvml.between(gpus[a].bus_id, gpus[b].bus_id) + "; " + peers));
        }
    }
    section.push_back(words("cpu", cpu_name()));
    section.push_back(count("numa_nodes", numa_nodes()));
    return section;
}

Section cuda_software() {
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    return {words("cuda", version_text(runtime)), words("cuda_of_driver", version_text(driver)),
            words("driver", Nvml().driver_version()), words("kernel", kernel_name()),
            words("compiler", compiler_name() + ", nvcc " PROBES_NVCC_VERSION)};
}

}  // namespace probe
