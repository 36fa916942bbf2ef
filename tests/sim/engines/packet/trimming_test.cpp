// Trimmed packets, and NSCC held against its own formulas: nothing is lost, what is sent again follows at once, and
// windows hold the delay at the target.

#include <algorithm>
#include <cmath>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/nscc.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::base_rtt;
using testing::fairness;
using testing::incast;
using testing::line;
using testing::packets;
using testing::star;
using testing::unit;

constexpr Ps round_trip = 12'000'000;  // 12 us and 100 Gb/s: the network for which UEC's constants are stated

Packet trimming(CongestionControl control) {
    Packet options = packets(FlowControl::automatic);
    options.congestion_control = control;
    options.trim = true;
    options.alpha = 64;  // the queue is what is full, not the buffer behind it
    return options;
}

// Acknowledgements of a whole window of packets, each as late as the others.
double window_later(Nscc nscc, const NsccOptions& options, Ps now, Ps delay, bool marked, double windows = 1) {
    const auto count = static_cast<int>(windows * nscc.window() / unit);
    for (int i = 0; i < count; ++i) { nscc.on_echo(options, now, {now - round_trip - delay, unit, marked}, 0); }
    return nscc.window();
}

}  // namespace

TEST_CASE("NSCC grows and cuts as UEC's four quadrants say") {
    // At 100 Gb/s and 12 us, the constants' own network, a window grows in a round trip by 4 packets times the part of
    // the target that is left, or by 5 before the first mark at a long delay, and by 0.15 in any case.
    NsccOptions options;
    options.fast = 0;
    const double most = 1.5 * line * 12e-6;
    const Ps now = 10 * round_trip;
    const auto begin = [&](double window) {  // at rest: what is under way, heard of and settled just now
        Nscc nscc(options, line, round_trip, unit, true);
        while (nscc.window() > window) { nscc.on_loss(options, 0, unit, 0); }
        nscc.on_echo(options, now, {now - round_trip - round_trip, unit, true}, 0);  // late but marked: no growth
        return nscc;
    };
    CHECK(Nscc(options, line, round_trip, unit, true).window() == Approx(most));
    CHECK(Nscc(options, line, round_trip, unit, true).target() == Approx(0.75 * round_trip));
    CHECK(Nscc(options, line, round_trip, unit, false).target() == Approx(1.0 * round_trip));
    const double start = begin(20.0 * unit).window();
    const double target = 0.75 * round_trip;
    for (const double share : {0.25, 0.5, 0.9}) {  // proportional increase
        const double left = (1 - share) * target / (0.75 * round_trip) * 0.75;
        const double grown = window_later(begin(20.0 * unit), options, now + 1, static_cast<Ps>(share * target), false);
        CHECK(grown - start == Approx(options.proportional * left * unit).epsilon(0.2));
    }
    const double fair = window_later(begin(20.0 * unit), options, now + 1, round_trip, false);
    CHECK(fair - start == Approx(options.fair * unit).epsilon(0.2));
    CHECK(window_later(begin(20.0 * unit), options, now + 1, round_trip / 2, true) ==
          Approx(start));  // marked, but short
    // Marked and late: cut once a round trip by gamma of the mean delay above the target, by a half at most.
    options.smoothing = 1;
    for (const double late : {1.0, 1.25, 2.0, 3.9}) {
        const double delay = late * target;
        const double cut =
            window_later(begin(20.0 * unit), options, now + round_trip + 1, static_cast<Ps>(delay), true);
        const double before = begin(20.0 * unit).window();
        CHECK(cut == Approx(before * std::max(0.5, 1 - 0.8 * (delay - target) / delay) + options.steady * unit));
    }
}

TEST_CASE("NSCC grows by a quarter of what arrives once a window of packets met no queue") {
    NsccOptions options;
    Nscc nscc(options, line, round_trip, unit, true);
    while (nscc.window() > 10.0 * unit) { nscc.on_loss(options, 0, unit, 0); }
    const double start = nscc.window();
    const double grown =
        window_later(nscc, options, 10 * round_trip, 0, false, 2);  // a window to see it, one to grow in
    CHECK(grown - start == Approx(start / 4 + options.proportional * 0.75 * unit).epsilon(0.2));
}

TEST_CASE("NSCC takes what arrived for its window if nearly everything was trimmed") {
    const NsccOptions options;
    Nscc nscc(options, line, round_trip, unit, true);
    const double largest = nscc.window();
    nscc.on_loss(options, 1, unit, 0);  // begins a round of round_trip and target
    CHECK(nscc.window() == Approx(largest - unit));
    for (int i = 0; i < 3; ++i) { nscc.on_echo(options, round_trip, {0, unit, true}, 0); }
    nscc.on_loss(options, 2 * round_trip, unit, 10 * unit);
    CHECK(nscc.window() == Approx(3.0 * unit));
    nscc.on_loss(options, 2 * round_trip + 1, unit, 10 * unit);  // was under way then, so it says nothing new
    CHECK(nscc.window() == Approx(3.0 * unit));
}

