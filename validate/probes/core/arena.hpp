#pragma once
// The memory that transfers come from and go to. Host memory is touched directly; a GPU's is filled and checked through
// a copy by the driver's own library, found when the program runs, for probes that are built without the CUDA toolkit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace probe {

class Arena {
public:
    virtual ~Arena() = default;
    virtual void* data() = 0;
    virtual std::size_t bytes() const = 0;
    // Copies out of and into the arena. Precondition: offset + bytes <= bytes().
    virtual void read(std::size_t offset, void* to, std::size_t bytes) = 0;
    virtual void write(std::size_t offset, const void* from, std::size_t bytes) = 0;
    // GPU memory as a dma-buf, for an HCA to map (CUDA 11.7 and a kernel that exports them): a descriptor that the
    // caller closes, or nothing.
    virtual std::optional<int> dma_buf() const { return std::nullopt; }
};

// Page-aligned and touched, so that no page fault is measured.
std::unique_ptr<Arena> host_arena(std::size_t bytes);

// Memory of a GPU in its primary context, which stays current for the thread. Throws NotHere without them.
std::unique_ptr<Arena> gpu_arena(int gpu, std::size_t bytes);

void fill(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed);
// Throws WrongData naming `what` and the offset of the first wrong byte.
void check(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed, const std::string& what);

struct GpuName {
    std::string name;    // "NVIDIA H100 80GB HBM3"
    std::string driver;  // CUDA version of the driver, "12.4"
};
GpuName gpu_name(int gpu);

}  // namespace probe
