#pragma once
// CUDA's resources as values that clean up, and its errors as exceptions.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "core/owned.hpp"
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
    int device() const { return device_; }
    cudaStream_t get() const { return stream_.get(); }
    // Makes its device current, for kernels.
    cudaStream_t current() const;

private:
    int device_;
    Owned<cudaStream_t, cudaStreamDestroy> stream_;
};

using Event = Owned<cudaEvent_t, cudaEventDestroy>;
Event event_on(int device);
// us between two events that have happened.
double elapsed_us(const Event& start, const Event& stop);

// Memory of a GPU, or of the host: pinned and mapped into every device, or pageable.
class Buffer {
public:
    Buffer(int device, Memory memory, std::size_t bytes);
    unsigned char* at(std::size_t offset) const { return data_.get() + offset; }
    // Its beginning as what it holds.
    template <typename Value> Value* as() const { return reinterpret_cast<Value*>(data_.get()); }

private:
    std::unique_ptr<unsigned char, void (*)(void*)> data_;
};

// Runs `check`, which tells the lowest wrong index by an atomic minimum into a word on the device, and reads that word.
std::optional<std::size_t> first_wrong(const Buffer& word, const std::function<void(unsigned long long*)>& check);

}  // namespace probe
