#pragma once
// What the flow engine sees of a fabric and a schedule: rows (links that are loaded alike, merged), and classes (flows
// that cross the same rows). Built once per replay by make_fluid_network(); tests build small ones by hand.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

// The links of one row that are of one kind and capacity, for accounting.
struct LinkPart {
    LinkId first{};  // represents them in reports: the smallest id
    LinkClass cls = LinkClass::other;
    double capacity = 0;
    std::uint64_t count = 0;
};

// Flows that take the same path. Rows that no other class crosses are its own: they cap it and need no solver.
struct FlowClass {
    std::uint32_t begin = 0, shared = 0,
                  end = 0;  // crossings: own rows in [begin, shared), shared ones in [shared, end)
    double own_capacity = std::numeric_limits<double>::infinity();  // for all members together: min over own rows
    double cap = std::numeric_limits<double>::infinity();           // wire rate of one member
};

// From an event on, a connection or pipeline belongs to another class, since its links went down or came up again.
struct Detour {
    std::uint32_t event = 0;
    bool pipeline = false;
    std::uint32_t user = 0;  // the connection or pipeline
    std::uint32_t cls = 0;
    Duration latency;             // latency of a connection's new path
    std::uint32_t first_hop = 0;  // into Network::hops: a pipeline's stages on their new paths
};

struct Network {
    // Rows. All links of a row are crossed equally often by every class, so the smallest capacity binds.
    std::vector<double> capacity;
    std::vector<std::uint32_t> part_end;  // per row: end of its range in `parts`
    std::vector<LinkPart> parts;
    std::vector<std::uint32_t> part_of_link;  // index into `parts`, or no_row; empty above links_kept links

    std::vector<FlowClass> classes;
    std::vector<std::uint32_t> crossing_row;
    std::vector<double> crossing_times;

    std::vector<std::uint32_t> class_of_connection;  // per connection of the schedule
    std::vector<std::uint32_t> class_of_pipeline;    // per pipeline of the schedule; each has its own class
    std::vector<Duration> latency_of_connection;     // latency of the path
    std::vector<HopPath> hops;                       // of each pipeline's stages, pipeline after pipeline
    std::vector<std::uint32_t> first_hop;            // per pipeline, into `hops`
    std::vector<std::uint32_t> row_of_event;         // per link event: the row of its link, or no_row
    std::vector<Detour> detours;  // of connections in order of events, then of pipelines in order of events

    static constexpr std::uint32_t no_row = 0xffffffffU;

    std::span<const HopPath> hops_of(std::size_t pipeline) const {
        return std::span(hops).subspan(first_hop[pipeline]);
    }
    std::size_t part_begin(std::size_t row) const { return row == 0 ? 0 : part_end[row - 1]; }
};

// Splits each class's crossings into own and shared rows and fills own_capacity. Rows in `shared_always` (whose
// capacity changes over time) are never own. Call after classes and crossings are complete.
void divide_rows(Network& network, const std::vector<std::uint32_t>& shared_always);

// Rate of one member of a class whose `members` members have the network to themselves.
double rate_alone(const Network& network, std::uint32_t cls, double members);

// Seconds from the end of a pipeline's `start` to its release, and from there to its finish, if it is alone.
struct PipelineAlone {
    double running, draining;
};
PipelineAlone pipeline_alone(const Network& network, const Schedule& schedule, std::uint32_t pipeline);

// Wire bytes that each class moves in total; a byte counts once, however many links it crosses.
std::vector<double> bytes_of_classes(const Network& network, const Schedule& schedule);

}  // namespace fabricast::inline engine_common
