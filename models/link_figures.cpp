#include "models/link_figures.hpp"

#include <cmath>

namespace fabricast::inline models {

Rate line_rate(const Part& part) {
    if (part.has("rate")) { return part.rate("rate"); }
    const std::vector<double>& encoding = part.list("encoding");
    const double transfers = part.number("signalling", "T/s"), lanes = part.number("lanes", "");
    // Beyond these the exact fraction of the rate would not fit its 64 bits.
    if (encoding.size() != 2 || encoding[0] < 1 || encoding[1] < encoding[0] || encoding[1] > 4096 || transfers < 1 ||
        transfers > 1e12 || lanes < 1 || lanes > 1024) {
        throw CatalogError("part '" + part.name +
                           "': 'encoding' must be [data bits, line bits] up to 4096, 'signalling' up to 1e12 T/s and "
                           "'lanes' up to 1024, above zero");
    }
    return encoded_rate(std::llround(transfers), static_cast<int>(lanes), std::llround(encoding[0]),
                        std::llround(encoding[1]));
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
