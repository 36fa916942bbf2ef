#include "sim/run/idle_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_lines.hpp"
#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline run {

namespace {

std::string changes_nothing(std::string_view keys, std::string_view only) {
    return fmt::format("keys of `{}:` change nothing here: only {} reads them", keys, only);
}

bool same_links(const Fabric& a, const Fabric& b) {
    if (a.device_count() != b.device_count() || a.link_count() != b.link_count()) { return false; }
    for (std::uint32_t i = 0; i < a.link_count(); ++i) {
        const LinkEnds one = a.ends(LinkId{i}), other = b.ends(LinkId{i});
        if (one.from != other.from || one.to != other.to) { return false; }
    }
    return true;
}

}  // namespace

std::vector<std::string> idle_keys(const Scenario& scenario) {
    std::vector<std::string> notes;
    const auto states = [&](std::string_view key) { return scenario.places.contains(key); };
    for (const Engine& engine : all_engines()) {
        const EngineTraits& other = traits_of(engine);
        if (engine.index() != scenario.engine.index() && !other.keys.empty() && states(other.keys)) {
            notes.push_back(changes_nothing(other.keys, fmt::format("engine {}", other.name)));
        }
    }
    if (std::holds_alternative<TransferWorkload>(scenario.workload) && states("library")) {
        notes.emplace_back("keys of `library:` change nothing here: a transfer reads none");
    }
    if (!std::holds_alternative<CollectiveWorkload>(scenario.workload) && states("launch")) {
        notes.emplace_back("keys of `launch:` change nothing here: only the calls of a collective are timed so");
    }
    const auto* calls = std::get_if<CollectiveWorkload>(&scenario.workload);
    if (calls != nullptr && states("launch.average") && calls->collective != Collective::broadcast &&
        calls->collective != Collective::reduce) {
        notes.emplace_back(
            "`launch.average` changes nothing here: only of broadcast and reduce do ranks' times differ");
    }
    if (const auto* packet = std::get_if<Packet>(&scenario.engine)) {
        using enum CongestionControl;
        for (const CongestionControl control : {infiniband, hpcc, swift, nscc}) {
            const std::string keys = fmt::format("packet.{}", to_string(control));
            if (packet->congestion_control != control && states(keys)) {
                notes.push_back(changes_nothing(keys, fmt::format("congestion_control {}", to_string(control))));
            }
        }
        if (!packet->trim && states("packet.trim_after")) {
            notes.emplace_back("`packet.trim_after` changes nothing here: only `trim: true` reads it");
        }
    }
    return notes;
}

std::vector<std::string> idle_in_place(const Scenario& scenario, const Report& report) {
    const auto* calls = std::get_if<CollectiveWorkload>(&scenario.workload);
    const auto by_copy_engine = [](const FigureUsed& used) { return used.figure == "copy_engine.start"; };
    if (calls == nullptr || !calls->in_place || !report.points.empty() ||
        std::ranges::any_of(report.figures, by_copy_engine)) {
        return {};
    }
    return {"`workload.in_place` changes nothing here: only collectives by copy engines have another time in place"};
}

std::vector<std::string> idle_in_bill(const Scenario& scenario, const Catalog& catalog) {
    std::vector<std::string> notes;
    if (!scenario.prices.empty()) { notes.emplace_back("`prices` change nothing here: only `study` counts costs"); }
    if (scenario.cluster.management_ports > 0) {
        Scenario without = scenario;
        without.cluster.management_ports = 0;
        if (same_links(Fabric(build(scenario, catalog)), Fabric(build(without, catalog)))) {
            notes.emplace_back(
                "`cluster.fabric.management_ports` changes nothing here: the leaves have these ports free; `topo` and "
                "`study` count their cables");
        }
    }
    return notes;
}

std::vector<std::string> idle_variables(const Scenario& scenario, const std::vector<std::string>& notes,
                                        std::vector<double> times,
                                        const std::function<std::vector<double>(const Scenario&)>& times_of) {
    std::vector<std::string> idle;
    if (std::holds_alternative<TransferWorkload>(scenario.workload)) { return idle; }  // idle_keys says so of all
    for (const std::string& name : nccl::modelled_variables()) {
        const auto set = scenario.library.env.find(name);
        const auto tells = [&](const std::string& note) { return holds(note, name); };
        if (set == scenario.library.env.end() || std::ranges::any_of(notes, tells)) { continue; }
        if (times.empty()) { times = times_of(scenario); }
        if (times.empty()) { return {}; }  // none that could differ
        Scenario without = scenario;
        without.library.env.erase(name);
        if (times_of(without) == times) {
            idle.push_back(
                fmt::format("{}={} changes nothing here: all times are the same without it", name, set->second));
        }
    }
    return idle;
}

}  // namespace fabricast::inline run
