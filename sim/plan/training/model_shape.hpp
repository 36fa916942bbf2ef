#pragma once
// What a forecast needs to know of a model: its dimensions and its number of parameters.

#include <cmath>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/training/training_workload.hpp"

namespace fabricast::inline training {

// `count` equal convolutions; `width` is that of their square output.
struct Convolution {
    double in = 0, out = 0, kernel = 0, width = 0, count = 1;
    // Of all of them, with each one's norm: a scale and a shift.
    double parameters() const { return count * (in * out * kernel * kernel + 2 * out); }
};

// `count` equal layers of a model of your own: of one sample, operations forward (as many twice backward), bytes that
// they move, bytes that the backward pass needs.
struct CustomLayer {
    double flops = 0, bytes = 0, parameters = 0, activations = 0, count = 1;
};

struct ModelShape {
    std::string name;
    double layers = 0, hidden = 0, heads = 0, kv_heads = 0;
    double head_size = 0, value_head_size = 0;  // widths of one head's queries and keys, and of its values
    double ffn = 0, vocabulary = 0;
    double sequence = 0;   // tokens of the usual sequence
    double document = 0;   // of it, tokens that attend to each other; 0: all
    double memory = 0;     // tokens before the sequence that it attends to, their keys and values computed again
    bool frozen = false;   // only adapters are trained: weights have no gradients
    double predicted = 1;  // share of the tokens that logits are computed for
    double positions = 0;  // learned position embeddings; 0: none
    bool gated = false, tied = false, causal = true;
    double counted_head = 0;  // the output matrix in layers, where a framework cuts pipelines by weights; 0: evenly
    double counted_ends = 0;  // embedding, norm and head, where pipelines are cut as if they were layers
    bool relative = false;    // scores of relative positions beside those of keys (Transformer-XL)
    double experts = 0, experts_per_token = 0, expert_ffn = 0, shared_experts = 0;
    double expert_hidden = 0;  // width that tokens have on their way to the experts and there; 0: hidden
    double dense_layers = 0, expert_every = 1;  // before the layers with experts; each how many-th has experts
    double node_limit = 0;                      // nodes that a token's experts are on at most; 0: any
    double attention_layers = 0;                // of the layers; 0: all
    double ssm_layers = 0, ssm_heads = 0, ssm_head_size = 0, ssm_groups = 0, ssm_state = 0;  // Mamba-2; 0: none
    double q_rank = 0, kv_rank = 0, rope_size = 0;  // latent attention; 0: none
    std::vector<Convolution> convolutions;
    std::vector<Convolution> products;  // fully connected layers of a convolutional network: in, out

    std::vector<CustomLayer> custom;

    // Cut by samples alone: a convolutional network, or a list of layers of your own.
    bool convolutional() const { return !convolutions.empty() || !custom.empty(); }
    bool has_experts(double layer) const {
        return experts > 0 && layer >= dense_layers && std::fmod(layer + 1, expert_every) == 0;
    }
    double layers_with_experts() const;
    // How much of a layer's attention, and of a Mamba layer, a layer has on average: Nemotron-H has layers of one kind.
    double attention_share() const { return attention_layers > 0 ? attention_layers / layers : 1; }
    double ssm_share() const { return ssm_layers / layers; }
    double ssm_width() const { return ssm_heads * ssm_head_size; }
    // Of the product in front of a Mamba layer: gate, input, B and C of each group, step sizes (Mamba-2, figure 6).
    double ssm_inputs() const { return 2 * ssm_width() + 2 * ssm_groups * ssm_state + ssm_heads; }
    double query_width() const { return heads * head_size; }
    double value_width() const { return heads * value_head_size; }
    double key_value_width() const { return kv_heads * (head_size + value_head_size); }
    double gates() const { return gated ? 2 : 1; }
    bool latent_experts() const { return expert_hidden > 0 && expert_hidden < hidden; }
    double routed_width() const { return latent_experts() ? expert_hidden : hidden; }
};

// The library's model, changed by the workload's own dimensions. Throws CatalogError if the model is unknown and the
// dimensions do not define one.
ModelShape model_shape(const Catalog& catalog, const TrainingWorkload& workload);

// Parameters of one layer without its experts, of one layer's routed experts, of the embeddings before the first layer
// and of what follows the last. Biases and norms are counted if the model has them.
double layer_parameters(const ModelShape& model, bool with_experts);
double expert_parameters(const ModelShape& model);
double embedding_parameters(const ModelShape& model);
double head_parameters(const ModelShape& model);
double parameters(const ModelShape& model);

// Floating-point operations that the model needs for one token of a sequence of `tokens`, forward and backward without
// recomputation, as papers count them: 6 for each weight that a token uses, and 12 * layers * hidden * tokens for
// attention without a causal half (Narayanan et al. 2021, appendix; PaLM, appendix B). For a convolutional network: the
// operations for one image.
double model_flops(const ModelShape& model, double tokens);
double attention_flops(const ModelShape& model, double tokens);  // of these, those of attention

}  // namespace fabricast::inline training
