#pragma once
// The NCCL ranks of this process, one a GPU, and a collective over all of the run.

#include <nccl.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/buffers.hpp"
#include "nccl/collectives.hpp"
#include "nccl/world.hpp"

namespace probe {

// NCCL said no: an algorithm and a protocol that do not go together, or a failure of the network.
struct NcclError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Ranks {
public:
    // A communicator over every process' `gpus` devices, with buffers of `bytes`. NCCL reads NCCL_ALGO and NCCL_PROTO
    // while it is made. Throws NcclError.
    Ranks(const World& world, const std::vector<int>& gpus, std::uint64_t bytes);
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    int count() const { return ranks_; }

    // Sets what is sent and spoils what is received.
    void fill(const Call& call) const;
    // Queues the collective once on every rank here.
    void queue(const Call& call) const;
    void wait() const;
    // Bytes compared. Throws WrongData.
    std::uint64_t check(const Call& call) const;

private:
    struct Rank {
        int number;
        ncclComm_t communicator;
        Stream stream;
        Buffer send, receive, wrong;
    };
    static float* sends(const Rank& rank, const Call& call);
    static float* receives_at(const Rank& rank, const Call& call);
    void queue_one(const Rank& rank, const Call& call) const;

    int ranks_;
    std::vector<Rank> here_;
};

std::string nccl_version();

}  // namespace probe
