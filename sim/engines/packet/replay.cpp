#include "sim/engines/packet/replay.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "sim/engines/common/checks.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/packet/call_by_call.hpp"
#include "sim/engines/packet/deadlock.hpp"
#include "sim/engines/packet/lookahead.hpp"
#include "sim/engines/packet/make_traffic.hpp"
#include "sim/engines/packet/observe.hpp"
#include "sim/engines/packet/operations.hpp"
#include "sim/engines/packet/post_events.hpp"
#include "sim/engines/packet/rank_counts.hpp"
#include "sim/engines/packet/rank_exchange.hpp"
#include "sim/engines/packet/rank_limits.hpp"
#include "sim/engines/packet/shared.hpp"
#include "sim/engines/packet/stream_patterns.hpp"
#include "sim/engines/packet/threads.hpp"
#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

namespace {

// What shares only a buffer was taken to be alone, and is not.
struct BuffersMet {};

class Replay {
public:
    Replay(const ReplayTask& task, const Packet& options, bool apart_by_buffers)
        : task_(task), options_(options), apart_by_buffers_(apart_by_buffers) {
        if (options.peers != nullptr) {
            domains_.push_back(std::make_unique<Worker>(shared_, options.peers->rank(), domain_count_));
            join(*options.peers);
        } else {
            for (std::uint32_t d = 0; d < domain_count_; ++d) {
                domains_.push_back(std::make_unique<Worker>(shared_, d, domain_count_));
            }
        }
        const Ps shortest = std::min<Ps>(traffic_.network.window, 1'000'000);  // latency; 1 us if there are no links
        longest_ = std::min(shared_.islands.window, std::max<Ps>(1'000'000, 16 * shortest));
    }

    const Shared& shared() const { return shared_; }

    Timeline run() {
        post_events(task_, traffic_, [this](const ControlMessage& mail) { post(mail); });
        operations_.begin();
        if (ranks_) {
            while (plan_window()) { domains_.front()->run_share(start_, end_, windows_); }
        } else if (domain_count_ == 1) {
            while (plan_window()) { domains_.front()->run_alone(start_, end_, windows_, domains_); }
        } else {
            run_threads();
        }
        operations_.finish();
        if (ranks_) { copy_counts(*options_.peers, shared_, *domains_.front()); }
        Timeline timeline = operations_.progress().timeline();
        observe(shared_, domains_, operations_, task_, timeline);
        if (timeline.packets->drops > 0 && !shared_.lossy) {
            throw CannotEnd("'" + fabric_.link_name(timeline.packets->ports.front().link) +
                            "' lost packets that nobody sends again: its buffer is smaller than its headroom");
        }
        timeline.packets->windows = windows_;
        timeline.packets->bytes_in_flight =
            most_in_flight_ > 0 ? bytes_held(traffic_.network) / static_cast<double>(most_in_flight_) : 0;
        return timeline;
    }

private:
    static constexpr Ps patience = 1'000'000'000;

    // Every rank has a domain. No more threads than there are nodes of the cluster.
    std::uint32_t useful_domains() const {
        if (options_.peers != nullptr) { return options_.peers->count(); }
        const std::size_t islands = std::min<std::size_t>(traffic_.network.nodes.size(), fabric_.node_count());
        const bool may_move = !traffic_.network.detours.empty();  // a flow's receiving side, to another thread's node
        const std::size_t most = may_move || !options_.sequence.empty() ? 1 : std::max<std::size_t>(1, islands);
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(static_cast<std::size_t>(options_.threads), 1, most));
    }

    void join(Peers& peers) {
        ranks_.emplace(peers, shared_, *domains_.front());
        plan_ = fingerprint(shared_);
        shared_.keeps_ended = true;
        lookahead_.share([this](std::uint32_t node) { return ranks_->owns(node); },
                         [this](std::vector<Ps> values) { return ranks_->least(std::move(values)); });
    }

    void post(const ControlMessage& mail) {
        if (!ranks_) {
            domains_[shared_.domain_of(mail.node)]->post(mail);
        } else if (ranks_->owns(mail.node)) {
            domains_.front()->post(mail);
        }
        posted_ = std::min(posted_, mail.time);
    }

