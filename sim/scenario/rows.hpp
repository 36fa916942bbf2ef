#pragma once
// Rows of the scenario's table by form: each connects a key to a member of a struct, so that reading and writing cannot
// disagree. Only the files that define keys need them. keys_below() and list_keys() place the rows of a struct in the
// scenario, or in the struct around it.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_name.hpp"
#include "base/unit_text.hpp"
#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario::rows {

using yaml::Node;

template <class Of> using Rows = std::vector<KeyOf<Of>>;

inline std::string text_of(const Node& node) {
    if (node.as_string().empty()) { node.fail("must not be empty", "one word or text"); }
    return node.text;
}

// Paths are relative to the file that names them, which may be an included one; with --set, to the working folder.
inline std::string path_of(const Node& node) {
    return (std::filesystem::path(*node.place.file).parent_path() / text_of(node)).string();
}

// For keys whose JSON value is the field itself.
inline constexpr auto as_it_is = [](const auto& value) { return value; };

template <class Value> bool not_given(const Value& value) {
    if constexpr (requires { value.empty(); }) {
        return value.empty();
    } else {
        return value == Value{};
    }
}

// A key whose field is set by `read(node, field)` and written as `write(field)`. An empty or zero field is "not given"
// if a text says what that means.
template <class Of, class Value, class Read, class Write = decltype(as_it_is)>
KeyOf<Of> field_key(std::string name, Form form, Value Of::*field, std::string meaning, std::string when_absent,
                    Read read, Write write = as_it_is) {
    KeyOf<Of> key{{std::move(name), form, std::move(meaning)}};
    key.read = [field, read](const Node& node, Of& of) { read(node, of.*field); };
    key.write = [field, write, may_be_absent = !when_absent.empty()](const Of& of) {
        return may_be_absent && not_given(of.*field) ? Json() : Json(write(of.*field));
    };
    key.when_absent = std::move(when_absent);
    return key;
}

template <class Of> KeyOf<Of> map_key(std::string name, std::string meaning) {
    return {{std::move(name), Form::map, std::move(meaning)}};
}

// A map that is an optional part of the struct.
template <class Of, class Part>
KeyOf<Of> part_key(std::string name, std::optional<Part> Of::*field, std::string meaning) {
    KeyOf<Of> key = map_key<Of>(std::move(name), std::move(meaning));
    key.read = [field](const Node&, Of& of) { (of.*field).emplace(); };
    key.write = [field](const Of& of) { return of.*field ? Json::object() : Json(); };
    return key;
}

// A text, read by `read_text`.
template <class Of, class Read = decltype(&text_of)>
KeyOf<Of> text_key(std::string name, std::string Of::*field, std::string meaning, std::string when_absent = {},
                   Read read_text = text_of) {
    const auto read = [read_text](const Node& node, std::string& to) { to = read_text(node); };
    const auto write = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    return field_key(std::move(name), Form::text, field, std::move(meaning), std::move(when_absent), read, write);
}

// A list of texts, each read by `read_text`.
template <class Of, class Read = decltype(&text_of)>
KeyOf<Of> texts_key(std::string name, std::vector<std::string> Of::*field, std::string meaning,
                    Read read_text = text_of) {
    const auto read = [read_text](const Node& node, auto& to) {
        for (const Node& item : node.items()) { to.push_back(read_text(item)); }
    };
    return field_key(std::move(name), Form::texts, field, std::move(meaning), "none", read);
}

template <class Of, class Map> KeyOf<Of> text_map_key(std::string name, Map Of::*field, std::string meaning) {
    const auto read = [](const Node& node, Map& to) {
        for (const Node& member : node.members()) { to[member.name] = text_of(member); }
    };
    return field_key(std::move(name), Form::text_map, field, std::move(meaning), "none", read);
}

template <class Of> KeyOf<Of> flag_key(std::string name, bool Of::*field, std::string meaning) {
    const auto read = [](const Node& node, bool& to) { to = node.as_bool(); };
    return field_key(std::move(name), Form::flag, field, std::move(meaning), {}, read);
}

