#pragma once
// What kernels of a training step cost on one GPU: a roofline model; the reachable shares of the peaks depend on a
// product's size and on the attention kernel (catalogue parts of kind `compute` and `framework`; docs/training.md
// derives each formula).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/catalog.hpp"
#include "models/device_part.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/training/model_shape.hpp"
#include "sim/plan/training/training_workload.hpp"

namespace fabricast::inline training {

// What kernels do, for the account of a step.
enum class WorkKind : std::uint8_t { products, attention, small_kernels, logits };
inline constexpr std::size_t work_kinds = 4;

// Kernels that run one after another on an idle GPU.
struct Work {
    double flops = 0;           // floating-point operations
    double busy_s = 0;          // seconds of kernels bound by arithmetic or launches
    double operand_bytes = 0;   // memory traffic of those kernels
    double streamed_bytes = 0;  // of kernels bound by memory, divided by the share of the bandwidth that they reach
    double weights_s = 0;       // of busy_s: gradients of weights, which nothing but the step's end waits for
    std::array<double, work_kinds> kind_s{};  // seconds of them all, by what they do

    Work& operator+=(const Work& other);
    friend Work operator+(Work a, const Work& b) { return a += b; }
    friend Work operator*(double times, const Work& work);
    // Leaves the gradients of weights for later: takes them out of this work.
    Work take_weights();
};

// C(m x n) = A(m x k) B(k x n), `count` of them.
struct Product {
    double m = 0, n = 0, k = 0, count = 1;
    bool full_precision = false;  // at least in bf16, even in an 8-bit or 4-bit step: logits, router
    bool grouped = false;         // one kernel computes all `count`; else each is launched
    double more_bytes = 0;        // traffic besides operands and result: the fp32 gradient that is added to
};

// The catalogue's part of kind `compute` for this GPU. Throws CatalogError if there is none.
const Part& compute_part(const Catalog& catalog, const GpuSpec& gpu);

class ComputeCosts {
public:
    // Computing gets slower with the number of `gpus` (figure growth). Throws CatalogError if the GPU does not support
    // the precision.
    ComputeCosts(const Catalog& catalog, const GpuSpec& gpu, const TrainingWorkload& workload, double gpus);

    Work product(const Product& product) const;
    // A fused or unfused attention of `tokens` queries over sequences of `sequence`; this GPU has `share` of the heads.
    Work attention(const ModelShape& model, double tokens, double sequence, double share, bool backward) const;
    // Traffic in 16 bits: twice that where activations have 32.
    Work elementwise(double bytes, double kernels = 0) const;
    Work cast(double bytes) const;
    // At the share of the peak that convolutions ("conv.") or large products ("gemm.") reach, or at the memory's pace.
    Work roofline(const std::string& share, double flops, double bytes) const;
    Work optimizer(double held, double all) const;
    double host_optimizer_bytes() const;  // that a CPU's step of a parameter moves in host memory

    // The same work, accounted for as `kind`.
    static Work as(WorkKind kind, Work work);
    // Seconds on an idle GPU.
    double seconds(const Work& work) const;
    // The work as operations of a schedule: one bound by arithmetic, one by memory; empty ones are left out.
    std::vector<Compute> computes(const Work& work, DeviceId device) const;

    bool narrow() const { return is_narrow(precision_); }
    bool unfused_attention() const { return attention_kernel() == "unfused"; }
    double gpu(std::string_view figure) const;  // from the GPU's part, or from the part for all GPUs
    // Factor on the traffic of norms, residuals and an unfused softmax beside 16-bit products, of a framework that
    // keeps these in 32 bits and casts between them.
    double autocast() const;
    // From the framework's part.
    double framework(std::string_view figure) const { return framework_figure(figure).value.front(); }
    const Figure& framework_figure(std::string_view figure) const { return log_.read(*framework_, figure); }
    double framework_or(std::string_view figure, double fallback) const {
        return framework_->has(figure) ? framework(figure) : fallback;
    }
    double peak() const { return peak_; }  // FLOP/s of the step's precision
    std::vector<FigureUsed> figures() const { return log_.figures(); }

private:
    Work work(WorkKind kind, double flops, double busy_s, double operand_bytes, double streamed_bytes) const;
    std::string attention_kernel() const;
    double waves(const Product& product) const;
    double launch() const;

    const Part* compute_;
    const Part* common_;
    const Part* framework_;
    GpuSpec gpu_;
    Precision precision_;
    AttentionKernel attention_;
    OptimizerKind optimizer_;
    bool compiled_;
    bool graphs_;
    double peak_ = 0, half_peak_ = 0;
    double slowest_ = 1;  // time on the slowest node, relative to a typical one
    mutable FigureLog log_;
};

}  // namespace fabricast::inline training
