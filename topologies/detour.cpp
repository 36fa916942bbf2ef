#include "topologies/detour.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/hash.hpp"

namespace fabricast::inline topologies {

namespace {

// Random draws of a path. If the first 128 all meet the same link that is down (a NIC's port), no hash avoids it. If
// not, few of many ways are whole, and up to 4096 are drawn: if only one of 64 uplinks works, 128 draws would miss it
// with a probability of 0.13; if only one of 512 works, 4096 miss it with a probability of 0.0003.
constexpr std::uint32_t first_hash_tries = 128, most_hash_tries = 4096;

class Search {
public:
    Search(const Fabric& fabric, const std::function<bool(LinkId)>& down) : fabric_(fabric), down_(down) {}

    bool whole(const PathQuery& query) {
        try {
            fabric_.path(query, path_);
        } catch (const Unreachable&) { return false; }
        std::vector<LinkId> blocked;
        std::ranges::copy_if(path_.span(), std::back_inserter(blocked), down_);
        if (!blocked.empty()) {
            first_blocked_ = blocked.front();
            last_blocked_ = blocked.back();
        }
        return blocked.empty();
    }

    std::optional<PathQuery> other_transport(PathQuery query) {
        for (const PathKind transport : {PathKind::nvlink, PathKind::p2p, PathKind::host_staged}) {
            query.kind = transport;
            if (whole(query)) { return query; }
        }
        return std::nullopt;
    }

    std::optional<PathQuery> other_hash(PathQuery query) {
        const std::uint32_t label = query.flow_label;
        const LinkId first = first_blocked_;
        const LinkId last = last_blocked_;
        bool first_varies = false;
        bool last_varies = false;
        for (std::uint32_t i = 1; i <= (first_varies && last_varies ? most_hash_tries : first_hash_tries); ++i) {
            query.flow_label = static_cast<std::uint32_t>(mix(label ^ static_cast<std::uint64_t>(i) << 32U));
            if (whole(query)) { return query; }
            first_varies |= first_blocked_ != first;
            last_varies |= last_blocked_ != last;
        }
        return std::nullopt;
    }

    std::optional<PathQuery> other_nic(PathQuery query) {
        const std::vector<std::uint16_t> src = nics(query.src, query.src_nic);
        const std::vector<std::uint16_t> dst = nics(query.dst, query.dst_nic);
        std::vector<std::array<std::size_t, 2>> choices;
        for (std::size_t s = 0; s < src.size(); ++s) {
            for (std::size_t d = 0; d < dst.size(); ++d) { choices.push_back({s, d}); }
        }
        // Prefer to change the NIC at one end only, then the nearest NICs.
        std::ranges::stable_sort(choices, {}, [](const auto& c) {
            return std::array{c[0] > 0 && c[1] > 0 ? std::size_t{1} : std::size_t{0}, c[0] + c[1]};
        });
        for (const auto& [s, d] : choices) {
            query.src_nic = src[s];
            query.dst_nic = dst[d];
            if (whole(query)) { return query; }
        }
        return std::nullopt;
    }

private:
    // The NICs that this end may use: first the one it uses now, then those at the least distance, then the others.
    std::vector<std::uint16_t> nics(DeviceId device, std::uint16_t asked) const {
        if (fabric_.kind(device) != DeviceKind::gpu) { return {asked}; }
        std::vector<std::uint16_t> order = {asked != any_nic ? asked : fabric_.nearest_nic(device)};
        const auto add = [&](std::uint16_t nic) {
            if (std::ranges::find(order, nic) == order.end()) { order.push_back(nic); }
        };
        for (const std::uint16_t nic : fabric_.near_nics(device)) { add(nic); }
        for (std::uint32_t nic = 0; nic < fabric_.nics_per_node(); ++nic) { add(static_cast<std::uint16_t>(nic)); }
        return order;
    }

    const Fabric& fabric_;
    const std::function<bool(LinkId)>& down_;
    Path path_;
    LinkId first_blocked_{}, last_blocked_{};  // links of the last path that was not whole
};

}  // namespace

std::optional<PathQuery> detour(const Fabric& fabric, const PathQuery& query, const std::function<bool(LinkId)>& down) {
    Search search(fabric, down);
    const bool end_is_switch =
        fabric.kind(query.src) == DeviceKind::fabric_switch || fabric.kind(query.dst) == DeviceKind::fabric_switch;
    if (end_is_switch || search.whole(query)) { return std::nullopt; }
    if (query.kind != PathKind::network && fabric.node_of(query.src) == fabric.node_of(query.dst)) {
        return search.other_transport(query);
    }
    auto found = search.other_hash(query);
    return found ? found : search.other_nic(query);
}

}  // namespace fabricast::inline topologies
