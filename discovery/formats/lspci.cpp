// `lspci -nn` and `lspci -Dnnvv`: which devices there are and, with -vv, how wide and fast each link runs (LnkSta) and
// could run (LnkCap).

#include "base/numbers.hpp"
#include "base/pattern.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct LspciPatterns {
    Pattern device{R"re(^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(.+?)\s\[([0-9a-f]{4})\]:\s(.*))re"
                   R"re(\[([0-9a-f]{4}):([0-9a-f]{4})\])re"};
    Pattern link{R"re(Lnk(Cap|Sta):.*?Speed\s+([\d.]+)GT/s.*?Width\s+x(\d+))re"};
    Pattern numa{R"re(^\s+NUMA node:\s+(\d+))re"};
};

const LspciPatterns& lspci_patterns() {
    static const LspciPatterns patterns;
    return patterns;
}

std::uint32_t hex_word(std::string_view digits) { return number_in<std::uint32_t>(digits, 16).value_or(0); }

void list_ends(NodeSeen& node) {
    for (const PciSeen& pci : node.pci) {
        if (pci.kind == PciKind::gpu && pci.vendor == 0x10de) {
            GpuSeen& gpu = node.gpus.emplace_back();
            gpu.bus = pci.bus;
            gpu.index = static_cast<int>(node.gpus.size()) - 1;
            gpu.numa = pci.numa;
            gpu.at = pci.at;
        } else if (pci.kind == PciKind::nic) {
            NicSeen& nic = node.nics.emplace_back();
            nic.bus = pci.bus;
            nic.index = static_cast<int>(node.nics.size()) - 1;
            nic.numa = pci.numa;
            nic.at = pci.at;
        }
    }
}

Observations read_lspci(const SourceText& source) {
    const LspciPatterns& patterns = lspci_patterns();
    Observations seen;
    NodeSeen node;
    node.at = source.at(1);
    bool shown_device = false;
    for (const TextLine& line : source.lines()) {
        if (const auto device = patterns.device.first_in(line.text)) {
            PciSeen pci;
            pci.bus = normal_bus(*(*device)[1]);
            pci.kind = pci_kind(hex_word(*(*device)[3]) << 8U);
            pci.vendor = hex_word(*(*device)[5]);
            pci.device = hex_word(*(*device)[6]);
            pci.at = source.at(line);
            shown_device = (*device)[4]->find("Virtual Function") == std::string_view::npos;
            if (shown_device) {
                node.pci.push_back(std::move(pci));
            } else {
                ++seen.dropped["virtual function"];
            }
        } else if (shown_device) {
            PciSeen& pci = node.pci.back();
            if (const auto link = patterns.link.first_in(line.text)) {
                const PciLink found{figure_in_word(*(*link)[2]).value_or(0), number_in<int>(*(*link)[3]).value_or(0)};
                (*(*link)[1] == "Cap" ? pci.capable : pci.link) = found;
            } else if (const auto numa = patterns.numa.first_in(line.text)) {
                pci.numa = number_in<int>(*(*numa)[1]).value_or(-1);
            }
        }
    }
    list_ends(node);
    seen.nodes.push_back(std::move(node));
    return seen;
}

}  // namespace

extern const SiteFormat lspci;
const SiteFormat lspci{
    "lspci", "`lspci -Dnn`, or `lspci -Dnnvv` for widths and speeds",
    [](const SourceText& source) {
        for (const TextLine& line : source.lines()) {
            if (line.text.find('[') != std::string_view::npos && lspci_patterns().device.found_in(line.text)) {
                return true;
            }
        }
        return false;
    },
    read_lspci};

}  // namespace fabricast::inline discovery::formats
