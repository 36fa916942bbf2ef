#pragma once
// The classic engine as an oracle: one std::priority_queue, an event when a packet arrives and one when a wire falls
// idle, unlimited buffers. Slow, short, and written without looking at the fast one.

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/engine.hpp"

namespace fabricast::testing {

// From each of these times on so many bytes wait for a wire.
using QueueSteps = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The finish of each operation of a schedule of transfers without dependencies, in ps. With `queues`, also how each
// switch's queues grow and shrink.
inline std::vector<std::int64_t> two_events(const Fabric& fabric, const Schedule& schedule, const Packet& options,
                                            std::map<LinkId, QueueSteps>* queues = nullptr) {
    struct Piece {
        std::uint32_t message = 0, number = 0, hop = 0;
        std::int64_t bytes = 0;
    };
    struct Wire {
        std::deque<std::pair<std::int64_t, Piece>> queue;  // when it may start
        bool busy = false;
        double capacity = 0;
        std::int64_t latency = 0;
    };
    enum What { arrival, idle, retry };
    using Event =
        std::tuple<std::int64_t, std::uint32_t, std::uint32_t, int, std::uint32_t>;  // time, number, link, what, index
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::map<LinkId, Wire> wires;
    std::vector<std::vector<LinkId>> paths;
    std::vector<Piece> pieces;
    std::vector<std::int64_t> finish(schedule.size(), 0);
    const auto wire_of = [&](LinkId link) -> Wire& {
        Wire& wire = wires[link];
        if (wire.capacity == 0) {
            wire.capacity = fabric.link(link).capacity;
            wire.latency = fabric.link(link).latency.ps;
        }
        return wire;
    };
    const auto time_on = [](const Wire& wire, std::int64_t bytes) {
        return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * 1e12 / wire.capacity - 1e-4));
    };
    const auto queue_changed = [&](LinkId link, std::int64_t now, std::int64_t bytes) {
        if (queues != nullptr) {
            QueueSteps& steps = (*queues)[link];
            steps.emplace_back(now, (steps.empty() ? 0 : steps.back().second) + bytes);
        }
    };
    const auto name = [](LinkId link) { return static_cast<std::uint32_t>(link); };
    const auto start_next = [&](LinkId link, std::int64_t now) {
        Wire& wire = wire_of(link);
        if (wire.busy || wire.queue.empty()) { return; }
        auto [ready, piece] = wire.queue.front();
        if (ready > now) {
            events.emplace(ready, 0U, name(link), retry, 0U);
            return;
        }
        wire.queue.pop_front();
        queue_changed(link, now, -piece.bytes);
        wire.busy = true;
        const std::int64_t on_wire = time_on(wire, piece.bytes);
        events.emplace(now + on_wire, 0U, name(link), idle, 0U);
        const auto& path = paths[piece.message];
        const bool last = piece.hop + 1 == path.size();
        const std::uint32_t index = static_cast<std::uint32_t>(pieces.size());
        pieces.push_back(piece);
        events.emplace(now + wire.latency + (last || !options.cut_through ? on_wire : 0), piece.number & 0xffffU,
                       name(link), arrival, index);
    };
    // Flows that begin on one link take turns by their starting times, a packet each.
    std::map<LinkId, std::vector<std::uint32_t>> senders;
    for (std::uint32_t m = 0; m < schedule.transfers.size(); ++m) {
        const Path path = fabric.path(schedule.connections[schedule.transfers[m].connection].path);
        paths.emplace_back(path.span().begin(), path.span().end());
        senders[paths.back().front()].push_back(m);
    }
    for (auto& [link, flows] : senders) {
        std::stable_sort(flows.begin(), flows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return schedule.transfers[a].start < schedule.transfers[b].start;
        });
        // The first link only ever carries these: its schedule can be written down.
        const Wire& wire = wire_of(link);
        std::deque<std::uint32_t> turn;
        std::vector<std::int64_t> left(schedule.transfers.size());
        std::vector<std::uint32_t> sent(schedule.transfers.size(), 0);
        std::size_t next = 0;
        std::int64_t now = 0;
        while (next < flows.size() || !turn.empty()) {
            if (turn.empty()) { now = std::max(now, schedule.transfers[flows[next]].start.ps); }
            while (next < flows.size() && schedule.transfers[flows[next]].start.ps <= now) {
                left[flows[next]] = schedule.transfers[flows[next]].bytes.count;
                turn.push_back(flows[next++]);
            }
            const std::uint32_t m = turn.front();
            turn.pop_front();
            Piece piece{m, sent[m]++, 0, std::min<std::int64_t>(left[m], options.mtu.count)};
            left[m] -= piece.bytes;
            const std::int64_t on_wire = time_on(wire, piece.bytes);
            const auto index = static_cast<std::uint32_t>(pieces.size());
            pieces.push_back(piece);
            events.emplace(now + wire.latency + (options.cut_through ? 0 : on_wire), piece.number & 0xffffU, name(link),
                           arrival, index);
            now += on_wire;
            if (left[m] > 0) { turn.push_back(m); }
        }
    }
    while (!events.empty()) {
        const auto [now, number, link, what, index] = events.top();
        events.pop();
        if (what == idle) {
            wire_of(LinkId{link}).busy = false;
            start_next(LinkId{link}, now);
            continue;
        }
        if (what == retry) {
            start_next(LinkId{link}, now);
            continue;
        }
        Piece piece = pieces[index];
        const auto& path = paths[piece.message];
        if (++piece.hop == path.size()) {
            finish[piece.message] = std::max(finish[piece.message], now);
            continue;
        }
        const Wire& from = wire_of(path[piece.hop - 1]);
        Wire& to = wire_of(path[piece.hop]);
        const std::int64_t behind =
            options.cut_through ? std::max<std::int64_t>(0, time_on(from, piece.bytes) - time_on(to, piece.bytes)) : 0;
        to.queue.emplace_back(now + behind, piece);
        queue_changed(path[piece.hop], now, piece.bytes);
        start_next(path[piece.hop], now);
    }
    return finish;
}

}  // namespace fabricast::testing
