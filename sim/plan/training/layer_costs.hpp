#pragma once
// One layer of one micro-batch on one GPU as phases: work, and the collectives that run during it or before it.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/training/layer_work.hpp"

namespace fabricast::inline training {

// What communication is for: the report's kinds.
enum class CommKind : std::uint8_t { tensor, context, expert, pipeline, data };
inline constexpr std::size_t comm_kinds = 5;

// `times` calls, one after another, of one collective over the groups of a kind.
struct GroupCall {
    CommKind kind = CommKind::tensor;
    Collective collective = Collective::all_gather;
    double bytes = 0;  // as nccl-tests counts: the larger of a rank's two buffers
    double times = 1;
    double rate = 0;         // bytes/s at which the framework moves a buffer through a rank at most; 0: any
    bool of_expert = false;  // tensor: over the ranks that share an expert, not those that share a layer
    bool pairs = false;      // sendrecv: PyTorch makes a communicator for each two ranks where sends are not batched
};

// Work and calls that run at the same time; the phase ends when all of them have ended.
struct Phase {
    Work work;
    std::vector<GroupCall> calls;  // calls of one kind run one after another, kinds at the same time
};

using Phases = std::vector<Phase>;

// Number of parameters on one GPU: `shared` ones, which all data ranks have, and those of experts.
struct Held {
    double shared = 0, experts = 0;
    double total() const { return shared + experts; }
    Held& operator+=(const Held& other);
};

// The phases of `layers` equal layers, with each phase that many times as long: layers follow each other, so what is
// sequential in one layer is sequential in all.
Phases operator*(double layers, const Phases& phases);

// Phases of a range of layers for one micro-batch, and the parameters of these layers.
struct Piece {
    Phases forward, backward;
    Held held;
};

// What runs before and after a chunk's layers: the embedding in the model's first chunk, the head in its last.
struct ChunkEnds {
    Work before, after, head_back;  // embedding, the same forward and backward; head; the head's backward
    double front_parameters = 0, back_parameters = 0;
};

// A step that is planned, and what its layers cost.
struct LayerCosts : LayerWork {
    LayerCosts(const ComputeCosts& c, const ModelShape& m, const TrainingWorkload& w, const Layout& l)
        : LayerWork{c, m, w, l} {}

    // A dense layer or one with experts.
    Phases forward(bool experts) const;
    Phases backward(bool experts) const;  // with recomputation

    Piece piece(const Layers& layers) const;
    ChunkEnds ends(std::uint32_t stage, std::uint32_t chunk) const;
    // A convolutional network in pieces of at least `bucket` bytes of gradients, filled from the last layer backwards.
    std::vector<Piece> network_pieces(double bucket) const;
    GroupCall boundary() const;  // activations to the next stage
    // Time that the host needs for the launches of the layers, forward or backward; none with CUDA graphs.
    double launch_seconds(const Layers& layers, bool forward) const;
    Held held(const Layers& layers) const;
    // Of the held parameters, those that are trained: their gradients are reduced, their states kept. All, or adapters.
    Held trained(const Held& held) const;
    // Of the trained parameters that a rank holds, those that it steps: its share where the states are shared out.
    double stepped(const Held& trained) const;

private:
    GroupCall to_experts() const;
    Phases layer(bool experts, Work work, const Work& core, double passes, double rings) const;
    void add_context(Phases& phases, Phase& last, const Work& core, double rings) const;
    void add_tensor(Phases& phases, bool experts, double times, Work& work) const;
};

}  // namespace fabricast::inline training
