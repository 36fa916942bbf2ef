// A network for NCCL inside one GPU: each node's adapter is some blocks of threads that copy what they are told to through
// mailboxes in host memory, as a real adapter reads its queue over PCIe. So NCCL's own part of a hop between nodes can be
// measured on one machine: the time of a message by itself (see wire.cpp) is known and can be taken away.
//
// The interface is NCCL's network plugin, version 8 (plugins/net/example/nccl/net_v8.h of its sources): NCCL 2.20 and
// later load it. All nodes live in one process and each has its own copy of this library; a connection is an object
// that both ends hold.

#include <cuda_runtime.h>
#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "nccl/net_plugin.hpp"

namespace probe {
namespace {

constexpr std::uint64_t ring = 4096;
constexpr int adapter_threads = 1024;
constexpr unsigned batch = 16;  // orders read at once
constexpr int queues = 8;       // of an adapter
constexpr unsigned long long idle_ns = 2'000'000;  // then the block ends: cudaFree waits for whatever still runs

struct alignas(32) Order {
    std::uint64_t from, to, bytes, number;
};

// In host memory, mapped: the host writes orders, the GPU what is done.
struct Mailbox {
    Order orders[ring];
    std::uint64_t done[ring];
    std::uint64_t ended;  // 0 while the block runs, else the number of the order that it would take next
};

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// The orders from `number` on that are there, at most `batch`; 0 where none came in `idle_ns`. A warp loads `batch`
// slots by one instruction, two lanes a slot: 32 B at once, so never half an order, and one wait for PCIe a batch.
__device__ unsigned take_orders(const Order* orders, std::uint64_t number, Order* taken) {
    const unsigned lane = threadIdx.x, slot = lane / 2;
    const uint4* at = reinterpret_cast<const uint4*>(&orders[(number + slot) % ring]) + (lane & 1);
    const unsigned long long begin = nanoseconds();
    for (;;) {
        uint4 half;
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(half.x), "=r"(half.y), "=r"(half.z), "=r"(half.w)
                     : "l"(at));
        const std::uint64_t low = half.x | static_cast<std::uint64_t>(half.y) << 32;
        const std::uint64_t high = half.z | static_cast<std::uint64_t>(half.w) << 32;
        const bool there = (lane & 1) == 0 || high == number + slot;
        const unsigned missing = ~__ballot_sync(0xFFFFFFFF, there);
        const unsigned ready = missing == 0 ? batch : static_cast<unsigned>(__ffs(missing) - 1) / 2;
        if (slot < ready) {
            if ((lane & 1) == 0) {
                taken[slot].from = low, taken[slot].to = high;
            } else {
                taken[slot].bytes = low, taken[slot].number = high;
            }
        }
        if (ready > 0 || __shfl_sync(0xFFFFFFFF, nanoseconds(), 0) - begin > idle_ns) { return ready; }
    }
}

// Past the first cache, which would keep what a slot held a round ago.
__device__ void copy(const Order& order) {
    const std::uint64_t words = order.bytes / sizeof(uint4);
    const uint4* in = reinterpret_cast<const uint4*>(order.from);
    uint4* out = reinterpret_cast<uint4*>(order.to);
    std::uint64_t i = threadIdx.x;
    for (; i + 3 * adapter_threads < words; i += 4 * adapter_threads) {
        const uint4 a = __ldcv(in + i), b = __ldcv(in + i + adapter_threads);
        const uint4 c = __ldcv(in + i + 2 * adapter_threads), d = __ldcv(in + i + 3 * adapter_threads);
        __stcg(out + i, a);
        __stcg(out + i + adapter_threads, b);
        __stcg(out + i + 2 * adapter_threads, c);
        __stcg(out + i + 3 * adapter_threads, d);
    }
    for (; i < words; i += adapter_threads) { __stcg(out + i, __ldcv(in + i)); }
    const std::uint64_t rest = words * sizeof(uint4) + threadIdx.x;
    if (rest < order.bytes) {
        reinterpret_cast<volatile unsigned char*>(order.to)[rest] =
            reinterpret_cast<const volatile unsigned char*>(order.from)[rest];
    }
}

// When the wire, which an adapter's queues share, has carried so many bytes more.
__device__ unsigned long long carried_at(unsigned long long* wire_free, std::uint64_t bytes, double ns_per_byte) {
    const auto takes = static_cast<unsigned long long>(ns_per_byte * static_cast<double>(bytes));
    unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(wire_free);
    for (;;) {
        const unsigned long long now = nanoseconds();
        const unsigned long long until = (seen > now ? seen : now) + takes;
        const unsigned long long was = atomicCAS(wire_free, seen, until);
        if (was == seen) { return until; }
        seen = was;
    }
}

__device__ void carry(const Order& order, Mailbox* box, unsigned long long* wire_free, double ns_per_byte) {
    unsigned long long until = 0;
    if (threadIdx.x == 0) { until = carried_at(wire_free, order.bytes, ns_per_byte); }
    // LL128's receiver takes a line of 128 B for whole once it sees its last word: the warp must write it by one store.
    __syncwarp();
    copy(order);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        while (nanoseconds() < until) {}
        *reinterpret_cast<volatile std::uint64_t*>(&box->done[order.number % ring]) = order.number;
    }
}

