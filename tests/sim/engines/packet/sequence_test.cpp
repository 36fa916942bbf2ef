// The packets of a watched connection: every byte comes once, and every other thing that is counted is seen.

#include <algorithm>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::incast;
using testing::leaf_spine;
using testing::messages;
using testing::packets;
using testing::star;
using testing::unit;

PacketUse watched(const Fabric& fabric, const Schedule& schedule, Packet options) {
    const PathQuery& path = schedule.connections.front().path;
    options.series = true;
    options.sequence = {fabric.device_name(path.src), fabric.device_name(path.dst)};
    return *replay(options, fabric, schedule).packets;
}

std::int64_t count(const PacketSequence& sequence, auto&& which) {
    return std::ranges::count_if(sequence.flights, which);
}
std::int64_t count(const PacketSequence& sequence, PacketFlight::Fate fate) {
    return count(sequence, [&](const PacketFlight& flight) { return flight.fate == fate; });
}
bool is_again(const PacketFlight& flight) { return flight.again; }

// Whether those that were taken are the message, each byte once, and none came before it was sent.
void check_whole(const PacketSequence& sequence, std::int64_t bytes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> came;
    for (const PacketFlight& flight : sequence.flights) {
        if (flight.fate == PacketFlight::arrived) { came.emplace_back(flight.first, flight.bytes); }
        if (flight.fate != PacketFlight::under_way) { CHECK(flight.ended > flight.sent); }
    }
    std::ranges::sort(came);
    std::int64_t next = 0;
    for (const auto& [first, size] : came) {
        CHECK(first == next);
        next += size;
    }
    CHECK(next == bytes);
    CHECK(sequence.bytes == bytes);
    CHECK(sequence.ends == std::vector{bytes});
    CHECK(sequence.left_out == 0);
}

}  // namespace

TEST_CASE("every byte of a watched message comes once, and is sent again as often as is counted") {
    const Fabric fabric = star(2);
    const std::int64_t bytes = 500 * unit + 100;
    const Schedule schedule = messages(fabric, {{0, 1}}, bytes);
    for (const double loss : {0.0, 0.02}) {
        for (const LossRecovery recovery : {LossRecovery::go_back_n, LossRecovery::selective_repeat}) {
            INFO(loss << " " << to_string(recovery));
            Packet options = packets();
            options.loss = loss;
            options.recovery = recovery;
            options.retransmit_timeout = microseconds(50);
            const PacketUse use = watched(fabric, schedule, options);
            const PacketSequence& sequence = use.sequence.value();
            check_whole(sequence, bytes);
            CHECK((use.resent > 0) == (loss > 0));
            CHECK(count(sequence, is_again) == use.resent);
            CHECK(count(sequence, PacketFlight::dropped) == use.drops);
            CHECK(count(sequence, PacketFlight::refused) == use.delivered - 501);
            CHECK(std::ranges::count(sequence.signals, PacketSignal::timeout, &PacketSignal::kind) == use.timeouts);
            std::int64_t acknowledged = 0;
            for (const PacketSignal& signal : sequence.signals) {
                if (signal.kind != PacketSignal::acknowledged) { continue; }
                acknowledged = std::max(acknowledged, signal.byte);
                const auto came = std::ranges::count_if(sequence.flights, [&](const PacketFlight& flight) {
                    return flight.fate == PacketFlight::arrived && flight.first < signal.byte &&
                           flight.ended < signal.at;
                });
                CHECK(came * unit == signal.byte);
            }
            CHECK((acknowledged > bytes / 2) == (loss > 0));  // the last one comes when all is over
        }
    }
}

TEST_CASE("what a watched message meets in an incast is what the ports count") {
    const Fabric fabric = star(4, microseconds(1));
    const std::int64_t bytes = 1000 * unit;
    const Schedule schedule = incast(fabric, 3, bytes);
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{400'000};
    const PacketUse paused = watched(fabric, schedule, options);
    check_whole(*paused.sequence, bytes);
    Duration pauses;
    for (const auto& [from, to] : paused.sequence->pauses) { pauses += to - from; }
    const std::string port = fabric.device_name(fabric.nic(1, 0)) + " -> ";
    const auto own = std::ranges::find_if(
        paused.ports, [&](const PortUse& use) { return fabric.link_name(use.link).starts_with(port); });
    REQUIRE(own != paused.ports.end());
    CHECK(pauses > Duration{});
    CHECK(pauses == own->paused);

    options = packets(FlowControl::automatic);
    options.congestion_control = CongestionControl::nscc;
    options.trim = true;
    options.alpha = 64;
    const PacketUse trimmed = watched(fabric, schedule, options);
    check_whole(*trimmed.sequence, bytes);
    CHECK(count(*trimmed.sequence, PacketFlight::trimmed) > 0);
    CHECK(count(*trimmed.sequence, PacketFlight::trimmed) == count(*trimmed.sequence, is_again));
    CHECK(count(*trimmed.sequence, [](const PacketFlight& flight) { return flight.marked; }) > 0);
}

TEST_CASE("a watched message may be sprayed, is bounded, and may not be there") {
    const Fabric fabric = leaf_spine(8, 4);
    Packet options = packets();
    options.routing = PacketRouting::spray;
    options.threads = 4;  // it runs on one
    const PacketUse sprayed = watched(fabric, messages(fabric, {{0, 7}, {1, 6}}, 300 * unit), options);
    check_whole(*sprayed.sequence, 300 * unit);
    const PacketUse large = watched(fabric, messages(fabric, {{0, 7}}, 10'000 * unit), options);
    CHECK(large.sequence->flights.size() == 4096);
    CHECK(large.sequence->left_out == 10'000 - 4096);
    CHECK(large.sequence->bytes == 10'000 * unit);
    options.series = true;
    options.sequence = {"node2.nic0", "node3.nic0"};
    CHECK(replay(options, fabric, messages(fabric, {{0, 7}}, unit)).packets->sequence.value().flights.empty());
}

TEST_CASE("a message that is sprayed over the planes of its NIC has all of them, a hashed one has one") {
    FabricSpec spec = tiny::fabric(FabricKind::dual_plane);
    spec.link.family = LinkFamily::ethernet;
    spec.choice = PathChoice::ecmp;
    const std::int64_t bytes = 2000 * unit;
    for (const std::uint32_t planes : {2U, 4U}) {
        spec.planes = planes;
        const Fabric fabric(tiny::cluster(8, 1, spec));
        Schedule schedule;
        schedule.connections.push_back({{.src = fabric.gpu(0), .dst = fabric.gpu(5), .kind = PathKind::network}});
        schedule.kept.push_back(schedule.add(Transfer{0, {bytes}, {}}));
        const double whole = static_cast<double>(bytes) / testing::rate;
        Packet options = packets();
        CHECK(to_seconds(replay(options, fabric, schedule).makespan) > planes * whole);
        options.routing = PacketRouting::spray;
        CHECK(to_seconds(replay(options, fabric, schedule).makespan) < 1.05 * whole);
        check_whole(*watched(fabric, schedule, options).sequence, bytes);
    }
}

}  // namespace fabricast
