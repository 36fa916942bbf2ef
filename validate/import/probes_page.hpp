#pragma once
// docs/probes.md, made from the measurements: with what each probe was compiled, and on what and when it ran, if ever.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {

// Result of the last recorded build of validate/probes for one probe.
struct ProbeBuild {
    std::string probe;  // "probe-cuda"
    std::string told;   // "built with nvcc 13.0.88", "left out: no UCX"
};

struct ProbeBuilds {
    std::string compiler;
    std::vector<ProbeBuild> probes;
};

// validate/measurements/probes.yaml, as a build of the probes writes it. Throws InputError.
ProbeBuilds read_probe_builds(const std::filesystem::path& path);

// Every measurement below the folder that a probe wrote, ordered by file name.
std::vector<Measurement> probe_runs(const std::filesystem::path& measurements);

std::string probes_page(const ProbeBuilds& builds, const std::vector<Measurement>& runs);

}  // namespace fabricast::inline validate_import
