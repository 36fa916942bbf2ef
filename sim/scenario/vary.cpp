#include "sim/scenario/vary.hpp"

#include "base/text.hpp"

namespace fabricast::inline scenario {

namespace {

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

Json json_of(const yaml::Node& node) {
    if (node.is_null()) { return {}; }
    if (node.is_scalar()) {
        const Json literal = node.quoted ? Json() : Json::parse(node.text, nullptr, false);
        return literal.is_primitive() && literal.dump() == node.text ? literal : Json(node.text);
    }
    Json json = node.is_list() ? Json::array() : Json::object();
    for (const yaml::Node& child : node.children) {
        (node.is_list() ? json.emplace_back() : json[child.name]) = json_of(child);
    }
    return json;
}

}  // namespace

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

Json value_json(const SweepValue& value) { return json_of(value_at(value)); }

yaml::Node value_at(const SweepValue& value) {
    try {
        yaml::Node node = yaml::parse(value.text, *value.place.file);
        put_at(node, value.place);
        return node;
    } catch (const InputError& error) { throw InputError(value.place, error.message); }
}

}  // namespace fabricast::inline scenario
