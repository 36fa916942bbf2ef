#pragma once
// The NCCL ranks of this process, one a GPU, and a collective over all of the run.

#include <nccl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/buffers.hpp"
#include "nccl/collectives.hpp"
#include "nccl/library.hpp"
#include "nccl/world.hpp"

namespace probe {

class Ranks {
public:
    // A communicator over every process' `gpus` devices, with buffers of `bytes`; each of `nodes` has these GPUs (one,
    // unless they are copies of NCCL). NCCL reads NCCL_ALGO and NCCL_PROTO while it is made. Throws NcclError.
    Ranks(const World& world, const std::vector<NcclLibrary>& nodes, const std::vector<int>& gpus, std::uint64_t bytes);
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    int count() const { return ranks_; }

    // Sets what is sent and spoils what is received.
    void fill(const Call& call) const;
    // Queues the collective once on every rank here; the first time from a thread a node, since then NCCL connects
    // them and each waits for the others.
    void queue_first(const Call& call);
    void queue(const Call& call);
    // us of one, by events on the device, all queued behind a closed gate: one thread starts all nodes' kernels, which
    // takes longer than a small collective.
    double time_gated(const Call& call, int iterations);
    bool are_copies() const { return nodes_.size() > 1; }
    void wait() const;
    // Bytes compared. Throws WrongData.
    std::uint64_t check(const Call& call) const;

private:
    struct Rank {
        int number;
        const NcclLibrary& nccl;
        ncclComm_t communicator;
        Stream stream;
        Buffer send, receive, wrong;
    };
    static float* sends(const Rank& rank, const Call& call);
    static float* receives_at(const Rank& rank, const Call& call);
    void queue_one(const Rank& rank, const Call& call) const;
    void queue_on(std::size_t node, const Call& call);
    // Each in a thread of its own.
    template <typename Act> void on_every_node(const Act& act);
    // Calls `act` for the ranks of one node in a group of its own.
    template <typename Act> void in_group(std::size_t node, const char* what, const Act& act);

    int ranks_;
    std::vector<NcclLibrary> nodes_;
    std::size_t gpus_of_node_;
    std::vector<Rank> here_;
};

std::string nccl_version();

}  // namespace probe
