#include <array>

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
    return *commands()[index_among(names_of(commands(), &Command::name), name, "unknown command")];
}

}  // namespace fabricast::cli
