#pragma once
// Builds the specs of devices from catalogue parts: GPUs, adapters, switches, NVSwitches, hosts, cables. Every function
// throws CatalogError if the part is of another kind, or a figure is missing or in another unit.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline models {

// NVIDIA generations in NCCL's order: its tuning tables are indexed by them.
enum class GpuArch : std::uint8_t { pascal, volta, turing, ampere, ada, hopper, blackwell };
inline constexpr std::array<std::string_view, 7> gpu_arch_names = {"pascal", "volta",  "turing",   "ampere",
                                                                   "ada",    "hopper", "blackwell"};

struct GpuSpec {
    std::string name;
    GpuArch arch = GpuArch::hopper;
    int compute_capability = 90;  // 10 * major + minor
    int sms = 132;
    // Dense peaks, FLOP/s.
    double fp64 = 0, fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0, fp8 = 0, fp4 = 0;
    double memory_bandwidth = 0;  // bytes per second
    Bytes memory;
    double nvlink_rate = 0;  // line rate, packet headers included, per direction, all links, bytes per second; 0: none
    int nvlinks = 0;
};

struct NicSpec {
    std::string name;
    Rate port_rate;               // of all ports together, per direction
    std::string host_link;        // catalogue part of its PCIe link
    std::string port_link;        // catalogue part of the fabric link that it is usually used with
    std::string speaks;           // words: "infiniband ethernet", "slingshot", "efa"
    Duration transmit_latency;    // from the doorbell to the wire, small message from host memory
    Duration receive_latency;     // from the wire to host memory
    Duration gpu_memory_penalty;  // added one way if the memory is a GPU's
};

struct SwitchSpec {
    std::string name;
    std::string speaks;
    int radix = 64;    // ports at `port_rate`
    Rate port_rate;    // per direction
    int split = 1;     // each port can be split into 1, 2, 4 ... up to this many, which share its rate
    Duration latency;  // port to port, cut through
    Bytes buffer;      // shared packet buffer; 0: not published
};

struct NvswitchSpec {
    std::string name;
    int generation = 3;
    int ports = 64;
    Rate port_rate;        // per direction
    Duration latency;      // port to port
    bool reduces = false;  // multicast and reduction in the switch
};

struct CpuSpec {
    std::string name;
    std::string vendor;           // "intel", "amd", "nvidia", "ibm"
    std::string family;           // NCCL's inter_cpu row: "skylake", "amd", ...
    double memory_bandwidth = 0;  // bytes per second, one socket
    int pcie_lanes = 0;
    std::string socket_link;  // catalogue part of the link between sockets; empty: single socket only
    int socket_links = 0;
    Duration root_complex_latency;  // through a host bridge, one way
    double duplex_share = 1;        // share of 2 * one-way bandwidth left with both ways busy
    double p2p_write_limit = 0;  // bytes per second, device to device through the host bridge; 0: only the link limits
    double p2p_read_limit = 0;
};

GpuSpec gpu_spec(const Part& part);
NicSpec nic_spec(const Part& part);
SwitchSpec switch_spec(const Part& part);
NvswitchSpec nvswitch_spec(const Part& part);
CpuSpec cpu_spec(const Part& part);

// The links of this rate that one port of the switch serves, split in as many; 0 if it is slower than one.
int links_of_port(const SwitchSpec& of, Rate rate);

// What passing an adapter adds. A path passes two, a sender and a receiver: each gets half of all three latencies.
Duration passing_latency(const NicSpec& nic);

// One-way latency of `metres` of this cable, propagation and both modules or retimers.
Duration cable_latency(const Part& cable, double metres);

// Longest passive copper cable at this rate per lane, in metres; 0 if there is none (cable part's `reach.<rate>g`).
double copper_reach_metres(const Part& cable, int gigabits_per_lane);

}  // namespace fabricast::inline models
