// Typed access to a node: the value, or an error with the node's location.

#include "base/yaml_node.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace fabricast::inline base::yaml {

void Node::fail(const std::string& message) const { throw InputError(place, message); }

void Node::fail(std::string_view what, std::string_view accepted, std::string_view nearest) const {
    const std::string subject = name.empty() ? std::string(what) : "'" + name + "' " + std::string(what);
    fail(error_message(subject, found(), accepted, nearest));
}

std::string Node::found() const {
    switch (kind) {
        case Kind::null: return "nothing";
        case Kind::list: return "a list";
        case Kind::map: return "a map";
        case Kind::scalar: break;
    }
    return shown(text);
}

const Node* Node::get(std::string_view key) const {
    const auto found = std::ranges::find(members(), key, &Node::name);
    return found == children.end() ? nullptr : &*found;
}

const Node& Node::required(std::string_view key) const {
    if (const Node* member = get(key)) { return *member; }
    const std::vector<std::string> written = names_of(children, &Node::name);
    const std::string inside = name.empty() ? "" : " in '" + name + "'";
    fail(error_message("missing key '" + std::string(key) + "'" + inside, joined(written), "",
                       nearest_word(key, written)));
}

const std::vector<Node>& Node::items_of(std::string_view key) const {
    static const std::vector<Node> none;
    const Node* member = get(key);
    return member != nullptr ? member->items() : none;
}

void Node::allow(const std::vector<std::string>& keys) const {
    for (const Node& member : members()) {
        if (std::find(keys.begin(), keys.end(), member.name) == keys.end()) {
            const std::string inside = name.empty() ? "" : " in '" + name + "'";
            throw InputError(member.key_place, error_message("unknown key" + inside, shown(member.name), joined(keys),
                                                             nearest_word(member.name, keys)));
        }
    }
}

const std::vector<Node>& Node::items() const {
    if (!is_list()) { fail("must be a list", "[a, b, ...]"); }
    return children;
}

const std::vector<Node>& Node::members() const {
    if (!is_map()) { fail(name.empty() ? "not a map of keys" : "must be a map of keys", "{key: value, ...}"); }
    return children;
}

const std::string& Node::as_string() const {
    if (!is_scalar()) { fail("must be a word", "one word or text"); }
    return text;
}

std::string Node::text_or(std::string_view key, std::string_view fallback) const {
    const Node* member = get(key);
    return member == nullptr ? std::string(fallback) : member->as_string();
}

std::int64_t Node::as_int(std::int64_t low, std::int64_t high) const {
    std::int64_t value = 0;
    const bool plus = is_scalar() && text.size() > 1 && text[0] == '+' && text[1] != '-';
    const char* begin = text.data() + (plus ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    const bool whole = is_scalar() && error != std::errc::invalid_argument && stop == end;
    if (!whole || error == std::errc::result_out_of_range || value < low || value > high) {
        const bool open_above = high == std::numeric_limits<std::int64_t>::max();
        const bool open_below = low == std::numeric_limits<std::int64_t>::min();
        std::string accepted = low > high ? "nothing: there is none to name yet" : "a whole number";
        if (!open_below && low <= high) {
            accepted += open_above ? " of at least " + std::to_string(low)
                                   : " from " + std::to_string(low) + " to " + std::to_string(high);
        }
        fail(whole ? "is out of range" : "must be a whole number", accepted);
    }
    return value;
}

double Node::as_double() const {
    const std::optional<double> value = figure_in_word(text);
    if (!is_scalar() || !value) { fail("must be a plain number", "a finite number without unit"); }
    return *value;
}

bool Node::as_bool() const {
    if (!is_scalar() || (text != "true" && text != "false")) { fail("must be true or false", "true, false"); }
    return text == "true";
}

std::size_t Node::as_enum(const std::vector<std::string>& words) const {
    const auto known = is_scalar() ? std::ranges::find(words, text) : words.end();
    if (known == words.end()) {
        fail("is not one of the words accepted here", joined(words), is_scalar() ? nearest_word(text, words) : "");
    }
    return static_cast<std::size_t>(known - words.begin());
}

}  // namespace fabricast::inline base::yaml
