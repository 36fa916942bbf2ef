#include "core/pattern.hpp"
#include "cuda/kernels.hpp"

namespace probe {
namespace {

constexpr int copy_threads = 512;
constexpr int fill_threads = 256;
constexpr int fill_blocks = 1024;

__global__ void copy_kernel(void* to, const void* from, std::size_t bytes) {
    const std::size_t words = bytes / sizeof(uint4);
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t self = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const uint4* in = static_cast<const uint4*>(from);
    uint4* out = static_cast<uint4*>(to);
    // Four loads in flight a thread hide the latency of the wire.
    std::size_t i = self;
    for (; i + 3 * threads < words; i += 4 * threads) {
        const uint4 a = in[i], b = in[i + threads], c = in[i + 2 * threads], d = in[i + 3 * threads];
        out[i] = a;
        out[i + threads] = b;
        out[i + 2 * threads] = c;
        out[i + 3 * threads] = d;
    }
    for (; i < words; i += threads) {
        out[i] = in[i];
    }
    const std::size_t rest = words * sizeof(uint4) + self;
    if (rest < bytes) {
        static_cast<unsigned char*>(to)[rest] = static_cast<const unsigned char*>(from)[rest];
    }
}

// Byte `at` of the pattern, little-endian as the host writes it.
__device__ unsigned char pattern_byte(std::uint64_t seed, std::size_t at) {
    return static_cast<unsigned char>(pattern_word(seed, at / 8) >> (8 * (at % 8)));
}

__global__ void fill_kernel(void* data, std::size_t bytes, std::uint64_t seed) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t self = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t words = bytes / 8;
    for (std::size_t i = self; i < words; i += threads) {
        static_cast<std::uint64_t*>(data)[i] = pattern_word(seed, i);
    }
    if (self < bytes % 8) {
        static_cast<unsigned char*>(data)[words * 8 + self] = pattern_byte(seed, words * 8 + self);
    }
}

__global__ void check_kernel(const void* data, std::size_t bytes, std::uint64_t seed, unsigned long long* first_wrong) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t self = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t words = bytes / 8;
    for (std::size_t i = self; i < words; i += threads) {
        if (static_cast<const std::uint64_t*>(data)[i] != pattern_word(seed, i)) {
            atomicMin(first_wrong, static_cast<unsigned long long>(8 * i));
        }
    }
    const std::size_t rest = words * 8 + self;
    if (self < bytes % 8 && static_cast<const unsigned char*>(data)[rest] != pattern_byte(seed, rest)) {
        atomicMin(first_wrong, static_cast<unsigned long long>(rest));
    }
}

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void gate_kernel(const volatile int* gate) {
    const unsigned long long until = nanoseconds() + 2000000000ULL;
    while (*gate == 0 && nanoseconds() < until) {
    }
}

__global__ void walk_kernel(const volatile std::uint64_t* cycle, std::uint64_t steps, std::uint64_t* end) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < steps; ++i) {
        at = cycle[at];  // volatile: no load may be kept or guessed
    }
    *end = at;
}

__global__ void nothing_kernel() {}

}  // namespace

void queue_copy(void* to, const void* from, std::size_t bytes, int blocks, cudaStream_t stream) {
    // Few bytes need few blocks; the last ones of a small copy would only start and end.
    const std::size_t needed = (bytes + copy_threads * sizeof(uint4) - 1) / (copy_threads * sizeof(uint4));
    const unsigned grid = static_cast<unsigned>(needed < static_cast<std::size_t>(blocks) ? needed : blocks);
    copy_kernel<<<grid == 0 ? 1 : grid, copy_threads, 0, stream>>>(to, from, bytes);
}

void queue_fill(void* data, std::size_t bytes, std::uint64_t seed, cudaStream_t stream) {
    fill_kernel<<<fill_blocks, fill_threads, 0, stream>>>(data, bytes, seed);
}

void queue_check(const void* data, std::size_t bytes, std::uint64_t seed, unsigned long long* first_wrong,
                 cudaStream_t stream) {
    check_kernel<<<fill_blocks, fill_threads, 0, stream>>>(data, bytes, seed, first_wrong);
}

void queue_gate(const volatile int* gate, cudaStream_t stream) { gate_kernel<<<1, 1, 0, stream>>>(gate); }

void queue_walk(const std::uint64_t* cycle, std::uint64_t steps, std::uint64_t* end, cudaStream_t stream) {
    walk_kernel<<<1, 1, 0, stream>>>(cycle, steps, end);
}

void queue_nothing(cudaStream_t stream) { nothing_kernel<<<1, 1, 0, stream>>>(); }

}  // namespace probe
