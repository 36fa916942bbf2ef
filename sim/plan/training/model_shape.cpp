#include "sim/plan/training/model_shape.hpp"

#include <algorithm>

namespace fabricast::inline training {

namespace {

// A dimension: its figure in a part of the catalogue, and where the workload changes it, if it can.
struct ShapeFigure {
    const char* figure;
    double ModelShape::*field;
    std::uint32_t ModelDimensions::*own = nullptr;
};
constexpr ShapeFigure shape_figures[] = {
    {"layers", &ModelShape::layers, &ModelDimensions::layers},
    {"hidden", &ModelShape::hidden, &ModelDimensions::hidden},
    {"heads", &ModelShape::heads, &ModelDimensions::heads},
    {"kv_heads", &ModelShape::kv_heads, &ModelDimensions::kv_heads},
    {"head_size", &ModelShape::head_size, &ModelDimensions::head_size},
    {"value_head_size", &ModelShape::value_head_size},
    {"ffn", &ModelShape::ffn, &ModelDimensions::ffn},
    {"vocabulary", &ModelShape::vocabulary, &ModelDimensions::vocabulary},
    {"sequence", &ModelShape::sequence},
    {"positions", &ModelShape::positions},
    {"memory", &ModelShape::memory},
    {"predicted", &ModelShape::predicted},
    {"experts", &ModelShape::experts, &ModelDimensions::experts},
    {"experts_per_token", &ModelShape::experts_per_token, &ModelDimensions::experts_per_token},
    {"expert_ffn", &ModelShape::expert_ffn, &ModelDimensions::expert_ffn},
    {"expert_hidden", &ModelShape::expert_hidden},
    {"shared_experts", &ModelShape::shared_experts},
    {"dense_layers", &ModelShape::dense_layers},
    {"expert_every", &ModelShape::expert_every},
    {"node_limit", &ModelShape::node_limit},
    {"attention_layers", &ModelShape::attention_layers},
    {"ssm_layers", &ModelShape::ssm_layers},
    {"ssm_heads", &ModelShape::ssm_heads},
    {"ssm_head_size", &ModelShape::ssm_head_size},
    {"ssm_groups", &ModelShape::ssm_groups},
    {"ssm_state", &ModelShape::ssm_state},
    {"q_rank", &ModelShape::q_rank},
    {"kv_rank", &ModelShape::kv_rank},
    {"rope_size", &ModelShape::rope_size},
};

void read_part(const Part& part, ModelShape& model) {
    for (const ShapeFigure& d : shape_figures) { model.*d.field = part.number_or(d.figure, model.*d.field); }
    model.gated = part.number_or("gated", 0) != 0;
    model.tied = part.number_or("tied", 0) != 0;
    model.relative = part.number_or("relative", 0) != 0;
    model.causal = part.number_or("causal", 1) != 0;
    const auto rows = [&](std::string_view list) { return part.has(list) ? part.list(list).size() : 0; };
    const auto at = [&](std::string_view list, std::size_t i) { return part.list(list).at(i); };
    for (std::size_t i = 0; i < rows("conv.in"); ++i) {
        model.convolutions.push_back(
            {at("conv.in", i), at("conv.out", i), at("conv.kernel", i), at("conv.width", i), at("conv.count", i)});
    }
    for (std::size_t i = 0; i < rows("dense.in"); ++i) {
        model.products.push_back({at("dense.in", i), at("dense.out", i), 1, 1, 1});
    }
    for (std::size_t i = 0; i < rows("layer.flops"); ++i) {
        model.custom.push_back({at("layer.flops", i), at("layer.bytes", i), at("layer.parameters", i),
                                at("layer.activations", i), at("layer.count", i)});
    }
}

void apply(const ModelDimensions& own, ModelShape& model) {
    if (own.hidden > 0 || own.heads > 0) {
        model.head_size = model.value_head_size = 0;  // follows from the new dimensions
    }
    if (own.heads > 0) { model.kv_heads = 0; }
    if (own.hidden > 0) { model.ffn = 0; }
    for (const ShapeFigure& d : shape_figures) {
        if (d.own != nullptr && own.*d.own > 0) { model.*d.field = own.*d.own; }
    }
    model.gated = own.gated.value_or(model.gated);
}

void fill(ModelShape& model) {
    const auto otherwise = [](double& field, double value) { field = field > 0 ? field : value; };
    otherwise(model.kv_heads, model.heads);
    otherwise(model.head_size, model.heads > 0 ? model.hidden / model.heads : 0);
    otherwise(model.value_head_size, model.head_size);
    otherwise(model.ffn, 4 * model.hidden);
    otherwise(model.sequence, 2048);
    if (model.experts > 0) {
        otherwise(model.experts_per_token, 2);
        otherwise(model.expert_ffn, model.ffn);
    }
}

double attention_parameters(const ModelShape& m) {
    const double out = m.value_width() * m.hidden;
    if (m.kv_rank > 0) {  // DeepSeek-V2, 2.1: projections down to the latent vectors and up to the heads
        const double plain = m.head_size - m.rope_size;
        return m.hidden * m.q_rank + m.q_rank * m.query_width() + m.hidden * (m.kv_rank + m.rope_size) +
               m.kv_rank * m.heads * (plain + m.value_head_size) + out;
    }
    return m.hidden * (m.query_width() + m.key_value_width()) + out;
}

double ffn_parameters(const ModelShape& m, double width) { return (m.gates() + 1) * m.hidden * width; }

double expert_weights(const ModelShape& m) { return (m.gates() + 1) * m.routed_width() * m.expert_ffn; }

// In GPT each product has a bias and each norm a weight and a bias: 13 * hidden parameters per layer. Llama has only
// the weights of two norms.
bool has_biases(const ModelShape& m) { return m.positions > 0; }

}  // namespace

ModelShape model_shape(const Catalog& catalog, const TrainingWorkload& workload) {
    ModelShape model;
    model.name = workload.model;
    const ModelDimensions& own = workload.dimensions;
    const bool whole = own.layers > 0 && own.hidden > 0 && own.heads > 0 && own.vocabulary > 0;
    const Part* part = catalog.find(workload.model);
    if (!whole || (part != nullptr && part->kind == "model")) { read_part(catalog.at("model", workload.model), model); }
    apply(own, model);
    fill(model);
    model.layers += workload.next_tokens;  // more layers of the last kind, behind the others
    if (workload.sequence_length > 0) {
        model.sequence = workload.sequence_length;
        model.positions = model.positions > 0 ? model.sequence : 0;
    }
    model.document = workload.document > 0 ? std::min<double>(workload.document, model.sequence) : model.sequence;
    model.frozen = workload.adapters > 0;
    const Part& framework = catalog.at("framework", workload.framework);
    if (!model.convolutional() && framework.has("cut.ends")) { model.counted_ends = framework.number("cut.ends"); }
    if (!model.convolutional() && framework.has("cut.weights")) {
        const double layer = 2 * model.hidden * (model.query_width() + model.value_width()) +
                             (model.gates() + 1) * model.hidden * model.ffn;
        model.counted_head = model.vocabulary * model.hidden / layer;
    }
    return model;
}

double layer_parameters(const ModelShape& m, bool with_experts) {
    const double latent = m.latent_experts() ? 2 * m.hidden * m.expert_hidden : 0;  // there and back
    const double ffn = with_experts ? m.shared_experts * ffn_parameters(m, m.expert_ffn) + m.hidden * m.experts + latent
                                    : ffn_parameters(m, m.ffn);
    const double small =
        has_biases(m) ? 4 * m.hidden + m.query_width() + m.key_value_width() + m.hidden + m.gates() * m.ffn + m.hidden
                      : 2 * m.hidden;
    const double ssm = m.hidden * (m.ssm_inputs() + m.ssm_width());
    return m.attention_share() * attention_parameters(m) + m.ssm_share() * ssm + ffn + small;
}

double expert_parameters(const ModelShape& m) { return m.experts * expert_weights(m); }

double embedding_parameters(const ModelShape& m) { return (m.vocabulary + m.positions) * m.hidden; }

double head_parameters(const ModelShape& m) {
    return (has_biases(m) ? 2 : 1) * m.hidden + (m.tied ? 0 : m.vocabulary * m.hidden);
}

double ModelShape::layers_with_experts() const {
    double count = 0;
    for (int layer = 0; layer < layers; ++layer) { count += has_experts(layer) ? 1 : 0; }
    return count;
}

double parameters(const ModelShape& m) {
    if (m.convolutional()) {
        double sum = 0;
        for (const Convolution& c : m.convolutions) { sum += c.parameters(); }
        for (const Convolution& p : m.products) { sum += p.in * p.out + p.out; }
        for (const CustomLayer& c : m.custom) { sum += c.count * c.parameters; }
        return sum;
    }
    double sum = embedding_parameters(m) + head_parameters(m);
    const double sparse = m.layers_with_experts();
    sum += (m.layers - sparse) * layer_parameters(m, false);
    return sum + sparse * (layer_parameters(m, true) + expert_parameters(m));
}

double attention_flops(const ModelShape& m, double tokens) {
    const double to = m.document > 0 ? std::min(tokens, m.document) : tokens;
    return 6 * m.layers * m.attention_share() * (m.query_width() + m.value_width()) * to;
}

double model_flops(const ModelShape& m, double tokens) {
    if (m.convolutional()) {
        double sum = 0;
        for (const Convolution& c : m.convolutions) {
            sum += c.count * c.in * c.out * c.kernel * c.kernel * c.width * c.width;
        }
        for (const Convolution& p : m.products) { sum += p.in * p.out; }
        for (const CustomLayer& c : m.custom) { sum += c.count * c.flops / 2; }
        return 6 * sum;
    }
    const double sparse = m.layers_with_experts();
    const double expert = m.experts_per_token * expert_weights(m);
    const double weights = (m.layers - sparse) * layer_parameters(m, false) +
                           sparse * (layer_parameters(m, true) + expert) + m.predicted * m.vocabulary * m.hidden;
    return (m.frozen ? 4 : 6) * weights + attention_flops(m, tokens);
}

}  // namespace fabricast::inline training
