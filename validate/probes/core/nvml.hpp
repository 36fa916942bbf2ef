#pragma once
// What NVIDIA's management library tells of GPUs and the wires between them. Found when the program runs: without it
// everything reads "unknown".

#include <string>

#include "core/library.hpp"

namespace probe {

class Nvml {
public:
    Nvml() { library_.call("nvmlInit_v2"); }
    ~Nvml() { library_.call("nvmlShutdown"); }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    std::string driver_version() const;
    // Of a GPU by its PCI bus id, "00000000:3B:00.0" or shorter: "PCIe gen 5 of 5, x16 of x16, NVLink version 4: 18 to
    // 00000000:86:00.0", or "NVLink none".
    std::string wires(const std::string& bus_id) const;
    // "PIX", "PXB", "PHB", "NODE", "SYS" as `nvidia-smi topo -m` names the nearest common ancestor; and P2P status.
    std::string between(const std::string& bus_id, const std::string& other_bus_id) const;

private:
    void* device(const std::string& bus_id) const;
    std::string pcie(void* device) const;
    std::string nvlink(void* device) const;

    Library library_{"libnvidia-ml.so.1"};
};

}  // namespace probe
