#include "validate/accuracy_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fabricast {
namespace {

constexpr const char* ours_color = "#1f5fa8";
constexpr const char* measured_color = "#c8352b";

using ByRegime = std::array<double, 3>;  // percent; negative: no row

std::map<std::string, ByRegime> medians(const std::vector<AccuracyRow>& rows, Forecast which, bool healthy) {
    std::map<std::string, ByRegime> sites;
    for (const bool sibling : {true, false}) {
        for (const Regime regime : all_regimes) {
            for (const SiteError& e : site_errors(rows, {regime, which, healthy, sibling})) {
                auto [site, added] = sites.try_emplace(e.site, ByRegime{-1, -1, -1});
                double& percent = site->second[static_cast<std::size_t>(regime)];
                percent = percent < 0 ? 100 * e.median : percent;
            }
        }
    }
    return sites;
}

std::string cell(double percent) { return percent < 0 ? "–" : fmt::format("{:.1f}", percent); }

std::string cells(const std::map<std::string, ByRegime>& table, const std::string& site) {
    const auto found = table.find(site);
    std::string line;
    for (std::size_t i = 0; i < 3; ++i) {
        line += (i == 0 ? "" : " · ") + cell(found == table.end() ? -1 : found->second[i]);
    }
    return line;
}

std::string figures_table(const std::vector<AccuracyRow>& rows) {
    std::map<std::string, double> figures;
    for (const AccuracyFigure& f : accuracy_figures(rows)) {
        figures[f.name] = f.percent;
    }
    const auto line = [&](const std::string& title, const std::string& prefix) {
        std::string out = "| " + title + " |";
        for (const Regime regime : all_regimes) {
            const std::string name = prefix + std::string(word(regime));
            const auto median = figures.find(name + "_median_pct");
            out += median == figures.end()
                       ? " – |"
                       : fmt::format(" {:.1f} / {:.1f} |", median->second, figures.at(name + "_p90_pct"));
        }
        return out + "\n";
    };
    return "| median / 90th percentile, % | < 64 KiB | 64 KiB – 16 MiB | ≥ 16 MiB |\n|---|---|---|---|\n" +
           line("**fabricast, healthy systems**", "nccl_") + line("fabricast, everything", "nccl_all_") +
           line("**fitted without the site**, another site has GPU, era and fabric", "nccl_loso_") +
           line("fitted without the site, no such sibling", "nccl_loso_without_sibling_") +
           line("fitted without the site, with and without siblings", "nccl_loso_every_site_") +
           line("null: alpha–beta from datasheets", "nccl_null_alphabeta_") +
           line("null: NCCL's tuning model as a clock", "nccl_null_tuning_");
}

std::string figure_lines(const std::vector<AccuracyRow>& rows) {
    std::string lines = "```\n";
    for (const AccuracyFigure& figure : accuracy_figures(rows)) {
        lines += figure_line(figure) + "\n";
    }
    return lines + "```\n";
}

std::string sites_table(const std::vector<AccuracyRow>& rows) {
    const auto ours = medians(rows, Forecast::ours, true);
    const auto left_out = medians(rows, Forecast::left_out, true);
    const auto alpha_beta = medians(rows, Forecast::null_alphabeta, true);
    const auto tuning = medians(rows, Forecast::null_tuning, true);
    std::map<std::string, std::set<std::string>> groups;
    std::map<std::string, std::size_t> counted;
    for (const AccuracyRow& row : rows) {
        if (row.used == "yes") {
            groups[row.site].insert(row.group.generation + " " + row.group.nccl_era + " " + row.group.fabric +
                                    (row.left_out && !row.sibling ? " (no sibling)" : ""));
            ++counted[row.site];
        }
    }
    std::string out =
        "| site | systems | rows | fabricast | without the site | alpha–beta | tuning model "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const auto& [site, unused] : ours) {
        std::string systems;
        for (const std::string& group : groups[site]) {
            systems += (systems.empty() ? "" : "; ") + group;
        }
        out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", site, systems, counted[site], cells(ours, site),
                           cells(left_out, site), cells(alpha_beta, site), cells(tuning, site));
    }
    return out;
}

