#include "sim/run/study/drawn_design.hpp"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

// The family of a stretch of the critical path; forecasts of one family have errors in common: bytes on network links,
// on links of the node, latencies ...
std::string family_of(const Blame& blame) {
    static constexpr std::array<std::string_view, 5> network = {"nic-port", "leaf-spine", "spine-core", "global",
                                                                "torus"};
    switch (blame.kind) {
        case BlameKind::compute:
        case BlameKind::launch:
            return "compute";
        case BlameKind::bandwidth:
            return std::find(network.begin(), network.end(), blame.what) != network.end() ? "network" : "node";
        case BlameKind::latency:
        case BlameKind::protocol:
        case BlameKind::wait:
            break;
    }
    return std::string(to_string(blame.kind));
}

// Whether the stretch is on a trunk, where routing decides how well it is used.
bool is_trunk(const Blame& blame) {
    static constexpr std::array<std::string_view, 4> trunks = {"leaf-spine", "spine-core", "global", "torus"};
    return blame.kind == BlameKind::bandwidth && std::find(trunks.begin(), trunks.end(), blame.what) != trunks.end();
}

Range paired(const Catalog& catalog, const std::string& name) {
    const Figure& figure = catalog.at("interval", "study-intervals").figure(name);
    return {figure.value.front(), figure.low80, figure.high80};
}

}  // namespace

Own own_time(const Evaluation& one, const Evaluation& other) {
    Own own;
    for (const Blame& blame : one.blames) {
        double common = 0;
        for (const Blame& b : other.blames) {
            common += alike(blame, b) ? std::min(blame.seconds, b.seconds) : 0;
        }
        own.shared += common;
        own.seconds[{family_of(blame), is_trunk(blame)}] += blame.seconds - common;
    }
    if (one.blames.empty()) {
        own.seconds[{"network", true}] = one.result.time_s.value;
    }
    return own;
}

double DrawnDesign::form(std::uint32_t index) const {
    return at_deviation(evaluation_.form, normal(draw(index), "form " + evaluation_.system));
}

double DrawnDesign::seconds(std::uint32_t index, double with_constants, const Own& own) const {
    double moved = own.shared;
    for (const auto& [key, seconds] : own.seconds) {
        const auto& [family, trunk] = key;
        const std::string regime = family == "compute"                ? "training"
                                   : evaluation_.regime == "training" ? "large"
                                                                      : evaluation_.regime;
        const double error = at_deviation(paired(input_.catalog, "paired." + regime),
                                          normal(draw(index), "own " + evaluation_.system + family));
        const double uneven = trunk ? at_deviation(paired(input_.catalog, "trunks"),
                                                   normal(draw(index), "trunks " + evaluation_.result.name))
                                    : 1;
        moved += seconds * error * uneven;
    }
    return with_constants * (moved / evaluation_.result.time_s.value) * form(index);
}

double DrawnDesign::capital(std::uint32_t index) const {
    const Draw d = draw(index);
    return capital_usd(evaluation_.result.parts, &d);
}

double DrawnDesign::watts(std::uint32_t index) const {
    const Draw d = draw(index);
    return it_watts(evaluation_.result.parts, &d);
}

Ownership DrawnDesign::owning(std::uint32_t index) const {
    const Draw d = draw(index);
    return ownership(input_.catalog, evaluation_.result.parts.bill.gpus, &d);
}

double DrawnDesign::value(std::uint32_t index, double seconds) const {
    const Ownership own = owning(index);
    return evaluation_.tokens > 0
               ? own.total_usd(capital(index), watts(index)) * seconds / (evaluation_.tokens * own.seconds)
               : capital(index) * seconds;
}

}  // namespace fabricast
