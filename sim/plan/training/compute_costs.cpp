#include "sim/plan/training/compute_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"

namespace fabricast::inline training {

namespace {

// A precision's peak on a GPU, and the bytes of an operand: nvfp4 stores one scale for every 16 elements, mxfp8
// for every 32.
struct Arithmetic {
    double GpuSpec::*peak;
    double operand_bytes;
};
const Arithmetic& arithmetic(Precision precision) {
    static constexpr std::array<Arithmetic, 7> in_order = {{{&GpuSpec::bf16, 2},
                                                            {&GpuSpec::fp16, 2},
                                                            {&GpuSpec::fp8, 1},
                                                            {&GpuSpec::fp8, 1.03125},
                                                            {&GpuSpec::fp4, 0.5625},
                                                            {&GpuSpec::tf32, 4},
                                                            {&GpuSpec::fp32, 4}}};
    return in_order.at(static_cast<std::size_t>(precision));
}

// Time of a kernel bound by arithmetic, by memory, or by both with a smooth transition.
double either(double compute, double memory) { return std::cbrt(std::pow(compute, 3) + std::pow(memory, 3)); }

}  // namespace

const Part& compute_part(const Catalog& catalog, const GpuSpec& gpu) {
    for (const Part* part : catalog.of_kind("compute")) {
        if (!gpu.name.empty() && has_word(part->word_or("gpus", ""), gpu.name)) { return *part; }
    }
    throw CatalogError("no part of kind compute says how fast '" + gpu.name +
                       "' trains; add one with `gpus: " + gpu.name + "`");
}

Work& Work::operator+=(const Work& other) {
    flops += other.flops;
    busy_s += other.busy_s;
    operand_bytes += other.operand_bytes;
    streamed_bytes += other.streamed_bytes;
    weights_s += other.weights_s;
    for (std::size_t k = 0; k < work_kinds; ++k) { kind_s[k] += other.kind_s[k]; }
    return *this;
}

Work operator*(double times, const Work& work) {
    Work out{times * work.flops, times * work.busy_s, times * work.operand_bytes, times * work.streamed_bytes,
             times * work.weights_s};
    for (std::size_t k = 0; k < work_kinds; ++k) { out.kind_s[k] = times * work.kind_s[k]; }
    return out;
}

Work Work::take_weights() {
    const double streamed = std::exchange(streamed_bytes, 0);
    const double share = busy_s > 0 ? weights_s / busy_s : 0;
    Work taken = share * *this;
    taken.weights_s = weights_s = 0;
    *this = (1 - share) * *this;
    streamed_bytes = streamed;
    return taken;
}

Work ComputeCosts::as(WorkKind kind, Work work) {
    double all = 0;
    for (double& seconds : work.kind_s) { all += std::exchange(seconds, 0); }
    work.kind_s.at(static_cast<std::size_t>(kind)) = all;
    return work;
}

Work ComputeCosts::work(WorkKind kind, double flops, double busy_s, double operand_bytes, double streamed_bytes) const {
    Work out{flops, busy_s, operand_bytes, streamed_bytes, 0, {}};
    out.kind_s.at(static_cast<std::size_t>(kind)) = seconds(out);
    return out;
}

ComputeCosts::ComputeCosts(const Catalog& catalog, const GpuSpec& gpu, const TrainingWorkload& workload, double gpus)
    : compute_(&compute_part(catalog, gpu)),
      common_(&catalog.at("compute", "compute-any")),
      framework_(&catalog.at("framework", workload.framework)),
      gpu_(gpu),
      precision_(workload.precision),
      attention_(workload.attention),
      optimizer_(workload.optimizer),
      compiled_(workload.compiled),
      graphs_(workload.graphs),
      peak_(gpu.*arithmetic(workload.precision).peak),
      half_peak_(gpu.bf16 > 0 ? gpu.bf16 : gpu.fp16) {
    const std::string share = "gemm." + std::string(to_string(precision_));  // mxfp8 has fp8's peak, not on every GPU
    if (!(peak_ > 0) || !(compute_->has(share) || common_->has(share))) {
        throw CatalogError("'" + gpu.name + "' has no " + std::string(to_string(precision_)) +
                           " arithmetic that the catalogue knows of");
    }
    const bool narrow_apart = narrow() && framework_->has("growth.narrow");
    slowest_ = 1 + framework(narrow_apart ? "growth.narrow" : "growth.wide") * std::log2(std::max(1.0, gpus));
    slowest_ *= framework("pace");
}

// A kernel of a CUDA graph starts when the one before it has ended, without the host.
double ComputeCosts::launch() const { return gpu(graphs_ ? "launch.graph" : "launch"); }

double ComputeCosts::gpu(std::string_view figure) const {
    return log_.read(compute_->has(figure) ? *compute_ : *common_, figure).value.front();
}

// Time of whole waves of tiles over the SMs, and of each tile's edges, over that of a product without them: with the
// best of the tiles that a library has. A smaller tile fills the last wave, but loads more operands for each product:
// one row and one column of `tile.edge` elements more (docs/training.md, products).
double ComputeCosts::waves(const Product& p) const {
    const double rows = gpu("tile.rows"), columns = gpu("tile.columns"), sms = gpu_.sms, edge = gpu("tile.edge");
    const auto edges = [&](double m, double n) { return 1 + edge / m + edge / n; };
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [m, n] : {std::pair{rows, columns}, std::pair{rows, columns / 2}, std::pair{rows / 2, columns / 2},
                               std::pair{rows / 2, columns / 4}}) {
        const double tiles = p.count * std::ceil(p.m / m) * std::ceil(p.n / n);
        const double padded = tiles * m * n / (p.count * p.m * p.n);
        best = std::min(best, padded * std::ceil(tiles / sms) * sms / tiles * edges(m, n) / edges(rows, columns));
    }
    return best;
}

