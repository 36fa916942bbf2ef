#pragma once
// Fills and checks on the device, by the formulas of collectives.hpp.

#include <cuda_runtime_api.h>

#include "nccl/collectives.hpp"

namespace probe {

void queue_fill_sent(float* data, std::size_t count, int rank, cudaStream_t stream);
// The lowest wrong index by an atomic minimum into `first_wrong` (device memory, set to ~0 before).
void queue_check_received(const float* data, std::size_t count, Collective collective, int rank, int ranks,
                          std::size_t part, unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace probe
