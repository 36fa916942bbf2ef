#pragma once
// A plan with its timelines, and what its links and packets carried.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report {

// What every kind's part of summarize() is given.
struct ReplayedPlan {
    const Plan& plan;
    const Timelines& timelines;
    const Fabric& fabric;
    const Catalog& catalog;
};

LinkTraffic link_traffic(std::string row, const ReplayedPlan& replayed);

// "node0.gpu3 -> node0.nvswitch 97 %": the busiest link if it is busy for at least `least` of the time, else empty.
std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least);

// Adds what the packet engine counted for a row; nothing if another engine made the timeline. `calls`: the number of
// back-to-back calls of a collective; the first `calls` operations that the timeline keeps end them.
void add_packets(Report& report, Bytes size, const Timeline& timeline, const Fabric& fabric, int calls = 0);

// ", 3 calls back to back" if the replay has several calls; empty if it has one.
std::string calls_text(const PacketTraffic& traffic);

// How far the calls of a run with losses or marks differ; empty if by less than 5 %.
std::string calls_differ(const PacketTraffic& traffic);

// "64 MiB, 3 calls back to back" between `before` and `after`; empty for a training step, which has no size.
std::string at_size(std::string_view before, const PacketTraffic& traffic, std::string_view after = "");

// ", call 2 of 3": the first call that has not ended at `time`. Empty if all have ended, or if there is only one.
std::string call_at(const PacketTraffic& traffic, Time time);

// One line of text for each row: packets delivered, marked, paused, dropped and resent.
std::string packet_lines(const std::vector<PacketTraffic>& packets);

// The `packets` member of a result; names end in their SI unit.
Json packets_json(const std::vector<PacketTraffic>& packets);
Json packets_schema();

}  // namespace fabricast::inline report
