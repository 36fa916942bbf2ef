#pragma once
// Adds the operations of a step to its schedule, and records what each one is for.

#include <span>
#include <vector>

#include "sim/plan/training/group_calls.hpp"
#include "sim/plan/training/step_plan.hpp"

namespace fabricast::inline training {

using Ends = std::vector<Schedule::Dependency>;

// Both lists of dependencies as one.
Ends joined(Ends a, const Ends& b);

// Host memory in place of the GPU's.
struct HostMemory {
    DeviceId device{};
    double bandwidth = 0;    // bytes/s, of all that read and write it
    std::uint32_t gpus = 0;  // of the node that it is nearest to
};
// The memory nearest to the GPU. Throws PlanError if the node has none.
HostMemory host_memory_of(const Fabric& fabric, DeviceId gpu);

// Parameters that trainers which give each rank whole tensors broadcast, one rank after another: some of `all` that the
// stage's layers have, and embedding and head, which are tensors of their own.
struct TensorBroadcast {
    double layers = 0, all = 0, front = 0, back = 0;
    double bytes = 2;  // of a parameter
};

class StepBuilder {
public:
    // `lanes`: data ranks that are simulated separately; 1: one represents all.
    StepBuilder(StepPlan& plan, const Fabric& fabric, GroupCalls& calls, const LayerCosts& step, std::uint32_t lanes)
        : plan_(plan), fabric_(fabric), calls_(calls), step_(step), lanes_(lanes) {}

    const LayerCosts& step() const { return step_; }
    std::uint32_t lanes() const { return lanes_; }

    // Each function returns the operations that end what it added, or `after` if there was nothing to do.
    Ends compute(const Work& work, const StepOp& what, std::uint32_t lane, Ends after);
    // A call on one lane of the stage, or on all its lanes (Layout::all).
    Ends call(const GroupCall& call, const Groups& groups, const StepOp& what, std::uint32_t lane, Ends after);
    // `times` calls of `width` bytes for each shared parameter over these groups, then for the experts' if there are
    // any.
    Ends call_on(Collective collective, double width, const Held& held, const Groups& groups, const StepOp& what,
                 const Ends& after, double times = 1);
    // A layer has `broadcast.tensors` of the framework: no more ranks have any.
    Ends broadcast_tensors(const TensorBroadcast& parameters, const StepOp& what, Ends after);
    Ends phases(const Phases& phases, const StepOp& what, std::uint32_t lane, Ends after);
    // Sends the activations of all ranks of the lane from the operation's stage to another.
    Ends send(const StepOp& what, std::uint32_t to, std::uint32_t lane, const Ends& after);
    // What the stage's action writes to host memory, or reads from there, beside its computation.
    Ends offload_activations(const StepOp& what, std::uint32_t lane, const Ends& after);
    // The host launches the kernels of the stage's next action, after those of the actions before it. It does not wait
    // for the GPU, but the GPU cannot be done before it.
    Ends launch(const StepOp& what, std::uint32_t lane);
    // The largest values of a pass's 8-bit tensors, from which the next scales come, are reduced over all ranks of the
    // stage, where the framework does that.
    Ends reduce_scales(const StepOp& what, std::uint32_t lane, Ends after);
    // Of so many layers, by so many calls.
    Ends reduce_scales(double layers, double calls, const StepOp& what, std::uint32_t lane, Ends after);
    // The stage computes nothing for as long, because of its data-parallel group.
    Ends hold_up(double seconds, const StepOp& what, Ends after);
    // Runs the optimizer on every stage, then adds the fixed time of the framework.
    Ends finish(const std::vector<Held>& held_of_stage, const Ends& after);

private:
    std::uint32_t lane_of_groups(std::uint32_t lane) const { return lanes_ == 1 ? Layout::all : lane; }
    DeviceId device(std::uint32_t stage, std::uint32_t lane) const;
    Ends add(const GroupCall& call, const Groups& groups, std::span<const DeviceId> devices, const StepOp& what,
             Ends after, GroupDirection direction);
    // What a rank's data-parallel buffers move at most, by its framework; 0: as fast as the network.
    double most_rate(const Groups& groups) const;
    // A copy to host memory or from there, of each of the stage's GPUs on the representative's node.
    Ends copy(const StepOp& what, std::uint32_t lane, double bytes, bool to_host, const Ends& after);
    // Gradients to the host, the optimizer's step there, parameters back, for `held` parameters of each GPU.
    Ends step_on_host(const StepOp& what, std::uint32_t lane, double held, const Ends& after);
    Ends wait(Duration duration, const StepOp& what, Ends after);
    Ends delay(std::uint32_t host, Duration duration, StepTag kind, const StepOp& what, Ends after);
    void tag(StepOp what, StepTag as);

    StepPlan& plan_;
    const Fabric& fabric_;
    GroupCalls& calls_;
    const LayerCosts& step_;
    std::uint32_t lanes_;
    std::uint32_t hosts_ = 0;
};

}  // namespace fabricast::inline training