    // Hands over what ended in the last window, and decides where the next one begins and ends. False when all is done.
    bool plan_window() {
        const auto [next, in_flight, hops] = end_window();
        const Ps first = std::min(posted_, next);
        if (!apart_by_buffers_ && shared_.buffers_met.load(std::memory_order_relaxed)) { throw BuffersMet(); }
        check_deadlock(hops);
        if (checking() && windows_ % windows_between_checks == 0) { check_buffers(shared_, fabric_); }
        most_in_flight_ = std::max(most_in_flight_, in_flight);
        run_operations();  // operations that ended in the last window, which nothing waits for
        if (operations_.progress().finished()) { return false; }
        start_ = std::min({first, posted_, operations_.next()});
        if (start_ >= clock_end && start_ < never && end_ - moved_at_ <= patience) { refuse_late(); }
        if (start_ >= clock_end) { cannot_end(); }
        reached_ = std::max(reached_, end_);
        if (Steady* const steady = operations_.steady()) {
            if (steady->next() <= start_) {
                for (const auto& domain : domains_) { domain->deliver_sent(parity_); }
            }
            steady->look(start_, reached_, longest_);
        }
        end_ = lookahead_.limit(start_, start_ + longest_);
        if (Steady* const steady = operations_.steady()) { end_ = std::min(end_, steady->next()); }
        posted_ = never;
        operations_.clear_up(start_, [this](const ControlMessage& mail) { post_in_window(mail); });
        run_operations();
        parity_ ^= 1U;
        ++windows_;
        watching_.poll(operations_.progress().count(), schedule_.size());
        return !operations_.progress().finished();
    }

    WindowEnd end_window() {
        WindowEnd all;
        if (ranks_) { all = ranks_->meet(mix(plan_ ^ static_cast<std::uint64_t>(start_ + 3 * end_)), parity_); }
        for (const auto& domain : domains_) {
            for (const Done& done : domain->done()) {
                operations_.add(done);
                lookahead_.ended(done);
            }
            domain->done().clear();
            if (ranks_) { continue; }
            all.next = std::min(all.next, domain->next());
            all.in_flight += domain->counts().injected - domain->counts().delivered;
            all.hops += domain->counts().hops;
        }
        return all;
    }

    // Pauses are refreshed for ever. If nothing else has happened for a millisecond, which is far longer than any
    // signal takes, a cycle of full buffers is a deadlock, unless a watchdog can break it.
    void check_deadlock(std::int64_t hops) {
        if (hops != hops_) {
            hops_ = hops;
            moved_at_ = end_;
            return;
        }
        if (end_ - moved_at_ > patience && ++idle_windows_ % 64 == 0 && options_.pfc_watchdog.ps == 0) {
            if (ranks_) { copy_queues(*options_.peers, shared_); }
            if (!find_deadlock(shared_).empty()) { cannot_end(); }
        }
    }

    // Runs the operations before the window's end, which moves nearer if what they begin could end earlier, or if it
    // begins in the past: there only what had been skipped is run.
    void run_operations() {
        while (operations_.next() < end_) {
            operations_.step([this](const ControlMessage& mail) { post_in_window(mail); });
        }
        if (operations_.needs_short_windows()) { end_ = std::min(end_, start_ + traffic_.network.window); }
    }

    void post_in_window(const ControlMessage& mail) {
        post(mail);
        start_ = std::min(start_, mail.time);
        const Ps bound = mail.kind == ControlMessage::resume ? never : lookahead_.watch(mail);
        end_ = std::min({end_, bound, start_ + longest_});
    }

    [[noreturn]] void cannot_end() {
        if (ranks_) { copy_queues(*options_.peers, shared_); }
        throw CannotEnd("{} cannot end: {}", described(fabric_, schedule_, operations_.progress().first_unfinished()),
                        describe_deadlock(shared_, fabric_));
    }

