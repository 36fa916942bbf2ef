#include "models/link_part.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "models/ethernet.hpp"
#include "models/infiniband.hpp"
#include "models/nvlink.hpp"
#include "models/pcie.hpp"

namespace fabricast {

namespace {

constexpr std::array<std::pair<std::string_view, LinkFamily>, 10> families = {{{"pcie", LinkFamily::pcie},
                                                                               {"nvlink", LinkFamily::nvlink},
                                                                               {"c2c", LinkFamily::c2c},
                                                                               {"infiniband", LinkFamily::infiniband},
                                                                               {"ethernet", LinkFamily::ethernet},
                                                                               {"slingshot", LinkFamily::slingshot},
                                                                               {"efa", LinkFamily::efa},
                                                                               {"cpu-bus", LinkFamily::cpu_bus},
                                                                               {"memory", LinkFamily::memory},
                                                                               {"other", LinkFamily::other}}};

// A family whose packets are not public, or a user's own: the part may state its framing, else payload is all there is.
Framing stated_framing(const Part& part) {
    Framing framing;
    if (part.has("framing.payload")) {
        framing.payload = part.bytes("framing.payload");
        framing.header = part.bytes("framing.header");
    }
    if (framing.payload.count <= 0) {
        throw CatalogError("part '" + part.name + "': 'framing.payload' is not above zero");
    }
    return framing;
}

Framing framing_of(LinkFamily family, const Part& part) {
    switch (family) {
        case LinkFamily::infiniband:
            return infiniband::framing(part.bytes("mtu"));
        case LinkFamily::ethernet:
            return roce::framing(part.bytes("mtu"), roce_options(part));
        case LinkFamily::nvlink:
            return nvlink::framing(part.bytes("packet_payload"));
        default:
            return stated_framing(part);
    }
}

}  // namespace

LinkFamily link_family(const Part& part) {
    const std::string& found = part.word("family");
    std::vector<std::string> words;
    for (const auto& [word, family] : families) {
        if (word == found) {
            return family;
        }
        words.emplace_back(word);
    }
    const std::string near = nearest_word(found, words);
    throw CatalogError("part '" + part.name + "': no link family '" + found + "'" +
                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Rate line_rate(const Part& part) {
    if (part.has("rate")) {
        return part.rate("rate");
    }
    const std::vector<double>& encoding = part.list("encoding");
    const auto transfers = std::llround(part.number("signalling", "T/s"));
    const auto lanes = static_cast<int>(part.number("lanes", ""));
    if (encoding.size() != 2 || encoding[0] < 1 || encoding[1] < encoding[0] || transfers <= 0 || lanes <= 0) {
        throw CatalogError("part '" + part.name +
                           "': 'encoding' must be [data bits, line bits], 'signalling' and 'lanes' above zero");
    }
    return encoded_rate(transfers, lanes, std::llround(encoding[0]), std::llround(encoding[1]));
}

LinkSpec link_spec(const Part& part) {
    if (part.kind != "link") {
        throw CatalogError("part '" + part.name + "' is a " + part.kind + ", not a link");
    }
    const LinkFamily family = link_family(part);
    if (family == LinkFamily::pcie) {
        return link_spec(pcie_spec(part));
    }
    LinkSpec link{.name = part.name,
                  .family = family,
                  .rate = line_rate(part),
                  .latency = part.duration("latency"),
                  .framing = framing_of(family, part),
                  .usable = 1 - part.number("control_share", "")};
    if (!(link.usable > 0 && link.usable <= 1)) {
        throw CatalogError("part '" + part.name + "': 'control_share' must lie in [0, 1)");
    }
    return link;
}

}  // namespace fabricast
