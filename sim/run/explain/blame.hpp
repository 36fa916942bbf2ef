#pragma once
// Where a result's time went: the stretches of its critical path, each with what bound it. They add up to the whole.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/schedule.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline explain {

enum class BlameKind : std::uint8_t {
    compute,    // kernels at the speed that they have when they run alone
    bandwidth,  // bytes on a link at the rate that events leave it
    latency,    // of links and switches, and windows of buffers that wait for a round trip
    protocol,   // what library and transport add: hops, the channels' copy loops, starts
    launch,     // the host: issuing work, and what a framework adds once per step
    wait        // for other operations: on a link, on a GPU's SMs and memory, or in a queue
};
std::string_view to_string(BlameKind kind);

struct Blame {
    BlameKind kind = BlameKind::wait;
    std::string what;  // "nic-port", "hop between nodes", "arithmetic"
    std::string part;  // part of the workload: "tensor-parallel", "nvls-tree simple"; may be empty
    std::string hop;   // a representative link: "node0.nic0 -> leaf0"; empty if the time was not spent on a link
    double seconds = 0;
};

// Whether two entries differ at most in their seconds and in the device numbers of their hops.
bool alike(const Blame& a, const Blame& b);

// The total seconds of each kind.
std::map<BlameKind, double> by_kind(const std::vector<Blame>& blames);

// Collects stretches. Stretches that are alike() become one entry under the name of the first hop.
class BlameSheet {
public:
    void add(BlameKind kind, std::string_view what, std::string_view hop, double seconds, std::string_view part = "");
    // Adds the entries of another sheet, with their seconds times `factor`, as part `part` of the workload.
    void add(const BlameSheet& other, std::string_view part, double factor);
    double total() const;
    // Largest first; equal entries in the order of kind, part and what.
    std::vector<Blame> sorted() const;

private:
    std::vector<Blame> entries_;
};

// Which end of an operation the critical path left it by.
enum class Until : std::uint8_t { release, finish };

struct Stretch {
    Time from, to;

    double seconds() const { return to_seconds(to - from); }
};

// What one operation spends its time on: the closed form of sim/engines/common/schedule.hpp term by term, each term
// blamed on a link, the library or a device. Time beyond the closed form was spent waiting for other operations.
class OperationBlame {
public:
    // Fabric and schedule must outlive this.
    OperationBlame(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events);

    // Blames the operation's time from when it could proceed to `until`; the sheet adds up to it. `queued`: a message
    // that waited for its predecessor on the connection, so all its time was on the wire.
    BlameSheet blame(OpId op, Until until, bool queued, Stretch stretch) const;

private:
    struct Binding;  // the link that limits the rate of a class
    void pipeline(std::uint32_t index, Until until, Stretch stretch, BlameSheet& sheet) const;
    void transfer(const Transfer& transfer, bool queued, Stretch stretch, BlameSheet& sheet) const;
    void compute(const Compute& compute, BlameSheet& sheet) const;
    void path_latency(const Path& path, double times, BlameSheet& sheet) const;
    Binding binding(std::uint32_t cls, double members, Stretch stretch) const;
    double share_of(std::uint32_t row, Stretch stretch) const;

    const Fabric& fabric_;
    const Schedule& schedule_;
    std::vector<LinkEvent> events_;  // of links
    Network network_;
    DeviceLimits limits_;
};

}  // namespace fabricast::inline explain
