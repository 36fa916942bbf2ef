#pragma once
// Several jobs on one fabric: their plans side by side in one schedule, each of them call after call.

#include <cstddef>
#include <vector>

#include "sim/plan/plan.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline plans {

// A plan of one job. `fabric` is the joint one with ranks on the job's nodes (Fabric::on).
struct JobSide {
    const Plan& plan;
    const Fabric& fabric;
    std::size_t times = 1;  // how often a plan without calls of its own (a training step, a trace) runs
};

struct JointSchedule {
    Schedule schedule;
    // For each job, which of the kept operations end its calls, in their order.
    std::vector<std::vector<std::size_t>> ends;
};

JointSchedule joint_schedule(const std::vector<JobSide>& sides);

}  // namespace fabricast::inline plans
