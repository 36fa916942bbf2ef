// `lspci -nn` and `lspci -Dnnvv`: which devices there are and, with -vv, how wide and fast each link runs (LnkSta) and
// could run (LnkCap).

#include <algorithm>

#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct LspciPatterns {
    Pattern device{R"re(^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(.+?)\s\[([0-9a-f]{4})\]:\s(.*))re"
                   R"re(\[([0-9a-f]{4}):([0-9a-f]{4})\])re"};
    Pattern link{R"re(Lnk(Cap|Sta):.*?Speed\s+([\d.]+)GT/s.*?Width\s+x(\d+))re"};
    Pattern numa{R"re(^\s+NUMA node:\s+(\d+))re"};
};

std::uint32_t hex_word(std::string_view digits) { return number_in<std::uint32_t>(digits, 16).value_or(0); }

Observations read_lspci(const SourceText& source) {
    const auto& patterns = compiled<LspciPatterns>();
    Observations seen;
    NodeSeen& node = seen.nodes.emplace_back();
    node.at = source.at(1);
    bool shown_device = false;
    for (const TextLine& line : source.lines()) {
        if (const Match device{patterns.device, line.text}) {
            shown_device = device[4].find("Virtual Function") == std::string::npos;
            if (!shown_device) {
                ++seen.dropped["virtual function"];
                continue;
            }
            PciSeen& pci = node.pci.emplace_back();
            pci.bus = normal_bus(device[1]);
            pci.kind = pci_kind(hex_word(device[3]) << 8U);
            pci.vendor = hex_word(device[5]);
            pci.device = hex_word(device[6]);
            pci.at = source.at(line);
        } else if (const Match link{patterns.link, shown_device ? line.text : ""}) {
            const PciLink found{figure_in_word(link[2]).value_or(0), link.whole(3, 0)};
            (link[1] == "Cap" ? node.pci.back().capable : node.pci.back().link) = found;
        } else if (const Match numa{patterns.numa, shown_device ? line.text : ""}) {
            node.pci.back().numa = numa.whole(1, -1);
        }
    }
    for (const PciSeen& pci : node.pci) {
        if (pci.kind == PciKind::gpu && pci.vendor == 0x10de) {
            add_end(node.gpus, static_cast<int>(node.gpus.size()), pci);
        } else if (pci.kind == PciKind::nic) {
            add_end(node.nics, static_cast<int>(node.nics.size()), pci);
        }
    }
    return seen;
}

bool fits_lspci(const SourceText& source) {
    return std::ranges::any_of(source.lines(), [](const TextLine& line) {
        return line.text.find('[') != std::string_view::npos && compiled<LspciPatterns>().device.found_in(line.text);
    });
}

}  // namespace

extern const SiteFormat lspci{"lspci", "`lspci -Dnn`, or `lspci -Dnnvv` for widths and speeds", fits_lspci, read_lspci};

}  // namespace fabricast::inline discovery::formats
