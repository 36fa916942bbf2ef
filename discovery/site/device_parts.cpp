#include "discovery/site/device_parts.hpp"

#include <fmt/format.h>

#include <array>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace fabricast::inline site {

namespace {

// The part that tables of this kind give for a word: of the words that `fits`, the longest counts.
template <class Fits> std::string named(const Catalog& catalog, std::string_view kind, const Fits& fits) {
    const std::string* part = nullptr;
    std::size_t longest = 0;
    for (const Part* table : catalog.of_kind(kind)) {
        for (const auto& [word, meant] : table->text) {
            if (word.size() > longest && fits(word)) {
                longest = word.size();
                part = &meant;
            }
        }
    }
    return part == nullptr ? std::string() : *part;
}

std::string id_text(std::uint32_t vendor, std::uint32_t device) { return fmt::format("{:04x}:{:04x}", vendor, device); }

// The part of this PCI id, if it is one of this kind.
std::string by_id(const Catalog& catalog, std::string_view kind, const PciSeen* pci) {
    if (pci == nullptr) { return {}; }
    const std::string id = id_text(pci->vendor, pci->device);
    const std::string part = named(catalog, "pci-ids", [&](const std::string& word) { return word == id; });
    return part.empty() || catalog.parts.at(part).kind != kind ? std::string() : part;
}

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

PartFound gpu_part(const Catalog& catalog, const GpuSeen& gpu, const PciSeen* pci, bool arm) {
    if (std::string part = by_id(catalog, "gpu", pci); !part.empty()) {
        return {std::move(part), Trust::fact, "PCI id " + id_text(pci->vendor, pci->device)};
    }
    const auto in_model = [&](const std::string& words) { return gpu.model.find(words) != std::string::npos; };
    if (std::string part = named(catalog, "gpu-names", in_model); !part.empty()) {
        return {std::move(part), Trust::fact, "the model '" + gpu.model + "'"};
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

PartFound nic_part(const Catalog& catalog, const NicSeen& nic, const PciSeen* pci, std::int64_t megabits) {
    if (std::string part = by_id(catalog, "nic", pci); !part.empty()) {
        return {std::move(part), Trust::fact, "PCI id " + id_text(pci->vendor, pci->device)};
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

std::pair<std::uint32_t, std::uint32_t> pci_id_of(const Catalog& catalog, std::string_view part) {
    for (const Part* table : catalog.of_kind("pci-ids")) {
        for (const auto& [id, meant] : table->text) {
            if (meant == part) {
                return {number_in<std::uint32_t>(std::string_view(id).substr(0, 4), 16).value_or(0),
                        number_in<std::uint32_t>(std::string_view(id).substr(5), 16).value_or(0)};
            }
        }
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

std::string infiniband_switch_part(const Catalog& catalog, std::uint32_t device_id) {
    const std::string id = fmt::format("{:04x}", device_id);
    return named(catalog, "infiniband-ids", [&](const std::string& word) { return word == id; });
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
