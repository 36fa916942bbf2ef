#include "cuda/buffers.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace probe {

void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) { return; }
    cudaGetLastError();  // or the next call would report it again
    const std::string text = std::string(what) + ": " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) { throw OutOfMemory(text); }
    throw std::runtime_error(text);
}

Stream::Stream(int device) : device_(device) {
    require(cudaSetDevice(device), "cudaSetDevice");
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    stream_.reset(stream);
}

cudaStream_t Stream::current() const {
    require(cudaSetDevice(device_), "cudaSetDevice");
    return stream_.get();
}

Event event_on(int device) {
    require(cudaSetDevice(device), "cudaSetDevice");
    cudaEvent_t event = nullptr;
    require(cudaEventCreate(&event), "cudaEventCreate");
    return Event(event);
}

double elapsed_us(const Event& start, const Event& stop) {
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "cudaEventElapsedTime");
    return 1e3 * static_cast<double>(milliseconds);
}

Buffer::Buffer(int device, Memory memory, std::size_t bytes) : data_(nullptr, std::free) {
    void* data = nullptr;
    if (device != host) {
        require(cudaSetDevice(device), "cudaSetDevice");
        require(cudaMalloc(&data, bytes), "cudaMalloc");
        data_ = {static_cast<unsigned char*>(data), [](void* memory) { cudaFree(memory); }};
    } else if (memory == Memory::pageable) {
        data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        if (data == nullptr) { throw OutOfMemory("no host memory for " + std::to_string(bytes) + " B"); }
        data_.reset(static_cast<unsigned char*>(data));
        std::memset(data, 0, bytes);  // or page faults are measured
    } else {
        require(cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
        data_ = {static_cast<unsigned char*>(data), [](void* memory) { cudaFreeHost(memory); }};
    }
}

std::optional<std::size_t> first_wrong(const Buffer& word, const std::function<void(unsigned long long*)>& check) {
    constexpr unsigned long long none = ~0ULL;
    unsigned long long wrong = none;
    auto* there = word.as<unsigned long long>();
    require(cudaMemcpy(there, &wrong, sizeof wrong, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(there);
    require(cudaMemcpy(&wrong, there, sizeof wrong, cudaMemcpyDeviceToHost), "checking data");
    return wrong == none ? std::nullopt : std::optional<std::size_t>(wrong);
}

}  // namespace probe
