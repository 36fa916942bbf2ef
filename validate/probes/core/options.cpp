#include "core/options.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "core/ending.hpp"
#include "core/sweep.hpp"

namespace probe {
namespace {

std::vector<std::string> split_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, ',');) {
        if (!word.empty()) { words.push_back(word); }
    }
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) { text += text.empty() ? word : ", " + word; }
    return text;
}

// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// What is accepted, and which of it differs from `word` in the fewest letters.
std::string choices(std::string_view word, const std::vector<std::string>& accepted) {
    const auto nearest = std::min_element(
        accepted.begin(), accepted.end(),
        [&](const std::string& a, const std::string& b) { return distance(word, a) < distance(word, b); });
    return "' (accepted: " + joined(accepted) + "; nearest: " + *nearest + ")";
}

void check_words(const OptionSpec& spec, const std::string& value) {
    if (spec.words.empty()) { return; }
    for (const std::string& word : split_words(value)) {
        if (std::find(spec.words.begin(), spec.words.end(), word) == spec.words.end()) {
            throw UsageError(std::string(spec.name).append(": no '").append(word) + choices(word, spec.words));
        }
    }
}

}  // namespace

Options::Options(const std::vector<OptionSpec>& table, const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const OptionSpec& spec : table) {
        options_.push_back({spec, spec.fallback});
        names.push_back(spec.name);
    }
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        std::string name = arguments[a];
        std::string value;
        const std::size_t equals = name.find('=');
        const bool attached = name.rfind("--", 0) == 0 && equals != std::string::npos;
        if (attached) {
            value = name.substr(equals + 1);
            name.resize(equals);
        }
        const auto known = std::find(names.begin(), names.end(), name);
        if (known == names.end()) { throw UsageError("no option '" + name + choices(name, names)); }
        Option& option = options_[static_cast<std::size_t>(known - names.begin())];
        if (option.spec.value.empty() && attached) { throw UsageError(name + " takes no value"); }
        if (!option.spec.value.empty() && !attached) {
            if (++a >= arguments.size()) {
                throw UsageError(name + " needs a value (accepted: " + option.spec.value + ")");
            }
            value = arguments[a];
        }
        check_words(option.spec, value);
        option.text = value;
        option.given = true;
    }
}

const Options::Option& Options::option(std::string_view name) const {
    const auto found =
        std::find_if(options_.begin(), options_.end(), [&](const Option& one) { return one.spec.name == name; });
    assert(found != options_.end());
    return *found;
}

int Options::number(std::string_view name, int low, int high) const {
    const std::string& value = text(name);
    char* end = nullptr;
    const long number = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < low || number > high) {
        throw UsageError(std::string(name) + ": '" + value + "' (accepted: a whole number from " + std::to_string(low) +
                         " to " + std::to_string(high) + ")");
    }
    return static_cast<int>(number);
}

std::vector<std::string> Options::words(std::string_view name) const {
    std::vector<std::string> words = split_words(text(name));
    if (words.empty()) {
        throw UsageError(std::string(name) + " names nothing (accepted: " + joined(option(name).spec.words) + ")");
    }
    return words;
}

std::vector<std::uint64_t> Options::sizes(std::string_view name) const {
    try {
        return parse_sizes(text(name));
    } catch (const UsageError& error) { throw UsageError(std::string(name) + ": " + error.what()); }
}

std::string Options::as_given() const {
    std::string line;
    for (const Option& one : options_) {
        if (!one.given) { continue; }
        line += (line.empty() ? "" : " ") + one.spec.name + (one.spec.value.empty() ? "" : " " + one.text);
    }
    return line;
}

std::string usage(std::string_view program, std::string_view purpose, const std::vector<OptionSpec>& table) {
    std::string text = "usage: " + std::string(program) + " [OPTION...]\n" + std::string(purpose) + "\n\n";
    for (const OptionSpec& option : table) {
        std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
        left.resize(std::max<std::size_t>(left.size() + 2, 30), ' ');
        text += left + option.help;
        if (!option.words.empty()) { text += ": " + joined(option.words); }
        if (!option.fallback.empty()) { text += " [" + option.fallback + "]"; }
        text += "\n";
    }
    return text;
}

}  // namespace probe
