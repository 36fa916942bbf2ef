#include "models/link_figures.hpp"

#include <cmath>

namespace fabricast::inline models {

Rate line_rate(const Part& part) {
    if (part.has("rate")) { return part.rate("rate"); }
    const std::vector<double>& encoding = part.list("encoding");
    const auto transfers = std::llround(part.number("signalling", "T/s"));
    const auto lanes = static_cast<int>(part.number("lanes", ""));
    if (encoding.size() != 2 || encoding[0] < 1 || encoding[1] < encoding[0] || transfers <= 0 || lanes <= 0) {
        throw CatalogError("part '" + part.name +
                           "': 'encoding' must be [data bits, line bits], 'signalling' and 'lanes' above zero");
    }
    return encoded_rate(transfers, lanes, std::llround(encoding[0]), std::llround(encoding[1]));
}

LinkSpec framed_link(const Part& part, LinkFamily family, const Framing& framing) {
    LinkSpec link{.name = part.name,
                  .family = family,
                  .rate = line_rate(part),
                  .latency = part.duration("latency"),
                  .framing = framing,
                  .usable = 1 - part.number("control_share", "")};
    if (!(link.usable > 0 && link.usable <= 1)) {
        throw CatalogError("part '" + part.name + "': 'control_share' must lie in [0, 1)");
    }
    return link;
}

}  // namespace fabricast::inline models
