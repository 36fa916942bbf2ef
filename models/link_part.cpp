#include "models/link_part.hpp"

#include <array>

#include "base/nearest_word.hpp"
#include "models/ethernet.hpp"
#include "models/infiniband.hpp"
#include "models/link_figures.hpp"
#include "models/nvlink.hpp"
#include "models/pcie.hpp"

namespace fabricast {

namespace {

struct Family {
    std::string_view word;  // its name in the catalogue
    LinkFamily family;
    LinkSpec (*spec)(const Part& part);
};

template <LinkFamily family>
LinkSpec as_stated(const Part& part) {
    return framed_link(part, family, stated_framing(part));
}

LinkSpec pcie_link(const Part& part) { return link_spec(pcie_spec(part)); }

LinkSpec nvlink_link(const Part& part) { return nvlink_spec(part).link; }

LinkSpec infiniband_link(const Part& part) {
    return framed_link(part, LinkFamily::infiniband, infiniband::framing(part.bytes("mtu")));
}

LinkSpec ethernet_link(const Part& part) {
    return framed_link(part, LinkFamily::ethernet, roce::framing(part.bytes("mtu"), roce_options(part)));
}

constexpr std::array families = {
    Family{"pcie", LinkFamily::pcie, pcie_link},
    Family{"nvlink", LinkFamily::nvlink, nvlink_link},
    Family{"c2c", LinkFamily::c2c, as_stated<LinkFamily::c2c>},
    Family{"infiniband", LinkFamily::infiniband, infiniband_link},
    Family{"ethernet", LinkFamily::ethernet, ethernet_link},
    Family{"slingshot", LinkFamily::slingshot, as_stated<LinkFamily::slingshot>},
    Family{"efa", LinkFamily::efa, as_stated<LinkFamily::efa>},
    Family{"cpu-bus", LinkFamily::cpu_bus, as_stated<LinkFamily::cpu_bus>},
    Family{"memory", LinkFamily::memory, as_stated<LinkFamily::memory>},
    Family{"other", LinkFamily::other, as_stated<LinkFamily::other>},
};

const Family& family_of(const Part& part) {
    const std::string& found = part.word("family");
    std::vector<std::string> words;
    for (const Family& family : families) {
        if (family.word == found) {
            return family;
        }
        words.emplace_back(family.word);
    }
    const std::string near = nearest_word(found, words);
    throw CatalogError("part '" + part.name + "': no link family '" + found + "'" +
                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace

LinkFamily link_family(const Part& part) { return family_of(part).family; }

LinkSpec link_spec(const Part& part) {
    if (part.kind != "link") {
        throw CatalogError("part '" + part.name + "' is a " + part.kind + ", not a link");
    }
    return family_of(part).spec(part);
}

}  // namespace fabricast