TEST_CASE("an incast with trimming ends when the line has carried every packet and every header") {
    const Fabric fabric = star(33, nanoseconds(500));
    for (const std::uint32_t senders : {2U, 8U, 32U}) {
        for (const CongestionControl control : {CongestionControl::none, CongestionControl::nscc}) {
            INFO(senders << " senders, " << to_string(control));
            const std::int64_t each = 200 * unit;
            const Schedule schedule = incast(fabric, senders, each);
            const Timeline timeline = replay(trimming(control), fabric, schedule);
            const PacketUse& use = *timeline.packets;
            CHECK(use.trimmed > 0);
            CHECK(use.resent == use.trimmed);  // each once for each header, and nothing else
            CHECK(use.drops == 0);
            CHECK(use.timeouts == 0);
            CHECK(use.delivered == std::int64_t{200} * senders);
            const double rtt = base_rtt(fabric, schedule);
            const double least =
                (static_cast<double>(senders) * static_cast<double>(each) + 64 * static_cast<double>(use.trimmed)) /
                line;
            CHECK(to_seconds(timeline.makespan) > least);
            CHECK(to_seconds(timeline.makespan) < least + 3 * rtt);
            for (const PortUse& port : use.ports) {  // a queue is never longer than a round trip
                if (port.lane == 0) { CHECK(static_cast<double>(port.most_queued) <= rtt * line); }
            }
        }
    }
}

TEST_CASE("NSCC holds the queue at its target and shares the line fairly") {
    // The delay aimed at is 0.75 round trips, all of it in the one queue; above it windows are cut, below they grow.
    const Fabric fabric = star(17, microseconds(2));
    Packet options = trimming(CongestionControl::nscc);
    options.series = true;
    for (const std::uint32_t senders : {2U, 4U, 16U}) {
        INFO(senders << " senders");
        const Schedule schedule = incast(fabric, senders, 64'000 / senders * unit);
        const Timeline timeline = replay(options, fabric, schedule);
        const double held = base_rtt(fabric, schedule) * line;
        const PacketUse& use = *timeline.packets;
        const auto series = std::ranges::max_element(
            use.series, {}, [](const PortSeries& port) { return *std::ranges::max_element(port.queued); });
        const std::span late = std::span(series->queued).subspan(series->queued.size() / 2, series->queued.size() / 4);
        CHECK(static_cast<double>(*std::ranges::max_element(late)) < 1.0 * held);
        CHECK(static_cast<double>(*std::ranges::min_element(late)) > 0.5 * held);
        CHECK(to_seconds(timeline.makespan) < 64'000.0 * unit / line * 1.01);  // the line never idles
        CHECK(fairness(timeline) > 0.98);
    }
}

TEST_CASE("NSCC's switches mark as is stated, also if that is what is usual elsewhere") {
    const Fabric fabric = star(5, microseconds(2));
    const Schedule schedule = incast(fabric, 4, 4000 * unit);
    const auto marks = [&](const EcnOptions& ecn) {
        Packet options = trimming(CongestionControl::nscc);
        options.ecn = ecn;
        return replay(options, fabric, schedule).packets->marks;
    };
    const std::int64_t unstated = marks({});  // all above four fifths of a round trip, and many from a fifth on
    CHECK(unstated > 0);
    CHECK(marks({.p_max = 0.2, .p_max_stated = true}) < unstated);
    CHECK(marks({.p_max = 1, .p_max_stated = true}) == unstated);
    CHECK(marks({.thresholds_stated = true}) == 0);  // Kmin is two round trips of this line: packets are trimmed first
}

TEST_CASE("sprayed and trimmed traffic is the same on any number of threads, and survives links that lose packets",
          "[threads]") {
    const Fabric fabric = testing::leaf_spine(16, 8, 2);
    testing::Pairs pairs;
    for (std::uint32_t a = 0; a < 16; ++a) {
        for (std::uint32_t b = 0; b < 16; ++b) {
            if (a != b) { pairs.emplace_back(a, b); }
        }
    }
    const Schedule schedule = testing::messages(fabric, pairs, 50 * unit);
    for (const CongestionControl control :
         {CongestionControl::none, CongestionControl::nscc, CongestionControl::swift}) {
        Packet options = trimming(control);
        options.routing = PacketRouting::spray;
        const Timeline one = replay(options, fabric, schedule);
        CHECK(one.packets->trimmed > 0);
        CHECK(one.packets->timeouts == 0);
        CHECK(one.packets->delivered == std::int64_t{50} * 240);
        options.share_all_windows = true;
        for (const int threads : {2, 4}) {
            options.threads = threads;
            const Timeline several = replay(options, fabric, schedule);
            CHECK(several.makespan == one.makespan);
            CHECK(several.packets->hops == one.packets->hops);
            CHECK(several.packets->trimmed == one.packets->trimmed);
        }
        options.threads = 1;
        options.loss = 0.001;  // of which only a timeout tells: no header comes
        options.retransmit_timeout = microseconds(100);
        const Timeline lossy = replay(options, fabric, schedule);
        CHECK(lossy.packets->drops > 0);
        CHECK(lossy.packets->timeouts > 0);
        CHECK(lossy.makespan < one.makespan + options.retransmit_timeout * 50);
    }
}

}  // namespace fabricast
