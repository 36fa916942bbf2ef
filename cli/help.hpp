#pragma once
// What the program says about itself on the terminal.

#include <string>

#include "cli/command.hpp"

namespace fabricast::cli {

std::string program_help();
std::string command_help(const Command& command);

}  // namespace fabricast::cli