template <class Of> KeyOf<Of> ranged(KeyOf<Of> key, double low, double high) {
    key.low = low;
    key.high = high;
    return key;
}

// A whole number in [low, high].
template <class Of, class Whole>
KeyOf<Of> whole_key(std::string name, Whole Of::*field, double low, double high, std::string meaning,
                    std::string when_absent = {}) {
    const auto read = [least = static_cast<std::int64_t>(low), most = static_cast<std::int64_t>(high)](
                          const Node& node, Whole& to) { to = static_cast<Whole>(node.as_int(least, most)); };
    return ranged(field_key(std::move(name), Form::whole, field, std::move(meaning), std::move(when_absent), read), low,
                  high);
}

template <class Of, class Whole>
KeyOf<Of> wholes_key(std::string name, std::vector<Whole> Of::*field, double low, double high, std::string meaning,
                     std::string when_absent) {
    const auto read = [least = static_cast<std::int64_t>(low), most = static_cast<std::int64_t>(high)](
                          const Node& node, std::vector<Whole>& to) {
        if (node.items().empty()) { node.fail("must not be empty", "a list of whole numbers"); }
        for (const Node& item : node.items()) { to.push_back(static_cast<Whole>(item.as_int(least, most))); }
    };
    return ranged(field_key(std::move(name), Form::wholes, field, std::move(meaning), std::move(when_absent), read),
                  low, high);
}

template <class Of>
KeyOf<Of> number_key(std::string name, double Of::*field, double low, double high, std::string meaning) {
    const auto read = [low, high](const Node& node, double& to) {
        to = node.as_double();
        if (to < low || to > high) {
            node.fail("is out of range", "from " + Json(low).dump() + " to " + Json(high).dump());
        }
    };
    return ranged(field_key(std::move(name), Form::number, field, std::move(meaning), {}, read), low, high);
}

template <class Of, class Enum> KeyOf<Of> word_key(std::string name, Enum Of::*field, Enum last, std::string meaning) {
    std::vector<std::string> words = names_up_to(last);
    const auto read = [words](const Node& node, Enum& to) { to = static_cast<Enum>(node.as_enum(words)); };
    const auto write = [](Enum value) { return to_string(value); };
    KeyOf<Of> key = field_key(std::move(name), Form::word, field, std::move(meaning), {}, read, write);
    key.words = std::move(words);
    return key;
}

// A word kept as text, because the catalogue or the builder interprets it.
template <class Of>
KeyOf<Of> choice_key(std::string name, std::string Of::*field, std::vector<std::string> words, std::string meaning,
                     std::string when_absent) {
    KeyOf<Of> key = text_key(std::move(name), field, std::move(meaning), std::move(when_absent));
    key.form = Form::word;
    key.read = [field, words](const Node& node, Of& of) { of.*field = words[node.as_enum(words)]; };
    key.words = std::move(words);
    return key;
}

template <class Of>
KeyOf<Of> size_key(std::string name, Bytes Of::*field, std::string meaning, std::string when_absent = {}) {
    const auto read = [](const Node& node, Bytes& to) { to = as_bytes(node); };
    const auto write = [](Bytes size) { return text(size); };
    return field_key(std::move(name), Form::size, field, std::move(meaning), std::move(when_absent), read, write);
}

template <class Of>
KeyOf<Of> time_key(std::string name, Duration Of::*field, std::string meaning, std::string when_absent = {}) {
    const auto read = [](const Node& node, Duration& to) { to = as_duration(node); };
    const auto write = [](Duration time) { return std::to_string(time.ps) + " ps"; };
    return field_key(std::move(name), Form::time, field, std::move(meaning), std::move(when_absent), read, write);
}

inline Duration quantity(const Node& node, Duration) { return as_duration(node); }
inline Bytes quantity(const Node& node, Bytes) { return as_bytes(node); }

// Restricts a key to a range: a time or size outside it is refused.
template <class Of, class Quantity> KeyOf<Of> within(KeyOf<Of> key, Quantity low, Quantity high) {
    key.meaning += " From " + text(low) + " to " + text(high) + ".";
    key.read = [read = std::move(key.read), low, high](const Node& node, Of& of) {
        if (const Quantity found = quantity(node, low); found < low || found > high) {
            node.fail("is out of range", "from " + text(low) + " to " + text(high));
        }
        read(node, of);
    };
    return key;
}

