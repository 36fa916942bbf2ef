#pragma once
// The closed form of a Pipeline (sim/engines/common/schedule.hpp), split where the flow engine needs it: how long it
// runs at a given rate before it releases its stream, and how long its last bytes then take to arrive.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

// Rates here are wire bytes per second on the pipeline's costlier kind of edge.
inline double costlier_wire_ratio(const Pipeline& pipeline) {
    return std::max(pipeline.wire_ratio, pipeline.network_wire_ratio);
}

// Wire bytes of all its channels over one crossing of an edge.
inline double wire_bytes(const Pipeline& pipeline) {
    return pipeline.bytes_per_edge * pipeline.weight * costlier_wire_ratio(pipeline);
}

// Least seconds of one chunk on an edge, however fast the links.
inline double least_tau(const Pipeline& pipeline, bool between_nodes) {
    const double inside = pipeline.chunk / pipeline.edge_rate_cap + to_seconds(pipeline.chunk_overhead);
    return between_nodes ? std::max(inside, to_seconds(pipeline.chunk_posting)) : inside;
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
          shortest_tau_(least_tau(pipeline, true)),
          calls_(pipeline.calls),
          chunks_((pipeline.bytes_per_edge / pipeline.chunk + pipeline.fill) / calls_),
          fill_(std::max(0.0, pipeline.fill / calls_)),
          slices_(pipeline.slices),
          slots_(std::max(1.0, pipeline.slots)),
          cyclic_(pipeline.cyclic) {
        for (std::uint32_t i = 0; i < pipeline.stage_count; ++i) {
            const Stage& stage = schedule.stages[pipeline.first_stage + i];
            if (stage.count <= 0) { continue; }
            const double latency = to_seconds(stage.overhead + hops[i].latency);
            const double least = least_tau(pipeline, hops[i].between_nodes);
            const double own_tau = hops[i].rate > 0 ? std::max(wire_chunk_ / (hops[i].rate * pipeline.turns), least)
                                                    : std::numeric_limits<double>::infinity();
            stages_.push_back({stage.count / calls_, latency, own_tau});
            steps_ += stage.count / calls_;
            if (latency > stages_[longest_].latency) { longest_ = stages_.size() - 1; }
            credit_ = std::max(credit_, to_seconds(stage.credit + hops[i].latency));
        }
    }

    // Seconds that one chunk takes at this rate.
    double tau(double rate) const { return std::max(wire_chunk_ / rate, shortest_tau_); }

    // The rate above which a faster network changes nothing.
    double rate_cap() const {
        return shortest_tau_ > 0 ? wire_chunk_ / shortest_tau_ : std::numeric_limits<double>::infinity();
    }

    // Seconds from the end of `start` to the release. Of several calls each waits until the one before has arrived.
    double running(double tau) const { return calls_ * one_running(tau) + (calls_ - 1) * draining(tau); }

    // Seconds from the release to the finish.
    double draining(double tau) const { return cyclic_ ? 0 : way(tau); }

private:
    // Of one call: at least what all its chunks take on the slowest edge.
    double one_running(double tau) const {
        if (!cyclic_) { return tau + stream(chunks_ - 1, tau); }
        const double further = std::max(0.0, chunks_ - std::max(1.0, steps_));
        const double round = tau + queued(tau) + way(tau) +
                             std::max(stream(further, tau), std::max(0.0, further - fill_) * step(tau) + fill_ * tau);
        return std::max({round, chunks_ * tau + latency(), windows(tau)});
    }

    struct Hop {
        double count, latency;
        double own_tau;  // chunk time on the hop's own links
    };

    double latency() const { return stages_.empty() ? 0 : stages_[longest_].latency; }
    double own(const Hop& hop, double tau) const { return std::min(hop.own_tau, tau) / slices_; }

    // Seconds that the last slice takes from its first sender to its last receiver, each hop at the pace of the hop's
    // own links. The longest of the hops' chunk times is left out: it is part of the `tau` that the chunk takes anyway.
    double way(double tau) const {
        double seconds = 0;
        double most = 0;
        for (const Hop& hop : stages_) {
            seconds += hop.count * (hop.latency + own(hop, tau));
            most = std::max(most, own(hop, tau));
        }
        return seconds - most;
    }

    // Seconds from one edge of a ring to the next, on average: every chunk waits for the one before it on the edge
    // before, also in later rounds (a block of NCCL's kernel begins a round when it has ended the last).
    double step(double tau) const {
        double seconds = 0;
        for (const Hop& hop : stages_) { seconds += hop.count * (hop.latency + own(hop, tau)); }
        return steps_ > 0 ? seconds / steps_ : 0;
    }

    // Seconds that chunks of a ring wait for its slowest edges. A node's chunks cross the slow edge that follows it one
    // after the other, as a train, and the last of the train arrives last. So the longest path waits at one slow edge
    // for as many chunks as it can and still cross as many slow edges in its steps. Slow edges are taken to lie evenly
    // round the ring, `apart` hops from each other.
    double queued(double tau) const {
        const auto slower = [&](const Hop& a, const Hop& b) { return own(a, tau) < own(b, tau); };
        const auto [quick, slow] = std::minmax_element(stages_.begin(), stages_.end(), slower);
        if (quick == slow || own(*quick, tau) == own(*slow, tau)) { return 0; }
        const double apart = std::floor((steps_ + 2) / slow->count + 1e-9);
        const double waits = steps_ - 1 - (slow->count - 1) * apart;
        return std::max(0.0, waits) * std::max(0.0, slices_ * own(*slow, tau) - own(*quick, tau) - quick->latency);
    }

    // The number of whole windows before this chunk.
    double windows_before(double chunk) const { return std::floor(std::ceil(chunk - 1e-9) / slots_ + 1e-9); }

    // Seconds that one edge needs for this many more chunks: back to back, or slower if the window limits them. A slot
    // is free when its chunk has arrived and the credit is back. The fill is time, not a message: it takes no slot.
    double stream(double chunks, double tau) const {
        const double whole = windows_before(std::max(0.0, chunks - fill_));
        return std::max(chunks * tau, whole * (latency() + credit_ + tau) + (chunks - whole * slots_) * tau);
    }

    // Seconds of a ring whose longest hop waits for its window again and again. The chunks that are left after the
    // whole windows go round the ring or stream. Zero if there is no whole window.
    double windows(double tau) const {
        const double last = std::ceil(chunks_ - fill_ - 1e-9) - 1;
        const double whole = windows_before(last);
        if (stages_.empty() || whole < 1) { return 0; }
        const Hop& longest = stages_[longest_];
        const double left = std::max(0.0, last - whole * slots_);
        const double round = std::min(left, steps_ - 1);
        const double across = std::floor(round * longest.count / steps_ + 1e-9);
        const double all = steps_ - longest.count > 0 ? (round - across) / (steps_ - longest.count) : 0;
        double seconds = across * (longest.latency + own(longest, tau)) + (left - round) * tau;
        for (const Hop& hop : stages_) {
            seconds += &hop == &longest ? 0 : all * hop.count * (hop.latency + own(hop, tau));
        }
        return longest.latency + tau + whole * (longest.latency + credit_ + tau) + std::max(left * tau, seconds) +
               fill_ * tau;
    }

    std::vector<Hop> stages_;
    double wire_chunk_;
    double shortest_tau_;  // least chunk time on edges between nodes
    double calls_;
    double chunks_;  // chunks that an edge moves in a call, fill included
    double fill_;
    double steps_ = 0;
    std::size_t longest_ = 0;  // the stage of the largest latency
    double credit_ = 0;        // the longest that a slot takes to come back
    double slices_;
    double slots_;
    bool cyclic_;
};

}  // namespace fabricast::inline engine_common
