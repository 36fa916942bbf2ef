#pragma once
// Ranks of one replay as threads of one process, with queues in place of a network. What they share is const.

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/peers.hpp"

namespace fabricast::testing {

class Mailroom {
public:
    explicit Mailroom(std::uint32_t ranks) : boxes_(std::size_t{ranks} * ranks), ended_(ranks, false) {}

    void send(std::uint32_t from, std::uint32_t to, Peers::Message message) {
        const std::lock_guard lock(mutex_);
        box(from, to).push_back(std::move(message));
        came_.notify_all();
    }
    Peers::Message take(std::uint32_t from, std::uint32_t to) {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return !box(from, to).empty() || ended_[from]; });
        if (box(from, to).empty()) {
            throw PeerFailed(ExitCode::internal_or_io, "rank " + std::to_string(from) + " ended");
        }
        Peers::Message message = std::move(box(from, to).front());
        box(from, to).pop_front();
        return message;
    }
    void end(std::uint32_t rank) {
        const std::lock_guard lock(mutex_);
        ended_[rank] = true;
        came_.notify_all();
    }

private:
    std::deque<Peers::Message>& box(std::uint32_t from, std::uint32_t to) { return boxes_[from * ended_.size() + to]; }

    std::mutex mutex_;
    std::condition_variable came_;
    std::vector<std::deque<Peers::Message>> boxes_;
    std::vector<bool> ended_;
};

class PeerInThread final : public Peers {
public:
    PeerInThread(Mailroom& room, std::uint32_t rank, std::uint32_t count) : room_(room), rank_(rank), count_(count) {}

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t count() const override { return count_; }
    std::vector<Message> exchange(std::vector<Message> to_each) override {
        std::vector<Message> from_each(count_);
        for (std::uint32_t r = 0; r < count_; ++r) {
            if (r != rank_) {
                sent += to_each[r].size();
                room_.send(rank_, r, std::move(to_each[r]));
            }
        }
        for (std::uint32_t r = 0; r < count_; ++r) {
            if (r != rank_) { from_each[r] = room_.take(r, rank_); }
        }
        ++exchanges;
        return from_each;
    }
    void note(const std::string& text) override { notes.insert(text); }

    std::size_t sent = 0, exchanges = 0;
    std::set<std::string> notes;

private:
    Mailroom& room_;
    std::uint32_t rank_, count_;
};

// What one rank has seen.
struct RankSaw {
    Timeline timeline;
    std::string error;
    std::set<std::string> notes;
    std::size_t sent = 0, exchanges = 0;
};

// The same replay on each of so many ranks.
inline std::vector<RankSaw> over_ranks(std::uint32_t ranks, const Packet& options, const Fabric& fabric,
                                       const std::vector<const Schedule*>& schedules,
                                       const std::vector<LinkEvent>& events = {}) {
    Mailroom room(ranks);
    std::vector<RankSaw> saw(ranks);
    {
        std::vector<std::jthread> threads;
        for (std::uint32_t r = 0; r < ranks; ++r) {
            threads.emplace_back([&, r] {
                PeerInThread peer(room, r, ranks);
                Packet mine = options;
                mine.peers = &peer;
                try {
                    saw[r].timeline = replay(mine, fabric, *schedules[r % schedules.size()], events);
                } catch (const std::exception& error) { saw[r].error = error.what(); }
                saw[r].notes = peer.notes;
                saw[r].sent = peer.sent;
                saw[r].exchanges = peer.exchanges;
                room.end(r);
            });
        }
    }
    return saw;
}
inline std::vector<RankSaw> over_ranks(std::uint32_t ranks, const Packet& options, const Fabric& fabric,
                                       const Schedule& schedule, const std::vector<LinkEvent>& events = {}) {
    return over_ranks(ranks, options, fabric, std::vector{&schedule}, events);
}

}  // namespace fabricast::testing
