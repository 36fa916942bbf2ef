#include "sim/engines/packet/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "sim/engines/common/checks.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/packet/call_by_call.hpp"
#include "sim/engines/packet/deadlock.hpp"
#include "sim/engines/packet/lookahead.hpp"
#include "sim/engines/packet/observe.hpp"
#include "sim/engines/packet/operations.hpp"
#include "sim/engines/packet/shared.hpp"
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
        for (std::uint32_t d = 0; d < threads_; ++d) {
            domains_.push_back(std::make_unique<Worker>(shared_, d, threads_));
        }
        const Ps shortest = std::min<Ps>(traffic_.network.window, 1'000'000);  // latency; 1 us if there are no links
        longest_ = std::min(shared_.islands.window, std::max<Ps>(1'000'000, 16 * shortest));
    }

    Timeline run() {
        post_events();
        operations_.begin();
        if (threads_ == 1) {
            while (plan_window()) { domains_.front()->run_alone(start_, end_, parity_, domains_); }
        } else {
            run_threads();
        }
        operations_.finish();
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

    // No more threads than there are nodes of the cluster.
    std::uint32_t useful_threads() const {
        const std::size_t islands = std::min<std::size_t>(traffic_.network.nodes.size(), fabric_.node_count());
        const bool may_move = !traffic_.network.detours.empty();  // a flow's receiving side, to another thread's node
        const std::size_t most = may_move || !options_.sequence.empty() ? 1 : std::max<std::size_t>(1, islands);
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(static_cast<std::size_t>(options_.threads), 1, most));
    }

    void post(const ControlMessage& mail) {
        domains_[shared_.domain_of(mail.node)]->post(mail);
        posted_ = std::min(posted_, mail.time);
    }

    void post_events() {
        const Network& net = traffic_.network;
        constexpr double slowest = 0x1p48;  // the engine's inverse rates have 48 bits: 1 Mb/s
        for (const LinkEvent& event : task_.events) {
            for (std::uint32_t p = 0; p < net.port_count && event.at.ps < clock_end; ++p) {
                if (net.links[p] == event.link) {
                    const auto millionths = static_cast<std::uint32_t>(std::max(0.0, event.share * 1e6 + 0.5));
                    if (millionths > 0 && net.capacity_inverse[p] * 1e6 / millionths >= slowest) {
                        throw OutOfRange(
                            "an event that leaves less than 1 Mb/s of a link, the slowest that engine packet takes");
                    }
                    post({event.at.ps, net.ports[p].from_node, ControlMessage::share, p, millionths});
                }
            }
        }
        for (const Epoch& epoch : net.epochs) {
            for (std::uint32_t f = 0; f < traffic_.flows.size(); ++f) {
                if (epoch.from < clock_end && epoch.ways[f] != traffic_.ways_of(f, epoch.from - 1)) {
                    post({epoch.from, traffic_.flows[f].node, ControlMessage::reroute, f, 0});
                }
            }
        }
    }

    // Hands over what ended in the last window, and decides where the next one begins and ends. False when all is done.
    bool plan_window() {
        Ps first = posted_;
        std::int64_t in_flight = 0;
        std::int64_t hops = 0;
        for (const auto& domain : domains_) {
            for (const Done& done : domain->done()) {
                operations_.add(done);
                lookahead_.ended(done);
            }
            domain->done().clear();
            first = std::min(first, domain->next());
            in_flight += domain->counts().injected - domain->counts().delivered;
            hops += domain->counts().hops;
        }
        if (!apart_by_buffers_ && shared_.buffers_met.load(std::memory_order_relaxed)) { throw BuffersMet(); }
        check_deadlock(hops);
        if (checking() && windows_ % windows_between_checks == 0) { check_buffers(shared_, fabric_); }
        most_in_flight_ = std::max(most_in_flight_, in_flight);
        run_operations();  // operations that ended in the last window, which nothing waits for
        if (operations_.progress().finished()) { return false; }
        start_ = std::min({first, posted_, operations_.next()});
        if (start_ >= clock_end && start_ < never && end_ - moved_at_ <= patience) { refuse_late(); }
        if (start_ >= clock_end) { cannot_end(); }
        end_ = lookahead_.limit(start_, start_ + longest_);
        posted_ = never;
        operations_.clear_up(start_, [this](const ControlMessage& mail) { post_in_window(mail); });
        run_operations();
        parity_ ^= 1U;
        ++windows_;
        watching_.poll(operations_.progress().count(), schedule_.size());
        return !operations_.progress().finished();
    }

    // Pauses are refreshed for ever. If nothing else has happened for a millisecond, which is far longer than any
    // signal takes, a cycle of full buffers is a deadlock, unless a watchdog can break it.
    void check_deadlock(std::int64_t hops) {
        if (hops != hops_) {
            hops_ = hops;
            moved_at_ = end_;
            return;
        }
        if (end_ - moved_at_ > patience && ++idle_windows_ % 64 == 0 && options_.pfc_watchdog.ps == 0 &&
            !find_deadlock(shared_).empty()) {
            cannot_end();
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
        end_ = std::min({end_, lookahead_.watch(mail), start_ + longest_});
    }

    [[noreturn]] void cannot_end() {
        throw CannotEnd("{} cannot end: {}", described(fabric_, schedule_, operations_.progress().first_unfinished()),
                        describe_deadlock(shared_, fabric_));
    }

    void run_threads() {
        Barrier barrier(threads_);
        Sharing sharing(options_.share_all_windows);
        const auto now = [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        };
        bool more = true;
        std::vector<std::exception_ptr> errors(threads_);
        const auto plan = [&] {
            try {
                const bool failed =
                    std::any_of(errors.begin(), errors.end(), [](const auto& e) { return e != nullptr; });
                more = !failed && plan_window();
                while (more && !sharing.shares(hops_, now)) {
                    domains_.front()->run_alone(start_, end_, parity_, domains_);
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
                    domains_[d]->run(start_, end_, parity_, domains_);
                } catch (...) { errors[d] = std::current_exception(); }
            }
        };
        {
            std::vector<std::jthread> workers;
            for (std::uint32_t d = 1; d < threads_; ++d) { workers.emplace_back(work, d); }
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
    const std::uint32_t threads_ = useful_threads();
    Shared shared_{traffic_, options_, threads_, apart_by_buffers_};
    Operations operations_{task_, shared_};
    Lookahead lookahead_{traffic_, schedule_, shared_.lossy};
    Watching watching_{task_.watch};
    std::vector<std::unique_ptr<Worker>> domains_;
    Ps start_ = 0, end_ = 0, posted_ = never;
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

}  // namespace

// Measured (GCC 12, glibc 2.36, x86-64): 3.4 to 3.9 kB per stream in rings of 3,000 and 12,000 streams, 1.1 to 1.5 kB
// in trees and all-to-alls of 12,000 to 49,000; tests/sim/engines/memory_test.cpp repeats the measurement. Pipelines of
// one shape are seldom under way together.
MemoryNeed Packet::memory(const Fabric&, const Schedule& schedule) {
    return {.count = distinct_stream_count(schedule), .what = "streams of packets", .bytes_each = 2200};
}

Timeline replay_task(const Packet& options, const ReplayTask& task) {
    const std::optional<CallByCall> calls = call_by_call(task.schedule);
    if (!calls) { return replay_calls(task, options); }
    const ReplayTask spelt_out{task.fabric, calls->schedule, task.device, task.events, task.watch};
    Timeline timeline = replay_calls(spelt_out, options);
    calls->restore(timeline);
    return timeline;
}

}  // namespace fabricast::inline packet
