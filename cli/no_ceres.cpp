// Built instead of calibrate.cpp if the build has no Ceres.

#include "base/error.hpp"
#include "cli/command.hpp"

namespace fabricast::cli {

namespace {

ExitCode no_calibration(const po::variables_map&) {
    throw ErrorWith<ExitCode::missing_here>(
        "calibrate: this build has no Ceres (`./dev build` installs it and builds it in)");
}

}  // namespace

const Command calibrate_command = {"calibrate", "not in this build, which has no Ceres", "", {}, {}, no_calibration};

}  // namespace fabricast::cli
