#include "sim/run/study/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "models/figure_reader.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline studies {

namespace {

// "quantum-2" means its price, "data-centre/pue" the figure behind the slash.
std::pair<std::string, std::string> part_and_figure(std::string_view key) {
    const std::size_t slash = key.find('/');
    return {std::string(key.substr(0, slash)),
            std::string(slash == std::string_view::npos ? "price" : key.substr(slash + 1))};
}

// Whether a figure may be stated here: what a part costs or draws, and any of an owner's or a data centre's. Anything
// else would build another cluster, in a study alone.
bool is_price(const std::string& part, const std::string& figure) {
    return figure == "price" || figure.starts_with("power.") || part == "data-centre" || part == "ownership";
}

// No price, rate or time is negative, something is owned for some time, and power usage effectiveness is at least 1.
// Above 1e12 it is a typing error.
void check_range(const Scenario& scenario, const std::string& at, const std::string& figure, const Figure& stated,
                 const std::string& text) {
    const bool pue = figure == "pue", years = figure == "years";
    const double least = pue ? 1 : years ? 0.01 : 0;
    const double most = pue ? 10 : 1e12;
    for (const double value : {stated.value.front(), stated.low80, stated.high80}) {
        if (!(value >= least && value <= most)) {
            fail_at(scenario, at, "'" + figure + "' is out of range", shown(text),
                    pue ? "1 to 10" : fmt::format("{} to 1e12 of its unit", least));
        }
    }
}

}  // namespace

bool uses_price(const PartsList& list, const Catalog& catalog, std::string_view key, bool makes_tokens) {
    const auto [part, figure] = part_and_figure(key);
    if (figure == "pue") { return list.powered(); }
    if (figure != "price" && (part == "data-centre" || part == "ownership")) {
        return makes_tokens && list.priced() && list.powered();
    }
    const bool power = figure == "power.typical" || figure == "power.max";
    const Part* stated = catalog.find(part);
    if (figure == "power.max" && stated != nullptr && stated->has("power.typical")) { return false; }
    return std::ranges::any_of(list.lines, [&part = part, power](const PartLine& line) {
        return (power && line.watts ? line.watts_of : line.part) == part;
    });
}

void apply_prices(const Scenario& scenario, Catalog& catalog) {
    std::map<std::pair<std::string, std::string>, std::string> stated_by;
    for (const auto& [key, text] : scenario.prices) {
        const auto [name, figure] = part_and_figure(key);
        const std::string at = "prices." + key;
        if (const auto [other, fresh] = stated_by.try_emplace({name, figure}, key); !fresh) {
            fail_at(scenario, at, "the same figure twice", shown(other->second) + " and " + shown(key), "one of them");
        }
        const auto part = catalog.parts.find(name);
        if (part == catalog.parts.end()) {
            fail_at(scenario, at, "no such part in the catalogue", shown(name), "`fabricast catalog list` shows them",
                    nearest_word(name, keys_of(catalog.parts)));
        }
        if (part->second.figures.contains(figure) && !is_price(name, figure)) {
            fail_at(scenario, at, "'" + figure + "' of '" + name + "' is no price", shown(key),
                    "a price, as `" + name +
                        ": 42000 USD`, power.typical, or a figure of data-centre or ownership; "
                        "other figures stand in a folder for --catalog, or in an overlay for --calibration");
        }
        const yaml::Node node{yaml::Kind::scalar, false, text, figure, place_of(scenario, at), {}, {}};
        Figure stated = read_figure(node, {Origin::stated, {"prices of " + scenario.name}});
        const auto old = part->second.figures.find(figure);
        const std::string unit = old != part->second.figures.end() ? old->second.unit : "USD";
        if (stated.unit != unit || (old == part->second.figures.end() && figure != "price")) {
            fail_at(scenario, at,
                    "'" + figure + "' of '" + name + "' is " +
                        (figure == "price" || old != part->second.figures.end() ? "in " + shown_unit(unit)
                                                                                : "no figure of the part"),
                    shown(text), figure == "price" ? "42000 USD" : "");
        }
        check_range(scenario, at, figure, stated, text);
        part->second.figures[figure] = std::move(stated);
    }
}

void check_prices(const Scenario& scenario, const Catalog& catalog) {
    if (scenario.prices.empty()) { return; }
    Catalog priced = catalog;
    apply_prices(scenario, priced);
}

}  // namespace fabricast::inline studies
