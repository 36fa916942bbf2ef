#pragma once
// Scales recorded kernels to another GPU by the roofline, as far as their names show what bounds them.

#include <string>

#include "models/catalog.hpp"
#include "models/device_part.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// Times of recorded kernels are multiplied by these.
struct GpuScaling {
    GpuSpec recorded, simulated;
    bool known = false;  // whether the recording's GPU is known
    std::string note;    // for the report: which GPUs, and how kernels are scaled

    double factor(const Record& record) const;
};

// `asked`: the part that the user names; empty: the GPU of the trace, if the catalogue has it. Throws CatalogError.
GpuScaling gpu_scaling(const Catalog& catalog, const GpuSpec& simulated, const std::string& asked,
                       const std::string& in_trace);

// The catalogue's GPU that a driver's name means ("NVIDIA A100-SXM4-40GB"); empty: none. Of equals, `near` wins.
std::string gpu_named(const Catalog& catalog, const std::string& name, const std::string& near);

// Peak FLOP/s of the GPU for this type; that of the next wider type if the GPU has no units for it.
double peak_of(const GpuSpec& gpu, DataType dtype);

}  // namespace fabricast::inline traces
