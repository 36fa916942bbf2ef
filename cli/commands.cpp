#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

namespace fabricast::cli {

std::span<const Command* const> commands() {
    static constexpr std::array all = {
        &run_command,  &sweep_command,  &compare_command, &calibrate_command,  &diagnose_command, &study_command,
        &plan_command, &place_command,  &explain_command, &import_command,     &catalog_command,  &cluster_command,
        &topo_command, &doctor_command, &help_command,    &completion_command,
    };
    return all;
}

const Command& command_named(const std::string& name) {
    const auto found = std::ranges::find(commands(), name, &Command::name);
    if (found != commands().end()) { return **found; }
    const std::vector<std::string> names = names_of(commands(), &Command::name);
    throw UsageError(error_message("unknown command", shown(name), joined(names), nearest_word(name, names)));
}

}  // namespace fabricast::cli
