#pragma once
// What one operation spends its time on: the closed form of sim/engines/common/schedule.hpp taken apart, each term
// blamed on the link, the library or the device that it belongs to. Time beyond the closed form was spent waiting for
// others.

#include <span>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/run/explain/blame.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Up to which of its ends an operation was on the critical path.
enum class Until : std::uint8_t { release, finish };

class OperationBlame {
public:
    // Keeps references to what it is given.
    OperationBlame(const Fabric& fabric, const Schedule& schedule);

    // What `seconds` of the operation, from when it could go on to `until`, went into; adds up to `seconds`. A message
    // that queued behind its connection's predecessor (`queued`) spent them on the wire alone.
    BlameSheet blame(OpId op, Until until, bool queued, double seconds) const;

private:
    struct Binding;  // the link that sets the pace of a class
    void pipeline(std::uint32_t index, Until until, BlameSheet& sheet) const;
    void transfer(const Transfer& transfer, bool queued, BlameSheet& sheet) const;
    void compute(const Compute& compute, BlameSheet& sheet) const;
    void path_latency(const Path& path, double times, BlameSheet& sheet) const;
    Binding binding(std::uint32_t cls, double members) const;

    const Fabric& fabric_;
    const Schedule& schedule_;
    Network network_;
    DeviceLimits limits_;
};

}  // namespace fabricast
