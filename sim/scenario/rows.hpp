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

inline std::int64_t whole_low(const Key& key) {
    return std::isfinite(key.low) ? static_cast<std::int64_t>(key.low) : 0;
}
inline std::int64_t whole_high(const Key& key) {
    return std::isfinite(key.high) ? static_cast<std::int64_t>(key.high) : std::numeric_limits<std::int64_t>::max();
}

inline double number_in_range(const Node& node, double low, double high) {
    const double value = node.as_double();
    if (value < low || value > high) {
        node.fail("is out of range", "from " + Json(low).dump() + " to " + Json(high).dump());
    }
    return value;
}

inline std::string text_of(const Node& node) {
    if (node.as_string().empty()) {
        node.fail("must not be empty", "one word or text");
    }
    return node.text;
}

// --- rows by form

inline Key map_key(std::string path, std::string meaning) { return {std::move(path), Form::map, std::move(meaning)}; }

template <class Field>
Key text_key(std::string path, Field field, std::string meaning, std::string when_absent = {}) {
    Key key{std::move(path), Form::text, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) { field(s) = text_of(node); };
    key.write = [field](const Scenario& s) { return field(s).empty() ? Json() : Json(field(s)); };
    key.when_absent = std::move(when_absent);
    return key;
}

template <class Field>
Key texts_key(std::string path, Field field, std::string meaning) {
    Key key{std::move(path), Form::texts, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) {
        for (const Node& item : node.items()) {
            field(s).push_back(text_of(item));
        }
    };
    key.write = [field](const Scenario& s) { return field(s).empty() ? Json() : Json(field(s)); };
    key.when_absent = "none";
    return key;
}

template <class Field>
Key text_map_key(std::string path, Field field, std::string meaning) {
    Key key{std::move(path), Form::text_map, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) {
        for (const Node& member : node.members()) {
            field(s)[member.name] = text_of(member);
        }
    };
    key.write = [field](const Scenario& s) { return field(s).empty() ? Json() : Json(field(s)); };
    key.when_absent = "none";
    return key;
}

template <class Field>
Key flag_key(std::string path, Field field, std::string meaning) {
    Key key{std::move(path), Form::flag, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) { field(s) = node.as_bool(); };
    key.write = [field](const Scenario& s) { return Json(field(s)); };
    return key;
}

// With `when_absent`, zero means "not given" and is not written.
template <class Field>
Key whole_key(std::string path, Field field, double low, double high, std::string meaning,
              std::string when_absent = {}) {
    Key key{std::move(path), Form::whole, std::move(meaning)};
    key.low = low;
    key.high = high;
    key.read = [field, low = whole_low(key), high = whole_high(key)](const Node& node, Scenario& s) {
        using Value = std::remove_reference_t<decltype(field(s))>;
        field(s) = static_cast<Value>(node.as_int(low, high));
    };
    const bool hides_zero = !when_absent.empty();
    key.write = [field, hides_zero](const Scenario& s) {
        return hides_zero && field(s) == 0 ? Json() : Json(field(s));
    };
    key.when_absent = std::move(when_absent);
    return key;
}

template <class Field>
Key wholes_key(std::string path, Field field, double low, double high, std::string meaning, std::string when_absent) {
    Key key{std::move(path), Form::wholes, std::move(meaning)};
    key.low = low;
    key.high = high;
    key.read = [field, low = whole_low(key), high = whole_high(key)](const Node& node, Scenario& s) {
        if (node.items().empty()) {
            node.fail("must not be empty", "a list of whole numbers");
        }
        using Value = typename std::remove_reference_t<decltype(field(s))>::value_type;
        for (const Node& item : node.items()) {
            field(s).push_back(static_cast<Value>(item.as_int(low, high)));
        }
    };
    key.write = [field](const Scenario& s) { return field(s).empty() ? Json() : Json(field(s)); };
    key.when_absent = std::move(when_absent);
    return key;
}

template <class Field>
Key number_key(std::string path, Field field, double low, double high, std::string meaning) {
    Key key{std::move(path), Form::number, std::move(meaning)};
    key.low = low;
    key.high = high;
    key.read = [field, low, high](const Node& node, Scenario& s) { field(s) = number_in_range(node, low, high); };
    key.write = [field](const Scenario& s) { return Json(field(s)); };
    return key;
}

template <class Enum>
std::vector<std::string> words_up_to(Enum last) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        words.emplace_back(to_string(static_cast<Enum>(i)));
    }
    return words;
}

template <class Enum, class Field>
Key word_key(std::string path, Field field, Enum last, std::string meaning) {
    Key key{std::move(path), Form::word, std::move(meaning)};
    key.words = words_up_to(last);
    key.read = [field, words = key.words](const Node& node, Scenario& s) {
        field(s) = static_cast<Enum>(node.as_enum(words));
    };
    key.write = [field](const Scenario& s) { return Json(to_string(field(s))); };
    return key;
}

// A word kept as text, because the catalogue or the builder interprets it.
template <class Field>
Key choice_key(std::string path, Field field, std::vector<std::string> words, std::string meaning,
               std::string when_absent) {
    Key key = text_key(std::move(path), field, std::move(meaning), std::move(when_absent));
    key.form = Form::word;
    key.words = std::move(words);
    key.read = [field, words = key.words](const Node& node, Scenario& s) { field(s) = words[node.as_enum(words)]; };
    return key;
}

template <class Field>
Key size_key(std::string path, Field field, std::string meaning) {
    Key key{std::move(path), Form::size, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) { field(s) = as_bytes(node); };
    key.write = [field](const Scenario& s) { return Json(text(field(s))); };
    return key;
}

template <class Field>
Key time_key(std::string path, Field field, std::string meaning, std::string when_absent = {}) {
    Key key{std::move(path), Form::time, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) { field(s) = as_duration(node); };
    const bool hides_zero = !when_absent.empty();
    key.write = [field, hides_zero](const Scenario& s) {
        return hides_zero && field(s).ps == 0 ? Json() : Json(std::to_string(field(s).ps) + " ps");
    };
    key.when_absent = std::move(when_absent);
    return key;
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

}  // namespace fabricast::rows
