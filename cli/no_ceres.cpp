// Built instead of calibrate.cpp if the build has no Ceres.

#include "cli/command.hpp"

namespace fabricast::cli {

const Command calibrate_command = {
    "calibrate", "not in this build, which has no Ceres", "", {}, {}, [](const po::variables_map&) -> ExitCode {
        throw ErrorWith<ExitCode::missing_here>(
            "calibrate: this build has no Ceres (`./dev build` installs it and builds it in)");
    }};

}  // namespace fabricast::cli