__global__ void __launch_bounds__(adapter_threads)
    serve_queue(Mailbox* box, std::uint64_t next, unsigned long long* wire_free, double ns_per_byte) {
    __shared__ Order orders[batch];
    __shared__ unsigned taken;
    for (;;) {
        if (threadIdx.x < 32) {
            const unsigned ready = take_orders(box->orders, next, orders);
            if (threadIdx.x == 0) { taken = ready; }
        }
        __syncthreads();
        const unsigned ready = taken;
        if (ready == 0) { break; }
        for (unsigned i = 0; i < ready; ++i) { carry(orders[i], box, wire_free, ns_per_byte); }
        next += ready;
        __syncthreads();
    }
    if (threadIdx.x == 0) { *reinterpret_cast<volatile std::uint64_t*>(&box->ended) = next; }
}

double rate_GBps() {
    const char* text = std::getenv("PROBE_NET_GBPS");
    const double rate = text == nullptr ? 0 : std::atof(text);
    return rate > 0 ? rate : 50;
}

bool in_gpu_memory() {
    const char* text = std::getenv("PROBE_NET_MEMORY");
    return text == nullptr || std::strcmp(text, "host") != 0;
}

// One queue of an adapter: a mailbox and the block that serves it.
class Queue {
public:
    bool open(unsigned long long* wire_free) {
        wire_free_ = wire_free;
        void* memory = nullptr;
        if (cudaHostAlloc(&memory, sizeof(Mailbox), cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess) {
            return false;
        }
        std::memset(memory, 0, sizeof(Mailbox));
        int least = 0, greatest = 0;
        cudaDeviceGetStreamPriorityRange(&least, &greatest);
        if (cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest) != cudaSuccess) { return false; }
        box_ = static_cast<Mailbox*>(memory);
        box_->ended = 1;
        return true;
    }

    // The order's number; 0 where the queue is full.
    std::uint64_t post(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
        const std::lock_guard<std::mutex> guard(lock_);
        const std::uint64_t number = posted_ + 1;
        if (number > ring && !done(number - ring)) { return 0; }
        posted_ = number;
        Order& order = box_->orders[number % ring];
        order.from = from, order.to = to, order.bytes = bytes;
        std::atomic_thread_fence(std::memory_order_release);
        *reinterpret_cast<volatile std::uint64_t*>(&order.number) = number;
        return number;
    }

    bool done(std::uint64_t number) const {
        return *reinterpret_cast<const volatile std::uint64_t*>(&box_->done[number % ring]) >= number;
    }