// t = (t_c^3 + t_m^3)^(1/3) + launch + fixed; t_c includes waves of tiles and the start of each tile's loop over k.
// Products of several experts run at the same time and share their waves. docs/training.md, products.
Work ComputeCosts::product(const Product& p) const {
    const Precision used = p.full_precision && narrow() ? Precision::bf16 : precision_;
    const double peak = used == precision_ ? peak_ : half_peak_;
    const double flops = 2 * p.m * p.n * p.k;
    const double bytes =
        arithmetic(used).operand_bytes * (p.m * p.k + p.n * p.k) + element_bytes(used) * p.m * p.n + p.more_bytes;
    const double fixed = gpu(is_narrow(used) ? "gemm.fixed.narrow" : "gemm.fixed.wide");
    const double rate = peak * gpu("gemm." + std::string(to_string(used)));
    // Waiting for the first operands takes as long whatever the arithmetic: as many elements of k as an SM multiplies
    // meanwhile.
    const double start = gpu("tile.start") * rate / (2 * gpu("tile.rows") * gpu("tile.columns") * gpu_.sms);
    const double compute = flops / rate * waves(p) * (1 + start / p.k);
    const double memory = bytes / (gpu("gemm.memory") * gpu_.memory_bandwidth);
    const double seconds = p.count * either(compute, memory) + (p.grouped ? 1 : p.count) * launch() + fixed;
    return work(WorkKind::products, p.count * flops, seconds, p.count * bytes, 0);
}

double ComputeCosts::autocast() const {
    return element_bytes(precision_) > 2 || narrow() ? 1 : framework_or("autocast", 1);
}

// Fused kernels multiply 16-bit operands, so a step in 32 bits runs the unfused one.
std::string ComputeCosts::attention_kernel() const {
    if (!fuses_attention(precision_)) { return "unfused"; }
    static const std::vector<std::string> names = {"cudnn", "flash_2", "triton", "unfused"};
    return attention_ == AttentionKernel::automatic ? names.at(static_cast<std::size_t>(gpu("attention.default")))
                                                    : names.at(static_cast<std::size_t>(attention_) - 1);
}

