#pragma once
// CUDA's resources as values that clean up, and its errors as exceptions.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "cuda/plan.hpp"

namespace probe {

// A point too large for this machine: it is left out and said, the run goes on.
struct OutOfMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws OutOfMemory or std::runtime_error with CUDA's words.
void require(cudaError_t status, const char* what);

class Stream {
public:
    explicit Stream(int device);
    ~Stream();
    Stream(Stream&& other) noexcept : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&&) = delete;
    int device() const { return device_; }
    cudaStream_t get() const { return stream_; }
    // Makes its device current, for kernels.
    cudaStream_t current() const;

private:
    int device_;
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    explicit Event(int device);
    ~Event();
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&&) = delete;
    cudaEvent_t get() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

// Memory of a GPU, or of the host: pinned and mapped into every device, or pageable.
class Buffer {
public:
    Buffer(int device, Memory memory, std::size_t bytes);
    ~Buffer();
    Buffer(Buffer&& other) noexcept
        : device_(other.device_), memory_(other.memory_), data_(std::exchange(other.data_, nullptr)) {}
    Buffer& operator=(Buffer&&) = delete;
    unsigned char* at(std::size_t offset) const { return data_ + offset; }
    int device() const { return device_; }

private:
    int device_;
    Memory memory_;
    unsigned char* data_ = nullptr;
};

}  // namespace probe
