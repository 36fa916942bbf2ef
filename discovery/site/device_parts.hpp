#pragma once
// Which part of the catalogue a device is, by what hardware says of itself: names and PCI ids, device ids of switch
// chips, CPU families, compute capability (the catalogue's tables of kinds gpu-names, pci-ids, infiniband-ids,
// cpu-families and usual-parts).

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "discovery/observation.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// A part, and how it came to be known.
struct PartFound {
    std::string name;
    Trust trust = Trust::guess;
    std::string why;  // "PCI id 10de:2330"
};

// `arm`: the CPU is an Arm. Where nothing names the GPU, the usual one of its compute capability or number of NVLinks
// is a guess; one that the catalogue lacks gets a stand-in, and `why` says so.
PartFound gpu_part(const Catalog& catalog, const GpuSeen& gpu, const PciSeen* pci, bool arm);
// `generation`: of the PCIe that the GPUs beside it have.
PartFound nic_part(const Catalog& catalog, const NicSeen& nic, const PciSeen* pci, std::int64_t megabits,
                   int generation);
PartFound cpu_part(const Catalog& catalog, const CpuSeen& cpu, const std::string& gpu);
std::string pcie_switch_part(const Catalog& catalog, int generation);
// A drive or other device by its word, "nvme", and the generation of its slot.
std::string other_part(const Catalog& catalog, const std::string& word, int generation);
// The PCI id of a part, vendor and device; zeros if it has none here. Family and model of a CPU part.
std::pair<std::uint32_t, std::uint32_t> pci_id_of(const Catalog& catalog, std::string_view part);
CpuSeen cpu_numbers_of(const Catalog& catalog, std::string_view part);

// The switch with this device id; the name is empty if it is unknown.
std::string infiniband_switch_part(const Catalog& catalog, std::uint32_t device_id);

// PCIe's generation by its transfers: 32 GT/s -> 5. 0 if there is none.
int pcie_generation(double gigatransfers);
// The catalogue's link of this rate; empty if there is none. `infiniband`: else Ethernet.
std::string network_link(std::int64_t megabits, std::string_view technology, bool infiniband);

}  // namespace fabricast::inline site
