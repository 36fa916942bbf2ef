#include "discovery/site/device_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

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
    // One chip may be sold with slots of several widths: the longer word, "15b3:1021 x4", counts.
    const std::string id = id_text(pci->vendor, pci->device), wide = fmt::format("{} x{}", id, pci->link.width);
    const std::string part =
        named(catalog, "pci-ids", [&](const std::string& word) { return word == id || word == wide; });
    return part.empty() || catalog.parts.at(part).kind != kind ? std::string() : part;
}

// The guess for the first word: of the keys whose words are all among these, the one with most, then with the latest.
std::string usual(const Catalog& catalog, const std::vector<std::string>& words) {
    std::pair<int, unsigned> best{0, 0};
    std::string found;
    for (const Part* table : catalog.of_kind("usual-parts")) {
        for (const auto& [key, part] : table->text) {
            unsigned mask = 0;
            bool fits = true;
            for (const std::string_view word : split(key, ' ')) {
                const auto at = std::ranges::find(words, word);
                fits = fits && at != words.end();
                mask |= fits ? 1U << static_cast<unsigned>(at - words.begin()) : 0U;
            }
            const std::pair rank(std::popcount(mask), mask);
            if (fits && (mask & 1U) != 0 && rank > best) {
                best = rank;
                found = part;
            }
        }
    }
    return found;
}

// The least number from `least` on that keys "WORD NUMBER" name; `least` if there is none.
std::string listed_from(const Catalog& catalog, std::string_view word, std::int64_t least, std::int64_t most) {
    for (std::int64_t number = least; number <= most; ++number) {
        for (const Part* table : catalog.of_kind("usual-parts")) {
            if (table->text.contains(fmt::format("{} {}", word, number))) { return fmt::to_string(number); }
        }
    }
    return fmt::to_string(least);
}

// A row of cpu-families: "AuthenticAMD 25 0-15".
struct CpuRow {
    std::string vendor;
    int family = 0, low = 0, high = 0;
};
CpuRow cpu_row(std::string_view key) {
    const std::vector<std::string_view> words = split(key, ' ');
    if (words.size() != 3) { return {}; }
    const std::vector<std::string_view> models = split(words[2], '-');
    if (models.empty()) { return {}; }
    return {std::string(words[0]), number_in<int>(words[1]).value_or(-1), number_in<int>(models.front()).value_or(-1),
            number_in<int>(models.back()).value_or(-1)};
}

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
    std::vector<std::string> words;
    std::string what;
    if (gpu.amd) {
        words = {gpu.gfx};
        what = gpu.gfx.empty() ? "an AMD GPU" : gpu.gfx;
    } else if (gpu.sm > 0) {
        words = {fmt::format("sm{}", gpu.sm), links > 0 ? "nvlink" : "", arm ? "arm" : ""};
        what = fmt::format("compute capability {}.{}", gpu.sm / 10, gpu.sm % 10);
    } else {
        const bool mesh = gpu.nvlinks.size() > 1 && gpu.nvlinks.front().count < links;
        const int era = pci == nullptr ? 0 : pcie_generation(pci->link.gigatransfers);
        words = {"nvlinks", era >= 5 ? "gen5" : "", listed_from(catalog, "nvlinks", links, 36), arm ? "arm" : "",
                 mesh ? "mesh" : ""};
        what = links == 0 && pci != nullptr && !gpu.nvlinks_stated ? "no file states its model or its NVLinks"
                                                                   : plural(static_cast<std::size_t>(links), "NVLink");
        what += arm ? " beside an Arm CPU" : "";
    }
    std::string part = usual(catalog, words);
    if (part.empty()) {
        part = usual(catalog, {gpu.amd ? "amd" : "nvlinks"});
        what = "the catalogue has no part for " + (gpu.model.empty() ? what : "'" + gpu.model + "'");
    }
    return {std::move(part), Trust::guess, what};
}

