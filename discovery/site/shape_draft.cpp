#include "discovery/site/shape_draft.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast::inline site {

std::string pcie_name(int generation, int width) { return fmt::format("pcie-gen{}-x{}", generation, width); }

std::string host_link(const Catalog& catalog, std::string_view kind, const std::string& part) {
    const std::string link = catalog.at(kind, part).word_or("host_link", "");
    const bool pcie = !link.empty() && catalog.at("link", link).has("generation");
    return pcie ? link : pcie_name(5, 16);
}

std::string ShapeDraft::cpu_of(int numa) const {
    const auto found = socket_of.find(std::max(numa, 0));
    return fmt::format("cpu{}", found == socket_of.end() ? 0 : found->second);
}

const PciSeen* ShapeDraft::pci(const std::string& bus) const {
    const auto found = by_bus.find(bus);
    return found == by_bus.end() ? nullptr : found->second;
}

}  // namespace fabricast::inline site
