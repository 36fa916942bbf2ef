#pragma once
// NVLink 1 to 5, NVLink-C2C and NVSwitch: links per GPU, packets, reduction in the switch.
// Sources: Foley and Danskin, "Ultra-Performance Pascal GPU and NVLink Interconnect", IEEE Micro 2017 (flits and
// packets of generation 1; those of later generations are not public and are assumed to be the same); NVIDIA's
// architecture whitepapers (links and rates).

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast {

namespace nvlink {

inline constexpr Bytes flit{16};
inline constexpr Bytes largest_payload{256};  // 16 data flits after one header flit

// `extra_flits`: address extension and byte enables, 0 to 2.
constexpr Framing framing(Bytes payload, int extra_flits = 0) {
    return {.payload = payload, .header = flit * (1 + extra_flits), .setup = {}};
}

constexpr double efficiency(Bytes payload, int extra_flits = 0) {
    return static_cast<double>(payload.count) / static_cast<double>((payload + flit * (1 + extra_flits)).count);
}

static_assert(efficiency({256}) > 0.941 && efficiency({256}) < 0.942);
static_assert(efficiency({32}) > 0.666 && efficiency({32}) < 0.667);

// Bytes that each GPU sends (and receives) over its links in an all-reduce of S bytes over n GPUs, divided by S.
constexpr double ring_traffic(int n) { return 2.0 * (n - 1) / n; }
// The same with reduction and multicast in the switch (NVSwitch 3 and later): every GPU sends its whole buffer once to
// be reduced, and its n-th part of the result once to be multicast.
constexpr double in_switch_traffic(int n) { return 1.0 + 1.0 / n; }

}  // namespace nvlink

struct NvlinkSpec {
    std::string name;
    int generation = 4;
    LinkSpec link;  // a single link
};

struct NvswitchSpec {
    std::string name;
    int generation = 3;
    int ports = 64;
    Rate port_rate;           // per direction
    Duration latency;         // port to port
    bool reduces = false;     // multicast and reduction in the switch
    double reduce_flops = 0;  // FP32, one chip
};

// Each throws CatalogError if the part is of another family or kind, or lacks a figure.
NvlinkSpec nvlink_spec(const Part& part);
NvswitchSpec nvswitch_spec(const Part& part);

// `count` links used as one, for example between a pair of GPUs or a GPU and its switches.
LinkSpec bundle(const LinkSpec& link, int count);

}  // namespace fabricast
