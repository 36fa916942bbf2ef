#include "validate/diagnose/diagnosed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "sim/scenario/build.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derive.hpp"
#include "validate/diagnose/links.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline diagnosis {

namespace {

std::string verdict_text(const Diagnosis& d) {
    const std::string health =
        fmt::format("distance {:.0f}, where a healthy log has up to {:.0f}", d.healthy_fit.distance, d.healthy_limit);
    if (d.verdict == Finding::nothing_wrong) {
        return "nothing wrong: the curve is what such a system does (" + health + ")\n";
    }
    if (d.verdict == Finding::faster) {
        return "faster than such a system can be expected to be: is this the machine? (" + health + ")\n";
    }
    if (d.verdict == Finding::none_fits) {
        return "none of my causes fits: the curve is not what such a system does (" + health +
               "), and nothing that I can simulate explains it\n";
    }
    std::string text;
    for (std::size_t i = 0; i < d.named; ++i) {
        const RankedCause& cause = d.ranked[i];
        const bool said = std::ranges::any_of(
            d.ranked.begin(), d.ranked.begin() + static_cast<std::ptrdiff_t>(i),
            [&](const RankedCause& r) { return std::ranges::find(r.alike, cause.cause) != r.alike.end(); });
        if (!said) {
            text += (i == 0 ? "likely: " : "or, as well: ") + words_of(*cause.cause, cause.degree) + "\n";
            for (const Cause* alike : cause.alike) {
                const auto as = std::ranges::find(d.ranked, alike, &RankedCause::cause);
                text += "    or: " + words_of(*alike, as->degree) + ", which this curve cannot tell from it\n";
            }
        }
    }
    if (d.verdict == Finding::several_fit) {
        text += "        several causes fit about as well: what to look at, below, decides\n";
    }
    return text + "        (" + health + "; with the first cause " +
           fmt::format("{:.0f}", d.ranked.front().fit.distance) + ")\n";
}

}  // namespace

Diagnosed diagnosed(const Measurement& measurement, const std::optional<Scenario>& cluster, const std::string& node,
                    const Catalog& catalog) {
    if (const auto link = link_test_of(measurement)) {
        const LinkDiagnosis found = diagnose_link(measurement, *link, cluster, node, catalog);
        return {to_text(found, measurement.id), to_json(found, measurement.id), true};
    }
    const Derived system = system_of(measurement, cluster, node);
    const Diagnosis found = diagnose(system.scenario, rows_of(measurement, system.scenario, catalog), catalog);
    return {to_text(found, measurement.id, system.assumptions), to_json(found, measurement.id)};
}

std::string to_text(const Diagnosis& d, const std::string& id, const std::vector<std::string>& assumptions) {
    std::string out = id + "\n\nassumptions\n";
    for (const std::string& assumption : assumptions) { out += "  " + assumption + "\n"; }
    out += fmt::format("\n{:>12} {:>12} {:>12} {:>9} {:>20}  {}\n", "size (B)", "measured", "expected", "residual",
                       "80 % interval", "");
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        const ForecastRow& row = d.healthy[i];
        const double measured = d.rows[i].seconds;
        const char* mark = measured > row.high80 ? "slow" : measured < row.low80 ? "fast" : "";
        out += fmt::format("{:>12} {:>12} {:>12} {:>+8.0f}% {:>20}  {}\n", d.rows[i].size.count, time_label(measured),
                           time_label(row.seconds), 100 * (measured / row.seconds - 1),
                           time_label(row.low80) + " to " + time_label(row.high80), mark);
    }
    out += "\n" + verdict_text(d);
    constexpr std::size_t shown_causes = 5;
    if (!d.ranked.empty()) {
        out += fmt::format(
            "\ncauses, simulated, by how likely each makes the curve (difference to a healthy system's; below 0: "
            "likelier)\n");
    }
    for (std::size_t i = 0; i < std::min(shown_causes, d.ranked.size()); ++i) {
        const RankedCause& r = d.ranked[i];
        out += fmt::format("  {:>+8.1f}  {} (up to {:.2f} times the time, at {}); see {}\n",
                           r.fit.cost - d.healthy_fit.cost, words_of(*r.cause, r.degree), r.slowdown, text(r.slowest),
                           r.cause->check);
    }
    if (!d.unseen.empty()) {
        out += "\nwould not show in this curve\n";
        for (const std::string& cause : d.unseen) { out += "  " + cause + "\n"; }
    }
    return out;
}

