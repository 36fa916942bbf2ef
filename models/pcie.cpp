#include "models/pcie.hpp"

#include "models/link_figures.hpp"

namespace fabricast::inline models {

PcieSpec pcie_spec(const Part& part) {
    if (part.word_or("family", "") != "pcie") { throw CatalogError("part '" + part.name + "' is no PCIe link"); }
    const int generation = part.whole("generation");
    const Framing writes{.payload = part.bytes("max_payload"), .header = pcie::write_overhead(generation)};
    return {.link = framed_link(part, LinkFamily::pcie, writes),
            .generation = generation,
            .lanes = part.whole("lanes"),
            .max_read_request = part.bytes("max_read_request")};
}

}  // namespace fabricast::inline models
