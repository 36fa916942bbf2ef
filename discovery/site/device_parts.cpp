#include "discovery/site/device_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"

namespace fabricast::inline site {

namespace {

struct IdRow {
    std::uint32_t vendor, device;
    std::string_view part;
};

// The PCI ID repository (pci-ids.ucw.cz), and the samples that the tests read.
constexpr std::array gpu_ids = {
    IdRow{0x10de, 0x15f9, "p100-sxm"},     IdRow{0x10de, 0x15f8, "p100-pcie"},    IdRow{0x10de, 0x15f7, "p100-pcie"},
    IdRow{0x10de, 0x1db1, "v100-sxm2"},    IdRow{0x10de, 0x1db5, "v100-sxm2"},    IdRow{0x10de, 0x1db8, "v100-sxm2"},
    IdRow{0x10de, 0x1db4, "v100-pcie"},    IdRow{0x10de, 0x1db6, "v100-pcie"},    IdRow{0x10de, 0x20b0, "a100-sxm4-40"},
    IdRow{0x10de, 0x20b2, "a100-sxm4-80"}, IdRow{0x10de, 0x20b3, "a100-sxm4-80"}, IdRow{0x10de, 0x20f1, "a100-pcie-40"},
    IdRow{0x10de, 0x20b5, "a100-pcie-80"}, IdRow{0x10de, 0x2330, "h100-sxm"},     IdRow{0x10de, 0x2331, "h100-pcie"},
    IdRow{0x10de, 0x2335, "h200-sxm"},     IdRow{0x10de, 0x2342, "gh200"},        IdRow{0x10de, 0x2901, "b200"},
    IdRow{0x10de, 0x2941, "gb200"},        IdRow{0x10de, 0x3182, "b300"},         IdRow{0x10de, 0x31c2, "b300"},
    IdRow{0x10de, 0x26b9, "l40s"},         IdRow{0x10de, 0x2684, "rtx-4090"},     IdRow{0x10de, 0x26b1, "rtx-6000-ada"},
    IdRow{0x10de, 0x2e12, "gb10"}};
constexpr std::array nic_ids = {
    IdRow{0x15b3, 0x1013, "connectx-4"}, IdRow{0x15b3, 0x1017, "connectx-5"},  IdRow{0x15b3, 0x1019, "connectx-5"},
    IdRow{0x15b3, 0x101b, "connectx-6"}, IdRow{0x15b3, 0x101c, "connectx-6"},  IdRow{0x15b3, 0x101d, "connectx-6-dx"},
    IdRow{0x15b3, 0x101e, "connectx-7"}, IdRow{0x15b3, 0x1021, "connectx-7"},  IdRow{0x15b3, 0x1023, "connectx-8"},
    IdRow{0x15b3, 0x1025, "connectx-8"}, IdRow{0x15b3, 0xa2dc, "bluefield-3"}, IdRow{0x1d0f, 0xefa0, "efa-v1-nic"},
    IdRow{0x1d0f, 0xefa1, "efa-v2-nic"}, IdRow{0x1d0f, 0xefa2, "efa-v3-nic"},  IdRow{0x1d0f, 0xefa3, "efa-v4-nic"},
    IdRow{0x17db, 0x0501, "cassini"}};

template <class Rows> std::string_view by_id(const Rows& rows, const PciSeen* pci) {
    if (pci == nullptr) { return {}; }
    const auto found = std::ranges::find_if(
        rows, [&](const IdRow& row) { return row.vendor == pci->vendor && row.device == pci->device; });
    return found == std::end(rows) ? std::string_view() : found->part;
}

// Words of marketing names; the first that fits, so the longer stand before the shorter.
struct NameRow {
    std::string_view words, part;
};
constexpr std::array gpu_models = {NameRow{"P100-SXM", "p100-sxm"},
                                   NameRow{"P100", "p100-pcie"},
                                   NameRow{"V100-SXM", "v100-sxm2"},
                                   NameRow{"V100", "v100-pcie"},
                                   NameRow{"A100-SXM4-40", "a100-sxm4-40"},
                                   NameRow{"A100-SXM", "a100-sxm4-80"},
                                   NameRow{"A100-PCIE-40", "a100-pcie-40"},
                                   NameRow{"A100", "a100-pcie-80"},
                                   NameRow{"A800-SXM", "a800-sxm4-80"},
                                   NameRow{"A800", "a800-pcie-80"},
                                   NameRow{"GH200", "gh200"},
                                   NameRow{"H200 NVL", "h200-nvl"},
                                   NameRow{"H200", "h200-sxm"},
                                   NameRow{"H100 NVL", "h100-nvl"},
                                   NameRow{"H100 PCIe", "h100-pcie"},
                                   NameRow{"H100", "h100-sxm"},
                                   NameRow{"H800 PCIe", "h800-pcie"},
                                   NameRow{"H800", "h800-sxm"},
                                   NameRow{"H20-3e", "h20-141"},
                                   NameRow{"H20", "h20"},
                                   NameRow{"GB300", "gb300"},
                                   NameRow{"GB200", "gb200"},
                                   NameRow{"GB10", "gb10"},
                                   NameRow{"B300", "b300"},
                                   NameRow{"B200", "b200"},
                                   NameRow{"L40S", "l40s"},
                                   NameRow{"L40", "l40"},
                                   NameRow{"L4", "l4"},
                                   NameRow{"T4", "t4"},
                                   NameRow{"A10G", "a10g"},
                                   NameRow{"A10", "a10"},
                                   NameRow{"A30", "a30"},
                                   NameRow{"A40", "a40"},
                                   NameRow{"3090", "rtx-3090"},
                                   NameRow{"4090", "rtx-4090"},
                                   NameRow{"5090", "rtx-5090"},
                                   NameRow{"PRO 6000", "rtx-pro-6000-blackwell"},
                                   NameRow{"6000 Ada", "rtx-6000-ada"},
                                   NameRow{"A6000", "rtx-a6000"},
                                   NameRow{"MI300X", "mi300x"},
                                   NameRow{"MI325X", "mi325x"},
                                   NameRow{"MI350X", "mi350x"},
                                   NameRow{"MI355X", "mi355x"}};

// Where only the generation is known. A GPU with NVLinks sits on a board (SXM).
std::string_view gpu_by_generation(int sm, int links, bool arm) {
    switch (sm) {
        case 60: return links > 0 ? "p100-sxm" : "p100-pcie";
        case 70: return links > 0 ? "v100-sxm2" : "v100-pcie";
        case 80: return links > 0 ? "a100-sxm4-80" : "a100-pcie-80";
        case 89: return "l40s";
        case 90: return arm ? "gh200" : links > 0 ? "h100-sxm" : "h100-pcie";
        case 100: return arm ? "gb200" : "b200";
        case 103: return "b300";
        case 121: return "gb10";
        default: return {};
    }
}

// NVLinks of one GPU, by how many a generation has.
std::string_view gpu_by_nvlinks(int links) {
    return links > 12  ? "h100-sxm"
           : links > 6 ? "a100-sxm4-80"
           : links > 4 ? "v100-sxm2"
           : links > 0 ? "a100-pcie-80"
                       : "";
}

struct CpuRow {
    std::string_view vendor;
    int family, low, high;  // models in [low, high]
    std::string_view part;
};
// Linux, arch/x86/include/asm/intel-family.h and the AMD families; NCCL prints AMD's family with its extension above
// (0x8f for 0x17).
constexpr std::array cpu_rows = {CpuRow{"GenuineIntel", 6, 62, 62, "xeon-ivy-bridge"},
                                 CpuRow{"GenuineIntel", 6, 63, 63, "xeon-haswell"},
                                 CpuRow{"GenuineIntel", 6, 79, 79, "xeon-broadwell"},
                                 CpuRow{"GenuineIntel", 6, 85, 85, "xeon-skylake"},
                                 CpuRow{"GenuineIntel", 6, 106, 106, "xeon-ice-lake"},
                                 CpuRow{"GenuineIntel", 6, 143, 143, "xeon-sapphire-rapids"},
                                 CpuRow{"GenuineIntel", 6, 207, 207, "xeon-emerald-rapids"},
                                 CpuRow{"GenuineIntel", 6, 173, 173, "xeon-granite-rapids"},
                                 CpuRow{"AuthenticAMD", 0x17, 0, 255, "epyc-rome"},
                                 CpuRow{"AuthenticAMD", 0x19, 0, 15, "epyc-milan"},
                                 CpuRow{"AuthenticAMD", 0x19, 48, 48, "epyc-milan"},
                                 CpuRow{"AuthenticAMD", 0x19, 16, 255, "epyc-genoa"},
                                 CpuRow{"AuthenticAMD", 0x1a, 0, 255, "epyc-turin"}};

}  // namespace

PartFound gpu_part(const GpuSeen& gpu, const PciSeen* pci, bool arm) {
    if (const std::string_view part = by_id(gpu_ids, pci); !part.empty()) {
        return {std::string(part), Trust::fact, fmt::format("PCI id {:04x}:{:04x}", pci->vendor, pci->device)};
    }
    for (const auto& [words, part] : gpu_models) {
        if (gpu.model.find(words) != std::string::npos) {
            return {std::string(part), Trust::fact, "the model '" + gpu.model + "'"};
        }
    }
    const int links = gpu.nvlink_count();
    if (!gpu.amd) {
        if (const std::string_view part = gpu_by_generation(gpu.sm, links, arm); !part.empty()) {
            return {std::string(part), Trust::hint, fmt::format("compute capability {}", gpu.sm)};
        }
        if (const std::string_view part = gpu.sm == 0 ? gpu_by_nvlinks(links) : ""; !part.empty()) {
            return {std::string(part), Trust::guess, fmt::format("{} NVLinks; say which with `--gpu PART`", links)};
        }
    }
    const std::string what = gpu.amd              ? "an AMD GPU"
                             : !gpu.model.empty() ? "'" + gpu.model + "'"
                             : gpu.sm > 0         ? fmt::format("compute capability {}", gpu.sm)
                                                  : "an unknown GPU";
    return {links > 0 ? "a100-sxm4-80" : "a100-pcie-80", Trust::guess,
            "the catalogue has no part for " + what + "; a stand-in: say which with `--gpu PART`"};
}

PartFound nic_part(const NicSeen& nic, const PciSeen* pci, std::int64_t megabits) {
    if (const std::string_view part = by_id(nic_ids, pci); !part.empty()) {
        return {std::string(part), Trust::fact, fmt::format("PCI id {:04x}:{:04x}", pci->vendor, pci->device)};
    }
    const std::string_view part = megabits > 400'000   ? "connectx-8"
                                  : megabits > 200'000 ? "connectx-7"
                                  : megabits > 100'000 ? "connectx-6"
                                                       : "connectx-5";
    const std::string rate = megabits > 0 ? fmt::format("{} Gb/s", megabits / 1000) : "no rate is stated";
    return {std::string(part), Trust::guess, (nic.name.empty() ? "" : nic.name + ": ") + rate + "; the usual adapter"};
}

PartFound cpu_part(const CpuSeen& cpu, std::string_view gpu) {
    const std::string arch = lower_case(cpu.arch);
    if (arch.starts_with("arm") || arch.starts_with("aarch") || lower_case(cpu.vendor).starts_with("arm")) {
        return {gpu == "gb10" ? "grace-gb10" : "grace", Trust::hint, "an Arm CPU beside NVIDIA GPUs"};
    }
    if (arch.starts_with("ppc") || lower_case(cpu.vendor).find("power") != std::string::npos) {
        return {gpu.starts_with("p100") ? "power8" : "power9", Trust::hint, "a POWER CPU of these GPUs' time"};
    }
    const bool extended = cpu.vendor == "AuthenticAMD" && cpu.family > 0x7f;
    const int family = extended ? (cpu.family >> 4) + 0xf : cpu.family;
    for (const CpuRow& row : cpu_rows) {
        if (row.vendor == cpu.vendor && row.family == family && cpu.model >= row.low && cpu.model <= row.high) {
            return {std::string(row.part), Trust::fact, fmt::format("family {}, model {}", cpu.family, cpu.model)};
        }
    }
    const bool amd = cpu.vendor == "AuthenticAMD";
    return {amd ? "epyc-milan" : "xeon-skylake", Trust::guess, "the file does not say which CPU: a usual one"};
}

std::pair<std::uint32_t, std::uint32_t> pci_id_of(std::string_view part) {
    for (const IdRow& row : gpu_ids) {
        if (row.part == part) { return {row.vendor, row.device}; }
    }
    for (const IdRow& row : nic_ids) {
        if (row.part == part) { return {row.vendor, row.device}; }
    }
    return {};
}

CpuSeen cpu_numbers_of(std::string_view part) {
    CpuSeen cpu;
    for (const CpuRow& row : cpu_rows) {
        if (row.part != part) { continue; }
        cpu.arch = "x86_64";
        cpu.vendor = row.vendor;
        cpu.family = row.family > 0xf ? ((row.family - 0xf) << 4) + 0xf : row.family;
        cpu.model = row.low;
        return cpu;
    }
    cpu.arch = part.starts_with("power") ? "ppc64le" : "arm64";
    return cpu;
}

PartFound pcie_switch_part(int generation) {
    const std::string_view part = generation >= 6   ? "connectx-8-switch"
                                  : generation == 5 ? "pex-89000"
                                  : generation == 4 ? "pex-88000"
                                                    : "pex-8700";
    return {std::string(part), Trust::hint, fmt::format("its links are of generation {}", generation)};
}

std::string infiniband_switch_part(std::uint32_t device_id) {
    // Device ids of the switch chips, from Mellanox' firmware tools (mstflint, mft_core device database).
    static const std::map<std::uint32_t, std::string> parts = {{0xcb20, "switch-ib-2"},
                                                               {0xcf08, "switch-ib-2"},
                                                               {0xd2f0, "quantum"},
                                                               {0xd2f2, "quantum-2"},
                                                               {0xd2f4, "quantum-x800"}};
    const auto found = parts.find(device_id);
    return found == parts.end() ? std::string() : found->second;
}

int pcie_generation(double gigatransfers) {
    int generation = 0;
    for (const double rate : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0, 128.0}) {
        if (gigatransfers < rate * 0.99) { break; }
        ++generation;
    }
    return generation;
}

std::string network_link(std::int64_t megabits, std::string_view technology, bool infiniband) {
    if (!infiniband) {
        for (const std::int64_t gigabits : {25, 50, 100, 200, 400, 800}) {
            if (megabits == gigabits * 1000) { return fmt::format("ethernet-{}g", gigabits); }
        }
        return {};
    }
    const std::string word = lower_case(technology);
    if (word.starts_with("2x") && word.ends_with("ndr")) { return "infiniband-ndr200"; }
    for (const auto& [rate, name] : {std::pair(8'000, "sdr"),
                                     {16'000, "ddr"},
                                     {32'000, "qdr"},
                                     {54'544, "fdr"},
                                     {40'000, "fdr10"},
                                     {200'000, "hdr"},
                                     {400'000, "ndr"},
                                     {800'000, "xdr"}}) {
        if (megabits == rate) { return std::string("infiniband-") + name; }
    }
    if (megabits == 100'000) { return word.ends_with("hdr") ? "infiniband-hdr100" : "infiniband-edr"; }
    return {};
}

}  // namespace fabricast::inline site