Work ComputeCosts::attention(const ModelShape& model, double tokens, double sequence, double share,
                             bool backward) const {
    const double widths = (model.query_width() + model.value_width()) * share;
    const std::string kernel = attention_kernel();
    if (kernel == "unfused") {
        // Both products in full, then softmax, mask and dropout, which pass over the tokens x sequence scores of each
        // head.
        const double flops = (backward ? 2 : 1) * 2 * tokens * sequence * widths;
        const double seconds =
            flops / (peak_ * gpu("gemm." + std::string(to_string(precision_))) * gpu("attention.unfused"));
        const double scores = element_bytes(precision_) * model.heads * share * tokens * sequence;
        const double apart = compiled_ ? 1 : framework_or("eager.scores", 1);
        const double passes = apart * autocast() * gpu("unfused.passes") * (backward ? gpu("unfused.backward") : 1);
        return work(WorkKind::attention, flops, seconds, 0, passes * scores / gpu("softmax.memory"));
    }
    // Two products forward and five backward; causal attention skips the half above the diagonal.
    const double flops = (backward ? 2.5 : 1) * (model.causal ? 1 : 2) * tokens * sequence * widths;
    // Tiles at the ends of a sequence and, under a mask, on its diagonal are computed in full, and blocks end unevenly.
    const std::string own = "attention.short." + kernel;
    const double ends = gpu(compute_->has(own) ? own : "attention.short") / (model.causal ? 1 : 2);
    const double short_sequences = (1 + ends / sequence) / (1 + ends / gpu("attention.long"));
    // Shares are those of heads of 128: the softmax of a score takes as long for any head, its products do not.
    const double softmax = gpu("attention.head"), head = (model.head_size + model.value_head_size) / 2;
    const double share_of_peak = gpu("attention." + kernel) * (1 + softmax / 128) / (1 + softmax / head) *
                                 gpu(backward ? "attention.backward" : "attention.forward");
    return work(WorkKind::attention, flops, flops / (half_peak_ * share_of_peak) * short_sequences + launch(), 0, 0);
}

Work ComputeCosts::elementwise(double bytes, double kernels) const {
    const double wider = element_bytes(precision_) / 2;
    return work(WorkKind::small_kernels, 0, kernels * launch(), 0, wider * bytes / gpu("elementwise.memory"));
}

Work ComputeCosts::cast(double bytes) const {
    return work(WorkKind::small_kernels, 0, 0, 0, bytes / gpu("cast.memory"));
}

Work ComputeCosts::roofline(const std::string& share, double flops, double bytes) const {
    const double compute = flops / (peak_ * gpu(share + std::string(to_string(precision_))));
    const double memory = bytes / (gpu("gemm.memory") * gpu_.memory_bandwidth);
    return work(WorkKind::products, flops, either(compute, memory) + launch(), bytes, 0);
}

// For the `held` parameters, Adam reads and writes two moments, the fp32 copy, the gradient and the parameter; the
// gradient norm reads the gradients of `all` parameters of the stage once. Kernel by kernel it moves more. SGD has one
// moment less to read and write in fp32: 8 bytes; kernel by kernel 44 (torch/optim/sgd.py, _single_tensor_sgd: weight
// decay, momentum in two kernels and step move 44 of AdamW's 88).
Work ComputeCosts::optimizer(double held, double all) const {
    const double eager = framework_or("optimizer.eager", 0);
    const double spared = optimizer_ == OptimizerKind::sgd ? (eager > 0 ? 44 : 8) : 0;
    const double bytes = ((eager > 0 ? eager : gpu("optimizer.bytes")) - spared) * held + gpu("optimizer.norm") * all;
    return work(WorkKind::small_kernels, 0, 0, 0, bytes / gpu("elementwise.memory"));
}

double ComputeCosts::host_optimizer_bytes() const {
    return gpu("optimizer.host") - (optimizer_ == OptimizerKind::sgd ? 8 : 0);
}

double ComputeCosts::seconds(const Work& work) const {
    return slowest_ * (work.busy_s + work.streamed_bytes / gpu_.memory_bandwidth);
}

std::vector<Compute> ComputeCosts::computes(const Work& work, DeviceId device) const {
    std::vector<Compute> list;
    if (work.busy_s > 0) {
        // The kernels' shapes determine the rate, which becomes the peak of this operation. Its memory traffic is kept
        // below what would bind it, because the product's own roofline already includes that traffic.
        const double seconds = work.busy_s * slowest_;
        const double flops = std::max(work.flops, 1.0);
        const double bytes = std::min(work.operand_bytes, 0.999 * gpu_.memory_bandwidth * seconds);
        list.push_back({device, 0, 0, flops, bytes, flops / seconds});
    }
    if (work.streamed_bytes > 0) { list.push_back({device, 0, 0, 0, work.streamed_bytes * slowest_, 0}); }
    return list;
}

}  // namespace fabricast::inline training