Json to_json(const Diagnosis& d, const std::string& id) {
    Json json{{"schema_version", 1},
              {"id", id},
              {"verdict", to_string(d.verdict)},
              {"distance", d.healthy_fit.distance},
              {"distance_of_healthy_logs", d.healthy_limit}};
    json["rows"] = Json::array();
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        json["rows"].push_back({{"size_bytes", d.rows[i].size.count},
                                {"measured_s", d.rows[i].seconds},
                                {"time_s", d.healthy[i].seconds},
                                {"time_low80_s", d.healthy[i].low80},
                                {"time_high80_s", d.healthy[i].high80}});
    }
    json["causes_that_fit"] = d.verdict == Finding::likely_cause || d.verdict == Finding::several_fit ? d.named : 0;
    json["causes"] = Json::array();
    for (const RankedCause& r : d.ranked) {
        json["causes"].push_back({{"cause", r.cause->name},
                                  {"cost_over_healthy", r.fit.cost - d.healthy_fit.cost},
                                  {"distance", r.fit.distance},
                                  {"slowdown", r.slowdown},
                                  {"slowdown_size_bytes", r.slowest.count}});
        if (r.cause->degree != Degree::none) { json["causes"].back()["degree"] = r.degree; }
    }
    return json;
}

Derived system_of(const Measurement& measurement, const std::optional<Scenario>& cluster, const std::string& node) {
    if (text(measurement.benchmark, "collective").empty()) {
        refuse(measurement.place, "only logs of collectives and of one direction's bandwidth are diagnosed",
               text(measurement.benchmark, "tool"), "nccl-tests, nvbandwidth, ib_write_bw, osu_bw ...");
    }
    // Derive needs a GPU: the node is named as one if there is none, and is replaced afterwards.
    Measurement named = measurement;
    if (text(named.system, "gpu").empty()) { named.system["gpu"] = {node, named.place}; }
    Derived system = derive(named);
    if (cluster) {
        const Scenario logged = std::exchange(system.scenario, *cluster);
        system.scenario.workload = logged.workload;
        system.scenario.launch = logged.launch;
        system.scenario.engine = logged.engine;
        system.assumptions = {"system and software: as " + cluster->file + " says, not as the log does"};
    } else if (!node.empty()) {
        system.scenario.cluster.node = node;
        system.assumptions.push_back("node: " + node + ", as said");
    }
    return system;
}

std::vector<TimedRow> rows_of(const Measurement& measurement, const Scenario& system, const Catalog& catalog) {
    const Fabric fabric(build(system, catalog));
    const auto said = measurement.benchmark.find("ranks");
    if (said != measurement.benchmark.end() && said->second.text != std::to_string(fabric.gpu_count())) {
        refuse(said->second.place, "the log has another number of ranks than the system", said->second.text,
               std::to_string(fabric.gpu_count()));
    }
    const Curve curve = read_curve(measurement, busbw_factor(collective_of(system).collective, fabric.gpu_count()));
    std::vector<TimedRow> rows;
    for (const CurvePoint& point : curve.points) {
        if (point.left_out.empty()) { rows.push_back({point.size, point.seconds}); }
    }
    if (rows.empty()) { throw NotACurve(measurement.place, "not a size curve: no row counts"); }
    return rows;
}

}  // namespace fabricast::inline diagnosis
