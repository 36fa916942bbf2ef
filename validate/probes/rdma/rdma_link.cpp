#include "rdma/rdma_link.hpp"

#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "core/arena.hpp"

namespace probe {
namespace {

constexpr int wanted_inline_bytes = 220;  // what perftest asks for, too

// An arena with its registration.
class Registered {
public:
    Registered(Verbs& verbs, const RdmaSettings& settings)
        : verbs_(verbs),
          arena_(settings.gpu ? gpu_arena(settings.gpu_index, settings.bytes) : host_arena(settings.bytes)) {
        if (register_dma_buf()) {
            memory_ = "gpu dma-buf";
            return;
        }
        region_ = verbs_.register_memory(arena_->data(), arena_->bytes());
        memory_ = settings.gpu ? "gpu peermem" : "host";
    }
    ~Registered() { verbs_.deregister(region_); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    Arena& arena() const { return *arena_; }
    const Region& region() const { return region_; }
    const std::string& memory() const { return memory_; }
    std::string card() const { return std::to_string(region_.address) + " " + std::to_string(region_.remote_key); }

private:
    // False for host memory and where the driver, the kernel or the HCA cannot; nvidia-peermem is the older way.
    bool register_dma_buf() {
        const std::optional<int> descriptor = arena_->dma_buf();
        if (!descriptor) { return false; }
        bool good = true;
        try {
            region_ =
                verbs_.register_dma_buf(*descriptor, arena_->bytes(), reinterpret_cast<std::uintptr_t>(arena_->data()));
        } catch (const std::runtime_error&) { good = false; }
        close(*descriptor);
        return good;
    }

    Verbs& verbs_;
    std::unique_ptr<Arena> arena_;
    Region region_;
    std::string memory_;
};

std::vector<std::unique_ptr<QueuePair>> connect_pairs(Control& control, Verbs& verbs, const RdmaSettings& settings,
                                                      bool leads) {
    // A slow pair may hold the whole window; an acknowledgement comes on top.
    const QueueCapacity capacity = {settings.depth + 1, 2 * settings.depth + 1, settings.gpu ? 0 : wanted_inline_bytes};
    if (!leads) { control.send(verbs.listen(settings.rdma_address)); }
    const std::string where = leads ? control.receive() : "";
    std::vector<std::unique_ptr<QueuePair>> pairs;
    for (int i = 0; i < settings.queue_pairs; ++i) {
        pairs.push_back(leads ? verbs.connect(settings.host, where, capacity) : verbs.accept(capacity));
    }
    return pairs;
}

class Connected final : public Link {
public:
    Connected(Control& control, Verbs& verbs, const RdmaSettings& settings, bool leads)
        : depth_(settings.depth),
          pairs_(connect_pairs(control, verbs, settings, leads)),
          outgoing_(verbs, settings),
          incoming_(verbs, settings) {
        control.send(outgoing_.card() + " " + incoming_.card());
        const std::string cards = control.receive();
        std::istringstream in(cards);
        in >> peer_outgoing_.address >> peer_outgoing_.remote_key;
        in >> peer_incoming_.address >> peer_incoming_.remote_key;
        if (!in) { throw PeerLost("the peer sent no memory key: " + cards.substr(0, 80)); }
        control.barrier();
    }

    Arena& outgoing() override { return outgoing_.arena(); }
    Arena& incoming() override { return incoming_.arena(); }
    int depth() const override { return depth_; }
    std::string description() const override { return outgoing_.memory(); }

    void post(Operation operation, std::size_t offset, std::size_t bytes) override {
        const bool get = operation == Operation::get;
        const Region& local = (get ? incoming_ : outgoing_).region();
        const Region& remote = get ? peer_outgoing_ : peer_incoming_;
        QueuePair& pair = *pairs_[posted_++ % pairs_.size()];
        const bool inlined = !get && static_cast<int>(bytes) <= pair.inline_bytes();
        pair.post({operation, local.address + offset, local.local_key, remote.address + offset, remote.remote_key,
                   static_cast<std::uint32_t>(bytes), inlined});
    }

    void post_receive(std::size_t offset, std::size_t bytes) override {
        pairs_[receives_posted_++ % pairs_.size()]->post_receive(
            incoming_.region().address + offset, static_cast<std::uint32_t>(bytes), incoming_.region().local_key);
    }

    void progress() override {
        for (const auto& pair : pairs_) {
            while (const std::optional<Completion> one = pair->poll()) {
                if (!one->good) { throw std::runtime_error("a transfer failed: " + one->error); }
                ++(one->receive ? received_ : completed_);
            }
        }
    }

    std::uint64_t completed() const override { return completed_; }
    std::uint64_t received() const override { return received_; }

    // A completion of a reliable connection says that the other end's HCA has the data (InfiniBand 1.4 §9.7.5).
    void start_flush() override {}
    bool flushed() const override { return completed_ == posted_; }

private:
    int depth_;
    std::vector<std::unique_ptr<QueuePair>> pairs_;
    Registered outgoing_, incoming_;
    Region peer_outgoing_, peer_incoming_;  // their remote keys
    std::uint64_t posted_ = 0, receives_posted_ = 0, completed_ = 0, received_ = 0;
};

}  // namespace

std::unique_ptr<Link> connect_rdma(Control& control, Verbs& verbs, const RdmaSettings& settings, bool leads) {
    return std::make_unique<Connected>(control, verbs, settings, leads);
}

RegistrationTime time_registration(Verbs& verbs, Arena& arena, std::size_t bytes, double (*clock)()) {
    const double begin = clock();
    const Region region = verbs.register_memory(arena.data(), bytes);
    const double registered = clock();
    verbs.deregister(region);
    return {registered - begin, clock() - registered};
}

}  // namespace probe
