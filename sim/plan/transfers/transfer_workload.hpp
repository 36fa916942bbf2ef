#pragma once
// One pair of devices that exchange messages, and the conditions that their host sets. All defaults are here; the data
// path is chosen by `sim/plan/transfers/transports.hpp`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fabricast::inline transfers {

enum class Direction : std::uint8_t { one_way, both_ways };
// What the initiator does: it writes the other device's memory (or sends), or reads it.
enum class TransferOperation : std::uint8_t { write, read };
// Which host memory is used for staging, and which adapter serves an end: the nearest or the farthest.
enum class NumaPlace : std::uint8_t { near, far };

inline std::string_view to_string(Direction d) { return d == Direction::one_way ? "one-way" : "both-ways"; }
inline std::string_view to_string(TransferOperation o) { return o == TransferOperation::write ? "write" : "read"; }
inline std::string_view to_string(NumaPlace p) { return p == NumaPlace::near ? "near" : "far"; }

// How the machine is set up, as far as a data path depends on it.
struct HostConditions {
    bool acs = false;                  // PCIe access control sends peer traffic through the root complex
    bool iommu = false;                // DMA addresses are translated
    bool ats = false;                  // devices cache translations, so switches may pass peer traffic on
    bool virtualised = false;          // GPUs passed through to a virtual machine
    bool p2p_clique = false;           // the hypervisor says which of them may talk peer to peer
    bool relaxed_ordering = true;      // PCIe writes may overtake each other
    bool peer_memory = true;           // nvidia_peermem or dma-buf: an adapter may register GPU memory
    bool rdma = true;                  // the verbs stack is installed
    bool pinned = true;                // user buffers are page-locked
    bool huge_pages = false;           // pages of 2 MiB
    bool registration_cache = true;    // a buffer is registered only once
    bool offloads = true;              // TSO and GRO of the kernel's network stack
    Bytes locked_memory{0};            // `ulimit -l`; 0: unlimited
    Bytes mtu{0};                      // MTU of IP or of an InfiniBand path; 0: the link's
    Bytes mss{0};                      // payload of a TCP segment on the wire; 0: as much as the MTU allows
    Duration interrupt_delay{};        // how long an adapter delays its interrupt (ethtool rx-usecs)
    std::uint32_t qps = 1;             // queue pairs, or sockets, that one transfer uses
    std::uint32_t cores = 1;           // cores that the kernel's stack may use at either end
    NumaPlace numa = NumaPlace::near;  // of staging memory
    NumaPlace nic = NumaPlace::near;
};

struct TransferWorkload {
    std::string from, to;  // "node0.gpu0", "node1.memory0"
    std::vector<Bytes> sizes;
    std::string transport = "auto";  // a part of kind `data-path`
    std::string messaging;           // a part of kind `messaging`; empty: the usual one of the transport
    Direction direction = Direction::one_way;
    TransferOperation operation = TransferOperation::write;
    std::vector<std::string> concurrent;  // pairs that do the same at the same time: "node0.gpu1 -> node0.memory0"
    std::uint32_t window = 0;  // messages in flight when bandwidth is measured; 0: as in the messaging's benchmark
    HostConditions host;
};

}  // namespace fabricast::inline transfers
