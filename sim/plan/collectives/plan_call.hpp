#pragma once
// Lowers one call of a collective with the chosen algorithm, and launches its iterations: as nccl-tests posts them, the
// host runs ahead, and the stream runs one kernel at a time. Tells what it rests on.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Whether NCCL makes this collective from sends and receives.
bool is_p2p(Collective collective);
bool has_root(Collective collective);
// Whether this is another library's algorithm, lowered message by message.
bool is_stepped(Algorithm algorithm);

// The lowerings for which NCCL chooses no algorithm, in kinds/. plan_steps and plan_msccl throw PlanError if the
// collective has no such form, or there would be too many messages or nodes.
LoweredCall plan_p2p(const Call& call, Schedule& schedule);
LoweredCall plan_steps(const Call& call, Schedule& schedule);
LoweredCall plan_msccl(const Call& call, Schedule& schedule);

// Adds the call's iterations to the plan, launched as the spec says, and keeps the end of each. Throws PlanError.
LoweredCall plan_call(const Call& call, const LaunchSpec& spec, CallPlan& plan, int iterations = planned_iterations);

// The time of one call, planned as `schedule`, with the links to itself; 0 if it is no stream.
double seconds_alone(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, const Schedule& schedule);

// Sets the plan's evidence, interval and figures; the plan has the call as lowered and launched.
void judge(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, CallPlan& plan);

}  // namespace fabricast::inline collectives
