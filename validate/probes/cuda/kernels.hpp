#pragma once
// What runs on the device, behind plain calls, so that only kernels.cu needs nvcc. Each call queues on the stream,
// whose device must be current, and returns.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace probe {

// 16 B loads and stores by `blocks` blocks of threads; both ends must be reachable from the current device.
void queue_copy(void* to, const void* from, std::size_t bytes, int blocks, cudaStream_t stream);

// The pattern of core/pattern.hpp; and the lowest offset of a word that differs from it, by an atomic minimum into
// `first_wrong` (device memory, set to ~0 before).
void queue_fill(void* data, std::size_t bytes, std::uint64_t seed, cudaStream_t stream);
void queue_check(const void* data, std::size_t bytes, std::uint64_t seed, unsigned long long* first_wrong,
                 cudaStream_t stream);

// Waits on the device until *gate (mapped host memory) is not 0, for two seconds at most: a mistake hangs no machine.
void queue_gate(const volatile int* gate, cudaStream_t stream);

// One thread follows `steps` indices from 0 and writes where it ends.
void queue_walk(const std::uint64_t* cycle, std::uint64_t steps, std::uint64_t* end, cudaStream_t stream);

void queue_nothing(cudaStream_t stream);

}  // namespace probe
