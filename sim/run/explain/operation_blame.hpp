#pragma once
// What one operation spends its time on: the closed form of sim/engines/common/schedule.hpp term by term, each term
// blamed on a link, the library or a device. Time beyond the closed form was spent waiting for other operations.

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/run/explain/blame.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline explain {

// Which end of an operation the critical path left it by.
enum class Until : std::uint8_t { release, finish };

class OperationBlame {
public:
    // Both arguments must outlive this.
    OperationBlame(const Fabric& fabric, const Schedule& schedule);

    // Blames `seconds` of the operation, from when it could proceed to `until`; the sheet adds up to `seconds`.
    // `queued`: a message that waited for its predecessor on the connection, so all its time was on the wire.
    BlameSheet blame(OpId op, Until until, bool queued, double seconds) const;

private:
    struct Binding;  // the link that limits the rate of a class
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

}  // namespace fabricast::inline explain
