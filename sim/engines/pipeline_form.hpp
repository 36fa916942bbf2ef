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

// Wire bytes of all its channels over one crossing of an edge.
inline double wire_bytes(const Pipeline& pipeline) {
    return pipeline.bytes_per_edge * pipeline.weight * costlier_wire_ratio(pipeline);
}

// The path of a stage's hop: its latency, and the wire rate that one channel has on its links when nothing else runs.
struct HopPath {
    Duration latency;
    double rate = 0;  // 0: the hop is not one of the pipeline's edges and runs at the pipeline's own pace
    bool between_nodes = false;
};

class PipelineForm {
public:
    // `hops`: one for each stage of the pipeline.
    PipelineForm(const Schedule& schedule, const Pipeline& pipeline, std::span<const HopPath> hops)
        : wire_chunk_(pipeline.chunk * costlier_wire_ratio(pipeline)),
          inside_tau_(pipeline.chunk / pipeline.edge_rate_cap + to_seconds(pipeline.chunk_overhead)),
          shortest_tau_(std::max(inside_tau_, to_seconds(pipeline.chunk_posting))),
          fill_(pipeline.fill),
          slices_(pipeline.slices),
          slots_(pipeline.slots),
          cyclic_(pipeline.cyclic) {
        for (std::uint32_t i = 0; i < pipeline.stage_count; ++i) {
            const Stage& stage = schedule.stages[pipeline.first_stage + i];
            const double latency = to_seconds(stage.overhead + hops[i].latency);
            const double least = hops[i].between_nodes ? shortest_tau_ : inside_tau_;
            const double own_tau = hops[i].rate > 0 ? std::max(wire_chunk_ / hops[i].rate, least)
                                                    : std::numeric_limits<double>::infinity();
            stages_.push_back({stage.count, latency, own_tau});
            steps_ += stage.count;
            largest_latency_ = std::max(largest_latency_, latency);
        }
        streaming_ = std::max(0.0, pipeline.bytes_per_edge / pipeline.chunk - (cyclic_ ? steps_ : 1));
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
        return streaming_ * beat + fill_ * tau + (cyclic_ ? steps(tau) : std::min(steps(tau), tau));
    }

    // Seconds from the release to the finish.
    double draining(double tau) const { return cyclic_ ? 0 : std::max(0.0, steps(tau) - tau); }

private:
    struct Hop {
        double count, latency;
        double own_tau;  // chunk time of the hop's own links
    };
    // All stages: a chunk crosses a hop at the pace of the hop's own links. In a ring every edge takes every step, so
    // that the slowest may need longer than the chunk that goes all the way round (the two cycles of its event graph:
    // Baccelli et al., Synchronization and Linearity, 1992, 2.3).
    double steps(double tau) const {
        double seconds = 0;
        for (const Hop& hop : stages_) {
            seconds += hop.count * (hop.latency + std::min(hop.own_tau, tau) / slices_);
        }
        return cyclic_ ? std::max(seconds, steps_ * tau) : seconds;
    }

    std::vector<Hop> stages_;
    double wire_chunk_;
    double inside_tau_;    // on edges inside a node, beside the links
    double shortest_tau_;  // on any edge
    double steps_ = 0;
    double largest_latency_ = 0;
    double streaming_ = 0;  // chunks beside those of the stages
    double fill_;
    double slices_;
    double slots_;
    bool cyclic_;
};

}  // namespace fabricast