// A dataset's own medians, by regime.
ByRegime dataset_medians(const Comparison& comparison, bool signed_errors) {
    ByRegime result{-1, -1, -1};
    for (const Regime regime : all_regimes) {
        std::vector<double> errors;
        for (const ComparedSize& size : comparison.sizes) {
            if (size.measured.left_out.empty() && regime_of(size.measured.size) == regime) {
                const double error = size.ours.seconds / size.measured.seconds - 1;
                errors.push_back(signed_errors ? error : std::abs(error));
            }
        }
        if (const auto median = percentile(errors, 50)) {
            result[static_cast<std::size_t>(regime)] = 100 * *median;
        }
    }
    return result;
}

// Targets of the project, in percent: small, mid, large.
constexpr ByRegime targets = {8, 8, 4};

std::string misses(const Collection& collection) {
    std::vector<std::pair<double, std::string>> lines;
    for (const CollectedCurve& curve : collection.curves) {
        const ByRegime absolute = dataset_medians(curve.comparison, false);
        const ByRegime bias = dataset_medians(curve.comparison, true);
        double worst = 0;
        std::string words;
        for (const Regime regime : all_regimes) {
            const auto i = static_cast<std::size_t>(regime);
            if (absolute[i] > 2 * targets[i]) {
                worst = std::max(worst, absolute[i] / targets[i]);
                words += fmt::format("{}{} {:.0f} % ({:+.0f})", words.empty() ? "" : ", ", word(regime), absolute[i],
                                     bias[i]);
            }
        }
        if (!words.empty() && curve.cause.empty()) {
            lines.emplace_back(-worst, fmt::format("| {} | {} | {} |\n", curve.site, curve.comparison.id, words));
        }
    }
    std::ranges::sort(lines);
    std::string out = "| site | dataset | median error, % (median signed) |\n|---|---|---|\n";
    for (const auto& [rank, line] : lines) {
        out += line;
    }
    return lines.empty() ? "None.\n" : out;
}

// Sites above the target in some regime, with what is known of them.
std::string reasons(const std::vector<AccuracyRow>& rows, const KnownMisses& known) {
    std::string out;
    for (const auto& [site, percent] : medians(rows, Forecast::ours, true)) {
        std::string words;
        for (std::size_t i = 0; i < percent.size(); ++i) {
            words += percent[i] > targets[i]
                         ? fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ", word(all_regimes[i]), percent[i])
                         : "";
        }
        if (!words.empty()) {
            const auto reason = known.find(site);
            out += fmt::format("- **{}** ({}): {}\n", site, words,
                               reason == known.end() ? std::string("not looked into.") : reason->second);
        }
    }
    return out.empty() ? "No site is above its target.\n" : out;
}

std::string unhealthy_table(const Collection& collection) {
    std::string out = "| dataset | error % < 64 KiB · mid · large | cause |\n|---|---|---|\n";
    for (const CollectedCurve& curve : collection.curves) {
        if (!curve.cause.empty()) {
            const ByRegime e = dataset_medians(curve.comparison, false);
            out += fmt::format("| {} | {} · {} · {} | {} |\n", curve.comparison.id, cell(e[0]), cell(e[1]), cell(e[2]),
                               curve.cause);
        }
    }
    return out;
}

std::string skipped_list(const Collection& collection) {
    std::string out;
    for (const SkippedFile& file : collection.skipped) {
        out += "- " + std::filesystem::path(file.file).filename().string() + ": " + file.reason + "\n";
    }
    return out.empty() ? "None.\n" : out;
}