PartFound nic_part(const Catalog& catalog, const NicSeen& nic, const PciSeen* pci, std::int64_t megabits,
                   int generation) {
    if (std::string part = by_id(catalog, "nic", pci); !part.empty()) {
        return {std::move(part), Trust::fact, "PCI id " + id_text(pci->vendor, pci->device)};
    }
    const std::string rate = listed_from(catalog, "nic", megabits / 1000, 800);
    const std::vector<std::string> by_rate = {"nic", rate}, by_host = {"nic", fmt::format("gen{}", generation)};
    const std::string why = megabits > 0 ? fmt::format("{} Gb/s", megabits / 1000)
                                         : fmt::format("no rate is stated, and PCIe of generation {}", generation);
    return {usual(catalog, megabits > 0 ? by_rate : by_host), Trust::guess,
            (nic.name.empty() ? "" : nic.name + ": ") + why};
}

PartFound cpu_part(const Catalog& catalog, const CpuSeen& cpu, const std::string& gpu) {
    const std::string arch = lower_case(cpu.arch), maker = lower_case(cpu.vendor);
    if (arch.starts_with("arm") || arch.starts_with("aarch") || maker.starts_with("arm")) {
        return {usual(catalog, {"cpu", "arm", gpu}), Trust::hint, "an Arm CPU beside NVIDIA GPUs"};
    }
    if (arch.starts_with("ppc") || maker.find("power") != std::string::npos) {
        return {usual(catalog, {"cpu", "ppc", gpu}), Trust::hint, "a POWER CPU of these GPUs' time"};
    }
    // NCCL prints AMD's family with its extension above: 0x8f for 0x17.
    const bool extended = cpu.vendor == "AuthenticAMD" && cpu.family > 0x7f;
    const int family = extended ? (cpu.family >> 4) + 0xf : cpu.family;
    std::string part = named(catalog, "cpu-families", [&](const std::string& key) {
        const CpuRow row = cpu_row(key);
        return row.vendor == cpu.vendor && row.family == family && cpu.model >= row.low && cpu.model <= row.high;
    });
    if (!part.empty()) {
        return {std::move(part), Trust::fact, fmt::format("family {}, model {}", cpu.family, cpu.model)};
    }
    return {usual(catalog, {"cpu", cpu.vendor}), Trust::guess, "no file says which"};
}

std::pair<std::uint32_t, std::uint32_t> pci_id_of(const Catalog& catalog, std::string_view part) {
    for (const Part* table : catalog.of_kind("pci-ids")) {
        for (const auto& [id, meant] : table->text) {
            if (meant == part) {
                return {number_in<std::uint32_t>(std::string_view(id).substr(0, 4), 16).value_or(0),
                        number_in<std::uint32_t>(std::string_view(id).substr(5, 4), 16).value_or(0)};
            }
        }
    }
    return {};
}

CpuSeen cpu_numbers_of(const Catalog& catalog, std::string_view part) {
    CpuSeen cpu;
    for (const Part* table : catalog.of_kind("cpu-families")) {
        for (const auto& [key, meant] : table->text) {
            if (meant != part) { continue; }
            const CpuRow row = cpu_row(key);
            cpu.arch = "x86_64";
            cpu.vendor = row.vendor;
            cpu.family = row.family > 0xf ? ((row.family - 0xf) << 4) + 0xf : row.family;
            cpu.model = row.low;
            return cpu;
        }
    }
    cpu.arch = part.starts_with("power") ? "ppc64le" : "arm64";
    return cpu;
}

std::string pcie_switch_part(const Catalog& catalog, int generation) {
    return usual(catalog, {"pcie-switch", fmt::to_string(std::min(generation, 6))});
}

std::string other_part(const Catalog& catalog, const std::string& word, int generation) {
    return usual(catalog, {word, fmt::format("gen{}", generation)});
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
    constexpr std::pair<int, const char*> names[] = {{8'000, "sdr"},   {16'000, "ddr"},   {32'000, "qdr"},
                                                     {54'544, "fdr"},  {40'000, "fdr10"}, {200'000, "hdr"},
                                                     {400'000, "ndr"}, {800'000, "xdr"}};
    for (const auto& [rate, name] : names) {
        if (megabits == rate) { return std::string("infiniband-") + name; }
    }
    if (megabits == 100'000) { return word.ends_with("hdr") ? "infiniband-hdr100" : "infiniband-edr"; }
    return {};
}

}  // namespace fabricast::inline site
