#pragma once
// Which copies probe-cuda makes, decided from the number of GPUs and who can reach whom. Nothing here needs CUDA.

#include <cstdint>
#include <string>
#include <vector>

#include "core/word.hpp"

namespace probe {

constexpr int host = -1;

// One stream of bytes: from a GPU (or the host) to a GPU (or the host).
struct Path {
    int from = host;
    int to = host;
};
std::string name_of(const Path& path);  // "host->gpu0"

enum class Method {
    engine,        // cudaMemcpyAsync: a copy engine
    kernel_read,   // threads of the receiving GPU load 16 B at a time
    kernel_write,  // threads of the sending GPU store 16 B at a time
};
constexpr auto words_of(Method) { return std::array{"engine", "kernel_read", "kernel_write"}; }

enum class Memory { device, pinned, pageable };  // of the host's end, where there is one
constexpr auto words_of(Memory) { return std::array{"device", "pinned", "pageable"}; }

// Copies that run at the same time, each of the same size.
struct CopyTest {
    std::vector<Path> paths;
    Method method = Method::engine;
    Memory memory = Memory::device;
    std::string name;  // "host->gpu0", "gpu0<->gpu1", "all pairs"
};

struct GpuSet {
    int count = 0;
    std::vector<std::vector<bool>> reaches;  // reaches[i][j]: threads of i may touch memory of j

    // The same for GPUs and the host, whose pinned memory every GPU reaches.
    bool reach(int threads, int memory) const;
};

// What --tests and --shapes ask for.
struct CopyChoice {
    bool to_host = true;  // host and device, both ways
    bool local = true;    // within a device
    bool peers = true;    // between devices
    bool one_way = true, both_ways = true, all_at_once = true;
    bool pageable = true;
};

std::vector<CopyTest> plan_copies(const GpuSet& gpus, const CopyChoice& choice);

// May everything be queued before the first copy starts? Not where a call waits: pageable memory, staged peers.
bool can_be_gated(const CopyTest& test, const GpuSet& gpus);

// The GPU whose threads or engine move a path: where its stream lives.
int runs_on(const Path& path, Method method);

// Slots that a path walks over in a sample of at most `iterations` copies: one each where they fit into 256 MiB, and
// always so many that caches of `cache_bytes` never hold the next one.
int rotation_slots(std::uint64_t bytes, std::uint64_t cache_bytes, int iterations);

// Indices of a random cycle through `elements` places, `stride` words apart: next[i * stride] is the index of the place
// after i. Sattolo's algorithm (1986): one cycle through all.
std::vector<std::uint64_t> pointer_cycle(std::size_t elements, std::size_t stride, std::uint64_t seed);
// Where a walk of `steps` from 0 ends.
std::uint64_t walk(const std::vector<std::uint64_t>& cycle, std::uint64_t steps);

}  // namespace probe
