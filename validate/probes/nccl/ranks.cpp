#include "nccl/ranks.hpp"

#include <algorithm>

#include "core/ending.hpp"
#include "nccl/check.hpp"

namespace probe {
namespace {

void require(ncclResult_t result, const char* what) {
    if (result != ncclSuccess) { throw NcclError(std::string(what) + ": " + ncclGetErrorString(result)); }
}

}  // namespace

Ranks::Ranks(const World& world, const std::vector<int>& gpus, std::uint64_t bytes)
    : ranks_(world.size * static_cast<int>(gpus.size())) {
    ncclUniqueId id = {};
    if (world.rank == 0) { require(ncclGetUniqueId(&id), "ncclGetUniqueId"); }
    world.from_first(&id, sizeof id);
    const int first = world.rank * static_cast<int>(gpus.size());
    here_.reserve(gpus.size());
    for (const int gpu : gpus) {
        const int number = first + static_cast<int>(here_.size());
        here_.push_back({number, nullptr, Stream(gpu), Buffer(gpu, Memory::device, bytes),
                         Buffer(gpu, Memory::device, bytes), Buffer(gpu, Memory::device, sizeof(unsigned long long))});
    }
    require(ncclGroupStart(), "ncclGroupStart");
    for (Rank& rank : here_) {
        rank.stream.current();
        require(ncclCommInitRank(&rank.communicator, ranks_, id, rank.number), "ncclCommInitRank");
    }
    require(ncclGroupEnd(), "making the communicator");
}

Ranks::~Ranks() {
    for (const Rank& rank : here_) {
        if (rank.communicator != nullptr) {
            ncclCommAbort(rank.communicator);  // ends at once, also after a failure
        }
    }
}

float* Ranks::sends(const Rank& rank, const Call& call) {
    if (!call.in_place) { return rank.send.as<float>(); }
    // NCCL's rule: an all-gather's part lies where it belongs in the whole.
    const bool gathers = call.collective == Collective::all_gather;
    return rank.receive.as<float>() + (gathers ? static_cast<std::size_t>(rank.number) * call.counts.part : 0);
}

float* Ranks::receives_at(const Rank& rank, const Call& call) {
    const bool scatters = call.in_place && call.collective == Collective::reduce_scatter;
    return rank.receive.as<float>() + (scatters ? static_cast<std::size_t>(rank.number) * call.counts.part : 0);
}

void Ranks::fill(const Call& call) const {
    for (const Rank& rank : here_) {
        cudaStream_t stream = rank.stream.current();
        // NaN in every byte: no sum of whole numbers looks like it.
        const std::size_t most = std::max(call.counts.send, call.counts.receive);
        require(cudaMemsetAsync(rank.receive.at(0), 0xFF, most * sizeof(float), stream), "cudaMemset");
        queue_fill_sent(sends(rank, call), call.counts.send, rank.number, stream);
        require(cudaGetLastError(), "filling buffers");
    }
    wait();
}

void Ranks::queue(const Call& call) const {
    require(ncclGroupStart(), "ncclGroupStart");
    try {
        for (const Rank& rank : here_) { queue_one(rank, call); }
    } catch (const NcclError&) {
        ncclGroupEnd();  // or the next group would hang inside this one
        throw;
    }
    require(ncclGroupEnd(), word(call.collective));
}

void Ranks::queue_one(const Rank& rank, const Call& call) const {
    const Counts& c = call.counts;
    const float* from = sends(rank, call);
    float* to = receives_at(rank, call);
    ncclComm_t comm = rank.communicator;
    cudaStream_t stream = rank.stream.current();
    const auto at = [&](auto* data, int part) { return data + static_cast<std::size_t>(part) * c.part; };
    const auto send = [&](const float* data, std::size_t count, int peer) {
        require(ncclSend(data, count, ncclFloat, peer, comm, stream), "ncclSend");
    };
    const auto receive = [&](float* data, std::size_t count, int peer) {
        require(ncclRecv(data, count, ncclFloat, peer, comm, stream), "ncclRecv");
    };
    switch (call.collective) {
        case Collective::all_reduce:
            return require(ncclAllReduce(from, to, c.send, ncclFloat, ncclSum, comm, stream), "ncclAllReduce");
        case Collective::all_gather:
            return require(ncclAllGather(from, to, c.send, ncclFloat, comm, stream), "ncclAllGather");
        case Collective::reduce_scatter:
            return require(ncclReduceScatter(from, to, c.receive, ncclFloat, ncclSum, comm, stream),
                           "ncclReduceScatter");
        case Collective::broadcast:
            return require(ncclBroadcast(from, to, c.send, ncclFloat, root, comm, stream), "ncclBroadcast");
        case Collective::reduce:
            return require(ncclReduce(from, to, c.send, ncclFloat, ncclSum, root, comm, stream), "ncclReduce");
        case Collective::all_to_all:
            for (int peer = 0; peer < ranks_; ++peer) {
                send(at(from, peer), c.part, peer);
                receive(at(to, peer), c.part, peer);
            }
            return;
        case Collective::sendrecv:
            send(from, c.send, (rank.number + 1) % ranks_);
            receive(to, c.receive, (rank.number + ranks_ - 1) % ranks_);
            return;
        case Collective::gather:
            send(from, c.part, root);
            for (int peer = 0; rank.number == root && peer < ranks_; ++peer) { receive(at(to, peer), c.part, peer); }
            return;
        case Collective::scatter:
            for (int peer = 0; rank.number == root && peer < ranks_; ++peer) { send(at(from, peer), c.part, peer); }
            receive(to, c.part, root);
            return;
    }
}

void Ranks::wait() const {
    for (const Rank& rank : here_) {
        require(cudaStreamSynchronize(rank.stream.current()), "a collective failed");
        ncclResult_t later = ncclSuccess;
        require(ncclCommGetAsyncError(rank.communicator, &later), "ncclCommGetAsyncError");
        require(later, "a collective failed");
    }
}

std::uint64_t Ranks::check(const Call& call) const {
    const Counts& counts = call.counts;
    std::uint64_t compared = 0;
    for (const Rank& rank : here_) {
        if (!receives(call.collective, rank.number)) { continue; }
        cudaStream_t stream = rank.stream.current();
        const std::optional<std::size_t> wrong = first_wrong(rank.wrong, [&](unsigned long long* first) {
            queue_check_received(receives_at(rank, call), counts.receive, call.collective, rank.number, ranks_,
                                 counts.part, first, stream);
            require(cudaGetLastError(), "checking results");
            require(cudaStreamSynchronize(stream), "checking results");
        });
        if (wrong) {
            throw WrongData(std::string(word(call.collective)) + " of " + std::to_string(counts.send * sizeof(float)) +
                            " B: wrong result at element " + std::to_string(*wrong) + " of rank " +
                            std::to_string(rank.number));
        }
        compared += counts.receive * sizeof(float);
    }
    return compared;
}

std::string nccl_version() {
    int version = 0;
    ncclGetVersion(&version);
    // 2.9 changed the coding: 2804 is 2.8.4, 21805 is 2.18.5.
    const int major = version < 10000 ? 1000 : 10000;
    return std::to_string(version / major) + "." + std::to_string(version % major / 100) + "." +
           std::to_string(version % 100);
}

}  // namespace probe
