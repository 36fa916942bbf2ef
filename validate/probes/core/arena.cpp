#include "core/arena.hpp"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "core/ending.hpp"
#include "core/library.hpp"
#include "core/pattern.hpp"

namespace probe {
namespace {

class HostArena final : public Arena {
public:
    explicit HostArena(std::size_t bytes)
        : data_(static_cast<unsigned char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)), std::free),
          bytes_(bytes) {
        if (data_ == nullptr) { throw std::bad_alloc(); }
        std::memset(data(), 0, bytes);
    }

    void* data() override { return data_.get(); }
    std::size_t bytes() const override { return bytes_; }
    void read(std::size_t offset, void* to, std::size_t bytes) override {
        std::memcpy(to, data_.get() + offset, bytes);
    }
    void write(std::size_t offset, const void* from, std::size_t bytes) override {
        std::memcpy(data_.get() + offset, from, bytes);
    }

private:
    static constexpr std::size_t page = 4096;

    std::unique_ptr<unsigned char, void (*)(void*)> data_;
    std::size_t bytes_;
};

// The CUDA driver API as its reference manual declares it; every call returns 0 for success.
using DevicePointer = unsigned long long;
constexpr int dma_buf_handle = 0x1;  // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD

class Driver : public Library {
public:
    Driver() : Library("libcuda.so.1") {
        if (!found()) { throw NotHere("no GPU: the NVIDIA driver's libcuda.so.1 is not on this machine"); }
        if (call("cuInit", 0U) != 0) { throw NotHere("no GPU: the NVIDIA driver finds none"); }
    }

    int device(int index) const {
        int device = 0;
        if (call("cuDeviceGet", &device, index) != 0) {
            throw NotHere("no GPU " + std::to_string(index) + " on this machine");
        }
        return device;
    }

    template <typename... Arguments> void require(const std::string& name, Arguments... arguments) const {
        const int result = call(name.c_str(), arguments...);
        if (result == absent) { throw NotHere("no GPU: the driver has no " + name); }
        if (result != 0) {
            throw std::runtime_error(name.substr(0, name.find("_v2")) + " failed with CUDA driver error " +
                                     std::to_string(result));
        }
    }
};

class GpuArena final : public Arena {
public:
    GpuArena(int gpu, std::size_t bytes) : bytes_((bytes + granule - 1) / granule * granule) {
        void* context = nullptr;
        driver_.require("cuDevicePrimaryCtxRetain", &context, driver_.device(gpu));
        driver_.require("cuCtxSetCurrent", context);
        driver_.require("cuMemAlloc_v2", &data_, bytes_);
    }
    ~GpuArena() override { driver_.call("cuMemFree_v2", data_); }
    GpuArena(const GpuArena&) = delete;
    GpuArena& operator=(const GpuArena&) = delete;

    void* data() override {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(data_));  // NOLINT(performance-no-int-to-ptr)
    }
    std::size_t bytes() const override { return bytes_; }
    void read(std::size_t offset, void* to, std::size_t bytes) override {
        driver_.require("cuMemcpyDtoH_v2", to, data_ + offset, bytes);
    }
    void write(std::size_t offset, const void* from, std::size_t bytes) override {
        driver_.require("cuMemcpyHtoD_v2", data_ + offset, from, bytes);
        driver_.require("cuCtxSynchronize");  // an HCA must see it
    }

    std::optional<int> dma_buf() const override {
        int descriptor = -1;
        const int result = driver_.call("cuMemGetHandleForAddressRange", static_cast<void*>(&descriptor), data_, bytes_,
                                        dma_buf_handle, 0ULL);
        return result == 0 ? std::optional(descriptor) : std::nullopt;
    }

private:
    static constexpr std::size_t granule = 65536;  // a GPU page; dma-buf ranges are whole ones

    Driver driver_;
    DevicePointer data_ = 0;
    std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Arena> host_arena(std::size_t bytes) { return std::make_unique<HostArena>(bytes); }

std::unique_ptr<Arena> gpu_arena(int gpu, std::size_t bytes) { return std::make_unique<GpuArena>(gpu, bytes); }

void fill(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed) {
    assert(offset + bytes <= arena.bytes());
    std::vector<unsigned char> staged(bytes);
    fill_pattern(staged.data(), bytes, seed);
    arena.write(offset, staged.data(), bytes);
}

void check(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed, const std::string& what) {
    assert(offset + bytes <= arena.bytes());
    std::vector<unsigned char> staged(bytes);
    arena.read(offset, staged.data(), bytes);
    if (const auto wrong = first_difference(staged.data(), bytes, seed)) {
        throw WrongData(what + ": wrong data at byte " + std::to_string(*wrong) + " of " + std::to_string(bytes));
    }
}

GpuName gpu_name(int gpu) {
    const Driver driver;
    char name[256] = {};
    int version = 0;
    driver.require("cuDeviceGetName", &name[0], static_cast<int>(sizeof name), driver.device(gpu));
    driver.require("cuDriverGetVersion", &version);
    return {name, std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

}  // namespace probe
