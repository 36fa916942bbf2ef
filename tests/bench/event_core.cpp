// What orders packets: the packet engine's windows against one queue for all events, on the same messages. The
// contestants do less (no flow control, no marks, no counts), so that they can only look better than they are.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <queue>

#include "sim/engines/engine.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::bench {

namespace {

constexpr std::uint32_t hosts_of_core = 1024;
constexpr std::int64_t packet_bytes = 4096, packets_each = 1024;

struct Event {
    std::uint64_t key = 0;   // time << 16 | packet
    std::uint32_t link = 0;  // over which it came; breaks ties as the engine does
    std::uint32_t flow = 0;
    std::uint16_t hop = 0;
    bool idle = false;  // a wire has become free

    std::int64_t time() const { return static_cast<std::int64_t>(key >> 16U); }
    friend bool operator>(const Event& a, const Event& b) { return a.key != b.key ? a.key > b.key : a.link > b.link; }
};

class Heap {
public:
    bool empty() const { return queue_.empty(); }
    void push(const Event& event) { queue_.push(event); }
    Event pop() {
        const Event event = queue_.top();
        queue_.pop();
        return event;
    }

private:
    std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
};

// Brown's calendar: a ring of days of 8 ns, sorted when they come; what lies a year ahead waits in a heap.
class Calendar {
public:
    bool empty() const { return size_ == 0; }
    void push(const Event& event) {
        ++size_;
        const std::int64_t day = event.time() >> day_bits;
        if (day >= today_ + days) {
            later_.push(event);
            return;
        }
        std::vector<Event>& events = ring_[static_cast<std::size_t>(day) % days];
        if (day == today_) {
            events.insert(std::upper_bound(events.begin(), events.end(), event, std::greater<>()), event);
        } else {
            events.push_back(event);
        }
    }
    Event pop() {
        while (ring_[static_cast<std::size_t>(today_) % days].empty()) {
            ++today_;
            std::vector<Event>& events = ring_[static_cast<std::size_t>(today_) % days];
            while (!later_.empty() && later_.top().time() >> day_bits < today_ + days) {
                ring_[static_cast<std::size_t>(later_.top().time() >> day_bits) % days].push_back(later_.top());
                later_.pop();
            }
            std::sort(events.begin(), events.end(), std::greater<>());  // the first stands last
        }
        std::vector<Event>& events = ring_[static_cast<std::size_t>(today_) % days];
        const Event event = events.back();
        events.pop_back();
        --size_;
        return event;
    }

private:
    static constexpr int day_bits = 13;
    static constexpr std::int64_t days = 4096;
    std::vector<std::vector<Event>> ring_{days};
    std::priority_queue<Event, std::vector<Event>, std::greater<>> later_;
    std::int64_t today_ = 0;
    std::size_t size_ = 0;
};

struct Wire {
    std::int64_t free = 0, latency = 0, packet_time = 0;
    std::queue<Event> waiting;  // with two events a hop
    bool busy = false;
};

// [last arrival in ps, packet-hops]
template <class Queue>
std::array<std::int64_t, 2> run(const Fabric& fabric, const Schedule& schedule, bool two_events) {
    std::vector<Path> paths;
    std::vector<Wire> wires(fabric.link_count());
    for (const Connection& connection : schedule.connections) {
        paths.push_back(fabric.path(connection.path));
        for (const LinkId link : paths.back().span()) {
            Wire& wire = wires[static_cast<std::uint32_t>(link)];
            const LinkInfo facts = fabric.link(link);
            wire.latency = facts.latency.ps;
            wire.packet_time = std::llround(static_cast<double>(packet_bytes) * 1e12 / facts.capacity);
        }
    }
    Queue queue;
    std::int64_t last = 0;
    std::int64_t hops = 0;
    for (std::uint32_t f = 0; f < paths.size(); ++f) { queue.push({0, 0, f, 0, false}); }
    const auto send = [&](Event event, Wire& wire, std::uint32_t link, std::int64_t start) {
        ++hops;
        wire.free = start + wire.packet_time;
        const bool at_end = event.hop + 1U == paths[event.flow].count;
        if (event.hop == 0 && (event.key & 0xffffU) + 1 < packets_each) {  // the next one follows it
            queue.push(
                {static_cast<std::uint64_t>(wire.free) << 16U | ((event.key & 0xffffU) + 1), 0, event.flow, 0, false});
        }
        event.key = static_cast<std::uint64_t>(start + wire.latency) << 16U | (event.key & 0xffffU);
        event.link = link;
        ++event.hop;
        if (at_end) {
            last = std::max(last, start + wire.latency + wire.packet_time);
        } else {
            queue.push(event);
        }
        if (two_events) {
            wire.busy = true;
            queue.push({static_cast<std::uint64_t>(wire.free) << 16U, link, 0, 0, true});
        }
    };
    while (!queue.empty()) {
        const Event event = queue.pop();
        const std::uint32_t link =
            event.idle ? event.link : static_cast<std::uint32_t>(paths[event.flow].links[event.hop]);
        Wire& wire = wires[link];
        if (!two_events) {
            send(event, wire, link, std::max(event.time(), wire.free));
        } else if (!event.idle && (wire.busy || !wire.waiting.empty())) {
            wire.waiting.push(event);
        } else if (!event.idle) {
            send(event, wire, link, event.time());
        } else {
            wire.busy = false;
            if (!wire.waiting.empty()) {
                const Event next = wire.waiting.front();
                wire.waiting.pop();
                send(next, wire, link, event.time());
            }
        }
    }
    return {last, hops};
}

template <class Work> void show(const char* name, const char* what, const Work& work) {
    const Measured measured = best_of(3, [&] {
        const std::clock_t cpu = std::clock();
        const std::array<std::int64_t, 2> result = work();
        const double seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        return std::vector<double>{static_cast<double>(result[0]), static_cast<double>(result[1]), seconds};
    });
    const std::vector<double>& r = measured.result;
    std::printf("# | %s | %.0f | %.3f us | %.1f M |\n", what, r[1], r[0] * 1e-6, r[1] / r[2] * 1e-6);
    figure(name, r[1] / r[2], "1/s");
}

}  // namespace

