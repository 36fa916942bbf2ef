#pragma once
// The options of a command as plain rows: what --help, the manual and the shells' completions are made of.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace fabricast::cli {

struct OptionRow {
    std::string name;   // without its dashes
    std::string key;    // the letter of its short form; may be empty
    std::string value;  // "FILE"; empty if it takes none
    std::string about;
    std::vector<std::string> words{};  // the values that it accepts, where they are few

    bool takes_file() const { return value == "FILE" || value == "OVERLAY" || value == "OUT"; }
};

// Of the command, then those of every command; without its positional arguments.
std::vector<OptionRow> option_rows(const Command& command);

}  // namespace fabricast::cli
