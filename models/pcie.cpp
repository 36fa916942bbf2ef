#include "models/pcie.hpp"

#include "models/link_figures.hpp"

namespace fabricast::inline models {

PcieSpec pcie_spec(const Part& part) {
    if (part.word_or("family", "") != "pcie") { throw CatalogError("part '" + part.name + "' is no PCIe link"); }
    PcieSpec spec;
    spec.name = part.name;
    spec.generation = part.whole("generation");
    spec.lanes = part.whole("lanes");
    spec.rate = line_rate(part);
    spec.max_payload = part.bytes("max_payload");
    spec.max_read_request = part.bytes("max_read_request");
    spec.control_share = part.number("control_share", "");
    spec.latency = part.duration("latency");
    return spec;
}

LinkSpec link_spec(const PcieSpec& link) {
    return {.name = link.name,
            .family = LinkFamily::pcie,
            .rate = link.rate,
            .latency = link.latency,
            .framing = {.payload = link.max_payload, .header = pcie::write_overhead(link.generation)},
            .usable = 1 - link.control_share};
}

}  // namespace fabricast::inline models
