#include "nccl/wire.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "core/exchange.hpp"
#include "core/sweep.hpp"
#include "core/writer.hpp"
#include "cuda/buffers.hpp"
#include "nccl/library.hpp"
#include "nccl/net_plugin.hpp"

namespace probe {
namespace {

// One way of a connection between two buffers.
struct OneWay {
    const NetPlugin& net;
    unsigned char* from;
    unsigned char* to;
    void *sender = nullptr, *receiver = nullptr, *from_region = nullptr, *to_region = nullptr;

    OneWay(const NetPlugin& plugin, unsigned char* source, unsigned char* target, std::size_t bytes, int type)
        : net(plugin), from(source), to(target) {
        char handle[net_handle_bytes] = {};
        void* listener = nullptr;
        require(net.listen(0, handle, &listener), "listen");
        require(net.connect(0, handle, &sender, nullptr), "connect");
        require(net.accept(listener, &receiver, nullptr), "accept");
        require(net.close_listener(listener), "close");
        require(net.register_memory(sender, from, bytes, type, &from_region), "register");
        require(net.register_memory(receiver, to, bytes, type, &to_region), "register");
    }

    void send(std::uint64_t bytes) const {
        void *sent = nullptr, *received = nullptr, *data = to, *region = to_region;
        int size = static_cast<int>(bytes), tag = 0;
        require(net.receive(receiver, 1, &data, &size, &tag, &region, &received), "receive");
        while (sent == nullptr) { require(net.send(sender, from, size, tag, from_region, &sent), "send"); }
        for (int done = 0; done == 0;) { require(net.test(received, &done, nullptr), "test"); }
        for (int done = 0; done == 0;) { require(net.test(sent, &done, nullptr), "test"); }
    }
};

const NetPlugin& load_network() {
    const auto file = std::filesystem::canonical("/proc/self/exe").parent_path() / network_file;
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* found = handle == nullptr ? nullptr : dlsym(handle, "ncclNetPlugin_v8");
    if (found == nullptr) { throw NcclError(dlerror()); }
    return *static_cast<const NetPlugin*>(found);
}

}  // namespace

std::vector<WireTime> measure_wire(bool in_gpu_memory, const std::vector<std::uint64_t>& sizes) {
    const NetPlugin& net = load_network();
    require(net.init(nullptr), "opening the network");
    const std::uint64_t most = *std::max_element(sizes.begin(), sizes.end());
    const int place = in_gpu_memory ? 0 : host;
    const Buffer one(place, Memory::device, most), other(place, Memory::device, most);
    const int type = in_gpu_memory ? net_pointer_cuda : net_pointer_host;
    const OneWay out(net, one.at(0), other.at(0), most, type), back(net, other.at(0), one.at(0), most, type);
    std::vector<WireTime> times;
    for (const std::uint64_t bytes : sizes) {
        const auto sample = [&](int iterations) {
            const double begin = steady_seconds();
            for (int i = 0; i < iterations; ++i) {
                out.send(bytes);
                back.send(bytes);
            }
            return (steady_seconds() - begin) * 1e6 / iterations / 2;
        };
        sample(10);
        const Samples timed = take_samples(SamplePlan{200, 15}, sample);
        times.push_back({bytes, summarize(timed.times_us).median});
    }
    return times;
}

std::string to_text(const std::vector<WireTime>& times) {
    std::string text;
    for (const WireTime& time : times) {
        text += (text.empty() ? "" : ", ") + size_text(time.bytes) + " " + figure(time.one_way_us) + " us";
    }
    return text;
}

}  // namespace probe
