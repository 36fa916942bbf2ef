// CUDA's runtime in memory, for the host logic of probe-cuda and probe-nccl where there is no GPU. Streams are queues
// that run only when something waits for them, in their order and that of events; a device touches only memory that it
// may; the first misuse ends the program. Device time is a count that each operation moves on: figures measured with it
// mean nothing.
//
// The environment chooses: FAKE_GPUS (2), FAKE_NO_P2P, FAKE_MEMORY (bytes a GPU), FAKE_WRONG_COPY (the n-th copy turns
// a bit).

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "core/pattern.hpp"
#include "cuda/kernels.hpp"
#include "nccl/check.hpp"

struct CUstream_st {
    int device = 0;
    std::deque<std::function<void()>> queue;
    unsigned long long queued = 0, ran = 0;
};

struct CUevent_st {
    CUstream_st* stream = nullptr;
    unsigned long long position = 0;  // it has happened when the stream ran so many
    double at_us = 0;
};

namespace {

constexpr int on_host = -1;

struct Memory {
    std::size_t bytes;
    int device;  // on_host: pinned
};

long setting(const char* name, long fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : std::atol(text);
}

struct Machine {
    int current = 0;
    double now_us = 0;
    long copies = 0;
    std::map<std::uintptr_t, Memory> memory;
    std::map<int, std::size_t> used;
    std::map<std::pair<int, int>, bool> enabled;
    std::map<int, CUstream_st> default_streams;
};

Machine& machine() {
    static Machine one;
    return one;
}

int gpus() { return static_cast<int>(setting("FAKE_GPUS", 2)); }

[[noreturn]] void misuse(const std::string& what) {
    std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
    std::_Exit(99);
}

// The allocation that holds a pointer, or null: pageable host memory.
const Memory* memory_of(const void* pointer, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = machine().memory.upper_bound(address);
    if (next == machine().memory.begin()) { return nullptr; }
    const auto& [begin, memory] = *--next;
    if (address >= begin + memory.bytes) { return nullptr; }
    if (address + bytes > begin + memory.bytes) { misuse("an access beyond its allocation"); }
    return &memory;
}

void require_reach(int device, const void* pointer, std::size_t bytes) {
    const Memory* memory = memory_of(pointer, bytes);
    if (memory == nullptr) { misuse("a kernel touches pageable memory"); }
    if (memory->device != on_host && memory->device != device && !machine().enabled[{device, memory->device}]) {
        misuse("a kernel on one GPU touches another's memory without peer access");
    }
}

CUstream_st& stream_of(cudaStream_t stream) {
    CUstream_st& one = stream == nullptr ? machine().default_streams[machine().current] : *stream;
    if (stream == nullptr) { one.device = machine().current; }
    return one;
}

void run_until(CUstream_st& stream, unsigned long long position) {
    while (stream.ran < position) {
        const std::function<void()> next = std::move(stream.queue.front());
        stream.queue.pop_front();
        next();
        ++stream.ran;
    }
}

void finish(CUstream_st& stream) { run_until(stream, stream.queued); }

void queue(CUstream_st& stream, std::function<void()> operation) {
    stream.queue.push_back(std::move(operation));
    ++stream.queued;
}

// A launch goes to the current device, and its stream must be that device's.
CUstream_st& launch_stream(cudaStream_t stream) {
    CUstream_st& one = stream_of(stream);
    if (one.device != machine().current) { misuse("a kernel is launched into a stream of another device"); }
    return one;
}

void copy_now(void* to, const void* from, std::size_t bytes) {
    std::memmove(to, from, bytes);
    if (++machine().copies == setting("FAKE_WRONG_COPY", 0)) { static_cast<unsigned char*>(to)[bytes / 2] ^= 0x10; }
    machine().now_us += 1 + static_cast<double>(bytes) / 1e4;
}

cudaError_t allocate(void** pointer, std::size_t bytes, int device) {
    if (device != on_host &&
        machine().used[device] + bytes > static_cast<std::size_t>(setting("FAKE_MEMORY", 1L << 30))) {
        return cudaErrorMemoryAllocation;
    }
    *pointer = std::malloc(bytes);
    machine().used[device] += bytes;
    machine().memory[reinterpret_cast<std::uintptr_t>(*pointer)] = {bytes, device};
    return cudaSuccess;
}

cudaError_t release(void* pointer) {
    const auto found = machine().memory.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == machine().memory.end()) { misuse("freeing what was not allocated"); }
    machine().used[found->second.device] -= found->second.bytes;
    machine().memory.erase(found);
    std::free(pointer);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = gpus(), cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "Fake GPU");
    properties->l2CacheSize = 1 << 16;
    return device < gpus() ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0", device);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) { return *value = 0, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 4, cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    return *can = setting("FAKE_NO_P2P", 0) == 0 ? 1 : 0, cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    machine().enabled[{machine().current, peer}] = true;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return machine().current = device, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "out of memory"; }

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, machine().current); }
cudaError_t cudaFree(void* pointer) { return release(pointer); }
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) { return allocate(pointer, bytes, on_host); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = new CUstream_st;
    (*stream)->device = machine().current;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    finish(*stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return finish(stream_of(stream)), cudaSuccess; }
// Only this device's default stream: the probes wait for their own streams by name.
cudaError_t cudaDeviceSynchronize() { return finish(stream_of(nullptr)), cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = new CUevent_st, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CUstream_st& on = stream_of(stream);
    queue(on, [event] { event->at_us = machine().now_us; });
    event->stream = &on;
    event->position = on.queued;
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    CUstream_st* source = event->stream;
    const unsigned long long position = event->position;
    queue(stream_of(stream), [source, position] { run_until(*source, position); });
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return run_until(*event->stream, event->position), cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (start->stream->ran < start->position || stop->stream->ran < stop->position) {
        misuse("the time of an event that has not happened");
    }
    *milliseconds = static_cast<float>((stop->at_us - start->at_us) / 1e3);
    return cudaSuccess;
}

cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
    require_reach(machine().current, data, bytes);
    finish(stream_of(nullptr));
    std::memset(data, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    require_reach(stream_of(stream).device, data, bytes);
    queue(stream_of(stream), [=] { std::memset(data, value, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    finish(stream_of(nullptr));
    std::memmove(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    const bool pageable = memory_of(to, bytes) == nullptr || memory_of(from, bytes) == nullptr;
    queue(stream_of(stream), [=] { copy_now(to, from, bytes); });
    if (pageable) {
        finish(stream_of(stream));  // such a call returns when the data have left, at the earliest
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    if (memory_of(to, bytes)->device != to_device || memory_of(from, bytes)->device != from_device) {
        misuse("a peer copy whose devices are not its memory's");
    }
    queue(stream_of(stream), [=] { copy_now(to, from, bytes); });
    if (to_device != from_device && !machine().enabled[{from_device, to_device}]) {
        finish(stream_of(stream));  // staged through the host: the call may wait
    }
    return cudaSuccess;
}

}  // extern "C"

namespace probe {

void queue_copy(void* to, const void* from, std::size_t bytes, int, cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, to, bytes);
    require_reach(on.device, from, bytes);
    queue(on, [=] { copy_now(to, from, bytes); });
}

void queue_fill(void* data, std::size_t bytes, std::uint64_t seed, cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, data, bytes);
    queue(on, [=] { fill_pattern(data, bytes, seed); });
}

void queue_check(const void* data, std::size_t bytes, std::uint64_t seed, unsigned long long* first_wrong,
                 cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, data, bytes);
    require_reach(on.device, first_wrong, sizeof *first_wrong);
    queue(on, [=] {
        if (const auto wrong = first_difference(data, bytes, seed)) { *first_wrong = *wrong; }
    });
}

void queue_gate(const volatile int* gate, cudaStream_t stream) {
    queue(launch_stream(stream), [gate] {
        if (*gate == 0) { misuse("something waits behind a gate that is still closed"); }
    });
}

void queue_walk(const std::uint64_t* cycle, std::uint64_t steps, std::uint64_t* end, cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, cycle, sizeof *cycle);
    require_reach(on.device, end, sizeof *end);
    queue(on, [=] {
        std::uint64_t at = 0;
        for (std::uint64_t i = 0; i < steps; ++i) {
            at = cycle[at];
            machine().now_us += 0.5;
        }
        *end = at;
    });
}

void queue_nothing(cudaStream_t stream) {
    queue(launch_stream(stream), [] { machine().now_us += 1; });
}

void queue_fill_sent(float* data, std::size_t count, int rank, cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, data, count * sizeof(float));
    queue(on, [=] {
        for (std::size_t i = 0; i < count; ++i) { data[i] = sent_value(rank, i); }
    });
}

void queue_check_received(const float* data, std::size_t count, Collective collective, int rank, int ranks,
                          std::size_t part, unsigned long long* first_wrong, cudaStream_t stream) {
    CUstream_st& on = launch_stream(stream);
    require_reach(on.device, data, count * sizeof(float));
    queue(on, [=] {
        for (std::size_t i = count; i-- > 0;) {
            if (data[i] != expected_value(collective, rank, ranks, part, i)) { *first_wrong = i; }
        }
    });
}

}  // namespace probe
