#pragma once
// An HCA in a few pages: two ends in one process, keys, bounds, queue depths, receives that must be there, errors that
// take the queue pair down as the InfiniBand specification has it. Faults are planted by the test.

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "rdma/verbs.hpp"

namespace probe::test {

struct FakePair;

// The network between the fakes, and what is planted in it.
struct FakeNetwork {
    std::mutex mutex;
    std::condition_variable changed;
    bool listening = false;
    std::deque<FakePair*> calling;  // connected, not yet accepted; nullptr: gone since
    std::map<std::uint32_t, Region> regions;
    std::uint32_t next_key = 100;
    int messages = 0;
    int registered = 0;  // and not yet deregistered
    std::string host;    // whom the leading end asked for

    int wrong_byte_in = -1;      // the n-th message
    bool refuse_listen = false;  // nobody listens
    bool refuse_memory = false;  // `ulimit -l`
    int slow_pair = -1;          // the n-th pair made moves only at every fifth poll
    int pairs = 0;
    int most_sends = 0;  // in one queue pair
};

struct FakePair final : QueuePair {
    struct Receive {
        std::uint64_t address;
        std::uint32_t bytes, key;
    };

    FakePair(std::shared_ptr<FakeNetwork> on, QueueCapacity with)
        : network(std::move(on)), capacity(with), index(network->pairs++) {}

    ~FakePair() override {
        const std::lock_guard<std::mutex> lock(network->mutex);
        if (peer != nullptr) { peer->peer = nullptr; }
        std::replace(network->calling.begin(), network->calling.end(), this, static_cast<FakePair*>(nullptr));
    }
    FakePair(const FakePair&) = delete;
    FakePair& operator=(const FakePair&) = delete;

    int inline_bytes() const override { return capacity.inline_bytes; }

    void post(const WorkRequest& request) override {
        const std::lock_guard<std::mutex> lock(network->mutex);
        if (static_cast<int>(sends.size()) >= capacity.sends) {
            throw std::runtime_error("ibv_post_send: Cannot allocate memory");
        }
        if (request.inlined && static_cast<int>(request.bytes) > capacity.inline_bytes) {
            throw std::runtime_error("ibv_post_send: Invalid argument");
        }
        sends.push_back(request);
        network->most_sends = std::max(network->most_sends, static_cast<int>(sends.size()));
    }

    void post_receive(std::uint64_t address, std::uint32_t bytes, std::uint32_t key) override {
        const std::lock_guard<std::mutex> lock(network->mutex);
        if (static_cast<int>(receives.size()) >= capacity.receives) {
            throw std::runtime_error("ibv_post_recv: Cannot allocate memory");
        }
        receives.push_back({address, bytes, key});
    }

    std::optional<Completion> poll() override {
        const std::lock_guard<std::mutex> lock(network->mutex);
        const bool waits = index == network->slow_pair && ++polls % 5 != 0;
        if (!sends.empty() && !waits) {
            const WorkRequest one = sends.front();
            if (const std::optional<Completion> done = execute(one)) {
                sends.pop_front();
                return done;
            }
        }
        if (arrived.empty()) { return std::nullopt; }
        const Completion one = arrived.front();
        arrived.pop_front();
        return one;
    }

    // Nothing while a send waits for its receive: RNR retries without end.
    std::optional<Completion> execute(const WorkRequest& one) {
        if (broken) { return Completion{false, false, "Work Request Flushed Error"}; }
        if (peer == nullptr) { return fail("transport retry counter exceeded"); }
        if (!covers(one.local_key, one.local_address, one.bytes)) { return fail("local protection error"); }
        std::uint64_t target = one.remote_address;
        if (one.operation == Operation::send) {
            if (peer->receives.empty()) { return std::nullopt; }
            const Receive there = peer->receives.front();
            peer->receives.pop_front();
            if (there.bytes < one.bytes || !covers(there.key, there.address, there.bytes)) {
                return fail("remote invalid request error");
            }
            target = there.address;
            peer->arrived.push_back({true, true, ""});
        } else if (!covers(one.remote_key, one.remote_address, one.bytes)) {
            return fail("remote access error");
        }
        auto* local = reinterpret_cast<unsigned char*>(one.local_address);
        auto* remote = reinterpret_cast<unsigned char*>(target);
        unsigned char* to = one.operation == Operation::get ? local : remote;
        std::memmove(to, one.operation == Operation::get ? remote : local, one.bytes);
        if (network->messages++ == network->wrong_byte_in) { to[one.bytes / 2] ^= 1U; }
        return Completion{false, true, ""};
    }

    Completion fail(const char* why) {
        broken = true;
        return {false, false, why};
    }

    bool covers(std::uint32_t key, std::uint64_t address, std::uint32_t bytes) const {
        const auto region = network->regions.find(key);
        return region != network->regions.end() && address >= region->second.address &&
               address + bytes <= region->second.address + region->second.bytes;
    }

    std::shared_ptr<FakeNetwork> network;
    QueueCapacity capacity;
    int index;
    int polls = 0;
    bool broken = false;
    FakePair* peer = nullptr;
    std::deque<WorkRequest> sends;
    std::deque<Receive> receives;
    std::deque<Completion> arrived;
};

class FakeVerbs final : public Verbs {
public:
    explicit FakeVerbs(std::shared_ptr<FakeNetwork> network) : network_(std::move(network)) {}

    std::string listen(const std::string&) override {
        const std::lock_guard<std::mutex> lock(network_->mutex);
        network_->listening = !network_->refuse_listen;
        return "4791";
    }

    std::unique_ptr<QueuePair> connect(const std::string& host, const std::string& where,
                                       const QueueCapacity& capacity) override {
        const std::lock_guard<std::mutex> lock(network_->mutex);
        network_->host = host + " " + where;
        if (!network_->listening) { throw std::runtime_error("rdma_connect: Connection refused"); }
        auto pair = std::make_unique<FakePair>(network_, capacity);
        network_->calling.push_back(pair.get());
        network_->changed.notify_all();
        return pair;
    }

    std::unique_ptr<QueuePair> accept(const QueueCapacity& capacity) override {
        std::unique_lock<std::mutex> lock(network_->mutex);
        if (!network_->changed.wait_for(lock, std::chrono::seconds(5), [&] { return !network_->calling.empty(); })) {
            throw std::runtime_error("rdma_get_request: Connection timed out");
        }
        auto pair = std::make_unique<FakePair>(network_, capacity);
        pair->peer = network_->calling.front();
        if (pair->peer != nullptr) { pair->peer->peer = pair.get(); }
        network_->calling.pop_front();
        return pair;
    }

    Region register_memory(void* data, std::size_t bytes) override {
        const std::lock_guard<std::mutex> lock(network_->mutex);
        if (network_->refuse_memory) { throw std::runtime_error("ibv_reg_mr: Cannot allocate memory"); }
        const std::uint32_t key = network_->next_key++;
        const Region region = {reinterpret_cast<std::uintptr_t>(data), bytes, key, key, nullptr};
        network_->regions[key] = region;
        ++network_->registered;
        return region;
    }
    Region register_dma_buf(int, std::size_t, std::uint64_t) override { throw std::runtime_error("no dma-buf here"); }
    void deregister(const Region& region) override {
        const std::lock_guard<std::mutex> lock(network_->mutex);
        network_->regions.erase(region.local_key);
        --network_->registered;
    }
    Section facts() const override { return {}; }

private:
    std::shared_ptr<FakeNetwork> network_;
};

}  // namespace probe::test
