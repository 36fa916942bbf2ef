#include "sim/scenario/sweep_keys.hpp"

#include "sim/scenario/rows.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

SweepValue value_of(const Node& node) { return {flow_text(node), node.place}; }

std::vector<SweepValue> values_of(const Node& node) {
    if (!node.is_list() || node.children.empty()) { node.fail("must be a list of values", "[8, 16, 32]"); }
    std::vector<SweepValue> values;
    for (const Node& item : node.children) { values.push_back(value_of(item)); }
    return values;
}

RandomRange range_of(const Node& node) {
    RandomRange range{node.name, node.key_place, {}, {}, {}, false};
    if (node.is_list()) {
        range.choices = values_of(node);
        return range;
    }
    if (!node.is_map()) { node.fail("must be a range or a list of choices", "{from: 1, to: 64} or [8, 16, 32]"); }
    node.allow({"from", "to", "scale"});
    range.from = value_of(node.required("from"));
    range.to = value_of(node.required("to"));
    const Node* scale = node.get("scale");
    range.log = scale != nullptr && scale->as_enum({"linear", "log"}) == 1;
    return range;
}

Json texts_of(const std::vector<SweepValue>& values) {
    Json list = Json::array();
    for (const SweepValue& value : values) { list.push_back(value_json(value)); }
    return list;
}

KeyOf<SweepSpec> grid_key() {
    KeyOf<SweepSpec> key{
        {"grid", Form::variations, "Keys by their path, each with its values: every combination is a point."}};
    key.read = [](const Node& node, SweepSpec& sweep) {
        for (const Node& member : node.members()) {
            sweep.grid.push_back({member.name, member.key_place, values_of(member)});
        }
    };
    key.write = [](const SweepSpec& sweep) {
        Json grid = Json::object();
        for (const Variation& variation : sweep.grid) { grid[variation.path] = texts_of(variation.values); }
        return grid.empty() ? Json() : grid;
    };
    key.when_absent = "none";
    return key;
}

KeyOf<SweepSpec> list_key() {
    KeyOf<SweepSpec> key{{"list", Form::assignments, "Points one by one, each a map of paths and values."}};
    key.read = [](const Node& node, SweepSpec& sweep) {
        for (const Node& item : node.items()) {
            std::vector<Assignment>& point = sweep.list.emplace_back();
            for (const Node& member : item.members()) { point.push_back({member.name, value_of(member)}); }
        }
    };
    key.write = [](const SweepSpec& sweep) {
        Json list = Json::array();
        for (const std::vector<Assignment>& point : sweep.list) {
            Json& entry = list.emplace_back(Json::object());
            for (const Assignment& assignment : point) { entry[assignment.path] = value_json(assignment.value); }
        }
        return list.empty() ? Json() : list;
    };
    key.when_absent = "none";
    return key;
}

KeyOf<RandomSweep> ranges_key() {
    KeyOf<RandomSweep> key{
        {"ranges", Form::ranges,
         "Keys by their path: a list to choose from, or a range, drawn with the decimals that `from` and `to` are "
         "written with."}};
    key.read = [](const Node& node, RandomSweep& random) {
        if (node.members().empty()) { node.fail("must not be empty", "paths of keys, each with its range"); }
        for (const Node& member : node.members()) { random.ranges.push_back(range_of(member)); }
    };
    key.write = [](const RandomSweep& random) {
        Json ranges = Json::object();
        for (const RandomRange& range : random.ranges) {
            if (!range.choices.empty()) {
                ranges[range.path] = texts_of(range.choices);
            } else {
                ranges[range.path] = {{"from", value_json(range.from)},
                                      {"to", value_json(range.to)},
                                      {"scale", range.log ? "log" : "linear"}};
            }
        }
        return ranges.empty() ? Json() : ranges;
    };
    return required(std::move(key));
}

constexpr double most_points = 1e6;

}  // namespace

std::vector<Key> sweep_keys() {
    std::vector<Key> keys = map_keys(
        "sweep", &Scenario::sweep, "The points of `fabricast sweep`: one of the three; other commands leave it aside.",
        {grid_key(), list_key(),
         part_key("random", &SweepSpec::random, "Points drawn at random, the same for the same seed.")});
    const auto random = [](auto& scenario) -> auto& { return *scenario.sweep.random; };
    append(keys,
           keys_below("sweep.random.", random,
                      {required(whole_key("points", &RandomSweep::points, 1, most_points, "How many.")),
                       whole_key("seed", &RandomSweep::seed, 1, 9007199254740991.0, "Of the draws.", "the scenario's"),
                       ranges_key()}));
    return keys;
}

}  // namespace fabricast::inline scenario