Panel curve_panel(const Comparison& c) {
    Panel panel;
    const Scenario& s = c.derived.scenario;
    panel.title = fmt::format("{} × {}, {} ranks, {}", s.cluster.nodes, s.cluster.node, c.derived.ranks,
                              word(collective_of(s).collective));
    panel.width = 400;
    panel.height = 260;
    Series ours{"forecast", {}, ours_color};
    Series measured{"measured, " + c.id, {}, measured_color};
    measured.line = false;
    measured.markers = true;
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

std::string sites_plot(const std::vector<AccuracyRow>& rows) {
    const auto ours = medians(rows, Forecast::ours, true);
    const auto left_out = medians(rows, Forecast::left_out, true);
    const auto alpha_beta = medians(rows, Forecast::null_alphabeta, true);
    const auto tuning = medians(rows, Forecast::null_tuning, true);
    constexpr const char* titles[] = {"below 64 KiB", "64 KiB to 16 MiB", "16 MiB and up"};
    std::vector<DotChart> charts;
    for (std::size_t i = 0; i < 3; ++i) {
        DotChart chart{titles[i],
                       {"fabricast", "without the site", "tuning model", "alpha-beta"},
                       {ours_color, "#5aa0dc", "#e0b070", "#bbbbbb"},
                       {},
                       100};
        if (i != 0) {
            chart.legend.clear();
        }
        for (const auto& [site, values] : ours) {
            const auto of = [&name = site, i](const std::map<std::string, ByRegime>& table) {
                const auto found = table.find(name);
                return found == table.end() ? -1.0 : found->second[i];
            };
            chart.rows.push_back({site, {of(ours), of(left_out), of(tuning), of(alpha_beta)}});
        }
        charts.push_back(std::move(chart));
    }
    return svg(charts);
}

std::string curves_plot(const Collection& collection) {
    std::map<std::string, const Comparison*> shown;
    for (const CollectedCurve& curve : collection.curves) {
        const Comparison& c = curve.comparison;
        if (!curve.cause.empty() || c.sizes.size() < 8) {
            continue;
        }
        const SystemGroup& g = c.derived.group;
        const std::string key =
            g.generation + g.nccl_era + g.fabric + std::string(word(collective_of(c.derived.scenario).collective));
        const Comparison*& best = shown[key];
        if (best == nullptr || c.sizes.size() > best->sizes.size()) {
            best = &c;
        }
    }
    std::vector<Panel> panels;
    for (const auto& [key, comparison] : shown) {
        panels.push_back(curve_panel(*comparison));
    }
    return svg(panels, 3);
}

std::string accuracy_page(const std::vector<AccuracyRow>& rows, const Collection& collection,
                          const KnownMisses& known) {
    std::string page =
        "# How accurate the forecasts are\n\n"
        "Written by `./dev accuracy`; every figure can be recomputed from [accuracy.csv](accuracy.csv). Measured time "
        "= the\n"
        "smaller of out of place and in place; warm-up rows are left out by the rule in `validate/curve.hpp`. A row's "
        "error is\n"
        "|forecast / measured − 1|. A figure is the median over sites of the site's median over its rows (or of its "
        "90th\n"
        "percentile), so that a site with many curves counts once. The forecasts come from the same path as `fabricast "
        "compare\n"
        "--measured FILE`: the scenario is derived from the file's words, no dataset is known by name.\n\n";
    page += figures_table(rows) + "\n![Median error of each site](accuracy-sites.svg)\n\n";
    page +=
        "The constants were fitted to these data (`./dev fit`), so the first line is in-sample. The third is not: for "
        "each\n"
        "site the fit is made again without any of its curves. Curves whose GPU generation, NCCL era and fabric nobody "
        "else\n"
        "measured stand in the fourth line and are not averaged into the third; the fifth knows no siblings and counts "
        "every\n"
        "site. A fabric with another mechanism is another fabric: cards on PCIe peer to peer (`pcie`) or staged "
        "through "
        "host\n"
        "memory (`pcie-host`), a NIC that cannot reach GPU memory (`-host-staged`), a network under an NCCL plugin of "
        "another\n"
        "generation (`-ofi-1.6`).\n\n";
    page += "## Each site\n\nMedian error in percent below 64 KiB · to 16 MiB · above.\n\n" + sites_table(rows) + "\n";
    page += "![Measured and forecast curves](accuracy-curves.svg)\n\n";
    page +=
        "## Which systems miss\n\nHealthy curves with a median error above twice the target (8 · 8 · 4 %) in some "
        "regime, worst "
        "first.\n\n" +
        misses(collection) + "\n";
    page += "### Why, site by site\n\n" + reasons(rows, known) + "\n";
    page += "## Known to be degraded\n\nCounted only in the second line of the first table.\n\n" +
            unhealthy_table(collection) + "\n";
    page += "## Not read as curves\n\n" + skipped_list(collection) + "\n";
    page += "## The figures\n\n" + figure_lines(rows);
    return page;
}

}  // namespace fabricast
