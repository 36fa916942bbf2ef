#include "discovery/observation.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "discovery/source_text.hpp"

namespace fabricast::inline discovery {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

bool all_of(std::string_view text, std::string_view accepted) {
    return !text.empty() && text.find_first_not_of(accepted) == std::string_view::npos;
}

// Per lane, in Mb/s of data (InfiniBand Architecture Specification, volume 2, as vendors name the products).
struct LaneRate {
    std::string_view name;
    std::int64_t megabits;
};
constexpr std::array lane_rates = {LaneRate{"sdr", 2'000},    LaneRate{"ddr", 4'000},   LaneRate{"qdr", 8'000},
                                   LaneRate{"fdr10", 10'000}, LaneRate{"fdr", 13'636},  LaneRate{"edr", 25'000},
                                   LaneRate{"hdr", 50'000},   LaneRate{"ndr", 100'000}, LaneRate{"xdr", 200'000}};

}  // namespace

int GpuSeen::nvlink_count() const {
    constexpr int most = 18;  // of a GPU that has links to several others
    int count = 0, widest = 0;
    for (const NvlinkSeen& link : nvlinks) {
        count += link.count;
        widest = std::max(widest, link.count);
    }
    return !nvlinks_stated && nvlinks.size() > 1 && count > most ? widest : count;
}

bool Observations::empty() const {
    return nodes.empty() && devices.empty() && cables.empty() && groups.empty() && hosts_of.empty();
}

std::string normal_bus(std::string_view text) {
    std::string bus = lower_case(trimmed(text, " \t"));
    if (std::count(bus.begin(), bus.end(), ':') == 1) { bus = "0000:" + bus; }
    const std::size_t colon = bus.find(':');
    if (colon == std::string::npos || !all_of(bus, "0123456789abcdef:.")) { return {}; }
    const std::size_t zeros = std::min(bus.find_first_not_of('0'), colon > 4 ? colon - 4 : 0);
    return bus.substr(zeros);
}

std::string normal_guid(std::string_view text) {
    std::string digits;
    for (const char c : lower_case(text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text)) {
        if (hex_digits.find(c) != std::string_view::npos) {
            digits += c;
        } else if (c != ':' && c != '-' && c != '.') {
            return {};
        }
    }
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

std::string mac_of_guid(std::string_view guid) {
    if (guid.size() > 16) { return {}; }
    const std::string digits = std::string(16 - guid.size(), '0') + std::string(guid);
    const std::string_view middle = std::string_view(digits).substr(6, 4);
    return middle == "fffe" || middle == "0300" ? normal_guid(digits.substr(0, 6) + digits.substr(10)) : "";
}

std::string host_name(std::string_view text) {
    const std::string_view name = trimmed(text, " \t\"'");
    return lower_case(name.substr(0, name.find_first_of(". \t")));
}

std::string switch_name(std::string_view text) {
    std::string name = lower_case(trimmed(text, " \t\"'"));
    if (const std::size_t mark = name.find(';'); mark != std::string::npos) { name.erase(0, mark + 1); }
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos) { return name; }
    const std::size_t slash = name.find('/', colon);
    const std::string_view unit = slash == std::string::npos ? "" : std::string_view(name).substr(slash);
    // "/U1" alone is the only unit of a box with one switch chip.
    return name.substr(0, colon) + (unit == "/u1" ? "" : std::string(unit));
}

std::int64_t infiniband_megabits(std::string_view technology) {
    const std::string text = lower_case(technology);
    const std::size_t x = text.find('x');
    const auto lanes = number_in<int>(std::string_view(text).substr(0, x));
    if (x == std::string::npos || !lanes || *lanes < 1 || *lanes > 12) { return 0; }
    const std::string_view name = trimmed(std::string_view(text).substr(x + 1), " \t");
    const auto found = std::ranges::find(lane_rates, name, &LaneRate::name);
    return found == lane_rates.end() ? 0 : found->megabits * *lanes;
}

double gigatransfers(std::string_view text) {
    const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
    return figure_in_word(number).value_or(0);
}

std::int64_t megabits_of(std::string_view text) {
    const std::string word = lower_case(trimmed(text, " \t\""));
    const std::size_t stop = std::min(word.find_first_not_of("0123456789."), word.size());
    const double value = figure_in_word(std::string_view(word).substr(0, stop)).value_or(0);
    const std::string_view unit = trimmed(std::string_view(word).substr(stop), " \t");
    const double factor = unit.starts_with("g") ? 1e3 : unit.starts_with("t") ? 1e6 : unit.starts_with("k") ? 1e-3 : 1;
    return value < 1e9 ? static_cast<std::int64_t>(value * factor + 0.5) : 0;
}

bool names_switch_port(std::string_view port) {
    const std::string name = lower_case(port);
    return all_of(name, "0123456789/.") || name.starts_with("swp") || name.starts_with("ethernet") ||
           name.starts_with("port ") || name.starts_with("blade") || name.starts_with("etp");
}

bool names_host_port(std::string_view port) {
    const std::string name = lower_case(port);
    if (name.starts_with("ethernet")) { return false; }
    static constexpr std::array<std::string_view, 11> starts = {"mlx", "hca",   "ib",   "ens",  "enp", "eth",
                                                                "eno", "rocep", "bnxt", "rdma", "gpu"};
    return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); });
}

void read_class(std::uint32_t class_code, PciSeen& pci) {
    const std::uint32_t code = class_code >> 8U;
    pci.kind = pci_kind(class_code);
    pci.layer = code == 0x0200 ? NicLayer::ethernet : code == 0x0207 ? NicLayer::infiniband : NicLayer::unknown;
    const auto* row = std::ranges::find(pci_words, code, [](const auto& entry) { return entry.second >> 8U; });
    pci.word = pci.kind == PciKind::other && row != std::end(pci_words) ? row->first : "";
}

PciKind pci_kind(std::uint32_t class_code) {
    switch (class_code >> 8U) {
        case 0x0300:
        case 0x0302:
        case 0x0380:
        case 0x1200: return PciKind::gpu;  // 0x1200: processing accelerators, as AMD's Instinct
        case 0x0200:
        case 0x0207: return PciKind::nic;
        case 0x0604: return PciKind::bridge;
        case 0x0680: return PciKind::nvswitch;
        default: return PciKind::other;
    }
}

}  // namespace fabricast::inline discovery
