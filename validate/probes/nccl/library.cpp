#include "nccl/library.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "nccl/net_plugin.hpp"

namespace probe {
namespace {

namespace fs = std::filesystem;

// Loads a file of its own: the loader takes two names of one file for one library.
void* load_copy_of(const fs::path& file, const fs::path& folder) {
    const fs::path copy = folder / file.filename();
    fs::copy_file(file, copy);
    // Its own calls before those of the linked one, which has the same names.
    void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle == nullptr) { throw NcclError(dlerror()); }
    return handle;
}

template <typename Function> void find(void* handle, const char* name, Function& function) {
    void* found = dlsym(handle, name);
    if (found == nullptr) { throw NcclError(std::string("this NCCL has no ") + name); }
    function = reinterpret_cast<Function>(found);
}

NcclLibrary calls_of(void* handle) {
    NcclLibrary calls;
    find(handle, "ncclGetUniqueId", calls.ncclGetUniqueId);
    find(handle, "ncclCommInitRank", calls.ncclCommInitRank);
    find(handle, "ncclCommAbort", calls.ncclCommAbort);
    find(handle, "ncclCommGetAsyncError", calls.ncclCommGetAsyncError);
    find(handle, "ncclGroupStart", calls.ncclGroupStart);
    find(handle, "ncclGroupEnd", calls.ncclGroupEnd);
    find(handle, "ncclAllReduce", calls.ncclAllReduce);
    find(handle, "ncclAllGather", calls.ncclAllGather);
    find(handle, "ncclReduceScatter", calls.ncclReduceScatter);
    find(handle, "ncclBroadcast", calls.ncclBroadcast);
    find(handle, "ncclReduce", calls.ncclReduce);
    find(handle, "ncclSend", calls.ncclSend);
    find(handle, "ncclRecv", calls.ncclRecv);
    return calls;
}

fs::path linked_library() {
    Dl_info info = {};
    if (dladdr(reinterpret_cast<void*>(&::ncclGetVersion), &info) == 0) { throw NcclError("NCCL has no file"); }
    return fs::canonical(info.dli_fname);
}

fs::path network_library() { return fs::canonical("/proc/self/exe").parent_path() / network_file; }

}  // namespace

void require(ncclResult_t result, const char* what) {
    if (result != ncclSuccess) { throw NcclError(std::string(what) + ": " + ncclGetErrorString(result)); }
}

NcclLibrary copy_of_nccl(int number, int gpu) {
    std::string pattern = (fs::temp_directory_path() / "probe-nccl-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) { throw NcclError("no folder in " + fs::temp_directory_path().string()); }
    const fs::path folder = pattern;
    setenv("NCCL_HOSTID", ("node-" + std::to_string(number)).c_str(), 1);
    // Each node's adapter is a copy of the plugin; who names another plugin, or NCCL_NET=Socket, gets that.
    const bool own_network = std::getenv("NCCL_NET") == nullptr;
    const fs::path plugin = folder / network_library().filename();
    if (own_network) {
        fs::copy_file(network_library(), plugin);
        setenv("NCCL_NET_PLUGIN", plugin.c_str(), 1);
    }
    const NcclLibrary calls = calls_of(load_copy_of(linked_library(), folder));
    // A communicator of one rank: now the copy has read who it is and which network it has.
    ncclUniqueId id = {};
    require(calls.ncclGetUniqueId(&id), "ncclGetUniqueId");
    if (cudaSetDevice(gpu) != cudaSuccess) { throw NcclError("cudaSetDevice"); }
    ncclComm_t alone = nullptr;
    require(calls.ncclCommInitRank(&alone, 1, id, 0), "ncclCommInitRank of a copy");
    require(calls.ncclCommAbort(alone), "ncclCommAbort");
    fs::remove_all(folder);
    return calls;
}

void prepare_for_copies(double rate_GBps, bool in_gpu_memory) {
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
    setenv("NCCL_NET_PLUGIN_REF_COUNT", "1", 1);  // a plugin once loaded stays, its file need not
    setenv("NCCL_RAS_ENABLE", "0", 0);
    setenv("NCCL_MNNVL_ENABLE", "0", 0);
    setenv("NCCL_NET_GDR_LEVEL", "SYS", 0);
    setenv("PROBE_NET_GBPS", std::to_string(rate_GBps).c_str(), 1);
    setenv("PROBE_NET_MEMORY", in_gpu_memory ? "gpu" : "host", 1);
}

}  // namespace probe
