// HPCC and Swift, held against their papers' fixed points: rate, queue and fairness.

#include <algorithm>
#include <cmath>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/hpcc.hpp"
#include "sim/engines/packet/swift.hpp"
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

// The longest queue of the second half of the time, at the port that held traffic up most.
double late_queue(const Timeline& timeline) {
    const std::vector<std::int64_t>& queued = timeline.packets->series.front().queued;
    const auto half = queued.begin() + static_cast<std::ptrdiff_t>(queued.size() / 2);
    return static_cast<double>(*std::max_element(half, queued.end() - 2));
}

Packet controlled(CongestionControl control) {
    Packet options = packets(FlowControl::lossless);
    options.congestion_control = control;
    options.series = true;
    return options;
}

}  // namespace

TEST_CASE("HPCC uses eta of a link and N additive steps a round trip more, without a queue") {
    // At rest W = W eta / U + W_AI, and the windows hold U of what the link holds in T: U = eta + N W_AI / (B T), so
    // that no queue stands below W_AI = B T (1 - eta) / N (Li et al., SIGCOMM'19, section 3.3 and appendix A; figure
    // 9's incast ends at such a queue).
    const Fabric fabric = star(9, microseconds(3));
    Packet options = controlled(CongestionControl::hpcc);
    options.hpcc.stages = 0;  // its additive steps in a row are another mean
    const auto check = [&](std::uint32_t senders, std::int64_t additive, double below) {
        INFO(senders << " senders, W_AI " << additive << " B");
        options.hpcc.additive = Bytes{additive};
        const Schedule schedule = incast(fabric, senders, 32'000 / senders * unit);
        const Timeline begun = replay(options, fabric, incast(fabric, senders, 16'000 / senders * unit));
        const Timeline rested = replay(options, fabric, schedule);
        const double held = line * base_rtt(fabric, schedule);
        const double use = 16'000.0 * unit / to_seconds(rested.makespan - begun.makespan) / line;
        const double expected = options.hpcc.eta + static_cast<double>(senders) * static_cast<double>(additive) / held;
        CHECK(use < expected + 0.0005);
        CHECK(use > expected - below);
        CHECK(late_queue(rested) < held / 4);
        CHECK(static_cast<double>(rested.packets->ports.front().most_queued) <= senders * held);  // the first burst
    };
    for (const std::int64_t additive : {100, 200, 400}) { check(2, additive, 0.0005); }
    // Packets of several senders meet by chance, and what waits of them counts as use.
    for (const std::uint32_t senders : {4U, 8U}) { check(senders, 200, 0.01); }
}

TEST_CASE("HPCC gives a late flow its half: the windows' difference falls by N W_AI / (B T) a round trip") {
    // Li et al., SIGCOMM'19, section 5.2, figure 9: flows that join share fairly.
    const Fabric fabric = star(3, microseconds(3));
    Packet options = controlled(CongestionControl::hpcc);
    options.hpcc.stages = 0;
    options.hpcc.additive = Bytes{2000};
    const std::int64_t bytes = 20'000 * unit;
    const Duration late = microseconds(2000);
    const Schedule schedule = incast(fabric, 2, bytes, late);
    const Timeline timeline = replay(options, fabric, schedule);
    const double rtt = base_rtt(fabric, schedule);
    const double use = options.hpcc.eta + 2 * 2000 / (line * rtt);
    const double apart = rtt / (2 * 2000 / (line * rtt) / use);  // seconds in which the difference falls e-fold
    // The first has been alone for 2 ms. Of what is left half of the link is its own, but for the difference at first.
    const double alone = to_seconds(late) * (options.hpcc.eta + 2000 / (line * rtt)) * line;
    const double shared = 2 * (static_cast<double>(bytes) - alone) / (use * line);
    const double first = testing::seconds(timeline, 0) - to_seconds(late);
    CHECK(std::abs(first - shared) < apart);
    CHECK(testing::seconds(timeline, 1) > testing::seconds(timeline, 0));
}

TEST_CASE("Swift holds the round trip at its target, whatever the number of senders") {
    // Kumar et al., SIGCOMM'20, section 3.2: the queue is what the target leaves over the path's own round trip.
    const Fabric fabric = star(17, nanoseconds(500));
    Packet options = controlled(CongestionControl::swift);
    for (const bool scaled : {false, true}) {
        options.swift.range = scaled ? microseconds(100) : Duration{};
        for (const std::uint32_t senders : {2U, 4U, 16U}) {
            INFO(senders << " senders, scaled " << scaled);
            const Schedule schedule = incast(fabric, senders, 32'000 / senders * unit);
            const Timeline timeline = replay(options, fabric, schedule);
            const double base = base_rtt(fabric, schedule);
            const Swift flow(options.swift, line, static_cast<Ps>(base * 1e12), 1, unit);
            // The windows together hold the link's bytes of one target, which a smaller window makes longer (3.5).
            double low = 1e-3;
            double high = 1000;
            for (int i = 0; i < 100; ++i) {
                const double middle = (low + high) / 2;
                const bool fits = senders * middle * unit < line * flow.target(options.swift, middle) * 1e-12;
                (fits ? low : high) = middle;
            }
            const double queue = senders * low * unit - line * base;
            // Each adds a packet a round trip, and hears a round trip later that it was too many.
            CHECK(late_queue(timeline) > queue - 2.0 * senders * unit);
            CHECK(late_queue(timeline) < queue + 2.0 * senders * unit);
            CHECK(to_seconds(timeline.makespan) < 32'000.0 * unit / line * 1.02);
        }
    }
}

TEST_CASE("Swift's windows below one packet hold a queue of less than a packet of each sender, fairly if scaled") {
    // Kumar et al., SIGCOMM'20, sections 3.3 (pacing) and 3.5 (flow-based scaling, which is there for fairness).
    const Fabric fabric = star(101, nanoseconds(500));
    const Schedule schedule = incast(fabric, 100, 800 * unit);
    Packet options = controlled(CongestionControl::swift);
    options.swift.range = {};
    options.swift.hop = {};
    options.swift.base_target = microseconds(10);
    const Timeline paced = replay(options, fabric, schedule);
    CHECK(late_queue(paced) < 100 * unit / 2.0);
    Packet unpaced = options;
    unpaced.swift.least_window = 1;
    const double standing = 100 * unit - line * base_rtt(fabric, schedule);
    CHECK(late_queue(replay(unpaced, fabric, schedule)) > standing - 10 * unit);
    options.swift.range = microseconds(100);
    const Timeline scaled = replay(options, fabric, schedule);
    CHECK(fairness(scaled) > 0.95);
    CHECK(fairness(scaled) > fairness(paced) + 0.05);
    CHECK(to_seconds(scaled.makespan) < 100 * 800.0 * unit / line * 1.01);  // nobody idles
}

TEST_CASE("windows are the same on any number of threads, and move again after losses", "[threads]") {
    const Fabric fabric = testing::leaf_spine(16, 8);
    testing::Pairs pairs;
    for (std::uint32_t a = 0; a < 16; ++a) {
        for (std::uint32_t b = 0; b < 16; ++b) {
            if (a != b) { pairs.emplace_back(a, b); }
        }
    }
    const Schedule schedule = testing::messages(fabric, pairs, 50 * unit);
    for (const CongestionControl control : {CongestionControl::hpcc, CongestionControl::swift}) {
        Packet options = packets(FlowControl::pfc);
        options.congestion_control = control;
        const Timeline one = replay(options, fabric, schedule);
        options.share_all_windows = true;
        for (const int threads : {2, 4}) {
            options.threads = threads;
            const Timeline several = replay(options, fabric, schedule);
            CHECK(several.makespan == one.makespan);
            CHECK(several.packets->hops == one.packets->hops);
        }
        options.threads = 1;
        options.loss = 0.01;
        for (const LossRecovery recovery : {LossRecovery::go_back_n, LossRecovery::selective_repeat}) {
            options.recovery = recovery;
            const Timeline lossy = replay(options, fabric, schedule);
            CHECK(lossy.packets->resent > 0);
            CHECK(lossy.makespan < one.makespan * 50);
        }
    }
}

TEST_CASE("HPCC's window: five steps of W_AI in a row below eta of the fullest link, else W_c eta / U and one step") {
    // Li et al., SIGCOMM'19, Algorithm 1 and equation 2, by hand: a link that holds B T = 100,000 B.
    constexpr Ps base = 8'000'000;
    const HpccOptions o;
    packet::Hpcc flow(line, base);
    packet::HopRecord hop{.at = 0, .sent = 0, .queued = 0, .rate = line, .port = 1};
    std::uint32_t psn = 0;
    const auto after = [&](std::int64_t sent, std::int64_t queued) {  // a round trip in which so much passed
        hop.at += base;
        hop.sent += sent;
        hop.queued = queued;
        flow.on_echo(o, {&hop, 1}, psn, psn);
        ++psn;
        return flow.window();
    };
    CHECK(after(100'000, 50'000) == 100'000);  // nothing to compare with yet
    double window = 100'000 * 0.95 / (0.5 + 1) + 80;
    CHECK(after(100'000, 50'000) == Approx(window));  // half of B T waits while the link is full: U = 1.5
    for (int step = 1; step <= 5; ++step) { CHECK(after(76'000, 0) == Approx(window += 80)); }
    CHECK(after(76'000, 0) == Approx(window * 0.95 / 0.76 + 80));
}

TEST_CASE("Swift's target grows with switches on the way and with one over the root of a small window") {
    // Kumar et al., SIGCOMM'20, section 3.5: t + n h + alpha / sqrt(w) - alpha / sqrt(most), between 0 and the range.
    SwiftOptions o;
    o.hop = microseconds(3);
    const double us = 1e6;
    CHECK(packet::swift_target(o, 0, 100) == Approx(20 * us));
    CHECK(packet::swift_target(o, 5, 100) == Approx(35 * us));
    CHECK(packet::swift_target(o, 5, 10'000) == Approx(35 * us));
    CHECK(packet::swift_target(o, 5, 0.1) == Approx(135 * us));
    CHECK(packet::swift_target(o, 5, 0.001) == Approx(135 * us));
    const double alpha = 100 * us / (std::sqrt(10) - 0.1);
    CHECK(packet::swift_target(o, 5, 1) == Approx(35 * us + alpha * 0.9));
    CHECK(packet::swift_target(o, 5, 25) == Approx(35 * us + alpha * 0.1));
}

}  // namespace fabricast
