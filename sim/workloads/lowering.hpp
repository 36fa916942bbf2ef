#pragma once
// One training step as a Schedule: representatives compute, groups communicate.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/schedule.hpp"
#include "sim/workloads/layout.hpp"
#include "sim/workloads/memory.hpp"
#include "sim/workloads/model_shape.hpp"
#include "sim/workloads/volumes.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// What an operation of a step is for.
enum class StepTag : std::uint8_t { tensor, context, expert, pipeline, data, compute, fixed };  // CommKind first

struct StepOp {
    StepTag tag = StepTag::compute;
    bool forward = true;
    std::uint32_t stage = 0;
    std::uint32_t micro_batch = 0;
    std::uint32_t chunk = 0;
};

struct StepPlan {
    Schedule schedule;        // kept: every operation, in order
    std::vector<StepOp> ops;  // of each operation of the schedule
    ModelShape model;
    Layout layout;
    StepMemory memory;
    CommVolumes volumes;
    double model_flops = 0;  // of the whole step, as papers count them
    double peak = 0;         // FLOP/s of the step's precision on one GPU
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes;
    std::array<Evidence, comm_kinds> evidence{};  // of each kind's collectives
    std::vector<std::string> evidence_notes;      // of the collectives
};

// Identical replicas are simulated once, or each on its own: the test's oracle.
enum class Replicas : std::uint8_t { folded, each };

// Throws LayoutError, PlanError, CatalogError.
StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                   const Catalog& catalog, Replicas replicas = Replicas::folded);

}  // namespace fabricast