    // Starts the block again where it has ended for want of orders.
    void keep_running() {
        volatile std::uint64_t& ended = box_->ended;
        if (ended == 0) { return; }
        const std::lock_guard<std::mutex> guard(lock_);
        const std::uint64_t next = ended;
        if (next == 0) { return; }
        ended = 0;
        cudaSetDevice(0);
        serve_queue<<<1, adapter_threads, 0, stream_>>>(box_, next, wire_free_, 1 / rate_GBps());
    }

private:
    std::mutex lock_;
    Mailbox* box_ = nullptr;
    cudaStream_t stream_ = nullptr;
    unsigned long long* wire_free_ = nullptr;
    std::uint64_t posted_ = 0;
};

// One node's adapter: connections take its queues in turn, a message's place in its connection stays.
class Adapter {
public:
    bool open() {
        const std::lock_guard<std::mutex> guard(lock_);
        if (wire_free_ != nullptr) { return true; }
        cudaSetDevice(0);
        if (cudaMalloc(&wire_free_, sizeof *wire_free_) != cudaSuccess) { return false; }
        cudaMemset(wire_free_, 0, sizeof *wire_free_);
        for (Queue& queue : queues_) {
            if (!queue.open(wire_free_)) { return false; }
        }
        return true;
    }

    Queue& next_queue() { return queues_[connections_++ % queues]; }

private:
    std::mutex lock_;
    Queue queues_[queues];
    unsigned long long* wire_free_ = nullptr;
    std::atomic<unsigned> connections_{0};
};

struct Request {
    Queue* by = nullptr;
    std::atomic<std::uint64_t> number{0};  // 0: a receive that no send has met
    std::uint64_t bytes = 0;
};

struct Receive {
    std::uint64_t to, bytes;
    Request* request;
};

struct Connection {
    std::mutex lock;
    std::deque<Receive> receives;
    Queue* from = nullptr;
};

struct Listener {
    std::mutex lock;
    std::deque<Connection*> waiting;
};

// Where the GPU sees what the host calls `data`.
struct Region {
    std::uint64_t host, device;
};

std::uint64_t seen_by_gpu(const void* data, const void* region) {
    const Region& r = *static_cast<const Region*>(region);
    return reinterpret_cast<std::uint64_t>(data) - r.host + r.device;
}

Adapter& own_adapter() {
    static Adapter adapter;
    return adapter;
}

ncclResult_t init(NetLogger) { return own_adapter().open() ? ncclSuccess : ncclSystemError; }

ncclResult_t devices(int* count) {
    *count = 1;
    return ncclSuccess;
}

ncclResult_t get_properties(int, NetProperties* properties) {
    static char name[] = "gpu-memory";
    *properties = {};
    properties->name = name;
    properties->guid = reinterpret_cast<std::uint64_t>(&own_adapter());
    properties->ptr_support = net_pointer_host | (in_gpu_memory() ? net_pointer_cuda : 0);
    properties->speed_Mbps = static_cast<int>(rate_GBps() * 8000);
    properties->port = 1;
    properties->most_connections = 65536;
    properties->most_receives = 1;
    return ncclSuccess;
}

ncclResult_t listen(int, void* handle, void** listener) {
    *listener = new Listener;
    std::memcpy(handle, listener, sizeof *listener);
    return ncclSuccess;
}

ncclResult_t connect(int, void* handle, void** connection, NetDeviceHandle**) {
    Listener* listener = nullptr;
    std::memcpy(&listener, handle, sizeof listener);
    auto* made = new Connection;
    made->from = &own_adapter().next_queue();
    const std::lock_guard<std::mutex> guard(listener->lock);
    listener->waiting.push_back(made);
    *connection = made;
    return ncclSuccess;
}

