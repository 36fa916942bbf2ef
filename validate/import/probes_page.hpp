#pragma once
// docs/probes.md, made from what was measured: which probe was compiled with what, and run on what and when, or never.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast {

// What the last recorded build of validate/probes said of one probe.
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

// Every measurement below the folder that a probe wrote, by file name.
std::vector<Measurement> probe_runs(const std::filesystem::path& measurements);

std::string probes_page(const ProbeBuilds& builds, const std::vector<Measurement>& runs);

}  // namespace fabricast
