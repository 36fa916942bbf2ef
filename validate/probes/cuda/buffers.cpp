#include "cuda/buffers.hpp"

#include <cstdlib>
#include <cstring>

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
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

Stream::~Stream() {
    if (stream_ != nullptr) { cudaStreamDestroy(stream_); }
}

cudaStream_t Stream::current() const {
    require(cudaSetDevice(device_), "cudaSetDevice");
    return stream_;
}

Event::Event(int device) {
    require(cudaSetDevice(device), "cudaSetDevice");
    require(cudaEventCreate(&event_), "cudaEventCreate");
}

Event::~Event() {
    if (event_ != nullptr) { cudaEventDestroy(event_); }
}

Buffer::Buffer(int device, Memory memory, std::size_t bytes) : device_(device), memory_(memory) {
    void* data = nullptr;
    if (device != host) {
        memory_ = Memory::device;
        require(cudaSetDevice(device), "cudaSetDevice");
        require(cudaMalloc(&data, bytes), "cudaMalloc");
    } else if (memory == Memory::pageable) {
        data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        if (data == nullptr) { throw OutOfMemory("no host memory for " + std::to_string(bytes) + " B"); }
        std::memset(data, 0, bytes);  // or page faults are measured
    } else {
        memory_ = Memory::pinned;
        require(cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
    }
    data_ = static_cast<unsigned char*>(data);
}

Buffer::~Buffer() {
    if (data_ == nullptr) { return; }
    switch (memory_) {
        case Memory::device: cudaFree(data_); break;
        case Memory::pinned: cudaFreeHost(data_); break;
        case Memory::pageable: std::free(data_); break;
    }
}

}  // namespace probe
