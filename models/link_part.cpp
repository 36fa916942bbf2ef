#include "models/link_part.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "models/ethernet.hpp"
#include "models/infiniband.hpp"
#include "models/link_figures.hpp"
#include "models/nvlink.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline models {

namespace {

// For families whose packets are not public, and users' own links: the framing that the part states, else no overhead.
LinkSpec as_stated(const Part& part, LinkFamily family) {
    Framing framing;
    if (part.has("framing.payload")) {
        framing.payload = part.bytes("framing.payload");
        framing.header = part.bytes("framing.header");
    }
    if (framing.payload.count <= 0) {
        throw CatalogError("part '" + part.name + "': 'framing.payload' is not above zero");
    }
    return framed_link(part, family, framing);
}

LinkSpec pcie_link(const Part& part, LinkFamily) { return pcie_spec(part).link; }

LinkSpec nvlink_link(const Part& part, LinkFamily family) {
    return framed_link(part, family, nvlink::framing(part.bytes("packet_payload")));
}

// Between GPUs, of makers other than NVIDIA: everything treats such a link as an NVLink, but its framing is as stated.
LinkSpec scale_up_link(const Part& part, LinkFamily) { return as_stated(part, LinkFamily::nvlink); }

LinkSpec infiniband_link(const Part& part, LinkFamily family) {
    return framed_link(part, family, infiniband::framing(part.bytes("mtu")));
}

LinkSpec ethernet_link(const Part& part, LinkFamily family) {
    return framed_link(part, family, roce::framing(part.bytes("mtu"), roce_options(part)));
}

// Slingshot and EFA's SRD spray packets, as InfiniBand's adaptive routing does; Ethernet is taken to hash flows.
constexpr std::array families = {
    LinkFamilyRow{"pcie", pcie_link},
    LinkFamilyRow{"nvlink", nvlink_link},
    LinkFamilyRow{"scale-up", scale_up_link},
    LinkFamilyRow{"c2c", as_stated},
    LinkFamilyRow{"infiniband", infiniband_link, true},
    LinkFamilyRow{"ethernet", ethernet_link, true, false},
    LinkFamilyRow{"slingshot", as_stated, true},
    LinkFamilyRow{"efa", as_stated, true},
    LinkFamilyRow{"cpu-bus", as_stated},
    LinkFamilyRow{"memory", as_stated},
    LinkFamilyRow{"other", as_stated, false, false},
};

constexpr LinkFamily named(std::string_view name) {
    return LinkFamily(*std::ranges::find(families, name, &LinkFamilyRow::name));
}

}  // namespace

constinit const LinkFamily LinkFamily::pcie = named("pcie");
constinit const LinkFamily LinkFamily::nvlink = named("nvlink");
constinit const LinkFamily LinkFamily::c2c = named("c2c");
constinit const LinkFamily LinkFamily::infiniband = named("infiniband");
constinit const LinkFamily LinkFamily::ethernet = named("ethernet");
constinit const LinkFamily LinkFamily::cpu_bus = named("cpu-bus");
constinit const LinkFamily LinkFamily::memory = named("memory");
constinit const LinkFamily LinkFamily::other = named("other");

std::span<const LinkFamilyRow> link_families() { return families; }

LinkFamily link_family(const Part& part, std::span<const LinkFamilyRow> rows) {
    const std::string& found = part.word("family");
    if (const auto row = std::ranges::find(rows, found, &LinkFamilyRow::name); row != rows.end()) {
        return LinkFamily(*row);
    }
    throw CatalogError("part '" + part.name + "': no link family '" + found + "'" +
                       did_you_mean(found, names_of(rows, &LinkFamilyRow::name)));
}

LinkSpec link_spec(const Part& part, std::span<const LinkFamilyRow> rows) {
    expect_kind(part, "link");
    const LinkFamily family = link_family(part, rows);
    return family->spec(part, family);
}

}  // namespace fabricast::inline models
