#pragma once
// The closed form of a Pipeline (sim/schedule.hpp), split where the flow engine needs it: how long it runs at a given
// rate before it lets go of its stream, and how long its last bytes then take to arrive.

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "sim/schedule.hpp"

namespace fabricast {

// Rates here are wire bytes per second on the pipeline's costlier kind of edge.
inline double costlier_wire_ratio(const Pipeline& pipeline) {
    return std::max(pipeline.wire_ratio, pipeline.network_wire_ratio);
}

class PipelineForm {
public:
    // `hop_latency`: path latency of each of the schedule's stages.
    PipelineForm(const Schedule& schedule, const Pipeline& pipeline, std::span<const Duration> hop_latency)
        : wire_chunk_(pipeline.chunk * costlier_wire_ratio(pipeline)),
          shortest_tau_(pipeline.chunk / pipeline.edge_rate_cap + to_seconds(pipeline.chunk_overhead)),
          fill_(pipeline.fill),
          slices_(pipeline.slices),
          slots_(pipeline.slots),
          cyclic_(pipeline.cyclic) {
        double hops = 0;
        for (std::uint32_t s = pipeline.first_stage; s < pipeline.first_stage + pipeline.stage_count; ++s) {
            const Stage& stage = schedule.stages[s];
            const double latency = to_seconds(stage.overhead + hop_latency[s]);
            stages_.push_back({stage.count, latency});
            hops += stage.count;
            largest_latency_ = std::max(largest_latency_, latency);
        }
        streaming_ = std::max(0.0, pipeline.bytes_per_edge / pipeline.chunk - (cyclic_ ? hops : 1));
    }

    // Seconds of one chunk at this rate.
    double tau(double rate) const { return std::max(wire_chunk_ / rate, shortest_tau_); }

    // The rate above which a faster network changes nothing.
    double rate_cap() const {
        return shortest_tau_ > 0 ? wire_chunk_ / shortest_tau_ : std::numeric_limits<double>::infinity();
    }

    // Seconds from the end of `start` to the release.
    double running(double tau) const {
        const double beat = std::max(tau, (2 * largest_latency_ + tau) / slots_);
        double seconds = streaming_ * beat + fill_ * tau;
        for (const Hop& hop : stages_) {
            seconds += hop.count * (cyclic_ ? stage(hop, tau) : tau);
        }
        return seconds;
    }

    // Seconds from the release to the finish.
    double draining(double tau) const {
        double seconds = 0;
        for (const Hop& hop : stages_) {
            seconds += cyclic_ ? 0 : hop.count * (stage(hop, tau) - tau);
        }
        return seconds;
    }

private:
    struct Hop {
        double count, latency;
    };
    double stage(const Hop& hop, double tau) const { return std::max(tau, hop.latency + tau / slices_); }

    std::vector<Hop> stages_;
    double wire_chunk_;
    double shortest_tau_;
    double largest_latency_ = 0;
    double streaming_ = 0;  // chunks beside those of the stages
    double fill_;
    double slices_;
    double slots_;
    bool cyclic_;
};

}  // namespace fabricast
