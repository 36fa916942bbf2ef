// NCCL in memory, over the streams of fake_cuda.cpp: every rank of a communicator lives in this process. A collective
// takes place when the group that queued it ends; ranks that do not agree on it end the program.
//
// FAKE_NCCL_REFUSES names an algorithm with which only all-reduce goes, as NCCL 2.24 and later answer.

#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

[[noreturn]] void misuse(const std::string& what) {
    std::fprintf(stderr, "fake NCCL: %s\n", what.c_str());
    std::_Exit(98);
}

struct Call {
    std::string name;
    const float* from;
    float* to;
    std::size_t count;
    int peer;
};

}  // namespace

struct ncclComm {
    int rank = 0, ranks = 0;
    std::string algorithm;
};

namespace {

struct Group {
    int depth = 0;
    std::map<int, std::vector<Call>> calls;  // by rank
    std::map<int, cudaStream_t> streams;
    int ranks = 0;
    bool refused = false;
};

Group& group() {
    static Group one;
    return one;
}

// The n-th of the calls of that name that name this peer.
const Call& matching(const std::vector<Call>& calls, const std::string& name, int peer) {
    for (const Call& call : calls) {
        if (call.name == name && call.peer == peer) { return call; }
    }
    misuse("a send without its receive");
}

using Inputs = std::vector<std::vector<float>>;

void carry_out(const std::string& name, const std::vector<Call>& calls, const Inputs& in) {
    const std::size_t n = calls.size();
    for (std::size_t me = 0; me < n; ++me) {
        const std::size_t count = calls[me].count;
        float* to = calls[me].to;
        for (std::size_t i = 0; i < count; ++i) {
            if (name == "AllGather") {
                for (std::size_t from = 0; from < n; ++from) { to[from * count + i] = in[from][i]; }
                continue;
            }
            if (name == "Broadcast") {
                to[i] = in[static_cast<std::size_t>(calls[me].peer)][i];
                continue;
            }
            if (name == "Reduce" && static_cast<int>(me) != calls[me].peer) { continue; }
            float sum = 0;
            for (std::size_t from = 0; from < n; ++from) {
                sum += in[from][name == "ReduceScatter" ? me * count + i : i];
            }
            to[i] = sum;
        }
    }
}

void run(Group& g) {
    for (auto& [rank, stream] : g.streams) { cudaStreamSynchronize(stream); }
    const bool point_to_point = g.calls.at(0).front().name == "Send" || g.calls.at(0).front().name == "Recv";
    if (point_to_point) {
        std::vector<std::pair<std::vector<float>, float*>> moves;  // read all, then write: sends see what was there
        for (const auto& [rank, calls] : g.calls) {
            for (const Call& call : calls) {
                if (call.name == "Send") {
                    const Call& there = matching(g.calls.at(call.peer), "Recv", rank);
                    if (there.count != call.count) { misuse("a receive of another size than its send"); }
                    moves.emplace_back(std::vector<float>(call.from, call.from + call.count), there.to);
                }
            }
        }
        for (const auto& [data, to] : moves) { std::copy(data.begin(), data.end(), to); }
        return;
    }
    std::vector<Call> calls;
    Inputs in;
    for (int rank = 0; rank < g.ranks; ++rank) {
        calls.push_back(g.calls.at(rank).front());
        const Call& one = calls.back();
        if (g.calls.at(rank).size() != 1 || one.name != calls.front().name || one.count != calls.front().count) {
            misuse("ranks that do not call the same collective");
        }
        const std::size_t sent =
            one.name == "ReduceScatter" ? one.count * static_cast<std::size_t>(g.ranks) : one.count;
        in.emplace_back(one.from, one.from + sent);
    }
    carry_out(calls.front().name, calls, in);
}

ncclResult_t call(ncclComm_t comm, const char* name, const void* from, void* to, std::size_t count, ncclDataType_t type,
                  int peer, cudaStream_t stream) {
    if (type != ncclFloat) { misuse("another type than float"); }
    Group& g = group();
    if (g.depth == 0) { misuse("ranks of one process call outside a group"); }
    const char* refuses = std::getenv("FAKE_NCCL_REFUSES");
    if (refuses != nullptr && comm->algorithm == refuses && std::string(name) != "AllReduce") {
        g.refused = true;
        return ncclInvalidUsage;
    }
    g.ranks = comm->ranks;
    g.streams[comm->rank] = stream;
    g.calls[comm->rank].push_back({name, static_cast<const float*>(from), static_cast<float*>(to), count, peer});
    return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) { return *version = NCCL_VERSION_CODE, ncclSuccess; }
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) { return std::memset(id, 0, sizeof *id), ncclSuccess; }
const char* ncclGetErrorString(ncclResult_t) { return "invalid usage"; }
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId, int rank) {
    const char* algorithm = std::getenv("NCCL_ALGO");  // read while the communicator is made, as NCCL does
    *comm = new ncclComm{rank, ranks, algorithm == nullptr ? "" : algorithm};
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) { return delete comm, ncclSuccess; }
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* result) { return *result = ncclSuccess, ncclSuccess; }

ncclResult_t ncclGroupStart() { return ++group().depth, ncclSuccess; }
ncclResult_t ncclGroupEnd() {
    Group& g = group();
    if (--g.depth > 0) { return ncclSuccess; }
    Group done;
    std::swap(done, g);
    if (!done.calls.empty() && !done.refused) { run(done); }
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t comm,
                           cudaStream_t stream) {
    return call(comm, "AllReduce", from, to, count, type, 0, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
    return call(comm, "AllGather", from, to, count, type, 0, stream);
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t,
                               ncclComm_t comm, cudaStream_t stream) {
    return call(comm, "ReduceScatter", from, to, count, type, 0, stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
    return call(comm, "Broadcast", from, to, count, type, root, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t, int root,
                        ncclComm_t comm, cudaStream_t stream) {
    return call(comm, "Reduce", from, to, count, type, root, stream);
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return call(comm, "Send", from, nullptr, count, type, peer, stream);
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
    return call(comm, "Recv", nullptr, to, count, type, peer, stream);
}

}  // extern "C"
