#pragma once
// What the program says about itself, on the terminal and as pages for man(1).

#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace fabricast::cli {

std::string program_help();
std::string command_help(const Command& command);

std::string program_manual();
std::string command_manual(const Command& command);

// What no single command explains: `fabricast help exit-codes`.

struct Topic {
    std::string_view name;
    std::string_view summary;
    std::string (*made)() = nullptr;  // else the text is that of topics/NAME.txt
};
std::span<const Topic> topics();

}  // namespace fabricast::cli
