#include "sim/plan/training/model_shape.hpp"

#include <algorithm>

namespace fabricast {

namespace {

void read_part(const Part& part, ModelShape& model) {
    const auto take = [&](double& field, const char* figure) { field = part.number_or(figure, field); };
    take(model.layers, "layers");
    take(model.hidden, "hidden");
    take(model.heads, "heads");
    take(model.kv_heads, "kv_heads");
    take(model.head_size, "head_size");
    take(model.value_head_size, "value_head_size");
    take(model.ffn, "ffn");
    take(model.vocabulary, "vocabulary");
    take(model.sequence, "sequence");
    take(model.positions, "positions");
    take(model.experts, "experts");
    take(model.experts_per_token, "experts_per_token");
    take(model.expert_ffn, "expert_ffn");
    take(model.shared_experts, "shared_experts");
    take(model.dense_layers, "dense_layers");
    take(model.q_rank, "q_rank");
    take(model.kv_rank, "kv_rank");
    take(model.rope_size, "rope_size");
    model.gated = part.number_or("gated", 0) != 0;
    model.tied = part.number_or("tied", 0) != 0;
    model.causal = part.number_or("causal", 1) != 0;
    if (part.has("conv.in")) {
        const std::vector<double>& in = part.list("conv.in");
        for (std::size_t i = 0; i < in.size(); ++i) {
            model.convolutions.push_back({in[i], part.list("conv.out").at(i), part.list("conv.kernel").at(i),
                                          part.list("conv.width").at(i), part.list("conv.count").at(i)});
        }
        for (std::size_t i = 0; i < part.list("dense.in").size(); ++i) {
            model.products.push_back({part.list("dense.in")[i], part.list("dense.out").at(i), 1, 1, 1});
        }
    }
}

void apply(const ModelDimensions& own, ModelShape& model) {
    const auto take = [](double& field, std::uint32_t value) { field = value > 0 ? value : field; };
    if (own.hidden > 0 || own.heads > 0) {
        model.head_size = model.value_head_size = 0;  // follows from the new dimensions
    }
    if (own.heads > 0) {
        model.kv_heads = 0;
    }
    if (own.hidden > 0) {
        model.ffn = 0;
    }
    take(model.layers, own.layers);
    take(model.hidden, own.hidden);
    take(model.heads, own.heads);
    take(model.kv_heads, own.kv_heads);
    take(model.head_size, own.head_size);
    take(model.ffn, own.ffn);
    take(model.vocabulary, own.vocabulary);
    take(model.experts, own.experts);
    take(model.experts_per_token, own.experts_per_token);
    take(model.expert_ffn, own.expert_ffn);
    model.gated = model.gated || own.gated;
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
    return m.hidden * (m.query_width() + m.kv_heads * (m.head_size + m.value_head_size)) + out;
}

double ffn_parameters(const ModelShape& m, double width) { return (m.gates() + 1) * m.hidden * width; }

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
    if (!whole || (part != nullptr && part->kind == "model")) {
        read_part(catalog.at("model", workload.model), model);
    }
    apply(own, model);
    fill(model);
    if (workload.sequence_length > 0) {
        model.sequence = workload.sequence_length;
        model.positions = model.positions > 0 ? model.sequence : 0;
    }
    return model;
}

double layer_parameters(const ModelShape& m, bool with_experts) {
    const double ffn = with_experts ? m.shared_experts * ffn_parameters(m, m.expert_ffn) + m.hidden * m.experts
                                    : ffn_parameters(m, m.ffn);
    const double small = has_biases(m)
                             ? 4 * m.hidden + m.query_width() + m.kv_heads * (m.head_size + m.value_head_size) +
                                   m.hidden + m.gates() * m.ffn + m.hidden
                             : 2 * m.hidden;
    return attention_parameters(m) + ffn + small;
}

double expert_parameters(const ModelShape& m) { return m.experts * ffn_parameters(m, m.expert_ffn); }

double embedding_parameters(const ModelShape& m) { return (m.vocabulary + m.positions) * m.hidden; }

double head_parameters(const ModelShape& m) {
    return (has_biases(m) ? 2 : 1) * m.hidden + (m.tied ? 0 : m.vocabulary * m.hidden);
}

double parameters(const ModelShape& m) {
    if (m.convolutional()) {
        double sum = 0;
        for (const Convolution& c : m.convolutions) {
            sum += c.count * (c.in * c.out * c.kernel * c.kernel + 2 * c.out);  // 2 * out: a norm's scale and shift
        }
        for (const Convolution& p : m.products) {
            sum += p.in * p.out + p.out;
        }
        return sum;
    }
    double sum = embedding_parameters(m) + head_parameters(m);
    const double sparse = m.experts > 0 ? m.layers - m.dense_layers : 0;
    sum += (m.layers - sparse) * layer_parameters(m, false);
    return sum + sparse * (layer_parameters(m, true) + expert_parameters(m));
}

double model_flops(const ModelShape& m, double tokens) {
    if (m.convolutional()) {
        double sum = 0;
        for (const Convolution& c : m.convolutions) {
            sum += c.count * c.in * c.out * c.kernel * c.kernel * c.width * c.width;
        }
        for (const Convolution& p : m.products) {
            sum += p.in * p.out;
        }
        return 6 * sum;
    }
    const double sparse = m.experts > 0 ? m.layers - m.dense_layers : 0;
    const double expert = m.experts_per_token * ffn_parameters(m, m.expert_ffn);
    const double weights = (m.layers - sparse) * layer_parameters(m, false) +
                           sparse * (layer_parameters(m, true) + expert) + m.vocabulary * m.hidden;
    return 6 * weights + 6 * m.layers * (m.query_width() + m.value_width()) * tokens;
}

}  // namespace fabricast
