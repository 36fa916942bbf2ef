#include "sim/scenario/renamed_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fabricast::inline scenario {

namespace {

struct RenamedKey {
    std::string_view before, now;  // both in the same map
};

constexpr std::array renamed_keys = {
    RenamedKey{"workload.beside", "workload.concurrent"},
};

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

yaml::Node* find(yaml::Node& map, std::string_view name) {
    const auto found = std::ranges::find(map.children, name, &yaml::Node::name);
    return map.is_map() && found != map.children.end() ? &*found : nullptr;
}

// The map that holds the key, or null.
yaml::Node* map_around(yaml::Node& root, std::string_view path) {
    yaml::Node* map = &root;
    for (std::size_t dot = path.find('.'); map != nullptr && dot != std::string_view::npos; dot = path.find('.')) {
        map = find(*map, path.substr(0, dot));
        path.remove_prefix(dot + 1);
    }
    return map;
}

}  // namespace

std::string_view present_name(std::string_view path) {
    const auto found = std::ranges::find(renamed_keys, path, &RenamedKey::before);
    return found == renamed_keys.end() ? path : found->now;
}

std::optional<yaml::Node> with_present_names(const yaml::Node& root, std::vector<std::string>& notes) {
    std::optional<yaml::Node> renamed;
    for (const auto& [before, now] : renamed_keys) {
        yaml::Node tree = renamed ? *renamed : root;
        yaml::Node* map = map_around(tree, before);
        yaml::Node* key = map == nullptr ? nullptr : find(*map, leaf(before));
        if (key == nullptr) { continue; }
        if (find(*map, leaf(now)) != nullptr) {
            throw InputError(key->key_place,
                             fmt::format("'{}' is the old name of '{}', which is given too", leaf(before), leaf(now)));
        }
        key->name = leaf(now);
        notes.push_back(
            fmt::format("`{}` is now called `{}`; the old name will be refused by the next release", before, now));
        renamed = std::move(tree);
    }
    return renamed;
}

}  // namespace fabricast::inline scenario
