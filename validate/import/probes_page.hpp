#pragma once
// docs/probes.md, made from the measurements: with what each probe was compiled, and on what and when it ran, if ever.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {

// Every measurement below the folder that a probe wrote, ordered by file name.
std::vector<Measurement> probe_runs(const std::filesystem::path& measurements);

// `builds` is validate/measurements/probes.yaml, as a build of the probes writes it: how each probe was built, or why
// it was left out. Throws InputError.
std::string probes_page(const yaml::Node& builds, const std::vector<Measurement>& runs);

}  // namespace fabricast::inline validate_import
