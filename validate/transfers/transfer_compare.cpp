#include "validate/transfers/transfer_compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/percentile.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/timelines.hpp"
#include "validate/curves/derive_network.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/curves/forecast.hpp"

namespace fabricast::inline validate_transfers {

namespace {

std::string value_text(const TransferPoint& p, double value) {
    return text(value, p.latency ? Dimension::time : Dimension::rate);
}

// How far measurements were from forecasts of such transfers, and what was assumed of the machine, as of two causes.
void add_interval(const Exchange& e, double spread, TransferPoint& point) {
    const double low = 1 / curves::both_spreads(e.measured_low80, spread);
    const double high = curves::both_spreads(e.measured_high80, spread);
    point.low80 = point.latency ? point.forecast * low : point.forecast / high;
    point.high80 = point.latency ? point.forecast * high : point.forecast / low;
}

}  // namespace

TransferComparison compare_transfers(const Measurement& measurement, const Catalog& catalog) {
    TransferCase made = derive_transfers(measurement);
    FabricCache fabrics(catalog);
    for (std::size_t i = 0; i < made.scenarios.size(); ++i) {
        TransferPoint& point = made.comparison.points[i];
        Scenario& s = made.scenarios[i];
        if (s.name.empty()) { continue; }
        try {
            curves::take_fitting_nic(s.cluster, catalog);
            const Exchange e =
                exchange_at(point.size, s.workload, {fabrics.at(s), s.library, s.launch, catalog}, Flow{});
            // A matrix of latencies tells the time of each copy of a series, a benchmark that waits that of one alone.
            point.forecast = !point.latency                   ? e.aggregate_bandwidth
                             : made.comparison.latency_matrix ? e.each_s
                                                              : e.one_s - (made.posted[i] ? e.links_s : 0);
            point.transport = e.choice.path.transport;
            add_interval(e, made.comparison.spread, point);
        } catch (const PlanError& error) { point.left_out = error.what(); } catch (const CatalogError& error) {
            point.left_out = error.what();
        } catch (const ClusterError& error) { point.left_out = error.what(); }
    }
    return std::move(made.comparison);
}

std::string to_text(const TransferComparison& c) {
    std::string out = fmt::format("{}: {}\nmeasured by {}\n\nassumptions\n", c.id, c.system, c.source);
    for (const std::string& assumption : c.assumptions) { out += "  " + assumption + "\n"; }
    if (!c.uncounted.empty()) { out += "\nnot counted: " + c.uncounted + "\n"; }
    out += fmt::format("\n{:<40} {:>12} {:>13} {:>13} {:>27} {:>8}  {}\n", "", "size (B)", "measured", "forecast",
                       "80 % interval", "error", "transport");
    std::vector<double> errors;
    for (const TransferPoint& p : c.points) {
        if (!p.left_out.empty()) {
            out += fmt::format("{:<40} not forecast: {}\n", p.label, p.left_out);
            continue;
        }
        errors.push_back(std::abs(p.error()));
        out += fmt::format("{:<40} {:>12} {:>13} {:>13} {:>27} {:>+7.1f}%  {}\n", p.label, p.size.count,
                           value_text(p, p.measured), value_text(p, p.forecast),
                           value_text(p, p.low80) + " to " + value_text(p, p.high80), 100 * p.error(), p.transport);
    }
    if (!errors.empty()) {
        out += fmt::format("\nmedian of the absolute error of time: {:.1f} % of {} values\n",
                           100 * *percentile(errors, 50), errors.size());
    }
    return out;
}

Json to_json(const TransferComparison& c) {
    Json json = {{"schema_version", 1}, {"id", c.id}, {"source", c.source}, {"assumptions", c.assumptions}};
    json["rows"] = Json::array();
    for (const TransferPoint& p : c.points) {
        Json row = {{"label", p.label}, {"size_bytes", p.size.count}};
        if (p.left_out.empty()) {
            row[p.latency ? "measured_s" : "measured_Bps"] = p.measured;
            row[p.latency ? "time_s" : "forecast_Bps"] = p.forecast;
            row[p.latency ? "time_low80_s" : "forecast_low80_Bps"] = p.low80;
            row[p.latency ? "time_high80_s" : "forecast_high80_Bps"] = p.high80;
            row["error"] = p.error();
            row["transport"] = p.transport;
        }
        row["used"] = c.used(p);
        json["rows"].push_back(row);
    }
    return json;
}

}  // namespace fabricast::inline validate_transfers