template <class Of> KeyOf<Of> required(KeyOf<Of> key) {
    key.required = true;
    return key;
}

// The rows of several tables, one table after the other.
template <class Of = Scenario> Rows<Of> together(std::initializer_list<Rows<Of>> tables) {
    Rows<Of> keys;
    for (const Rows<Of>& table : tables) { keys.insert(keys.end(), table.begin(), table.end()); }
    return keys;
}

template <class Whole, class Part> using PartOf = std::remove_cvref_t<std::invoke_result_t<Part, Whole&>>;
template <class Whole, class List> using ItemOf = typename PartOf<Whole, List>::value_type;

// Rows of a part as keys of the whole; `before` precedes their paths ("cluster."). `part` is a member, or a callable
// from the whole (const or not) to a reference into it.
template <class Whole = Scenario, class Part>
Rows<Whole> keys_below(const std::string& before, Part part, Rows<PartOf<Whole, Part>> rows) {
    Rows<Whole> keys;
    for (KeyOf<PartOf<Whole, Part>>& row : rows) {
        KeyOf<Whole>& key = keys.emplace_back(KeyOf<Whole>{KeyText(row)});
        key.path = before + row.path;
        if (row.read) {
            key.read = [part, read = std::move(row.read)](const Node& node, Whole& whole) {
                read(node, std::invoke(part, whole));
            };
        }
        if (row.write) {
            key.write = [part, write = std::move(row.write)](const Whole& whole) {
                return write(std::invoke(part, whole));
            };
        }
    }
    return keys;
}

// A map and the keys in it.
template <class Whole = Scenario, class Part>
Rows<Whole> map_keys(const std::string& path, Part part, std::string meaning, Rows<PartOf<Whole, Part>> rows) {
    return together<Whole>(
        {{map_key<Whole>(path, std::move(meaning))}, keys_below<Whole>(path + ".", part, std::move(rows))});
}

// A map that is an optional part of the whole, and the keys in it.
template <class Whole = Scenario, class Part>
Rows<Whole> part_keys(const std::string& path, std::optional<Part> Whole::*part, std::string meaning, Rows<Part> rows) {
    const auto inside = [part](auto& whole) -> auto& { return *(whole.*part); };
    return together<Whole>(
        {{part_key(path, part, std::move(meaning))}, keys_below<Whole>(path + ".", inside, std::move(rows))});
}

// A list of maps with these keys, whose fields are those of the item that is being read, the last one. The list as a
// whole writes them, each as `write(item)` if there is one; an empty list is "not given".
template <class Whole = Scenario, class List>
Rows<Whole> list_keys(const std::string& path, List list, std::string meaning, Rows<ItemOf<Whole, List>> of_item,
                      std::function<Json(const ItemOf<Whole, List>&)> write = {}) {
    using Item = ItemOf<Whole, List>;
    if (!write) {
        write = [of_item](const Item& item) {
            Json json = Json::object();
            for (const KeyOf<Item>& key : of_item) {
                if (Json value = key.write(item); !value.is_null()) { json[key.path] = std::move(value); }
            }
            return json;
        };
    }
    KeyOf<Whole> key{{path, Form::maps, std::move(meaning)}};
    key.read = [list](const Node&, Whole& whole) { std::invoke(list, whole).emplace_back(); };
    key.write = [list, write](const Whole& whole) {
        Json items = Json::array();
        for (const Item& item : std::invoke(list, whole)) { items.push_back(write(item)); }
        return items.empty() ? Json() : items;
    };
    for (KeyOf<Item>& own : of_item) { own.write = {}; }
    const auto last = [list](auto& whole) -> auto& { return std::invoke(list, whole).back(); };
    return together<Whole>({{std::move(key)}, keys_below<Whole>(path + ".", last, std::move(of_item))});
}

}  // namespace fabricast::inline scenario::rows
