#include "sim/scenario/renamed_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/scenario/scenario.hpp"

namespace fabricast::inline scenario {

namespace {

struct RenamedKey {
    std::string_view before, now;  // both in the same map
};

constexpr std::array renamed_keys = {
    RenamedKey{"workload.beside", "workload.concurrent"},
};

}  // namespace

std::string_view present_name(std::string_view path) {
    const auto found = std::ranges::find(renamed_keys, path, &RenamedKey::before);
    return found == renamed_keys.end() ? path : found->now;
}

std::optional<yaml::Node> with_present_names(const yaml::Node& map, std::string_view path,
                                             std::vector<std::string>& notes) {
    std::optional<yaml::Node> renamed;
    for (const auto& [before, now] : renamed_keys) {
        const yaml::Node* key = parent_of(before) == path && map.is_map() ? map.get(leaf_of(before)) : nullptr;
        if (key == nullptr) { continue; }
        if (map.get(leaf_of(now)) != nullptr) {
            throw InputError(key->key_place, fmt::format("'{}' is the old name of '{}', which is given too",
                                                         leaf_of(before), leaf_of(now)));
        }
        if (!renamed) { renamed = map; }
        std::ranges::find(renamed->children, leaf_of(before), &yaml::Node::name)->name = leaf_of(now);
        notes.push_back(
            fmt::format("`{}` is now called `{}`; the old name will be refused by the next release", before, now));
    }
    return renamed;
}

}  // namespace fabricast::inline scenario
