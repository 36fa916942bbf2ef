#include "sim/run/study/drawn_design.hpp"

#include <algorithm>
#include <array>

namespace fabricast::inline studies {

namespace {

// Whether the stretch is on a trunk, where routing decides how well it is used.
bool is_trunk(const Blame& blame) {
    static constexpr std::array<std::string_view, 4> trunks = {"leaf-spine", "spine-core", "global", "torus"};
    return blame.kind == BlameKind::bandwidth && std::ranges::find(trunks, blame.what) != trunks.end();
}

// The family of a stretch of the critical path; forecasts of one family have errors in common: bytes on network links,
// on links of the node, latencies ...
std::string_view family_of(const Blame& blame) {
    if (blame.kind == BlameKind::bandwidth) { return is_trunk(blame) || blame.what == "nic-port" ? "network" : "node"; }
    return to_string(blame.kind == BlameKind::launch ? BlameKind::compute : blame.kind);
}

}  // namespace

Own own_time(const Evaluation& one, const Evaluation& other) {
    Own own;
    for (const Blame& blame : one.blames) {
        double common = 0;
        for (const Blame& b : other.blames) { common += alike(blame, b) ? std::min(blame.seconds, b.seconds) : 0; }
        own.shared += common;
        own.seconds[{std::string(family_of(blame)), is_trunk(blame)}] += blame.seconds - common;
    }
    if (one.blames.empty()) { own.seconds[{"network", true}] = one.result.time_s.value; }
    return own;
}

double DrawnDesign::form(const Draw& draw) const {
    return at_deviation(evaluation.form, normal(draw, "form " + evaluation.system));
}

double DrawnDesign::seconds(const Draw& draw, const Own& own) const {
    const auto error = [&](const std::string& figure, const std::string& name) {
        return at_deviation(study_interval(input.catalog, figure), normal(draw, name));
    };
    double moved = own.shared;
    for (const auto& [key, seconds] : own.seconds) {
        const auto& [family, trunk] = key;
        const std::string regime = family == "compute"               ? "training"
                                   : evaluation.regime == "training" ? "large"
                                                                     : evaluation.regime;
        const double uneven = trunk ? error("trunks", "trunks " + evaluation.result.name) : 1;
        moved += seconds * error("paired." + regime, "own " + evaluation.system + family) * uneven;
    }
    return with_constants[draw.index] * (moved / evaluation.result.time_s.value) * form(draw);
}

double DrawnDesign::value(const Draw& draw, double seconds) const {
    const Ownership own = owning(draw);
    return evaluation.tokens > 0
               ? own.total_usd(capital(draw), watts(draw)) * seconds / (evaluation.tokens * own.seconds)
               : capital(draw) * seconds;
}

}  // namespace fabricast::inline studies
