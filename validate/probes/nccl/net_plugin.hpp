#pragma once
// NCCL's interface to a network, version 8, in our words: the same layout as ncclNet_v8_t and ncclNetProperties_v8_t of
// plugins/net/example/nccl/net_v8.h in NCCL's sources, which the library reads by position.

#include <nccl.h>

#include <cstddef>
#include <cstdint>

namespace probe {

constexpr int net_pointer_host = 1;
constexpr int net_pointer_cuda = 2;
constexpr std::size_t net_handle_bytes = 128;
constexpr const char* network_file = "libnccl-net-probe.so";  // beside the program

struct NetProperties {
    char* name;
    char* pci_path;  // null: nothing known of its place
    std::uint64_t guid;
    int ptr_support;
    int registration_is_global;
    int speed_Mbps;
    int port;
    float latency_us;
    int most_connections;
    int most_receives;  // of one call
    int device_type;    // 0: driven by the host
    int device_version;
};

struct NetDeviceHandle;
using NetLogger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

struct NetPlugin {
    const char* name;
    ncclResult_t (*init)(NetLogger log);
    ncclResult_t (*devices)(int* count);
    ncclResult_t (*get_properties)(int device, NetProperties* properties);
    ncclResult_t (*listen)(int device, void* handle, void** listener);
    ncclResult_t (*connect)(int device, void* handle, void** connection, NetDeviceHandle** offload);
    ncclResult_t (*accept)(void* listener, void** connection, NetDeviceHandle** offload);
    ncclResult_t (*register_memory)(void* connection, void* data, std::size_t bytes, int type, void** region);
    ncclResult_t (*register_dma_buf)(void* connection, void* data, std::size_t bytes, int type, std::uint64_t offset,
                                     int file, void** region);
    ncclResult_t (*deregister)(void* connection, void* region);
    ncclResult_t (*send)(void* connection, void* data, int bytes, int tag, void* region, void** request);
    ncclResult_t (*receive)(void* connection, int count, void** data, int* sizes, int* tags, void** regions,
                            void** request);
    ncclResult_t (*flush)(void* connection, int count, void** data, int* sizes, void** regions, void** request);
    ncclResult_t (*test)(void* request, int* done, int* sizes);
    ncclResult_t (*close_send)(void* connection);
    ncclResult_t (*close_receive)(void* connection);
    ncclResult_t (*close_listener)(void* listener);
    ncclResult_t (*device_region)(void* connection, void* region, void** device_region);
    ncclResult_t (*receive_consumed)(void* connection, int count, void* request);
};

}  // namespace probe
