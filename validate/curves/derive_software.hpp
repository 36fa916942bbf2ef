#pragma once
// The part of `derive` that handles what ran: NCCL, its environment, and who launched it.

#include <string_view>
#include <vector>

#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// The releases of NCCL in use on a generation of GPUs, oldest first; none if the alias table says nothing of it.
std::vector<std::string_view> releases_in_use(std::string_view generation);
// Whether this release came out after the file was written, as far as both dates are known, or long before the
// nccl-tests that wrote its log.
bool out_of_time(std::string_view version, const Measurement& measurement);

// Fills `out.scenario.library`, `out.scenario.launch` and `out.group.nccl_era`. Precondition: the node is derived,
// whose generation decides the NCCL version if nothing else does.
void derive_software(const Measurement& measurement, Derived& out);

}  // namespace fabricast::inline curves
