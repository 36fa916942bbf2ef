#pragma once
// Rows of the scenario's table by form: each connects a key to a field, so that reading and writing cannot disagree.
// Only the files that define keys need them. `Field` is a callable from a Scenario (const or not) to a reference into
// it.

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/unit_text.hpp"
#include "sim/scenario/key.hpp"

namespace fabricast::rows {

using yaml::Node;

template <class Field>
using ValueOf = std::remove_cvref_t<std::invoke_result_t<Field, Scenario&>>;

inline std::string text_of(const Node& node) {
    if (node.as_string().empty()) {
        node.fail("must not be empty", "one word or text");
    }
    return node.text;
}

// A key whose field is set by `read(node, field)` and written as `write(field)`. An empty or zero field is "not given"
// if a text says what that means.
template <class Field, class Read, class Write>
Key field_key(std::string path, Form form, Field field, std::string meaning, std::string when_absent, Read read,
              Write write) {
    Key key{std::move(path), form, std::move(meaning)};
    key.read = [field, read](const Node& node, Scenario& s) { read(node, field(s)); };
    key.write = [field, write, may_be_absent = !when_absent.empty()](const Scenario& s) {
        return may_be_absent && field(s) == ValueOf<Field>{} ? Json() : Json(write(field(s)));
    };
    key.when_absent = std::move(when_absent);
    return key;
}

// For keys whose JSON value is the field itself.
inline constexpr auto as_it_is = [](const auto& value) { return value; };

inline Key map_key(std::string path, std::string meaning) { return {std::move(path), Form::map, std::move(meaning)}; }

// A map that is an optional part of the scenario.
template <class Field>
Key part_key(std::string path, Field field, std::string meaning) {
    Key key = map_key(std::move(path), std::move(meaning));
    key.read = [field](const Node&, Scenario& s) { field(s).emplace(); };
    key.write = [field](const Scenario& s) { return field(s) ? Json::object() : Json(); };
    return key;
}

template <class Field>
Key text_key(std::string path, Field field, std::string meaning, std::string when_absent = {}) {
    Key key = field_key(
        std::move(path), Form::text, field, std::move(meaning), when_absent,
        [](const Node& node, std::string& to) { to = text_of(node); }, as_it_is);
    key.write = [field](const Scenario& s) { return field(s).empty() ? Json() : Json(field(s)); };
    return key;
}

template <class Field>
Key texts_key(std::string path, Field field, std::string meaning) {
    const auto read = [](const Node& node, auto& to) {
        for (const Node& item : node.items()) {
            to.push_back(text_of(item));
        }
    };
    return field_key(std::move(path), Form::texts, field, std::move(meaning), "none", read, as_it_is);
}

template <class Field>
Key text_map_key(std::string path, Field field, std::string meaning) {
    const auto read = [](const Node& node, auto& to) {
        for (const Node& member : node.members()) {
            to[member.name] = text_of(member);
        }
    };
    return field_key(std::move(path), Form::text_map, field, std::move(meaning), "none", read, as_it_is);
}

template <class Field>
Key flag_key(std::string path, Field field, std::string meaning) {
    const auto read = [](const Node& node, bool& to) { to = node.as_bool(); };
    return field_key(std::move(path), Form::flag, field, std::move(meaning), {}, read, as_it_is);
}

inline std::int64_t whole(double bound, std::int64_t none) {
    return std::isfinite(bound) ? static_cast<std::int64_t>(bound) : none;
}

// A whole number in [low, high].
template <class Field>
Key whole_key(std::string path, Field field, double low, double high, std::string meaning,
              std::string when_absent = {}) {
    const auto read = [low = whole(low, 0), high = whole(high, std::numeric_limits<std::int64_t>::max())](
                          const Node& node, auto& to) {
        to = static_cast<std::remove_reference_t<decltype(to)>>(node.as_int(low, high));
    };
    Key key =
        field_key(std::move(path), Form::whole, field, std::move(meaning), std::move(when_absent), read, as_it_is);
    key.low = low;
    key.high = high;
    return key;
}

template <class Field>
Key wholes_key(std::string path, Field field, double low, double high, std::string meaning, std::string when_absent) {
    const auto read = [low = whole(low, 0), high = whole(high, 0)](const Node& node, auto& to) {
        if (node.items().empty()) {
            node.fail("must not be empty", "a list of whole numbers");
        }
        for (const Node& item : node.items()) {
            to.push_back(static_cast<typename ValueOf<Field>::value_type>(item.as_int(low, high)));
        }
    };
    Key key =
        field_key(std::move(path), Form::wholes, field, std::move(meaning), std::move(when_absent), read, as_it_is);
    key.low = low;
    key.high = high;
    return key;
}

template <class Field>
Key number_key(std::string path, Field field, double low, double high, std::string meaning) {
    const auto read = [low, high](const Node& node, double& to) {
        to = node.as_double();
        if (to < low || to > high) {
            node.fail("is out of range", "from " + Json(low).dump() + " to " + Json(high).dump());
        }
    };
    Key key = field_key(std::move(path), Form::number, field, std::move(meaning), {}, read, as_it_is);
    key.low = low;
    key.high = high;
    return key;
}

template <class Enum, class Field>
Key word_key(std::string path, Field field, Enum last, std::string meaning) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        words.emplace_back(to_string(static_cast<Enum>(i)));
    }
    const auto read = [words](const Node& node, Enum& to) { to = static_cast<Enum>(node.as_enum(words)); };
    const auto write = [](Enum value) { return to_string(value); };
    Key key = field_key(std::move(path), Form::word, field, std::move(meaning), {}, read, write);
    key.words = std::move(words);
    return key;
}

