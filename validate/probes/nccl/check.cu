#include "nccl/check.hpp"

namespace probe {
namespace {

constexpr int blocks = 512;
constexpr int threads = 256;

__global__ void fill_kernel(float* data, std::size_t count, int rank) {
    const std::size_t all = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += all) {
        data[i] = sent_value(rank, i);
    }
}

__global__ void check_kernel(const float* data, std::size_t count, Collective collective, int rank, int ranks,
                             std::size_t part, unsigned long long* first_wrong) {
    const std::size_t all = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += all) {
        if (data[i] != expected_value(collective, rank, ranks, part, i)) {
            atomicMin(first_wrong, static_cast<unsigned long long>(i));
        }
    }
}

}  // namespace

void queue_fill_sent(float* data, std::size_t count, int rank, cudaStream_t stream) {
    fill_kernel<<<blocks, threads, 0, stream>>>(data, count, rank);
}

void queue_check_received(const float* data, std::size_t count, Collective collective, int rank, int ranks,
                          std::size_t part, unsigned long long* first_wrong, cudaStream_t stream) {
    check_kernel<<<blocks, threads, 0, stream>>>(data, count, collective, rank, ranks, part, first_wrong);
}

}  // namespace probe
