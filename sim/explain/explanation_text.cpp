#include "sim/explain/explanation_text.hpp"

#include <array>
#include <cstdio>
#include <map>

#include "sim/io/units.hpp"

namespace fabricast {

namespace {

constexpr std::size_t shown_entries = 14;

std::string pad(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string share(double seconds, double whole) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%6.1f %%", whole > 0 ? 100 * seconds / whole : 0);
    return text.data();
}

std::string line(double seconds, double whole, const std::string& kind, const std::string& rest) {
    return share(seconds, whole) + "  " + pad(text(seconds, Dimension::time), 11) + pad(kind, 11) + rest + "\n";
}

}  // namespace

std::string blame_table(const std::string& scenario, const ExplainedRun& run) {
    std::string out = "# " + scenario + ": " + run.what + ", on " + std::to_string(run.gpus) + " GPUs in " +
                      std::to_string(run.nodes) + (run.nodes == 1 ? " node" : " nodes") + ": " +
                      text(run.seconds, Dimension::time) + "\n# what bound it along its critical path\n";
    std::map<BlameKind, double> kinds;
    double total = 0;
    for (const Blame& blame : run.blames) {
        kinds[blame.kind] += blame.seconds;
        total += blame.seconds;
    }
    for (const auto& [kind, seconds] : kinds) {
        out += line(seconds, run.seconds, std::string(word(kind)), "");
    }
    out += line(total, run.seconds, "in all", "");
    out += "# of it\n";
    double rest = 0;
    for (std::size_t i = 0; i < run.blames.size(); ++i) {
        const Blame& b = run.blames[i];
        if (i >= shown_entries) {
            rest += b.seconds;
            continue;
        }
        out += line(b.seconds, run.seconds, std::string(word(b.kind)), pad(b.what, 24) + pad(b.part, 18) + b.hop);
    }
    if (rest > 0) {
        out += line(rest, run.seconds, "", "all others");
    }
    for (const std::string& note : run.notes) {
        out += "# " + note + "\n";
    }
    return out;
}

}  // namespace fabricast
