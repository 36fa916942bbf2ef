#include "validate/accuracy/accuracy_charts.hpp"

#include <fmt/format.h>

#include "validate/accuracy/accuracy.hpp"
#include "validate/score/plot.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

constexpr const char* ours_color = "#1f5fa8";
constexpr const char* measured_color = "#c8352b";

struct Dots {
    Forecast which;
    const char *label, *color;
};
constexpr Dots site_dots[] = {{Forecast::ours, "in the fit", ours_color},
                              {Forecast::publisher_out, "without the publisher", "#5aa0dc"},
                              {Forecast::fitted_tuning, "tuning model, fitted", "#e0b070"},
                              {Forecast::fitted_alphabeta, "alpha-beta, fitted", "#bbbbbb"}};

Panel curve_panel(const Comparison& c) {
    Panel panel;
    const Scenario& s = c.derived.scenario;
    panel.title = fmt::format("{} × {}, {} ranks, {}", s.cluster.nodes, s.cluster.node, c.derived.ranks,
                              to_string(collective_of(s).collective));
    panel.width = 400;
    panel.height = 260;
    Series ours{"forecast", {}, ours_color};
    Series measured{"measured, " + c.id, {}, measured_color, false, true};  // no line, but markers
    for (const ComparedSize& size : c.sizes) {
        if (size.measured.left_out.empty()) {
            const auto bytes = static_cast<double>(size.measured.size.count);
            ours.points.emplace_back(bytes, size.ours.seconds);
            measured.points.emplace_back(bytes, size.measured.seconds);
        }
    }
    panel.series = {ours, measured};
    return panel;
}

}  // namespace

std::string sites_chart(const std::vector<ComparedRow>& rows) {
    std::vector<DotChart> charts;
    for (const Regime regime : all_regimes) {
        DotChart& chart = charts.emplace_back();
        chart.title = sizes_of(regime);
        for (const auto& [site, unused] : site_medians(rows, Forecast::ours)) { chart.rows.push_back({site, {}}); }
        for (const Dots& dots : site_dots) {
            const auto medians = site_medians(rows, dots.which);
            for (DotRow& row : chart.rows) {
                const auto found = medians.find(row.label);
                const auto median = found == medians.end() ? std::nullopt : found->second[index_of(regime)];
                row.values.push_back(median ? 100 * *median : -1);
            }
            chart.colors.emplace_back(dots.color);
            if (regime == Regime::small) {  // the legend of all three
                chart.legend.emplace_back(dots.label);
            }
        }
    }
    return svg(charts);
}

std::string curves_chart(const Collection& collection) {
    std::map<std::string, const Comparison*> shown;
    for (const CollectedCurve& curve : collection.curves) {
        const Comparison& c = curve.comparison;
        if (!curve.cause.empty() || c.sizes.size() < 8) { continue; }
        const SystemGroup& g = c.derived.group;
        const Comparison*& best = shown[fmt::format("{}{}{}{}", g.generation, g.nccl_era, g.fabric,
                                                    to_string(collective_of(c.derived.scenario).collective))];
        if (best == nullptr || c.sizes.size() > best->sizes.size()) { best = &c; }
    }
    std::vector<Panel> panels;
    for (const auto& [key, comparison] : shown) { panels.push_back(curve_panel(*comparison)); }
    return svg(panels, 3);
}

}  // namespace fabricast::inline validate_accuracy
