#include "discovery/site/node_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast::inline site {

void keep_nics(NodeShape& shape, const std::function<bool(std::size_t)>& kept) {
    std::map<std::string, std::string> renamed;
    std::vector<NicSeen> nics;
    for (std::size_t nic = 0; nic < shape.nics; ++nic) {
        if (!kept(nic)) { continue; }
        renamed.emplace(fmt::format("nic{}", nic), fmt::format("nic{}", nics.size()));
        nics.push_back(shape.nic_of[nic]);
    }
    std::erase_if(shape.cables, [&](const ShapeCable& cable) {
        return cable.from.starts_with("nic") && !renamed.contains(cable.from);
    });
    for (ShapeCable& cable : shape.cables) {
        if (cable.from.starts_with("nic")) { cable.from = renamed.at(cable.from); }
    }
    shape.nics = nics.size();
    shape.nic_of = std::move(nics);
}

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
