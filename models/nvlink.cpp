#include "models/nvlink.hpp"

#include "models/link_figures.hpp"

namespace fabricast {

NvlinkSpec nvlink_spec(const Part& part) {
    NvlinkSpec spec;
    spec.name = part.name;
    const std::string family = part.word_or("family", "");
    if (family == "nvlink") {
        spec.link = framed_link(part, LinkFamily::nvlink, nvlink::framing(part.bytes("packet_payload")));
    } else if (family == "c2c") {
        spec.link = framed_link(part, LinkFamily::c2c, stated_framing(part));
    } else {
        throw CatalogError("part '" + part.name + "' is no NVLink");
    }
    spec.generation = static_cast<int>(part.number("generation", ""));
    return spec;
}

NvswitchSpec nvswitch_spec(const Part& part) {
    if (part.kind != "nvswitch") {
        throw CatalogError("part '" + part.name + "' is a " + part.kind + ", not an nvswitch");
    }
    NvswitchSpec spec;
    spec.name = part.name;
    spec.generation = static_cast<int>(part.number("generation", ""));
    spec.ports = static_cast<int>(part.number("ports", ""));
    spec.port_rate = part.rate("port_rate");
    spec.latency = part.duration("latency");
    spec.reduces = part.word_or("reduces", "no") == "yes";
    spec.reduce_flops = part.number_or("reduce_flops", 0);
    return spec;
}

LinkSpec bundle(const LinkSpec& link, int count) {
    LinkSpec many = link;
    many.rate = {link.rate.num * count, link.rate.den};
    return many;
}

}  // namespace fabricast
