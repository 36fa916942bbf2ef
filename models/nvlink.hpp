#pragma once
// NVLink 1 to 5: packets. Source: Foley and Danskin, "Ultra-Performance Pascal GPU and NVLink Interconnect", IEEE Micro
// 2017 (flits and packets of generation 1; those of later generations are not public and are assumed to be the same).

#include "base/units.hpp"
#include "models/link.hpp"

namespace fabricast::inline models::nvlink {

inline constexpr Bytes flit{16};
inline constexpr Bytes largest_payload{256};  // 16 data flits after one header flit

constexpr Framing framing(Bytes payload) { return {.payload = payload, .header = flit}; }

}  // namespace fabricast::inline models::nvlink
