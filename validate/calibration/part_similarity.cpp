#include "validate/calibration/part_similarity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "models/device_part.hpp"

namespace fabricast::inline calibration {
namespace {

// Shares of the variance. The order follows the transfers in facts nccl-mechanisms.md §1: with another GPU generation
// latencies are 40 % off; with another NCCL era 40 to 50 % at middle sizes and little elsewhere; with other cards and
// networks the errors are largest.
constexpr double generation_share = 0.35, era_share = 0.2, inside_share = 0.3;
constexpr double family_share = 0.4, direct_share = 0.2, code_share = 0.3;
constexpr double next_generation = 0.6;  // correlation of the effects of two successive generations
constexpr double related_inside = 0.5;   // correlation of two connections over NVLink, or of two over PCIe

double generation(std::string_view arch) {
    // Successive data-centre generations are 1 apart; Turing is 0.5 after Volta, Ada 0.5 before Hopper.
    constexpr std::array<double, 7> order{0, 1, 1.5, 2, 2.5, 3, 4};
    const auto found = std::ranges::find(gpu_arch_names, arch);
    return found == gpu_arch_names.end() ? 0 : order[static_cast<std::size_t>(found - gpu_arch_names.begin())];
}

double alike_inside(std::string_view a, std::string_view b) {
    if (a == b) { return 1; }
    return a.starts_with("pcie") == b.starts_with("pcie") ? related_inside : 0;
}

double kernels(const Part& a, const Part& b) {
    const double steps = std::abs(generation(a.word("arch")) - generation(b.word("arch")));
    return generation_share * std::pow(next_generation, steps) + (a.word("since") == b.word("since") ? era_share : 0) +
           inside_share * alike_inside(a.word("inside"), b.word("inside"));
}

double transports(const Part& a, const Part& b) {
    const bool direct = a.word_or("gpu_direct", "yes") == b.word_or("gpu_direct", "yes");
    const std::string code = a.word_or("posted_by", "");  // of IB and RoCE, with GPUDirect and without
    return (a.word("family") == b.word("family") ? family_share : 0) + (direct ? direct_share : 0) +
           (!code.empty() && code == b.word_or("posted_by", "") ? code_share : 0);
}

}  // namespace

double part_similarity(const Part& a, const Part& b) {
    if (a.name == b.name) { return 1; }
    if (a.kind != b.kind) { return 0; }
    if (a.kind == "transport") { return transports(a, b); }
    // Parts of a maker whose generations have no order are not fitted.
    const auto ordered = [](const Part& p) {
        return p.text.contains("arch") && std::ranges::find(gpu_arch_names, p.word("arch")) != gpu_arch_names.end();
    };
    const bool costs = a.kind == "kernel" && ordered(a) && ordered(b);
    return costs ? kernels(a, b) : 0;
}

bool told_by_kin(const Figure& figure) {
    return figure.origin == Origin::estimated && figure.source.size() == 1 && figure.source.front() == kin_source;
}

}  // namespace fabricast::inline calibration
