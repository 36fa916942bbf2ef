#include "sim/scenario/sweep_keys.hpp"

#include "sim/scenario/rows.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast {

namespace {

using namespace rows;

SweepValue value_of(const Node& node) { return {flow_text(node), node.place}; }

std::vector<SweepValue> values_of(const Node& node) {
    if (!node.is_list() || node.children.empty()) {
        node.fail("must be a list of values", "[8, 16, 32]");
    }
    std::vector<SweepValue> values;
    for (const Node& item : node.children) {
        values.push_back(value_of(item));
    }
    return values;
}

RandomRange range_of(const Node& node) {
    RandomRange range{node.name, node.key_place, {}, {}, {}, false};
    if (node.is_list()) {
        range.choices = values_of(node);
        return range;
    }
    if (!node.is_map()) {
        node.fail("must be a range or a list of choices", "{from: 1, to: 64} or [8, 16, 32]");
    }
    node.allow({"from", "to", "scale"});
    range.from = value_of(node.required("from"));
    range.to = value_of(node.required("to"));
    const Node* scale = node.get("scale");
    range.log = scale != nullptr && scale->as_enum({"linear", "log"}) == 1;
    return range;
}

Json texts_of(const std::vector<SweepValue>& values) {
    Json list = Json::array();
    for (const SweepValue& value : values) {
        list.push_back(value_json(value));
    }
    return list;
}

Key grid_key() {
    Key key{"sweep.grid", Form::variations, "Keys by their path, each with its values: every combination is a point."};
    key.read = [](const Node& node, Scenario& s) {
        for (const Node& member : node.members()) {
            s.sweep.grid.push_back({member.name, member.key_place, values_of(member)});
        }
    };
    key.write = [](const Scenario& s) {
        Json grid = Json::object();
        for (const Variation& variation : s.sweep.grid) {
            grid[variation.path] = texts_of(variation.values);
        }
        return grid.empty() ? Json() : grid;
    };
    key.when_absent = "none";
    return key;
}

Key list_key() {
    Key key{"sweep.list", Form::assignments, "Points one by one, each a map of paths and values."};
    key.read = [](const Node& node, Scenario& s) {
        for (const Node& item : node.items()) {
            std::vector<Assignment>& point = s.sweep.list.emplace_back();
            for (const Node& member : item.members()) {
                point.push_back({member.name, value_of(member)});
            }
        }
    };
    key.write = [](const Scenario& s) {
        Json list = Json::array();
        for (const std::vector<Assignment>& point : s.sweep.list) {
            Json& entry = list.emplace_back(Json::object());
            for (const Assignment& assignment : point) {
                entry[assignment.path] = value_json(assignment.value);
            }
        }
        return list.empty() ? Json() : list;
    };
    key.when_absent = "none";
    return key;
}

Key ranges_key() {
    Key key{"sweep.random.ranges", Form::ranges,
            "Keys by their path: a list to choose from, or a range, drawn with the decimals that `from` and `to` are "
            "written with."};
    key.read = [](const Node& node, Scenario& s) {
        if (node.members().empty()) {
            node.fail("must not be empty", "paths of keys, each with its range");
        }
        for (const Node& member : node.members()) {
            s.sweep.random->ranges.push_back(range_of(member));
        }
    };
    key.write = [](const Scenario& s) {
        Json ranges = Json::object();
        for (const RandomRange& range : s.sweep.random->ranges) {
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

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define RANDOM(member) \
    [](auto& scenario) -> auto& { return scenario.sweep.random->member; }
// NOLINTEND(bugprone-macro-parentheses)

constexpr double most_points = 1e6;

}  // namespace

std::vector<Key> sweep_keys() {
    return {
        map_key("sweep", "The points of `fabricast sweep`: one of the three; other commands leave it aside."),
        grid_key(),
        list_key(),
        part_key(
            "sweep.random", [](auto& scenario) -> auto& { return scenario.sweep.random; },
            "Points drawn at random, the same for the same seed."),
        required(whole_key("sweep.random.points", RANDOM(points), 1, most_points, "How many.")),
        whole_key("sweep.random.seed", RANDOM(seed), 1, 9007199254740991.0, "Of the draws.", "the scenario's"),
        ranges_key(),
    };
}

#undef RANDOM

}  // namespace fabricast
