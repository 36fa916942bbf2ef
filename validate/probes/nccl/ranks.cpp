#include "nccl/ranks.hpp"

#include <algorithm>
#include <future>

#include "core/ending.hpp"
#include "cuda/kernels.hpp"
#include "nccl/check.hpp"

namespace probe {
Ranks::Ranks(const World& world, const std::vector<NcclLibrary>& nodes, const std::vector<int>& gpus,
             std::uint64_t bytes)
    : ranks_(world.size * static_cast<int>(nodes.size() * gpus.size())), nodes_(nodes), gpus_of_node_(gpus.size()) {
    ncclUniqueId id = {};
    if (world.rank == 0) { require(nodes_.front().ncclGetUniqueId(&id), "ncclGetUniqueId"); }
    world.from_first(&id, sizeof id);
    const int first = world.rank * static_cast<int>(nodes.size() * gpus.size());
    here_.reserve(nodes.size() * gpus.size());
    for (const NcclLibrary& nccl : nodes_) {
        for (const int gpu : gpus) {
            const int number = first + static_cast<int>(here_.size());
            here_.push_back({number, nccl, nullptr, Stream(gpu), Buffer(gpu, Memory::device, bytes),
                             Buffer(gpu, Memory::device, bytes),
                             Buffer(gpu, Memory::device, sizeof(unsigned long long))});
        }
    }
    on_every_node([&](std::size_t node) {
        in_group(node, "making the communicator", [&](Rank& rank) {
            rank.stream.current();
            require(rank.nccl.ncclCommInitRank(&rank.communicator, ranks_, id, rank.number), "ncclCommInitRank");
        });
    });
}

template <typename Act> void Ranks::on_every_node(const Act& act) {
    std::vector<std::future<void>> under_way;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        under_way.push_back(std::async(std::launch::async, [&act, node] { act(node); }));
    }
    for (std::future<void>& one : under_way) { one.get(); }
}

template <typename Act> void Ranks::in_group(std::size_t node, const char* what, const Act& act) {
    require(nodes_[node].ncclGroupStart(), "ncclGroupStart");
    try {
        for (std::size_t i = 0; i < gpus_of_node_; ++i) { act(here_[node * gpus_of_node_ + i]); }
    } catch (const NcclError&) {
        nodes_[node].ncclGroupEnd();  // or the next group would hang inside this one
        throw;
    }
    require(nodes_[node].ncclGroupEnd(), what);
}

Ranks::~Ranks() {
    for (const Rank& rank : here_) {
        if (rank.communicator != nullptr) {
            rank.nccl.ncclCommAbort(rank.communicator);  // ends at once, also after a failure
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

void Ranks::queue_on(std::size_t node, const Call& call) {
    in_group(node, word(call.collective), [&](const Rank& rank) { queue_one(rank, call); });
}

void Ranks::queue_first(const Call& call) {
    on_every_node([&](std::size_t node) { queue_on(node, call); });
}

void Ranks::queue(const Call& call) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) { queue_on(node, call); }
}

void Ranks::queue_one(const Rank& rank, const Call& call) const {
    const Counts& c = call.counts;
    const float* from = sends(rank, call);
    float* to = receives_at(rank, call);
    const NcclLibrary& nccl = rank.nccl;
    ncclComm_t comm = rank.communicator;
    cudaStream_t stream = rank.stream.current();
    const auto at = [&](auto* data, int part) { return data + static_cast<std::size_t>(part) * c.part; };
    const auto send = [&](const float* data, std::size_t count, int peer) {
        require(nccl.ncclSend(data, count, ncclFloat, peer, comm, stream), "ncclSend");
    };
    const auto receive = [&](float* data, std::size_t count, int peer) {
        require(nccl.ncclRecv(data, count, ncclFloat, peer, comm, stream), "ncclRecv");
    };
    switch (call.collective) {
        case Collective::all_reduce:
            return require(nccl.ncclAllReduce(from, to, c.send, ncclFloat, ncclSum, comm, stream), "ncclAllReduce");
        case Collective::all_gather:
            return require(nccl.ncclAllGather(from, to, c.send, ncclFloat, comm, stream), "ncclAllGather");
        case Collective::reduce_scatter:
            return require(nccl.ncclReduceScatter(from, to, c.receive, ncclFloat, ncclSum, comm, stream),
                           "ncclReduceScatter");
        case Collective::broadcast:
            return require(nccl.ncclBroadcast(from, to, c.send, ncclFloat, root, comm, stream), "ncclBroadcast");
        case Collective::reduce:
            return require(nccl.ncclReduce(from, to, c.send, ncclFloat, ncclSum, root, comm, stream), "ncclReduce");
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

double Ranks::time_gated(const Call& call, int iterations) {
    const Buffer gate(host, Memory::pinned, sizeof(int));
    volatile int& open = *gate.as<volatile int>();
    open = 0;
    std::vector<Event> begins, ends;
    const auto record = [](std::vector<Event>& events, const Stream& stream) {
        events.push_back(event_on(stream.device()));
        require(cudaEventRecord(events.back().get(), stream.current()), "cudaEventRecord");
    };
    for (const Rank& rank : here_) {
        queue_gate(&open, rank.stream.current());
        record(begins, rank.stream);
    }
    for (int i = 0; i < iterations; ++i) { queue(call); }
    for (const Rank& rank : here_) { record(ends, rank.stream); }
    open = 1;
    wait();
    double sum_us = 0;
    for (std::size_t i = 0; i < here_.size(); ++i) { sum_us += elapsed_us(begins[i], ends[i]); }
    return sum_us / static_cast<double>(here_.size()) / iterations;
}

void Ranks::wait() const {
    for (const Rank& rank : here_) {
        require(cudaStreamSynchronize(rank.stream.current()), "a collective failed");
        ncclResult_t later = ncclSuccess;
        require(rank.nccl.ncclCommGetAsyncError(rank.communicator, &later), "ncclCommGetAsyncError");
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