ncclResult_t accept(void* listener, void** connection, NetDeviceHandle**) {
    Listener& at = *static_cast<Listener*>(listener);
    const std::lock_guard<std::mutex> guard(at.lock);
    *connection = at.waiting.empty() ? nullptr : at.waiting.front();
    if (*connection != nullptr) { at.waiting.pop_front(); }
    return ncclSuccess;
}

ncclResult_t register_memory(void*, void* data, std::size_t, int type, void** region) {
    const auto host = reinterpret_cast<std::uint64_t>(data);
    void* device = data;
    if (type == net_pointer_host && cudaHostGetDevicePointer(&device, data, 0) != cudaSuccess) {
        cudaGetLastError();
        device = data;  // pageable: the GPU may reach it (HMM), or the copy fails and says so
    }
    *region = new Region{host, reinterpret_cast<std::uint64_t>(device)};
    return ncclSuccess;
}

ncclResult_t register_dma_buf(void* connection, void* data, std::size_t bytes, int type, std::uint64_t, int,
                              void** region) {
    return register_memory(connection, data, bytes, type, region);
}

ncclResult_t deregister(void*, void* region) {
    delete static_cast<Region*>(region);
    return ncclSuccess;
}

// As over InfiniBand a send waits until its receive is posted.
ncclResult_t send(void* connection, void* data, int bytes, int, void* region, void** request) {
    Connection& at = *static_cast<Connection*>(connection);
    const std::lock_guard<std::mutex> guard(at.lock);
    *request = nullptr;
    if (at.receives.empty()) { return ncclSuccess; }
    const Receive receive = at.receives.front();
    const auto size = static_cast<std::uint64_t>(bytes);
    if (size > receive.bytes) { return ncclInvalidUsage; }
    const std::uint64_t number = at.from->post(seen_by_gpu(data, region), receive.to, size);
    if (number == 0) { return ncclSuccess; }
    at.receives.pop_front();
    auto* sent = new Request;
    sent->by = receive.request->by = at.from;
    sent->bytes = receive.request->bytes = size;
    sent->number = number;
    receive.request->number.store(number, std::memory_order_release);
    at.from->keep_running();
    *request = sent;
    return ncclSuccess;
}

ncclResult_t receive(void* connection, int, void** data, int* sizes, int*, void** regions, void** request) {
    Connection& at = *static_cast<Connection*>(connection);
    auto* made = new Request;
    const std::lock_guard<std::mutex> guard(at.lock);
    at.receives.push_back({seen_by_gpu(data[0], regions[0]), static_cast<std::uint64_t>(sizes[0]), made});
    *request = made;
    return ncclSuccess;
}

// The adapter's fence has made the data visible before it says that they are there.
ncclResult_t flush(void*, int, void**, int*, void**, void** request) {
    *request = nullptr;
    return ncclSuccess;
}

ncclResult_t test(void* request, int* done, int* sizes) {
    Request& at = *static_cast<Request*>(request);
    const std::uint64_t number = at.number.load(std::memory_order_acquire);
    *done = 0;
    if (number == 0) { return ncclSuccess; }
    if (!at.by->done(number)) {
        at.by->keep_running();
        return ncclSuccess;
    }
    *done = 1;
    if (sizes != nullptr) { *sizes = static_cast<int>(at.bytes); }
    delete &at;
    return ncclSuccess;
}

// The other end may still hold it: a connection lives as long as the process.
ncclResult_t close_connection(void*) { return ncclSuccess; }

ncclResult_t close_listener(void* listener) {
    delete static_cast<Listener*>(listener);
    return ncclSuccess;
}

}  // namespace
}  // namespace probe

extern "C" {
using namespace probe;
__attribute__((visibility("default"))) NetPlugin ncclNetPlugin_v8 = {
    "GpuMemory", init,       devices, get_properties, listen, connect, accept,           register_memory,
    register_dma_buf, deregister, send,    receive,        flush,  test,    close_connection, close_connection,
    close_listener,   nullptr,    nullptr};
}
