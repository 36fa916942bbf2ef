#include "sim/plan/collectives/nccl/plugin_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/text_lines.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

using Corner = std::pair<double, double>;

// aws-ofi-nccl takes 10^-6 for none.
Corner corner(double bytes, double ranks) { return {std::log2(std::max(bytes, 1e-6)), std::log2(ranks)}; }

bool on_edge(const Corner& p, const Corner& a, const Corner& b) {
    const double dx = b.first - a.first, dy = b.second - a.second, length = std::hypot(dx, dy);
    if (length == 0) { return p == a; }
    const double off = std::abs((p.first - a.first) * dy - (p.second - a.second) * dx) / length;
    const double along = ((p.first - a.first) * dx + (p.second - a.second) * dy) / (length * length);
    return off < 1e-10 && along >= 0 && along <= 1;
}

// Whether a ray from p to ever larger sizes crosses the edge.
bool crosses(const Corner& p, const Corner& a, const Corner& b) {
    return (a.second > p.second) != (b.second > p.second) &&
           p.first < a.first + (b.first - a.first) * (p.second - a.second) / (b.second - a.second);
}

// The part of the tuner for this platform and communicator, null if the plugin has none for it.
const Part* tuner_of(const Catalog& catalog, std::string_view link, const Communicator& comm) {
    for (const Part* part : catalog.of_kind("tuner")) {
        if (part->word("links") == link && part->number("compute_capability") == comm.compute_capability &&
            part->number("gpus") * comm.nodes == comm.ranks && comm.nodes > part->number("more_than_nodes")) {
            return part;
        }
    }
    return nullptr;
}

std::vector<TunerRegion> regions_of(const Part& tuner, Collective collective) {
    std::vector<TunerRegion> regions;
    const std::string first = fmt::format("{}.", to_string(collective));
    for (const auto& [name, figure] : tuner.figures) {  // in the order of their names, so of their numbers
        const std::vector<std::string_view> words = split(name, '.');
        if (!name.starts_with(first) || words.back() != "bytes") { continue; }
        TunerRegion& region = regions.emplace_back(TunerRegion{std::string(words[2]), std::string(words[3]), {}});
        const std::vector<double>& bytes = tuner.list(name);
        const std::vector<double>& ranks = tuner.list(name.substr(0, name.rfind('.')) + ".ranks");
        if (bytes.size() != ranks.size()) {
            throw CatalogError("part '{}': {} corners in {}, and {} in its ranks", tuner.name, bytes.size(), name,
                               ranks.size());
        }
        std::ranges::transform(bytes, ranks, std::back_inserter(region.corners), corner);
    }
    return regions;
}

}  // namespace

bool TunerRegion::holds(double bytes, double ranks) const {
    const Corner p = corner(bytes, ranks);
    bool inside = false;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Corner &a = corners[i], &b = corners[(i + 1) % corners.size()];
        if (on_edge(p, a, b)) { return true; }
        inside = inside != crosses(p, a, b);
    }
    return inside;
}

// From 2.21 on NCCL finds the tuner in the plugin itself, before only by name (src/tuner.cc); older plugins had it in a
// library of its own, which images named.
std::vector<TunerRegion> plugin_regions(const Catalog& catalog, std::string_view link, const Communicator& comm,
                                        const Version& version, Collective collective, Environment& environment) {
    const Part* tuner = tuner_of(catalog, link, comm);
    const std::string named = lower_case(environment.tuner.value_or(""));
    const bool loaded = named.empty() ? version >= Version{2, 21, 0} : holds(named, "ofi");
    if (!named.empty() && named != "none" && (tuner == nullptr || !loaded)) {
        environment.notes.push_back(
            fmt::format("NCCL_TUNER_PLUGIN={}: the tuner of this plugin is not modelled, or has "
                        "no say here: the choice is NCCL's",
                        *environment.tuner));
    }
    if (tuner == nullptr || !loaded) { return {}; }
    std::vector<TunerRegion> regions = regions_of(*tuner, collective);
    if (!regions.empty()) {
        environment.notes.push_back(
            fmt::format("the network plugin's tuner chooses algorithm and protocol ({}; "
                        "NCCL_TUNER_PLUGIN=none leaves it to NCCL)",
                        tuner->name));
    }
    return regions;
}

std::optional<Estimate> tuned(const std::vector<TunerRegion>& regions, double bytes, double ranks,
                              const std::vector<Estimate>& able) {
    for (const TunerRegion& region : regions) {
        const auto runs = std::ranges::find_if(able, [&](const Estimate& e) {
            return to_string(e.algorithm->word) == region.algorithm &&
                   to_string(scenario_protocol(e.proto)) == region.protocol;
        });
        if (runs != able.end() && region.holds(bytes, ranks)) { return *runs; }
    }
    return std::nullopt;
}

}  // namespace fabricast::inline collectives::nccl
