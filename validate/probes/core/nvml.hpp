#pragma once
// What NVIDIA's management library tells of GPUs and the wires between them. Found when the program runs: without it
// everything reads "unknown".

#include <string>
#include <vector>

namespace probe {

struct GpuWires {
    std::string pcie;    // "gen 5 of 5, x16 of x16"
    std::string nvlink;  // "18 links of version 4 to nvswitch"; "none"
};

class Nvml {
public:
    Nvml();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    std::string driver_version() const;
    // By PCI bus id, "00000000:3B:00.0" or shorter.
    GpuWires wires(const std::string& bus_id) const;
    // "PIX", "PXB", "PHB", "NODE", "SYS" as `nvidia-smi topo -m` names the nearest common ancestor; and P2P status.
    std::string between(const std::string& bus_id, const std::string& other_bus_id) const;

private:
    struct Library;
    Library* library_;  // null where there is none
};

}  // namespace probe
