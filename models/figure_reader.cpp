#include "models/figure_reader.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"
#include "base/unit_text.hpp"

namespace fabricast::inline models {

namespace {

struct Number {
    double value = 0;
    std::string unit;
};

// Units that only catalogue parts use: prices, and the message rates of adapters.
struct CatalogUnit {
    std::string_view name;
    std::string_view base;
    double factor;
};
constexpr std::array<CatalogUnit, 4> catalog_units = {
    {{" USD", "USD", 1}, {" USD/kWh", "USD/kWh", 1}, {" Mmsg/s", "msg/s", 1e6}, {" msg/s", "msg/s", 1}}};

// A number without a unit is a count or a ratio; a number with a unit is converted to the base unit of its dimension.
Number read_number(const yaml::Node& node) {
    const std::string& text = node.as_string();
    const bool bare = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    if (bare) { return {node.as_double(), ""}; }
    for (const CatalogUnit& unit : catalog_units) {
        if (text.ends_with(unit.name)) {
            yaml::Node number = node;
            number.text = text.substr(0, text.size() - unit.name.size());
            return {number.as_double() * unit.factor, std::string(unit.base)};
        }
    }
    const Quantity quantity = as_quantity(node);
    return {quantity.value, std::string(base_unit(quantity.dimension))};
}

void read_values(const yaml::Node& node, Figure& figure) {
    const auto append = [&](const yaml::Node& item) {
        Number number = read_number(item);
        if (!figure.value.empty() && number.unit != figure.unit) {
            item.fail("the values of one figure must share a dimension; the first is in " + shown_unit(figure.unit));
        }
        figure.unit = std::move(number.unit);
        figure.value.push_back(number.value);
    };
    if (node.is_list()) {
        for (const yaml::Node& item : node.items()) { append(item); }
        if (figure.value.empty()) { node.fail("a figure needs at least one value"); }
    } else {
        append(node);
    }
}

// Whether the figure is a wire factor: bytes on the link per byte given to it.
bool is_wire(std::string_view name) {
    return name == "wire" || name.ends_with(".wire") || name.ends_with("_wire") || name.ends_with(".wire_inside");
}

// One end of the interval; the value itself if the key is absent.
double read_bound(const yaml::Node& node, std::string_view key, const Figure& figure) {
    const yaml::Node* bound = node.get(key);
    if (bound == nullptr) { return figure.value.front(); }
    const Number number = read_number(*bound);
    if (number.unit != figure.unit) {
        bound->fail("'" + std::string(key) + "' must be in the unit of the value, " + shown_unit(figure.unit));
    }
    return number.value;
}

}  // namespace

Figure read_figure(const yaml::Node& node, const Provenance& defaults) {
    Figure figure;
    Provenance own = defaults;
    if (node.is_map()) {
        node.allow(figure_keys);
        read_values(node.required("value"), figure);
        figure.low80 = read_bound(node, "low80", figure);
        figure.high80 = read_bound(node, "high80", figure);
        if (figure.low80 > figure.value.front() || figure.high80 < figure.value.front()) {
            node.fail("the interval of '" + node.name + "' must hold its value");
        }
        read_provenance(node, own);
    } else {
        read_values(node, figure);
        figure.low80 = figure.high80 = figure.value.front();
    }
    if (is_wire(node.name) && figure.low80 < 1) {
        node.fail("'" + node.name + "' and its interval are 1 or more: a wire carries at least what it is given");
    }
    if (!own.origin || own.source.empty() || own.source.front().empty()) {
        node.fail("the figure '" + node.name + "' needs an origin and a source, its own or its part's");
    }
    figure.origin = *own.origin;
    figure.source = std::move(own.source);
    return figure;
}

void read_provenance(const yaml::Node& map, Provenance& provenance) {
    if (const yaml::Node* origin = map.get("origin")) {
        provenance.origin = static_cast<Origin>(origin->as_enum(names_of(origin_names)));
    }
    if (const yaml::Node* source = map.get("source")) {
        provenance.source = source->is_list() ? names_of(source->items(), &yaml::Node::as_string)
                                              : std::vector<std::string>{source->as_string()};
    }
}

}  // namespace fabricast::inline models
