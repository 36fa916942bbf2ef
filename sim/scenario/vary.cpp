#include "sim/scenario/vary.hpp"

#include "base/text.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

constexpr std::string_view spaces = " \t";

SourceLocation vary_column(std::size_t offset) {
    return {std::make_shared<const std::string>("--vary"), 1, static_cast<int>(offset) + 1};
}

// The end of the value that begins at `start`: the next comma outside brackets and quotes, or the end of the text.
std::size_t end_of_value(std::string_view text, std::size_t start) {
    int depth = 0;
    char quote = 0;
    for (std::size_t i = start; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            i += c == '\\' && quote == '"' ? 1U : 0U;
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && depth <= 0) {
            return i;
        }
    }
    return text.size();
}

SweepValue value_between(std::string_view argument, std::size_t start, std::size_t end) {
    const std::string_view text = trimmed(argument.substr(start, end - start), spaces);
    if (text.empty()) {
        throw InputError(vary_column(start), error_message("an empty value", shown(argument), "path=value,value,..."));
    }
    return {std::string(text), vary_column(static_cast<std::size_t>(text.data() - argument.data()))};
}

void put_at(yaml::Node& node, const SourceLocation& place) {
    node.place = node.key_place = place;
    for (yaml::Node& child : node.children) { put_at(child, place); }
}

// Quotes a scalar that would otherwise be split by a flow collection or read as a comment.
std::string scalar_text(const std::string& text, bool quoted) {
    constexpr std::string_view special = ",[]{}:#&*!|>'\"%@`\\\n\t";
    const bool plain =
        !quoted && !text.empty() && text.find_first_of(special) == std::string::npos && trimmed(text, spaces) == text;
    return plain ? text : Json(text).dump();
}

// A scalar as the number or the word that it is in JSON, if that is written alike.
Json literal_or_text(const Node& scalar) {
    const Json literal = scalar.quoted ? Json() : Json::parse(scalar.text, nullptr, false);
    return literal.is_primitive() && literal.dump() == scalar.text ? literal : Json(scalar.text);
}

template <class Scalar> Json json_of(const Node& node, const Scalar& scalar) {
    if (node.is_null() || node.is_scalar()) { return node.is_null() ? Json() : scalar(node); }
    Json json = node.is_list() ? Json::array() : Json::object();
    for (const Node& child : node.children) {
        (node.is_list() ? json.emplace_back() : json[child.name]) = json_of(child, scalar);
    }
    return json;
}

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
    const auto read = [](const Node& node, std::vector<Variation>& grid) {
        for (const Node& member : node.members()) {
            grid.push_back({member.name, member.key_place, values_of(member)});
        }
    };
    const auto write = [](const std::vector<Variation>& grid) {
        Json json = Json::object();
        for (const Variation& variation : grid) { json[variation.path] = texts_of(variation.values); }
        return json;
    };
    return field_key("grid", Form::variations, &SweepSpec::grid,
                     "Keys by their path, each with its values: every combination is a point.", "none", read, write);
}

KeyOf<SweepSpec> list_key() {
    using Points = std::vector<std::vector<Assignment>>;
    const auto read = [](const Node& node, Points& list) {
        for (const Node& item : node.items()) {
            std::vector<Assignment>& point = list.emplace_back();
            for (const Node& member : item.members()) { point.push_back({member.name, value_of(member)}); }
        }
    };
    const auto write = [](const Points& list) {
        Json json = Json::array();
        for (const std::vector<Assignment>& point : list) {
            Json& entry = json.emplace_back(Json::object());
            for (const Assignment& assignment : point) { entry[assignment.path] = value_json(assignment.value); }
        }
        return json;
    };
    return field_key("list", Form::assignments, &SweepSpec::list, "Points one by one, each a map of paths and values.",
                     "none", read, write);
}

KeyOf<RandomSweep> ranges_key() {
    const auto read = [](const Node& node, std::vector<RandomRange>& ranges) {
        if (node.members().empty()) { node.fail("must not be empty", "paths of keys, each with its range"); }
        for (const Node& member : node.members()) { ranges.push_back(range_of(member)); }
    };
    const auto write = [](const std::vector<RandomRange>& ranges) {
        Json json = Json::object();
        for (const RandomRange& range : ranges) {
            if (!range.choices.empty()) {
                json[range.path] = texts_of(range.choices);
            } else {
                json[range.path] = {{"from", value_json(range.from)},
                                    {"to", value_json(range.to)},
                                    {"scale", range.log ? "log" : "linear"}};
            }
        }
        return json.empty() ? Json() : json;
    };
    return required(field_key("ranges", Form::ranges, &RandomSweep::ranges,
                              "Keys by their path: a list to choose from, or a range, drawn with the decimals that "
                              "`from` and `to` are written with.",
                              {}, read, write));
}

constexpr double most_points = 1e6;

}  // namespace

std::vector<Key> sweep_keys() {
    using R = RandomSweep;
    return map_keys(
        "sweep", &Scenario::sweep, "The points of `fabricast sweep`: one of the three; other commands leave it aside.",
        together<SweepSpec>({
            {grid_key(), list_key()},
            part_keys(
                "random", &SweepSpec::random, "Points drawn at random, the same for the same seed.",
                {required(whole_key("points", &R::points, 1, most_points, "How many.")),
                 whole_key("seed", &R::seed, 1, 9007199254740991.0, "Of the draws.", "the scenario's"), ranges_key()}),
        }));
}

Variation parse_variation(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw InputError(vary_column(0), error_message("nothing to vary", shown(argument), "path=value,value,..."));
    }
    Variation variation{std::string(argument.substr(0, equals)), vary_column(0), {}};
    for (std::size_t start = equals + 1;;) {
        const std::size_t end = end_of_value(argument, start);
        variation.values.push_back(value_between(argument, start, end));
        if (end == argument.size()) { return variation; }
        start = end + 1;
    }
}

std::string flow_text(const yaml::Node& node) {
    if (node.is_null()) { return "null"; }
    if (node.is_scalar()) { return scalar_text(node.text, node.quoted); }
    std::string inside;
    for (const yaml::Node& child : node.children) {
        inside += inside.empty() ? "" : ", ";
        inside += node.is_map() ? scalar_text(child.name, false) + ": " : "";
        inside += flow_text(child);
    }
    return node.is_map() ? "{" + inside + "}" : "[" + inside + "]";
}

Json value_json(const SweepValue& value) { return json_of(value_at(value), literal_or_text); }

Json texts_json(const yaml::Node& node) {
    return json_of(node, [](const Node& scalar) { return Json(scalar.text); });
}

yaml::Node value_at(const SweepValue& value) {
    try {
        yaml::Node node = yaml::parse(value.text, *value.place.file);
        put_at(node, value.place);
        return node;
    } catch (const InputError& error) { throw InputError(value.place, error.message); }
}

}  // namespace fabricast::inline scenario
