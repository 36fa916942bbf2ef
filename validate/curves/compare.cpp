#include "validate/curves/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/percentile.hpp"
#include "base/text_lines.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "validate/curves/derive.hpp"
#include "validate/curves/derive_network.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/curves/unsaid.hpp"

namespace fabricast::inline curves {

namespace {

std::string system_line(const Comparison& c) {
    const ClusterRequest& cluster = c.derived.scenario.cluster;
    return fmt::format("{} x {}{}{}, {} ranks, {}, NCCL {}", cluster.nodes, cluster.node,
                       cluster.link.empty() ? "" : ", ", cluster.link, c.derived.ranks,
                       to_string(collective_of(c.derived.scenario).collective), c.derived.scenario.library.nccl);
}

Series series(const Comparison& c, const char* label, const char* color, double (*value)(const ComparedSize&)) {
    Series s{label, {}, color};
    for (const ComparedSize& size : c.sizes) {
        if (value(size) > 0) { s.points.emplace_back(static_cast<double>(size.measured.size.count), value(size)); }
    }
    return s;
}

// What was assumed of the machine makes the interval wider, independently of what the forecast itself does not know.
void widen(ForecastRow& row, double spread) {
    if (spread <= 1 || row.seconds <= 0) { return; }
    row.low80 = row.seconds / both_spreads(row.seconds / std::min(row.low80, row.seconds), spread);
    row.high80 = row.seconds * both_spreads(std::max(row.high80, row.seconds) / row.seconds, spread);
}

// Datasheet rate of the GPU's link, or of all NICs of the node together, per direction; bytes per second.
double datasheet_bandwidth(const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    if (fabric.node_count() > 1) { return fabric.cluster().fabric.link.rate.bytes_per_second() * node.nics; }
    if (node.nvlink != NvlinkShape::none && node.gpu.nvlink_rate > 0) { return node.gpu.nvlink_rate; }
    for (const NodeCable& cable : node.cables) {
        if (cable.a == "gpu0" || cable.b == "gpu0") { return cable.link.rate.bytes_per_second() * cable.count; }
    }
    return 0;
}

// `shares`: by size, then by number in Derived::unsaid.
std::vector<Narrowing> narrowing_of(const std::vector<Unsaid>& unsaid, const std::vector<std::vector<double>>& shares) {
    std::vector<Narrowing> list;
    for (std::size_t u = 0; u < unsaid.size(); ++u) {
        std::vector<double> of_sizes;
        for (const std::vector<double>& size : shares) { of_sizes.push_back(size[u]); }
        std::vector<std::string> values;
        for (const Unsaid::Other& other : unsaid[u].others) { values.push_back(other.value); }
        list.push_back(
            {unsaid[u].what, fmt::format("{}", fmt::join(values, ", ")), percentile(of_sizes, 50).value_or(0)});
    }
    std::ranges::stable_sort(list, std::ranges::greater{}, &Narrowing::share);
    return list;
}

}  // namespace

double datasheet_wire_time(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric) {
    const double factor = busbw_factor(workload.collective, fabric.gpu_count());
    return factor * static_cast<double>(size.count) / datasheet_bandwidth(fabric);
}

Hops ring_hops(Collective collective, std::uint32_t ranks, std::uint32_t nodes) {
    const double steps = ranks - 1.0;
    const double between = nodes - 1.0;
    switch (collective) {
        case Collective::all_reduce: return {2 * (steps - between), 2 * between};
        case Collective::sendrecv: return nodes > 1 ? Hops{0, 1} : Hops{1, 0};
        default: return {steps - between, between};
    }
}

std::string source_line(const Measurement& m) {
    const std::string_view repo = text(m.source, "repo");
    const std::string_view path = text(m.source, "path");
    if (repo.empty()) {
        const std::string_view url = text(m.source, "url");
        return std::string(url.empty() ? path : url);
    }
    return fmt::format("{}{}{}", repo, path.empty() ? "" : ", ", path);
}

ErrorSummary errors_of(const Comparison& comparison, std::optional<Regime> regime) {
    std::vector<double> errors;
    for (const ComparedSize& size : comparison.sizes) {
        if (size.counts() && regime_of(size.measured.size) == regime.value_or(regime_of(size.measured.size))) {
            errors.push_back(size.error());
        }
    }
    return summary_of(errors);
}

Comparison compare(const Measurement& measurement, const Catalog& catalog, FabricCache& cache,
                   const std::optional<Scenario>& scenario) {
    Comparison c;
    c.id = measurement.id;
    c.source = source_line(measurement);
    if (scenario) {
        c.derived.scenario = *scenario;
        if (!std::holds_alternative<CollectiveWorkload>(scenario->workload)) {
            fail_at(*scenario, "workload.kind", "a measured curve is of a collective", kind_of(scenario->workload),
                    "collective");
        }
        c.derived.assumptions = {"system, software and workload: as the scenario says, not as the file does"};
    } else {
        c.derived = derive(measurement);
        const std::string nic = take_fitting_nic(c.derived.scenario.cluster, catalog);
        if (!nic.empty()) { c.derived.assumptions.push_back(nic); }
    }
    if (c.derived.spread > 1) {
        c.derived.assumptions.push_back(
            fmt::format("interval: wider by a factor of {:.2f} either way, for what is assumed", c.derived.spread));
    }
    const Scenario& used = c.derived.scenario;
    const Fabric& fabric = cache.at(used);
    c.derived.ranks = fabric.gpu_count();
    c.derived.group = group_on(fabric, c.derived);
    if (!scenario) { c.derived.unsaid = unsaid_of(measurement, c.derived, fabric); }
    const std::string ranks = std::to_string(c.derived.ranks);
    if (const auto said = measurement.benchmark.find("ranks");
        said != measurement.benchmark.end() && said->second.text != ranks) {
        refuse(said->second.place, "the scenario has another number of ranks than the measurement", ranks,
               said->second.text);
    }
    c.busbw_factor = busbw_factor(collective_of(used).collective, c.derived.ranks);
    const Curve curve = read_curve(measurement, c.busbw_factor);
    const Hops hops = ring_hops(collective_of(used).collective, fabric.gpu_count(), fabric.node_count());
    const MixedForecaster forecaster(c.derived, cache, catalog);
    std::vector<std::vector<double>> narrowed;
    for (const CurvePoint& point : curve.points) {
        auto [ours, shares] = forecaster.at(point.size);
        widen(ours, c.derived.spread);
        // Measurements of the GPU that is taken for the file's own say less of that.
        if (c.derived.gpu_guessed) { ours.evidence = std::max(ours.evidence, Evidence::same_family); }
        narrowed.push_back(shares);
        const double wire = datasheet_wire_time(collective_of(used), point.size, fabric);
        c.sizes.push_back({point, ours, alpha_beta(hops, wire), tuning_clock(ours.tuning_seconds, wire), hops, wire});
    }
    c.narrowing = narrowing_of(c.derived.unsaid, narrowed);
    return c;
}

std::string to_text(const Comparison& c) {
    std::string out = fmt::format("{}: {}\nmeasured by {}\n\nassumptions\n", c.id, system_line(c), c.source);
    for (const std::string& assumption : c.derived.assumptions) { out += "  " + assumption + "\n"; }
    out += fmt::format("\n{:>12} {:>12} {:>12} {:>8} {:>9} {:>9}  {:<10} {:<7} {:>3}  {}\n", "size (B)", "measured",
                       "forecast", "error", "busbw", "forecast", "algorithm", "proto", "ch", "evidence");
    for (const ComparedSize& size : c.sizes) {
        const double bytes = static_cast<double>(size.measured.size.count);
        const std::string note = size.counts() ? "" : "  (not counted: " + size.measured.left_out + ")";
        out += fmt::format("{:>12} {:>12} {:>12} {:>+7.1f}% {:>9.2f} {:>9.2f}  {:<10} {:<7} {:>3}  {}{}\n",
                           size.measured.size.count, time_label(size.measured.seconds), time_label(size.ours.seconds),
                           100 * size.error(), c.busbw_factor * bytes / size.measured.seconds / 1e9,
                           c.busbw_factor * bytes / size.ours.seconds / 1e9, size.ours.algorithm, size.ours.protocol,
                           size.ours.channels, to_string(size.ours.evidence), note);
    }
    for (const Narrowing& narrowing : c.narrowing) {
        const std::string off =
            narrowing.share < 0.005 ? "would not narrow" : fmt::format("takes {:.0f} % off", 100 * narrowing.share);
        out += fmt::format("\n{} is not stated ({} may be as well): stating it {} the 80 % interval", narrowing.what,
                           narrowing.others, off);
    }
    out += c.narrowing.empty() ? "" : "\n";
    out += "\nerror by regime (median and 90th percentile of the absolute error, median of the signed one)\n";
    for (const Regime regime : all_regimes) {
        const ErrorSummary e = errors_of(c, regime);
        out += e.rows == 0 ? ""
                           : fmt::format("  {:<17} {:>6.1f} % {:>7.1f} % {:>+7.1f} %   {} sizes\n", sizes_of(regime),
                                         100 * e.median, 100 * e.p90, 100 * e.bias, e.rows);
    }
    return out;
}

Json to_json(const Comparison& c) {
    Json json{{"schema_version", 1},
              {"id", c.id},
              {"source", c.source},
              {"ranks", c.derived.ranks},
              {"assumptions", c.derived.assumptions},
              {"rows", Json::array()}};
    for (const ComparedSize& size : c.sizes) {
        json["rows"].push_back({{"size_bytes", size.measured.size.count},
                                {"measured_s", size.measured.seconds},
                                {"time_s", size.ours.seconds},
                                {"time_low80_s", size.ours.low80},
                                {"time_high80_s", size.ours.high80},
                                {"error", size.error()},
                                {"regime", to_string(regime_of(size.measured.size))},
                                {"used", size.counts() ? "yes" : size.measured.left_out},
                                {"algorithm", size.ours.algorithm},
                                {"protocol", size.ours.protocol},
                                {"channels", size.ours.channels},
                                {"evidence", to_string(size.ours.evidence)},
                                {"null_alphabeta_s", size.null_alphabeta},
                                {"null_tuning_s", size.null_tuning}});
    }
    for (const Regime regime : all_regimes) {
        const ErrorSummary e = errors_of(c, regime);
        if (e.rows != 0) {
            json["summary"][std::string(to_string(regime))] = {
                {"sizes", e.rows}, {"median", e.median}, {"p90", e.p90}, {"median_signed", e.bias}};
        }
    }
    return json;
}

std::string to_svg(const Comparison& c) {
    Panel times{c.id, AxisKind::time, "message size", "time", {}, 820, 420};
    times.series = {
        series(c, "alpha-beta", "#bbbbbb", [](const ComparedSize& s) { return s.null_alphabeta; }),
        series(c, "NCCL's tuning model as a clock", "#e0b070", [](const ComparedSize& s) { return s.null_tuning; }),
        series(c, "forecast", "#1f5fa8", [](const ComparedSize& s) { return s.ours.seconds; }),
        series(c, "measured", "#c8352b", [](const ComparedSize& s) { return s.measured.seconds; })};
    times.series[0].dashed = times.series[1].dashed = true;
    times.series[3].line = false;
    times.series[3].markers = true;
    Series used{"", {}, "#1f5fa8"};
    used.markers = true;
    for (const ComparedSize& size : c.sizes) {
        if (size.counts()) {
            used.points.emplace_back(static_cast<double>(size.measured.size.count), 100 * size.error());
        }
    }
    Panel errors{system_line(c), AxisKind::percent, "message size", "forecast / measured - 1", {used}, 820, 240};
    errors.legend = false;
    return svg({times, errors});
}

}  // namespace fabricast::inline curves
