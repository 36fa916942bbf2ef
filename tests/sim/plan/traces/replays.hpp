#pragma once
// Recordings replayed on one system.

#include <string>
#include <utility>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/report/summarize_trace.hpp"
#include "sim/scenario/build.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catalogue.hpp"

namespace fabricast::test {

inline Scenario system_of(const std::string& node, std::uint32_t nodes = 1, std::uint32_t gpus = 0) {
    Scenario s;
    s.cluster.node = node;
    s.cluster.nodes = nodes;
    s.cluster.gpus_per_node = gpus;
    return s;
}

// A recording replayed on one system, with all that a test may ask.
struct Run {
    Recording recording;
    Scenario scenario;
    Fabric fabric;
    RecordedJob job;
    GpuScaling scaling;
    PlannedCalls calls;
    Replayed replayed;
    Timeline timeline;

    Run(Recording r, const Scenario& system, const std::string& recorded_on = "", std::uint32_t ranks = 0,
        const Engine& engine = Flow{})
        : recording(std::move(r)),
          scenario(system),
          fabric(build(scenario, catalogue())),
          job(recorded_job(recording, fabric.gpu_count(), ranks)),
          scaling(gpu_scaling(catalogue(), fabric.node().gpu, recorded_on, recording.recorded_on)),
          calls(fabric, scenario.library, catalogue()),
          replayed(make_replayed(recording, job, fabric, scaling, calls)),
          timeline(replay(engine, fabric, replayed.schedule)) {}

    Duration makespan() const { return timeline.makespan; }
    TraceFacts facts() const { return {recording, job, replayed}; }
    ReplayReport report() const {
        Report out;
        summarize(facts(), {Plan{}, Timelines{timeline, {}}, fabric, catalogue()}, out);
        return *out.replay;
    }
    std::vector<TraceSpan> spans() const {
        return spans_of(facts(), {Plan{}, Timelines{timeline, {}}, fabric, catalogue()});
    }
};

inline std::string yaml_of(const std::string& ranks, const std::string& groups = "[{name: g, size: 2}]",
                           int world = 2) {
    return "recording: 1\nworld: " + std::to_string(world) + "\ngroups: " + groups + "\nranks:\n" + ranks;
}

inline Run run_yaml(const std::string& text, const Scenario& system, const std::string& recorded_on = "") {
    const TempFolder folder;
    return Run(import_text(folder, "r.yaml", text), system, recorded_on);
}

}  // namespace fabricast::test
