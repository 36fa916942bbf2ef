#include "nccl/ranks.hpp"

#include <algorithm>

#include "core/exit_code.hpp"
#include "nccl/check.hpp"

namespace probe {
namespace {

void require(ncclResult_t result, const char* what) {
    if (result != ncclSuccess) { throw NcclError(std::string(what) + ": " + ncclGetErrorString(result)); }
}

float* floats(const Buffer& buffer) { return reinterpret_cast<float*>(buffer.at(0)); }

}  // namespace

Ranks::Ranks(const World& world, const std::vector<int>& gpus, std::uint64_t bytes)
    : ranks_(world.size() * static_cast<int>(gpus.size())) {
    ncclUniqueId id = {};
    if (world.rank() == 0) { require(ncclGetUniqueId(&id), "ncclGetUniqueId"); }
    world.from_first(&id, sizeof id);
    const int first = world.rank() * static_cast<int>(gpus.size());
    here_.reserve(gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        here_.push_back({first + static_cast<int>(i), nullptr, Stream(gpus[i]), Buffer(gpus[i], Memory::device, bytes),
                         Buffer(gpus[i], Memory::device, bytes),
                         Buffer(gpus[i], Memory::device, sizeof(unsigned long long))});
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

const float* Ranks::sends(const Rank& rank, Collective collective, const Counts& counts, bool in_place) {
    if (!in_place) { return floats(rank.send); }
    // NCCL's rule: an all-gather's part lies where it belongs in the whole.
    const bool gathers = collective == Collective::all_gather;
    return floats(rank.receive) + (gathers ? static_cast<std::size_t>(rank.number) * counts.part : 0);
}

float* Ranks::receives_at(const Rank& rank, Collective collective, const Counts& counts, bool in_place) {
    const bool scatters = in_place && collective == Collective::reduce_scatter;
    return floats(rank.receive) + (scatters ? static_cast<std::size_t>(rank.number) * counts.part : 0);
}

void Ranks::fill(Collective collective, const Counts& counts, bool in_place) const {
    for (const Rank& rank : here_) {
        cudaStream_t stream = rank.stream.current();
        // NaN in every byte: no sum of whole numbers looks like it.
        const std::size_t most = std::max(counts.send, counts.receive);
        require(cudaMemsetAsync(rank.receive.at(0), 0xFF, most * sizeof(float), stream), "cudaMemset");
        queue_fill_sent(const_cast<float*>(sends(rank, collective, counts, in_place)), counts.send, rank.number,
                        stream);
        require(cudaGetLastError(), "filling buffers");
    }
    wait();
}

void Ranks::queue(Collective collective, const Counts& counts, bool in_place) const {
    require(ncclGroupStart(), "ncclGroupStart");
    try {
        for (const Rank& rank : here_) { queue_one(rank, collective, counts, in_place); }
    } catch (const NcclError&) {
        ncclGroupEnd();  // or the next group would hang inside this one
        throw;
    }
    require(ncclGroupEnd(), word(collective));
}

void Ranks::queue_one(const Rank& rank, Collective collective, const Counts& c, bool in_place) const {
    const float* from = sends(rank, collective, c, in_place);
    float* to = receives_at(rank, collective, c, in_place);
    ncclComm_t comm = rank.communicator;
    cudaStream_t stream = rank.stream.current();
    const auto at = [&](auto* data, int part) { return data + static_cast<std::size_t>(part) * c.part; };
    const auto send = [&](const float* data, std::size_t count, int peer) {
        require(ncclSend(data, count, ncclFloat, peer, comm, stream), "ncclSend");
    };
    const auto receive = [&](float* data, std::size_t count, int peer) {
        require(ncclRecv(data, count, ncclFloat, peer, comm, stream), "ncclRecv");
    };
    switch (collective) {
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

std::uint64_t Ranks::check(Collective collective, const Counts& counts, bool in_place) const {
    constexpr unsigned long long none = ~0ULL;
    std::uint64_t compared = 0;
    for (const Rank& rank : here_) {
        if (!receives(collective, rank.number)) { continue; }
        unsigned long long wrong = none;
        auto* there = reinterpret_cast<unsigned long long*>(rank.wrong.at(0));
        rank.stream.current();
        require(cudaMemcpy(there, &wrong, sizeof wrong, cudaMemcpyHostToDevice), "cudaMemcpy");
        queue_check_received(receives_at(rank, collective, counts, in_place), counts.receive, collective, rank.number,
                             ranks_, counts.part, there, rank.stream.get());
        require(cudaGetLastError(), "checking results");
        require(cudaStreamSynchronize(rank.stream.get()), "checking results");
        require(cudaMemcpy(&wrong, there, sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (wrong != none) {
            throw WrongData(std::string(word(collective)) + " of " + std::to_string(counts.send * sizeof(float)) +
                            " B: wrong result at element " + std::to_string(wrong) + " of rank " +
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
    return version < 10000 ? std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 100) + "." +
                                 std::to_string(version % 100)
                           : std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
                                 std::to_string(version % 100);
}

}  // namespace probe
