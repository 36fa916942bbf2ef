#pragma once
// Recorded kernels on another GPU: by the roofline, as far as their names tell what bounds them.

#include <string>

#include "models/catalog.hpp"
#include "models/gpu.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// Times of recorded kernels are multiplied by these.
struct GpuScaling {
    GpuSpec recorded, simulated;
    bool known = false;  // on which GPU it was recorded
    std::string note;    // what was taken for it and why

    double factor(const Record& record) const;
};

// `asked`: the catalogue part that the user names; empty: what the trace says, if the catalogue has it. Throws
// CatalogError for an unknown part.
GpuScaling gpu_scaling(const Catalog& catalog, const GpuSpec& simulated, const std::string& asked,
                       const std::string& in_trace);

// The catalogue's GPU that a driver's name means ("NVIDIA A100-SXM4-40GB" -> "a100-sxm4-40gb"); empty: none. `near`
// wins where several fit.
std::string gpu_named(const Catalog& catalog, const std::string& name, const std::string& near);

// FLOP/s that the GPU's units reach at most for this type; the next wider type's where it has no such units.
double peak_of(const GpuSpec& gpu, DataType dtype);

}  // namespace fabricast
