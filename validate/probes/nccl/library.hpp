#pragma once
// NCCL's calls as values, so that one process can hold several copies of the library. NCCL keeps one host's identity a
// copy, so with `--as-nodes` each is a node of its own, on one GPU and without a second machine.

#include <nccl.h>

#include <stdexcept>

namespace probe {

// NCCL said no: an algorithm and a protocol that do not go together, or a failure of the network.
struct NcclError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The library that this program was linked with, unless a copy is put in its place.
struct NcclLibrary {
    decltype(&::ncclGetUniqueId) ncclGetUniqueId = &::ncclGetUniqueId;
    decltype(&::ncclCommInitRank) ncclCommInitRank = &::ncclCommInitRank;
    decltype(&::ncclCommAbort) ncclCommAbort = &::ncclCommAbort;
    decltype(&::ncclCommGetAsyncError) ncclCommGetAsyncError = &::ncclCommGetAsyncError;
    decltype(&::ncclGroupStart) ncclGroupStart = &::ncclGroupStart;
    decltype(&::ncclGroupEnd) ncclGroupEnd = &::ncclGroupEnd;
    decltype(&::ncclAllReduce) ncclAllReduce = &::ncclAllReduce;
    decltype(&::ncclAllGather) ncclAllGather = &::ncclAllGather;
    decltype(&::ncclReduceScatter) ncclReduceScatter = &::ncclReduceScatter;
    decltype(&::ncclBroadcast) ncclBroadcast = &::ncclBroadcast;
    decltype(&::ncclReduce) ncclReduce = &::ncclReduce;
    decltype(&::ncclSend) ncclSend = &::ncclSend;
    decltype(&::ncclRecv) ncclRecv = &::ncclRecv;
};

// Throws NcclError with NCCL's words.
void require(ncclResult_t result, const char* what);

// A copy of the linked library (a file of its own, removed once loaded) that takes itself for host "node-<number>" and
// sends through the network of memory_net.cu. Slow: some seconds each. Throws NcclError.
NcclLibrary copy_of_nccl(int number, int gpu);

// Before CUDA's first call: kernels of several ranks share one GPU, so none may wait for another's code to load or for
// a place in a queue. `rate_GBps` and `in_gpu_memory` are the network's.
void prepare_for_copies(double rate_GBps, bool in_gpu_memory);

}  // namespace probe
