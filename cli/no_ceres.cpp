// Built instead of calibrate.cpp if the build has no Ceres.

#include "base/error.hpp"
#include "cli/command.hpp"

namespace fabricast::cli {

ExitCode calibrate_system(const std::vector<std::string>&) {
    throw ErrorWith<ExitCode::missing_here>(
        "calibrate: this build has no Ceres (`./dev build` installs it and builds it in)");
}

}  // namespace fabricast::cli
