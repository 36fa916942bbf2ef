// `lspci -nn` and `lspci -Dnnvv`: which devices there are and, with -vv, how wide and fast each link runs (LnkSta) and
// could run (LnkCap). Without -nn, classes and makers by their names.

#include <algorithm>
#include <map>
#include <utility>

#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct LspciPatterns {
    Pattern device{R"re(^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(.+?)\s\[([0-9a-f]{4})\]:\s(.*))re"
                   R"re(\[([0-9a-f]{4}):([0-9a-f]{4})\])re"};
    Pattern named{R"re(^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+([A-Z0-9][^:\[]*):\s+(.*))re"};
    Pattern id{R"re(\bDevice ([0-9a-f]{4})\b)re"};
    Pattern link{R"re(Lnk(Cap|Sta):.*?Speed\s+([\d.]+)GT/s.*?Width\s+x(\d+))re"};
    Pattern numa{R"re(^\s+NUMA node:\s+(\d+))re"};
};

std::uint32_t hex_word(std::string_view digits) { return number_in<std::uint32_t>(digits, 16).value_or(0); }

using CodedName = std::pair<std::string_view, std::uint32_t>;
// As the PCI ID repository calls them.
constexpr CodedName classes[] = {{"3D controller", 0x0302},
                                 {"VGA compatible controller", 0x0300},
                                 {"Processing accelerators", 0x1200},
                                 {"Infiniband controller", 0x0207},
                                 {"Ethernet controller", 0x0200},
                                 {"PCI bridge", 0x0604},
                                 {"Bridge", 0x0680}};
constexpr CodedName makers[] = {
    {"NVIDIA", 0x10de}, {"Advanced Micro Devices", 0x1002}, {"Mellanox", 0x15b3}, {"Broadcom", 0x14e4}};

// As the PCI ID Repository names them; without -n these names are all that lspci prints.
constexpr CodedName adapters[] = {{"[ConnectX-4]", 0x1013},    {"[ConnectX-5]", 0x1017},    {"[ConnectX-6]", 0x101b},
                                  {"[ConnectX-6 Dx]", 0x101d}, {"[ConnectX-6 Lx]", 0x101f}, {"[ConnectX-7]", 0x1021},
                                  {"[ConnectX-8]", 0x1023},    {"BlueField-2", 0xa2d6},     {"BlueField-3", 0xa2dc}};

std::uint32_t adapter_in(std::string_view text) {
    for (const auto& [name, code] : adapters) {
        if (text.find(name) != std::string_view::npos) { return code; }
    }
    return 0;
}

std::uint32_t code_of(const auto& table, std::string_view text) {
    for (const auto& [name, code] : table) {
        if (text.starts_with(name)) { return code; }
    }
    return 0;
}

bool of_known_class(const Match& named) { return named && code_of(classes, named[2]) != 0; }

Observations read_lspci(const SourceText& source) {
    const auto& patterns = compiled<LspciPatterns>();
    Observations seen;
    NodeSeen& node = seen.nodes.emplace_back();
    node.at = source.at(1);
    std::map<std::string, std::string> models;  // by bus id
    bool shown_device = false;
    for (const TextLine& line : source.lines()) {
        const Match device{patterns.device, line.text};
        const Match named{patterns.named, device ? "" : line.text};
        if (device || named) {
            const std::string text(device ? device[4] : named[3]);
            shown_device = text.find("Virtual Function") == std::string::npos;
            if (!shown_device) {
                ++seen.dropped["virtual function"];
                continue;
            }
            PciSeen& pci = node.pci.emplace_back();
            pci.bus = normal_bus(device ? device[1] : named[1]);
            read_class((device ? hex_word(device[3]) : code_of(classes, named[2])) << 8U, pci);
            pci.vendor = device ? hex_word(device[5]) : code_of(makers, text);
            const Match id{patterns.id, text};
            pci.device = device ? hex_word(device[6]) : id ? hex_word(id[1]) : adapter_in(text);
            pci.at = source.at(line);
            models[pci.bus] = text;
        } else if (const Match link{patterns.link, shown_device ? line.text : ""}) {
            const PciLink found{figure_in_word(link[2]).value_or(0), link.whole(3, 0)};
            (link[1] == "Cap" ? node.pci.back().capable : node.pci.back().link) = found;
        } else if (const Match numa{patterns.numa, shown_device ? line.text : ""}) {
            node.pci.back().numa = numa.whole(1, -1);
        }
    }
    for (const PciSeen& pci : node.pci) {
        if (pci.kind == PciKind::gpu && pci.vendor == 0x10de) {
            add_end(node.gpus, static_cast<int>(node.gpus.size()), pci).model = models[pci.bus];
        } else if (pci.kind == PciKind::nic) {
            add_end(node.nics, static_cast<int>(node.nics.size()), pci);
        }
    }
    return seen;
}

bool fits_lspci(const SourceText& source) {
    return std::ranges::any_of(source.lines(), [](const TextLine& line) {
        const auto& patterns = compiled<LspciPatterns>();
        return line.text.find('.') != std::string_view::npos &&
               (patterns.device.found_in(line.text) || of_known_class(Match{patterns.named, line.text}));
    });
}

}  // namespace

extern const SiteFormat lspci{"lspci", "`lspci -Dnn`, or `lspci -Dnnvv` for widths and speeds", fits_lspci, read_lspci};

}  // namespace fabricast::inline discovery::formats
