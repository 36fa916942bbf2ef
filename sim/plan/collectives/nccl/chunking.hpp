#pragma once
// How NCCL cuts a call: channels used, threads, bytes of a chunk. Source: src/enqueue.cc, topoGetAlgoInfo (getAlgoInfo)
// and calcCollChunking (computeColl) at the version's tag.

#include <cstdint>

#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/search.hpp"

namespace fabricast::nccl {

struct Shape {
    std::uint32_t ranks = 1, nodes = 1;
    double per_node() const { return static_cast<double>(ranks) / nodes; }
};

// Channels that carry data for this size: a channel is dropped while its threads would have too little to do.
int channels_used(const Release& release, const TopologySearchResult& found, Algo algo, Proto proto,
                  Collective collective, const Shape& shape, double bytes);

// Payload bytes of one slot of a connection: what the protocol's flags leave of buffer / slots.
double slot_payload(const Release& release, const Environment& environment, Proto proto);

// Largest chunk of a ring step: four slots for Simple all-reduce, all-gather and reduce-scatter, else one.
double ring_chunk(const Release& release, const Environment& environment, Proto proto, Collective collective);

// Bytes per channel and step of a tree all-reduce; halves while too few chunks would fill the tree.
double tree_chunk(const Release& release, const Environment& environment, Proto proto, const Shape& shape, int channels,
                  double bytes);

// Bytes per head and channel of one NVLS loop.
double nvls_chunk(const Release& release, const Environment& environment, const Shape& shape, int channels, int heads,
                  double bytes);
double nvls_tree_chunk(const Release& release, const Environment& environment, const Shape& shape, int channels,
                       int heads, double bytes);

// Channels of one send/receive pair: doubled from a floor that lets every peer run at once, while a part is too long.
int p2p_channels(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape, double bytes);
double p2p_chunk(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape);

}  // namespace fabricast::nccl
