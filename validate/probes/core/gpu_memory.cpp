#include "core/gpu_memory.hpp"

#include <dlfcn.h>

#include <cstdint>

#include "core/exit_code.hpp"

namespace probe {
namespace {

// The few entries of the CUDA driver API that are used, as its reference manual declares them.
using Result = int;
using Device = int;
using Context = void*;
using DevicePointer = unsigned long long;
constexpr int dma_buf_handle = 0x1;  // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD

class Driver {
public:
    Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
        if (library_ == nullptr) { throw NotHere("no GPU: the NVIDIA driver's libcuda.so.1 is not on this machine"); }
        load(init, "cuInit");
        load(device_get, "cuDeviceGet");
        load(device_name, "cuDeviceGetName");
        load(driver_version, "cuDriverGetVersion");
        load(retain, "cuDevicePrimaryCtxRetain");
        load(set_current, "cuCtxSetCurrent");
        load(allocate, "cuMemAlloc_v2");
        load(release, "cuMemFree_v2");
        load(to_device, "cuMemcpyHtoD_v2");
        load(to_host, "cuMemcpyDtoH_v2");
        load(synchronize, "cuCtxSynchronize");
        handle = reinterpret_cast<decltype(handle)>(dlsym(library_, "cuMemGetHandleForAddressRange"));
        if (init(0) != 0) { throw NotHere("no GPU: the NVIDIA driver finds none"); }
    }

    Device device(int index) const {
        Device found = 0;
        if (device_get(&found, index) != 0) { throw NotHere("no GPU " + std::to_string(index) + " on this machine"); }
        return found;
    }

    Result (*init)(unsigned) = nullptr;
    Result (*device_get)(Device*, int) = nullptr;
    Result (*device_name)(char*, int, Device) = nullptr;
    Result (*driver_version)(int*) = nullptr;
    Result (*retain)(Context*, Device) = nullptr;
    Result (*set_current)(Context) = nullptr;
    Result (*allocate)(DevicePointer*, std::size_t) = nullptr;
    Result (*release)(DevicePointer) = nullptr;
    Result (*to_device)(DevicePointer, const void*, std::size_t) = nullptr;
    Result (*to_host)(void*, DevicePointer, std::size_t) = nullptr;
    Result (*synchronize)() = nullptr;
    Result (*handle)(void*, DevicePointer, std::size_t, int, unsigned long long) = nullptr;  // may be absent

private:
    template <typename Function> void load(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library_, name));
        if (function == nullptr) { throw NotHere(std::string("no GPU: the driver has no ") + name); }
    }

    void* library_;  // kept for the process's life, as the driver's contexts are
};

void require(Result result, const char* what) {
    if (result != 0) {
        throw std::runtime_error(std::string(what) + " failed with CUDA driver error " + std::to_string(result));
    }
}

class GpuArena final : public Arena {
public:
    GpuArena(int gpu, std::size_t bytes) : bytes_((bytes + granule - 1) / granule * granule) {
        require(driver_.retain(&context_, driver_.device(gpu)), "cuDevicePrimaryCtxRetain");
        require(driver_.set_current(context_), "cuCtxSetCurrent");
        require(driver_.allocate(&data_, bytes_), "cuMemAlloc");
    }
    ~GpuArena() override { driver_.release(data_); }
    GpuArena(const GpuArena&) = delete;
    GpuArena& operator=(const GpuArena&) = delete;

    void* data() override {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(data_));  // NOLINT(performance-no-int-to-ptr)
    }
    std::size_t bytes() const override { return bytes_; }
    void read(std::size_t offset, void* to, std::size_t bytes) override {
        require(driver_.to_host(to, data_ + offset, bytes), "cuMemcpyDtoH");
    }
    void write(std::size_t offset, const void* from, std::size_t bytes) override {
        require(driver_.to_device(data_ + offset, from, bytes), "cuMemcpyHtoD");
        require(driver_.synchronize(), "cuCtxSynchronize");  // an HCA must see it
    }

    std::optional<int> dma_buf() const {
        int descriptor = -1;
        if (driver_.handle == nullptr || driver_.handle(&descriptor, data_, bytes_, dma_buf_handle, 0) != 0) {
            return std::nullopt;
        }
        return descriptor;
    }

private:
    static constexpr std::size_t granule = 65536;  // a GPU page; dma-buf ranges are whole ones

    Driver driver_;
    Context context_ = nullptr;
    DevicePointer data_ = 0;
    std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Arena> gpu_arena(int gpu, std::size_t bytes) { return std::make_unique<GpuArena>(gpu, bytes); }

std::optional<int> dma_buf_of(const Arena& gpu_arena) {
    const auto* arena = dynamic_cast<const GpuArena*>(&gpu_arena);
    return arena == nullptr ? std::nullopt : arena->dma_buf();
}

GpuName gpu_name(int gpu) {
    const Driver driver;
    char name[256] = {};
    int version = 0;
    require(driver.device_name(name, sizeof name, driver.device(gpu)), "cuDeviceGetName");
    require(driver.driver_version(&version), "cuDriverGetVersion");
    return {name, std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

}  // namespace probe
