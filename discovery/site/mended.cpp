#include "discovery/site/mended.hpp"

#include <algorithm>

#include "discovery/site/rails.hpp"

namespace fabricast::inline site {

namespace {

// The cables of a node that its peers have and it lacks. Returns how many there are.
std::size_t add_missing(Wiring& out, std::uint32_t node, const Leaves& unit) {
    std::size_t added = 0;
    for (std::uint32_t nic = 0; nic < unit.size(); ++nic) {
        if (out.leaf(node, nic) != no_index) { continue; }
        const auto like = std::ranges::find_if(out.bundles, [&](const Bundle& bundle) {
            const Placed& end = out.placed[bundle.a];
            return bundle.b == unit[nic] && end.in() && end.nic == nic;
        });
        if (like == out.bundles.end()) { continue; }
        Bundle made = *like;
        made.a = static_cast<std::uint32_t>(out.placed.size());  // an adapter that no file knows
        made.trust = Trust::guess;
        out.placed.push_back({node, nic});
        out.bundles.push_back(std::move(made));
        ++added;
    }
    return added;
}

}  // namespace

Mended mended(const Wiring& wiring) {
    Mended made{wiring, 0, 0};
    const Rails rails(wiring.leaf_of, wiring.labels.size());
    Wiring& out = made.wiring;
    for (std::uint32_t node = rails.nodes(); node > 1; --node) {
        if (rails.whole(node - 1) || rails.unit_of(node - 1) != nullptr) { break; }
        out.hosts.pop_back();
        ++made.left_out;
    }
    std::erase_if(out.bundles, [&](const Bundle& bundle) {
        const Placed& end = out.placed[bundle.a];
        return end.in() && end.node >= out.hosts.size();
    });
    for (std::uint32_t node = 0; node < std::min<std::size_t>(out.hosts.size(), rails.nodes()); ++node) {
        const Leaves* unit = rails.whole(node) ? nullptr : rails.unit_of(node);
        if (unit != nullptr) { made.cables += add_missing(out, node, *unit); }
    }
    return made;
}

}  // namespace fabricast::inline site
