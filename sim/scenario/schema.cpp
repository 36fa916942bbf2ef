#include "sim/scenario/schema.hpp"

#include "base/text.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/renamed_keys.hpp"

namespace fabricast::inline scenario {

namespace {

std::string_view parent_of(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

Json map_json(const Scenario& scenario, std::string_view path) {
    Json map = Json::object();
    for (const Key* key : keys_inside(path)) {
        if (!belongs(*key, scenario)) { continue; }
        Json value = key->write ? key->write(scenario) : Json();
        if (key->form == Form::map && (!key->write || !value.is_null())) {
            value = map_json(scenario, key->path);
            if (value.empty()) { continue; }
        }
        if (!value.is_null()) { map[std::string(leaf_name(*key))] = std::move(value); }
    }
    return map;
}

}  // namespace

bool belongs(const Key& key, const Scenario& scenario) {
    return key.of_kind.empty() || has_word(key.of_kind, kind_of(scenario.workload));
}

const Key* find_key(std::string_view path) {
    path = present_name(path);
    for (const Key& key : scenario_keys()) {
        if (key.path == path) { return &key; }
    }
    return nullptr;
}

std::vector<const Key*> keys_inside(std::string_view path) {
    std::vector<const Key*> inside;
    for (const Key& key : scenario_keys()) {
        if (parent_of(key.path) == path) { inside.push_back(&key); }
    }
    return inside;
}

std::string_view leaf_name(const Key& key) {
    const std::size_t dot = key.path.rfind('.');
    return dot == std::string::npos ? std::string_view(key.path) : std::string_view(key.path).substr(dot + 1);
}

Json to_json(const Scenario& scenario) { return map_json(scenario, ""); }

}  // namespace fabricast::inline scenario
