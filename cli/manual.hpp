#pragma once
// Pages for man(1), made of the same tables as --help.

#include <string>

#include "cli/command.hpp"

namespace fabricast::cli {

std::string program_manual();
std::string command_manual(const Command& command);

}  // namespace fabricast::cli