// A word kept as text, because the catalogue or the builder interprets it.
template <class Field>
Key choice_key(std::string path, Field field, std::vector<std::string> words, std::string meaning,
               std::string when_absent) {
    Key key = text_key(std::move(path), field, std::move(meaning), std::move(when_absent));
    key.form = Form::word;
    key.read = [field, words](const Node& node, Scenario& s) { field(s) = words[node.as_enum(words)]; };
    key.words = std::move(words);
    return key;
}

template <class Field>
Key size_key(std::string path, Field field, std::string meaning, std::string when_absent = {}) {
    const auto read = [](const Node& node, Bytes& to) { to = as_bytes(node); };
    const auto write = [](Bytes size) { return text(size); };
    return field_key(std::move(path), Form::size, field, std::move(meaning), std::move(when_absent), read, write);
}

template <class Field>
Key time_key(std::string path, Field field, std::string meaning, std::string when_absent = {}) {
    const auto read = [](const Node& node, Duration& to) { to = as_duration(node); };
    const auto write = [](Duration time) { return std::to_string(time.ps) + " ps"; };
    return field_key(std::move(path), Form::time, field, std::move(meaning), std::move(when_absent), read, write);
}

inline Duration quantity(const Node& node, Duration) { return as_duration(node); }
inline Bytes quantity(const Node& node, Bytes) { return as_bytes(node); }

// Restricts a key to a range: a time or size outside it is refused.
template <class Quantity>
Key within(Key key, Quantity low, Quantity high) {
    key.meaning += " From " + text(low) + " to " + text(high) + ".";
    key.read = [read = std::move(key.read), low, high](const Node& node, Scenario& s) {
        if (const Quantity found = quantity(node, low); found < low || found > high) {
            node.fail("is out of range", "from " + text(low) + " to " + text(high));
        }
        read(node, s);
    };
    return key;
}

inline Key required(Key key) {
    key.required = true;
    return key;
}

inline void append(std::vector<Key>& keys, std::vector<Key> more) {
    keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// A list of maps with these keys, whose fields are those of the item that is being read, the last one. The list as a
// whole writes them, each as `write(item)`; an empty list is "not given".
template <class List, class Write>
std::vector<Key> list_keys(std::string path, List list, std::string meaning, Write write, std::vector<Key> of_item) {
    Key key{std::move(path), Form::maps, std::move(meaning)};
    key.read = [list](const Node&, Scenario& s) { list(s).emplace_back(); };
    key.write = [list, write](const Scenario& s) {
        Json items = Json::array();
        for (const auto& item : list(s)) {
            items.push_back(write(item));
        }
        return items.empty() ? Json() : items;
    };
    for (Key& own : of_item) {
        own.write = {};
    }
    std::vector<Key> keys = {std::move(key)};
    append(keys, std::move(of_item));
    return keys;
}

}  // namespace fabricast::rows
