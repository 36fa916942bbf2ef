#include "models/pcie.hpp"

#include <algorithm>

#include "models/link_figures.hpp"

namespace fabricast {

PcieSpec pcie_spec(const Part& part) {
    if (part.word_or("family", "") != "pcie") {
        throw CatalogError("part '" + part.name + "' is no PCIe link");
    }
    PcieSpec spec;
    spec.name = part.name;
    spec.generation = static_cast<int>(part.number("generation", ""));
    spec.lanes = static_cast<int>(part.number("lanes", ""));
    spec.rate = line_rate(part);
    spec.max_payload = part.bytes("max_payload");
    spec.max_read_request = part.bytes("max_read_request");
    spec.read_tags = static_cast<int>(part.number("read_tags", ""));
    spec.control_share = part.number("control_share", "");
    spec.latency = part.duration("latency");
    spec.read_round_trip = part.duration("read_round_trip");
    return spec;
}

double write_bandwidth(const PcieSpec& link, Bytes message) {
    const Bytes payload = std::min(link.max_payload, message);
    return link.rate.bytes_per_second() * (1 - link.control_share) *
           pcie::efficiency(payload, pcie::write_overhead(link.generation));
}

double read_bandwidth(const PcieSpec& link, Bytes message) {
    const Bytes payload = std::min(link.max_payload, message);
    const double on_the_line = link.rate.bytes_per_second() * (1 - link.control_share) *
                               pcie::efficiency(payload, pcie::completion_overhead(link.generation));
    const Bytes request = std::min(link.max_read_request, message);
    const double in_flight = static_cast<double>(link.read_tags) * static_cast<double>(request.count);
    return std::min(on_the_line, in_flight / to_seconds(link.read_round_trip));
}

double read_request_load(const PcieSpec& link, double read_bytes_per_second) {
    const double requests = read_bytes_per_second / static_cast<double>(link.max_read_request.count);
    return requests *
           static_cast<double>(pcie::write_overhead(link.generation).count);  // the same 4 DW header, no data
}

LinkSpec link_spec(const PcieSpec& link) {
    return {.name = link.name,
            .family = LinkFamily::pcie,
            .rate = link.rate,
            .latency = link.latency,
            .framing = {.payload = link.max_payload, .header = pcie::write_overhead(link.generation), .setup = {}},
            .usable = 1 - link.control_share};
}

}  // namespace fabricast
