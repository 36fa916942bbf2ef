#include "cuda/topology.hpp"

#include <cuda_runtime_api.h>

#include "core/exit_code.hpp"
#include "core/machine.hpp"
#include "core/nvml.hpp"
#include "core/sweep.hpp"
#include "cuda/buffers.hpp"

namespace probe {
namespace {

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
    const auto n = static_cast<std::size_t>(count);
    set.reaches.assign(n, std::vector<bool>(n, false));
    for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
            int can = 0;
            if (a == b) {
                set.reaches[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = true;
                continue;
            }
            require(cudaDeviceCanAccessPeer(&can, a, b), "cudaDeviceCanAccessPeer");
            require(cudaSetDevice(a), "cudaSetDevice");
            const cudaError_t enabled = can != 0 ? cudaDeviceEnablePeerAccess(b, 0) : cudaErrorNotSupported;
            cudaGetLastError();
            set.reaches[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
                enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
        }
    }
    return set;
}

Section describe(const std::vector<GpuInfo>& gpus, std::size_t gpus_per_node, std::size_t nodes) {
    const Nvml nvml;
    Section section = {words("gpu", gpus.front().name), count("gpus_per_node", gpus_per_node), count("nodes", nodes)};
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        section.push_back(words("gpu" + std::to_string(i), gpus[i].name + ", " + gpus[i].bus_id + ", NUMA node " +
                                                               std::to_string(gpus[i].numa_node) + ", " +
                                                               nvml.wires(gpus[i].bus_id) + ", L2 " +
                                                               size_text(gpus[i].cache_bytes)));
    }
    for (std::size_t a = 0; a < gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            section.push_back(words("gpu" + std::to_string(a) + "_gpu" + std::to_string(b),
                                    nvml.between(gpus[a].bus_id, gpus[b].bus_id) + "; " +
                                        attributes_between(static_cast<int>(a), static_cast<int>(b))));
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
            words("driver", Nvml().driver_version()), words("kernel", kernel_name())};
}

}  // namespace probe