    void run_threads() {
        Barrier barrier(domain_count_);
        Sharing sharing(options_.share_all_windows);
        const auto now = [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        };
        bool more = true;
        std::vector<std::exception_ptr> errors(domain_count_);
        const auto plan = [&] {
            try {
                const bool failed =
                    std::any_of(errors.begin(), errors.end(), [](const auto& e) { return e != nullptr; });
                more = !failed && plan_window();
                while (more && !sharing.shares(hops_, now)) {
                    domains_.front()->run_alone(start_, end_, windows_, domains_);
                    more = plan_window();
                }
            } catch (...) {
                errors[0] = std::current_exception();
                more = false;
            }
        };
        const auto work = [&](std::uint32_t d) {
            for (;;) {
                if (d == 0) {
                    barrier.lead(plan);
                } else {
                    barrier.follow();
                }
                if (!more) { return; }
                try {
                    domains_[d]->run(start_, end_, windows_, domains_);
                } catch (...) { errors[d] = std::current_exception(); }
            }
        };
        {
            std::vector<std::jthread> workers;
            for (std::uint32_t d = 1; d < domain_count_; ++d) { workers.emplace_back(work, d); }
            work(0);
        }
        for (const std::exception_ptr& error : errors) {
            if (error) { std::rethrow_exception(error); }
        }
    }

    const ReplayTask& task_;
    const Packet& options_;
    const bool apart_by_buffers_;
    const Fabric& fabric_ = task_.fabric;
    const Schedule& schedule_ = task_.schedule;
    Traffic traffic_ = make_traffic(task_, options_);
    const std::uint32_t domain_count_ = useful_domains();
    Shared shared_{traffic_, options_, domain_count_, apart_by_buffers_};
    Operations operations_{task_, shared_};
    Lookahead lookahead_{traffic_, schedule_, shared_.lossy};
    Watching watching_{task_.watch};
    std::vector<std::unique_ptr<Worker>> domains_;  // of all threads, or of this rank
    std::optional<RankExchange> ranks_;
    std::uint64_t plan_ = 0;  // the same on all ranks
    Ps start_ = 0, end_ = 0, posted_ = never;
    Ps reached_ = 0;      // the latest end of a window
    Ps longest_ = never;  // longest window
    unsigned parity_ = 0;
    std::int64_t hops_ = 0;  // number of hops at `moved_at_`
    Ps moved_at_ = 0;
    std::int64_t idle_windows_ = 0;
    std::int64_t windows_ = 0;
    std::int64_t most_in_flight_ = 0;  // packets, at the end of any window
};

// Buffers seldom fill up where links are apart, so that is tried first.
Timeline replay_calls(const ReplayTask& task, const Packet& options) {
    try {
        return Replay(task, options, false).run();
    } catch (const BuffersMet&) { return Replay(task, options, true).run(); }
}

// With the other ranks, if they can share it; otherwise every rank replays it by itself, with the same result.
Timeline replay_over_ranks(const ReplayTask& task, const Packet& options) {
    Packet simulated = options;
    simulated.reuse = false;  // what a rank would take over is what others have counted
    {
        Replay replay(task, simulated, true);
        if (const std::string why = why_not_shared(replay.shared(), task); !why.empty()) {
            options.peers->note("every rank simulates all of a replay, because " + why);
        } else {
            if (options.reuse && may_repeat(replay.shared())) {
                options.peers->note("every packet is simulated: over ranks, nothing is simulated once for all");
            }
            return replay.run();
        }
    }
    Packet alone = options;
    alone.peers = nullptr;
    alone.threads = 1;
    return replay_calls(task, alone);
}

}  // namespace

// Measured (GCC 12, glibc 2.36, x86-64): 3.4 to 3.9 kB per stream in rings of 3,000 and 12,000 streams, 1.1 to 1.5 kB
// in trees and all-to-alls of 12,000 to 49,000; tests/sim/engines/memory_test.cpp repeats the measurement. Pipelines of
// one shape are seldom under way together.
MemoryNeed Packet::memory(const Fabric&, const Schedule& schedule) {
    return {.count = distinct_stream_count(schedule), .what = "streams of packets", .bytes_each = 2200};
}

Timeline replay_task(const Packet& options, const ReplayTask& task) {
    const std::optional<CallByCall> calls = call_by_call(task.schedule);
    const auto replay_shared = options.peers != nullptr ? replay_over_ranks : replay_calls;
    if (!calls) { return replay_shared(task, options); }
    const ReplayTask spelt_out{task.fabric, calls->schedule, task.device, task.events, task.watch};
    Timeline timeline = replay_shared(spelt_out, options);
    calls->restore(timeline);
    return timeline;
}

}  // namespace fabricast::inline packet
