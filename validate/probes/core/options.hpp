#pragma once
// A probe's command line: a table of options says what is accepted, and whatever else is given is refused by name.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace probe {

struct OptionSpec {
    std::string name;                     // "--sizes"
    std::string value;                    // "FROM:TO[:FACTOR]"; empty: a switch
    std::string fallback;                 // the value when it is not given
    std::string help;                     // one line
    std::vector<std::string> words = {};  // what each word of a comma-separated value may be; empty: anything
};

class Options {
public:
    // Throws UsageError at the first argument that the table does not know, naming the nearest that it does.
    Options(const std::vector<OptionSpec>& table, const std::vector<std::string>& arguments);

    // Of a switch: was it given?
    bool on(std::string_view name) const { return option(name).given; }
    const std::string& text(std::string_view name) const { return option(name).text; }
    // A whole number in [low, high]. Throws UsageError.
    int number(std::string_view name, int low, int high) const;
    std::vector<std::string> words(std::string_view name) const;
    std::vector<std::uint64_t> sizes(std::string_view name) const;
    // As it was typed, for the measurement file: "--sizes 8:4MiB --rounds 4".
    std::string as_given() const;

private:
    struct Option {
        OptionSpec spec;
        std::string text;
        bool given = false;
    };
    const Option& option(std::string_view name) const;

    std::vector<Option> options_;
};

// The table as help text, one option a line.
std::string usage(std::string_view program, std::string_view purpose, const std::vector<OptionSpec>& table);

}  // namespace probe
