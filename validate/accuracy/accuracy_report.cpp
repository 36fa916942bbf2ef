#include "validate/accuracy/accuracy_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/percentile.hpp"

namespace fabricast {
namespace {

constexpr const char* ours_color = "#1f5fa8";
constexpr const char* measured_color = "#c8352b";

using ByRegime = std::array<double, 3>;  // percent; negative: no rows

using BySite = std::map<std::string, ByRegime>;

BySite medians(const std::vector<AccuracyRow>& rows, Forecast which, std::optional<Scope> scope) {
    BySite sites;
    for (const Regime regime : all_regimes) {
        for (const SiteError& e : site_errors(rows, {regime, which, true, std::nullopt, scope})) {
            auto [site, added] = sites.try_emplace(e.site, ByRegime{-1, -1, -1});
            site->second[static_cast<std::size_t>(regime)] = 100 * e.median;
        }
    }
    return sites;
}

std::string cell(double percent) { return percent < 0 ? "–" : fmt::format("{:.1f}", percent); }

std::string cells(const BySite& table, const std::string& site) {
    const auto found = table.find(site);
    std::string line;
    for (std::size_t i = 0; i < 3; ++i) {
        line += (i == 0 ? "" : " · ") + cell(found == table.end() ? -1 : found->second[i]);
    }
    return line;
}

// One line of the first table: first inside a node, then between nodes. Each cell has the median over sites, the median
// over sites of the 90th percentile of the site, and the 90th percentile over all rows.
std::string figures_line(const std::map<std::string, double>& figures, const std::string& title,
                         const std::string& name) {
    std::string out = "| " + title + " |";
    for (const Scope scope : all_scopes) {
        for (const Regime regime : all_regimes) {
            const std::string prefix = fmt::format("nccl_{}_{}{}", to_string(scope), name, to_string(regime));
            const auto median = figures.find(prefix + "_median_pct");
            out += median == figures.end()
                       ? " – |"
                       : fmt::format(" {:.1f} / {:.1f} / {:.1f} |", median->second, figures.at(prefix + "_p90_pct"),
                                     figures.at(prefix + "_pooled_p90_pct"));
        }
    }
    return out + "\n";
}

std::string figures_table(const std::vector<AccuracyRow>& rows) {
    std::map<std::string, double> figures;
    for (const NamedFigure& f : accuracy_figures(rows)) {
        figures[f.name] = f.value;
    }
    struct Line {
        const char *title, *name;
    };
    constexpr Line lines[] = {{"in the fit, healthy systems", ""},
                              {"in the fit, everything", "all_"},
                              {"fitted without the site; another site has GPU, era and fabric", "loso_"},
                              {"**fitted without the publisher**; another publisher has GPU, era and fabric", "lopo_"},
                              {"fitted without the site, with and without siblings", "loso_every_site_"},
                              {"**fitted without the publisher, with and without siblings**", "lopo_every_site_"},
                              {"null: alpha–beta from datasheets", "null_alphabeta_"},
                              {"null: NCCL's tuning model as a clock", "null_tuning_"},
                              {"null: alpha–beta, fitted without the publisher", "null_fitted_alphabeta_"},
                              {"null: the tuning model, fitted without the publisher", "null_fitted_tuning_"}};
    std::string out =
        "| % | inside < 64 KiB | – 16 MiB | above | between < 64 KiB | – 16 MiB | above "
        "|\n|---|---|---|---|---|---|---|"
        "\n";
    for (const Line& line : lines) {
        out += figures_line(figures, line.title, line.name);
    }
    return out;
}

// Sites, scopes and regimes in which a null model is nearer than our forecast from a fit without the publisher.
std::string null_better_table(const std::vector<AccuracyRow>& rows) {
    constexpr std::pair<Forecast, const char*> nulls[] = {{Forecast::null_alphabeta, "alpha–beta"},
                                                          {Forecast::null_tuning, "tuning model"},
                                                          {Forecast::fitted_alphabeta, "alpha–beta, fitted"},
                                                          {Forecast::fitted_tuning, "tuning model, fitted"}};
    std::string out = "| site | part | sizes | fabricast, without the publisher | best null |\n|---|---|---|---|---|\n";
    std::size_t cells = 0;
    std::size_t worse = 0;
    for (const Scope scope : all_scopes) {
        const BySite ours = medians(rows, Forecast::publisher_out, scope);
        std::vector<BySite> theirs;
        for (const auto& [which, name] : nulls) {
            theirs.push_back(medians(rows, which, scope));
        }
        for (const auto& [site, errors] : ours) {
            for (const Regime regime : all_regimes) {
                const auto i = static_cast<std::size_t>(regime);
                cells += errors[i] >= 0 ? 1 : 0;
                double best = errors[i];
                const char* name = nullptr;
                for (std::size_t n = 0; n < theirs.size(); ++n) {
                    const auto found = theirs[n].find(site);
                    if (found != theirs[n].end() && found->second[i] >= 0 && found->second[i] < best) {
                        best = found->second[i];
                        name = nulls[n].second;
                    }
                }
                if (name != nullptr) {
                    ++worse;
                    out += fmt::format("| {} | {} | {} | {:.1f} | {:.1f} ({}) |\n", site, to_string(scope),
                                       to_string(regime), errors[i], best, name);
                }
            }
        }
    }
    return fmt::format(
               "{} of {} cells of a site, a part and a regime. The best of four nulls is chosen after the fact, "
               "which favours them.\n\n",
               worse, cells) +
           out;
}

std::string figure_lines(const std::vector<AccuracyRow>& rows) {
    std::string lines = "```\n";
    for (const NamedFigure& figure : accuracy_figures(rows)) {
        lines += figure_line(figure) + "\n";
    }
    return lines + "```\n";
}

std::string sites_table(const std::vector<AccuracyRow>& rows, Scope scope) {
    const BySite ours = medians(rows, Forecast::ours, scope);
    const BySite left_out = medians(rows, Forecast::left_out, scope);
    const BySite publisher_out = medians(rows, Forecast::publisher_out, scope);
    const BySite alpha_beta = medians(rows, Forecast::fitted_alphabeta, scope);
    const BySite tuning = medians(rows, Forecast::fitted_tuning, scope);
    std::map<std::string, std::set<std::string>> groups;
    std::map<std::string, std::size_t> counted;
    for (const AccuracyRow& row : rows) {
        if (row.used == "yes" && scope_of(row) == scope) {
            groups[row.site].insert(row.group.generation + " " + row.group.nccl_era + " " + row.group.fabric +
                                    (row.publisher_out && !row.publisher_sibling ? " (no sibling)" : ""));
            ++counted[row.site];
        }
    }
    std::string out =
        "| site | systems | rows | in the fit | without the site | without the publisher | alpha–beta, fitted | tuning "
        "model, fitted |\n|---|---|---|---|---|---|---|---|\n";
    for (const auto& [site, unused] : ours) {
        out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", site, fmt::join(groups[site], "; "),
                           counted[site], cells(ours, site), cells(left_out, site), cells(publisher_out, site),
                           cells(alpha_beta, site), cells(tuning, site));
    }
    return out;
}

// Which fabrics between nodes were in the fit, so that readers see which were not.
std::string known_fabrics(const std::vector<AccuracyRow>& rows) {
    std::map<std::string, std::set<std::string>> healthy;
    std::set<std::string> degraded;
    for (const AccuracyRow& row : rows) {
        if (scope_of(row) == Scope::between) {
            (row.used == "yes" ? healthy[row.group.fabric] : degraded)
                .insert(row.used == "yes" ? row.site : row.group.fabric);
        }
    }
    std::string out = "Healthy systems between nodes in the fit, by fabric:";
    for (const auto& [fabric, sites] : healthy) {
        out += fmt::format("{} {} ({})", fabric == healthy.begin()->first ? "" : ",", fabric, fmt::join(sites, ", "));
    }
    std::erase_if(degraded, [&](const std::string& fabric) { return healthy.contains(fabric); });
    out += ".";
    if (!degraded.empty()) {
        out += fmt::format(
            " Of {} only degraded systems were measured: no constant was fitted to them, and forecasts there rest on "
            "the transport's published figures.",
            fmt::join(degraded, ", "));
    }
    return out + "\n\n";
}

// Median errors of one dataset, by regime.
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

// Targets of the project in percent: small, mid, large.
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
                words += fmt::format("{}{} {:.0f} % ({:+.0f})", words.empty() ? "" : ", ", to_string(regime),
                                     absolute[i], bias[i]);
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

// Sites above the target in some regime, and what is known about the reason.
std::string reasons(const std::vector<AccuracyRow>& rows, const KnownMisses& known) {
    std::string out;
    for (const auto& [site, percent] : medians(rows, Forecast::ours, std::nullopt)) {
        std::string words;
        for (std::size_t i = 0; i < percent.size(); ++i) {
            words += percent[i] > targets[i] ? fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ",
                                                           to_string(all_regimes[i]), percent[i])
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
                              to_string(collective_of(s).collective));
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
    const BySite ours = medians(rows, Forecast::ours, std::nullopt);
    const BySite left_out = medians(rows, Forecast::publisher_out, std::nullopt);
    const BySite alpha_beta = medians(rows, Forecast::fitted_alphabeta, std::nullopt);
    const BySite tuning = medians(rows, Forecast::fitted_tuning, std::nullopt);
    constexpr const char* titles[] = {"below 64 KiB", "64 KiB to 16 MiB", "16 MiB and up"};
    std::vector<DotChart> charts;
    for (std::size_t i = 0; i < 3; ++i) {
        DotChart chart{titles[i],
                       {"in the fit", "without the publisher", "tuning model, fitted", "alpha-beta, fitted"},
                       {ours_color, "#5aa0dc", "#e0b070", "#bbbbbb"},
                       {},
                       100};
        if (i != 0) {
            chart.legend.clear();
        }
        for (const auto& [site, values] : ours) {
            const auto of = [&name = site, i](const BySite& table) {
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
            g.generation + g.nccl_era + g.fabric + std::string(to_string(collective_of(c.derived.scenario).collective));
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
        "smaller of out of place and in place; warm-up rows are left out by the rule in `validate/curves/curve.hpp`. A "
        "row's "
        "error is\n"
        "|forecast / measured − 1|. The forecasts come from the same path as `fabricast compare --measured FILE`: the\n"
        "scenario is derived from the file's words, no dataset is known by name.\n\n"
        "Three figures a cell: the median over sites of the site's median, the median over sites of the site's 90th\n"
        "percentile (a site with many curves counts once in both), and the 90th percentile over all rows together, in\n"
        "which a few bad systems cannot hide. Collectives inside one node and between nodes stand apart.\n\n";
    page += figures_table(rows) + "\n![Median error of each site](accuracy-sites.svg)\n\n";
    if (std::ranges::none_of(rows, [](const AccuracyRow& row) { return row.left_out.has_value(); })) {
        page +=
            "**The fits without each site are of an earlier catalogue or of other data: what rests on them is left "
            "empty "
            "until\n`./dev accuracy --loso` is run.**\n\n";
    }
    page +=
        "The constants were fitted to these data (`./dev fit`), so the first two lines are in-sample. The next are "
        "not: "
        "the\n"
        "fit is made again without any curve of the site, or of any site of its publisher: four sites measured with "
        "one\n"
        "harness are not independent. A sibling is another site (of another publisher) with the same GPU generation, "
        "NCCL\n"
        "era and fabric; a fabric with another mechanism is another fabric: cards on PCIe peer to peer (`pcie`) or "
        "staged\n"
        "through host memory (`pcie-host`), a NIC that cannot reach GPU memory (`-host-staged`), a network under an "
        "NCCL\n"
        "plugin of another generation (`-ofi-1.6`). The fitted nulls have their few constants from the same rows, "
        "under "
        "the\n"
        "same rule.\n\n" +
        known_fabrics(rows);
    page += "## Each site\n\nMedian error in percent below 64 KiB · to 16 MiB · above.\n\n### Inside a node\n\n" +
            sites_table(rows, Scope::inside) + "\n### Between nodes\n\n" + sites_table(rows, Scope::between) + "\n";
    page += "## Where a null does better\n\n" + null_better_table(rows) + "\n";
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
