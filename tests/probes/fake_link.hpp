#pragma once
// Two ends in one process, with faults to plant: what the exchange is tested against.

#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "core/link.hpp"

namespace probe::test {

struct Faults {
    int wrong_byte_in = -1;   // the n-th message of the wire (from 0) arrives with one bit turned
    int lost = -1;            // the n-th message never arrives, and its sender fails
    bool stale_gets = false;  // a get ends without bringing data
};

// What both ends share.
struct Wire {
    std::mutex mutex;
    Faults faults;
    int messages = 0;
    int most_in_flight = 0;   // posts of one end not yet ended, at most
    int most_receives = 0;    // receives posted and not yet filled, at most
    bool unexpected = false;  // a message came where no receive was posted
};

class FakeLink final : public Link {
public:
    FakeLink(std::shared_ptr<Wire> wire, std::size_t bytes, int depth)
        : wire_(std::move(wire)), outgoing_(host_arena(bytes)), incoming_(host_arena(bytes)), depth_(depth) {}

    static void connect(FakeLink& a, FakeLink& b) {
        a.peer_ = &b;
        b.peer_ = &a;
    }

    Arena& outgoing() override { return *outgoing_; }
    Arena& incoming() override { return *incoming_; }
    int depth() const override { return depth_; }

    void post(Operation operation, std::size_t offset, std::size_t bytes) override {
        const std::lock_guard<std::mutex> lock(wire_->mutex);
        pending_.push_back({operation, offset, bytes});
        wire_->most_in_flight = std::max(wire_->most_in_flight, static_cast<int>(pending_.size()));
    }

    void post_receive(std::size_t offset, std::size_t bytes) override {
        const std::lock_guard<std::mutex> lock(wire_->mutex);
        receives_.push_back({Operation::send, offset, bytes});
        wire_->most_receives = std::max(wire_->most_receives, static_cast<int>(receives_.size()));
    }

    // One message a turn, so that windows fill.
    void progress() override {
        const std::lock_guard<std::mutex> lock(wire_->mutex);
        if (pending_.empty() || pending_.front().operation == Operation::send ? !can_send() : false) { return; }
        const Posted one = pending_.front();
        pending_.pop_front();
        const int index = wire_->messages++;
        if (index == wire_->faults.lost) { throw std::runtime_error("a transfer failed: lost"); }
        move(one, index == wire_->faults.wrong_byte_in);
        ++completed_;
    }

    std::uint64_t completed() const override { return completed_; }
    std::uint64_t received() const override {
        const std::lock_guard<std::mutex> lock(wire_->mutex);
        return received_;
    }
    void start_flush() override {}
    bool flushed() const override {
        const std::lock_guard<std::mutex> lock(wire_->mutex);
        return pending_.empty();
    }

private:
    struct Posted {
        Operation operation;
        std::size_t offset;
        std::size_t bytes;
    };

    bool can_send() const { return !pending_.empty() && !peer_->receives_.empty(); }

    void move(const Posted& one, bool wrong) {
        Arena& from = one.operation == Operation::get ? *peer_->outgoing_ : *outgoing_;
        Arena& to = one.operation == Operation::get ? *incoming_ : *peer_->incoming_;
        std::size_t target = one.offset;
        if (one.operation == Operation::send) {
            target = peer_->receives_.front().offset;
            wire_->unexpected = wire_->unexpected || peer_->receives_.front().bytes < one.bytes;
            peer_->receives_.pop_front();
            ++peer_->received_;
        }
        std::vector<unsigned char> data(one.bytes);
        from.read(one.offset, data.data(), one.bytes);
        if (wrong) { data[one.bytes / 2] ^= 1U; }
        if (one.operation != Operation::get || !wire_->faults.stale_gets) { to.write(target, data.data(), one.bytes); }
    }

    std::shared_ptr<Wire> wire_;
    std::unique_ptr<Arena> outgoing_, incoming_;
    int depth_;
    FakeLink* peer_ = nullptr;
    std::deque<Posted> pending_, receives_;
    std::uint64_t completed_ = 0, received_ = 0;
};

}  // namespace probe::test
