#pragma once
// How NCCL cuts a call: how many channels and threads it uses, and how large a chunk is. Source: src/enqueue.cc,
// topoGetAlgoInfo (getAlgoInfo) and calcCollChunking (computeColl) at the version's tag.

#include <cstdint>

#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/search.hpp"

namespace fabricast::inline collectives::nccl {

struct Shape {
    std::uint32_t ranks = 1, nodes = 1;
    double per_node() const { return static_cast<double>(ranks) / nodes; }
};

// Channels of a ring, or of another algorithm, that carry data for this size: as many as have enough for each thread.
int channels_used(const Release& release, const TopologySearchResult& found, bool on_ring, Proto proto,
                  Collective collective, const Shape& shape, double bytes);

// Threads of each of these channels: where not even one channel has enough data for a full block's, they are halved,
// down to 64 (getAlgoInfo).
double threads_used(const Release& release, const TopologySearchResult& found, bool on_ring, Proto proto,
                    const Shape& shape, double bytes);

// Payload bytes of one slot of a connection: buffer / slots, less the protocol's flags.
double slot_payload(const Release& release, const Environment& environment, Proto proto);

// Largest chunk of a ring step: several slots for Simple (figure chunk.steps), else one.
double ring_chunk(const Release& release, const Environment& environment, Proto proto, Collective collective);

// Bytes per channel and step of a tree all-reduce; halved as long as there are too few chunks to fill the tree.
double tree_chunk(const Release& release, const Environment& environment, Proto proto, const Shape& shape, int channels,
                  double bytes);

// Bytes per head and channel of one loop of NVLS or, with several nodes, NVLSTree.
double nvls_chunk(const Release& release, const Environment& environment, const TopologySearchResult& found,
                  const Shape& shape, int channels, double bytes);

// Of PAT: halved while the call has too few of them (src/enqueue.cc, calcCollChunking).
double pat_chunk(const Release& release, const Environment& environment, Collective collective, int channels,
                 double bytes);

// How a send/receive pair moves a message (src/enqueue.cc, addP2pToPlan).
struct P2pPair {
    int channels = 1;  // as many as let all peers run at once, doubled while each one's part is too long
    bool ll = false;   // short messages inside a node (P2P_LL_THRESHOLD on each channel); the network has no LL buffers
};
P2pPair p2p_pair(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape, double bytes);
// A chunk of a message of `bytes`. To another node it is a quarter or a half of the step if the message is short
// (src/enqueue.cc, addP2pToPlan; before 2.22 src/proxy.cc, ncclProxyComputeP2p).
double p2p_chunk(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape, double bytes);
// Chunks in flight for each peer: the peers that a channel serves at once, at most 8, share its buffers between nodes
// (src/transport/net.cc, NCCL_SHARED_STEPS).
double p2p_slots(const Release& release, const TopologySearchResult& found, int channels, std::uint32_t peers);

}  // namespace fabricast::inline collectives::nccl
