#include "sim/scenario/build_network.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline scenario {

namespace {

std::string gigabits(Rate rate) { return fmt::format("{} Gb/s", std::llround(rate.bytes_per_second() * 8 / 1e9)); }

std::string names_or(const std::vector<std::string>& names, const char* none) {
    return names.empty() ? none : joined(names);
}

// Refuses a link that is faster than the ports of `end`, a part of this kind. Suggests what fits either part of the
// pair: slower links for the port, faster ports for the link.
template <class Spec>
void refuse_slow_port(const Scenario& scenario, std::string_view key, const Catalog& catalog, const LinkSpec& fast,
                      const Spec& end, std::string_view kind, Spec (*spec_of)(const Part&), std::string_view where) {
    if (!(end.port_rate < fast.rate)) { return; }
    const std::string& family = catalog.at("link", fast.name).word("family");
    std::vector<std::string> slower;
    for (const Part* other : catalog.of_kind("link")) {
        if (other->word("family") == family && !(end.port_rate < link_spec(*other).rate)) {
            slower.push_back(other->name);
        }
    }
    std::vector<std::string> faster;
    for (const Part* part : catalog.of_kind(kind)) {
        const Spec spec = spec_of(*part);
        if (has_word(spec.speaks, family) && !(spec.port_rate < fast.rate)) { faster.push_back(part->name); }
    }
    fail_at(scenario, key, fmt::format("link '{}' is faster than the ports of {}", fast.name, end.name),
            gigabits(fast.rate) + " on " + gigabits(end.port_rate),
            fmt::format("on {}: {}; for {} (`{}`): {}", end.name, names_or(slower, "nothing of its family"), fast.name,
                        where, names_or(faster, "nothing in the catalogue")));
}

// The signalling rate of a lane: it distinguishes NDR200 from HDR, which are equally fast. 0: not stated.
double signalling(const Catalog& catalog, std::string_view name) {
    const Part* part = catalog.find(name);
    return part == nullptr ? 0 : part->number_or("signalling", 0);
}

// Of all switches of the link's family that are fast enough, those of the link's generation are preferred; among them
// the slowest, then the one with the most ports. What is only announced is nobody's usual switch.
SwitchSpec usual_switch(const Scenario& scenario, const Catalog& catalog, const LinkSpec& link,
                        const std::string& family) {
    SwitchSpec chosen;
    bool chosen_like = false;
    for (const Part* part : catalog.of_kind("switch")) {
        const SwitchSpec spec = switch_spec(*part);
        const bool sold = part->figure("radix").origin != Origin::announced;
        if (!sold || !has_word(spec.speaks, family) || spec.port_rate < link.rate) { continue; }
        const bool like = signalling(catalog, part->word_or("link", "")) == signalling(catalog, link.name);
        const bool better =
            spec.port_rate < chosen.port_rate || (spec.port_rate == chosen.port_rate && spec.radix > chosen.radix);
        if (chosen.name.empty() || like > chosen_like || (like == chosen_like && better)) {
            chosen = spec;
            chosen_like = like;
        }
    }
    if (chosen.name.empty()) {
        fail_at(scenario, "cluster.fabric.link",
                fmt::format("no switch in the catalogue speaks {} at the rate of '{}'; name one under `switch`", family,
                            link.name));
    }
    return chosen;
}

}  // namespace

SwitchSpec switch_for(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric) {
    const std::string family = look_up_at(scenario, "cluster.fabric.link",
                                          [&] { return catalog.at("link", fabric.link.name).word("family"); });
    const std::string& name = scenario.cluster.switch_part;
    if (name.empty()) { return usual_switch(scenario, catalog, fabric.link, family); }
    SwitchSpec asked =
        look_up_at(scenario, "cluster.fabric.switch", [&] { return switch_spec(catalog.at("switch", name)); });
    if (!has_word(asked.speaks, family)) {
        fail_at(scenario, "cluster.fabric.switch",
                fmt::format("switch '{}' speaks {}, not {} as link '{}' does", asked.name,
                            joined(names_of(split(asked.speaks, ' '))), family, fabric.link.name));
    }
    return asked;
}

void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric, const NicSpec& nic) {
    refuse_slow_port(scenario, "cluster.fabric.link", catalog, fabric.link, nic, "nic", nic_spec,
                     "options: {nic: ...}");
}

void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric,
                       const SwitchSpec& chosen) {
    for (const auto& [key, link] :
         {std::pair{"cluster.fabric.link", &fabric.link}, std::pair{"cluster.fabric.trunk", &fabric.trunk}}) {
        refuse_slow_port(scenario, key, catalog, *link, chosen, "switch", switch_spec, "switch: ...");
    }
}

}  // namespace fabricast::inline scenario
