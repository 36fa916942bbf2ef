#pragma once
// What the program says about itself, on the terminal and as pages for man(1).

#include <string>

#include "cli/command.hpp"

namespace fabricast::cli {

std::string program_help();
std::string command_help(const Command& command);

std::string program_manual();
std::string command_manual(const Command& command);

}  // namespace fabricast::cli