void event_core_figures(const std::vector<std::string>& names) {
    if (!wanted(names, "event_core")) { return; }
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 16);
    spec.link = tiny::link(LinkFamily::ethernet, 50, nanoseconds(500));
    spec.switch_latency = {};
    spec.choice = PathChoice::ecmp;
    spec.tiers = 3;
    const Fabric fabric(tiny::cluster(hosts_of_core, 1, spec));
    Schedule schedule;
    for (std::uint32_t h = 0; h < hosts_of_core; ++h) {
        schedule.connections.push_back({{.src = fabric.nic(h, 0),
                                         .dst = fabric.nic((h + hosts_of_core / 2) % hosts_of_core, 0),
                                         .flow_label = h,
                                         .kind = PathKind::network}});
        schedule.kept.push_back(schedule.add(Transfer{h, {packets_each * packet_bytes}, {}}));
    }
    std::printf("# | packets ordered by | packet-hops | last arrival | packet-hops a second |\n# |---|---|---|---|\n");
    show("event_core_windows", "windows, node by node (the engine)", [&]() -> std::array<std::int64_t, 2> {
        Packet options;
        options.flow_control = FlowControl::lossless;
        options.congestion_control = CongestionControl::none;
        const Timeline timeline = replay(options, fabric, schedule);
        return {timeline.makespan.ps, timeline.packets->hops};
    });
    show("event_core_calendar", "calendar queue, one event a hop",
         [&] { return run<Calendar>(fabric, schedule, false); });
    show("event_core_heap", "std::priority_queue, one event a hop", [&] { return run<Heap>(fabric, schedule, false); });
    show("event_core_heap_two", "std::priority_queue, two events a hop",
         [&] { return run<Heap>(fabric, schedule, true); });
}

}  // namespace fabricast::bench
