#pragma once
// The NCCL_* variables that change a forecast, read once into typed settings. A variable that NCCL knows and this model
// does not use gives a note; a value that NCCL would refuse is an error.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives::nccl {

// The longest path over which NCCL lets two GPUs of a node map each other's memory (NCCL_P2P_LEVEL; src/graph/topo.h).
// GPUs that are farther apart go through host memory.
enum class PeerLevel : std::uint8_t { loc, nvl, nvb, pix, pxb, phb, sys };

struct Environment {
    Allowed allowed;
    std::optional<bool> nvls_enable;
    int min_channels = 0, max_channels = 0;  // NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS; 0: not set
    int min_ctas = 0, max_ctas = 0;          // NCCL_MIN_CTAS, NCCL_MAX_CTAS, which hold for NVLS too; 0: not set
    double buffer_bytes = 0;                 // NCCL_BUFFSIZE; 0: the release's
    double nvls_chunk = 0, nvls_tree_chunk = 0, p2p_net_chunk = 0, p2p_nvl_chunk = 0;
    // 0: a ring leaves by the NIC it came in by; 1: by the nearest; 2: as 0 if that is as fast. Not set: 2, but 0 where
    // nothing joins the rails, since rings that change them would not connect.
    std::optional<int> cross_nic;
    bool pxn = true;
    bool collnet_enable = false;
    std::optional<PeerLevel> peers;       // NCCL_P2P_DISABLE, NCCL_P2P_LEVEL; not set: the node's own rule
    std::optional<PeerLevel> gpu_direct;  // NCCL_NET_GDR_LEVEL; not set: NCCL's, PXB
    bool windows = true;                  // NCCL_WIN_ENABLE, NCCL_CUMEM_ENABLE
    bool gin = true;                      // NCCL_GIN_ENABLE, NCCL_SYM_GIN_KERNELS_ENABLE: the GPU's own puts
    bool gin_by_proxy = false;            // NCCL_GIN_TYPE=2: posted by a thread of the host
    std::string window_kernel;            // NCCL_SYM_KERNEL
    int window_blocks = 0;                // NCCL_SYM_CTAS
    bool zero_cta = false;                // NCCL_CTA_POLICY: copy engines instead of kernels
    double copy_threshold = 8 << 20;      // NCCL_SYM_CE_THRESHOLD, elements of a rank
    std::optional<std::string> tuner;     // NCCL_TUNER_PLUGIN
    std::vector<std::string> notes;
};

// The variables that read_environment uses; any other leaves a note.
std::vector<std::string> modelled_variables();
// Of a variable that names a file that nothing here reads: what holds in its stead; empty: it names none.
std::string unread_note(std::string_view name);

// Throws PlanError for a value that does not parse (an unknown algorithm, a negative channel count). Lists for other
// collectives ("broadcast:ring", from NCCL 2.24 on) are skipped; lists for `collective` narrow `allowed`.
Environment read_environment(const std::map<std::string, std::string>& variables, Collective collective,
                             Algorithms algorithms, const Version& version);

}  // namespace fabricast::inline collectives::nccl
