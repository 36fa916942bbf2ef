#include "validate/accuracy/accuracy_page.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "validate/accuracy/accuracy.hpp"
#include "validate/accuracy/nulls.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline validate_accuracy {

namespace {

// Of |forecast / measured - 1|, in per cent; an error below 0.1 % counts as that, for one of 0 would make all 0.
std::string geometric_mean(const std::vector<ComparedRow>& rows, const std::string& tables) {
    double sum = 0, count = 0;
    for (const ComparedRow& row : rows) {
        if (!glob_matches(tables, row.table) || !row.counted() || !row.compares(Forecast::publisher_out)) { continue; }
        sum += std::log(std::max(0.001, std::abs(row.error(Forecast::publisher_out))));
        count += 1;
    }
    return count == 0 ? "–" : fmt::format("{:.1f} ({:.0f} sizes)", 100 * std::exp(sum / count), count);
}

// Targets of the project: small, mid, large.
constexpr std::array<double, 3> targets = {0.08, 0.08, 0.04};

// "5.1 · – · 3.0", of a group that may be absent.
std::string medians_cell(const std::map<std::string, RegimeMedians>& medians, const std::string& group) {
    const auto found = medians.find(group);
    std::vector<std::string> cells;
    for (const Regime regime : all_regimes) {
        const auto median = found == medians.end() ? std::nullopt : found->second[index_of(regime)];
        cells.push_back(median ? percent_cell(*median) : "–");
    }
    return fmt::format("{}", fmt::join(cells, " · "));
}

// The first table: inside a node, then between nodes. Each cell has the median over sites, the median over sites of the
// 90th percentile of the site, and the 90th percentile over all rows.
std::string figures_table(const std::vector<NamedFigure>& figures) {
    constexpr std::pair<const char*, const char*> lines[] = {
        {"in the fit, healthy systems", ""},
        {"in the fit, everything", "all_"},
        {"fitted without the site; another site has GPU, era and fabric", "loso_"},
        {"**fitted without the publisher**; another publisher has GPU, era and fabric", "lopo_"},
        {"fitted without the site, with and without siblings", "loso_every_site_"},
        {"**fitted without the publisher, with and without siblings**", "lopo_every_site_"},
        {"fitted without any site that has its GPU: only the datasheet is left", "gpu_out_"},
        {"null: alpha–beta from datasheets", "null_alphabeta_"},
        {"null: NCCL's tuning model as a clock", "null_tuning_"},
        {"null: alpha–beta, fitted without the publisher", "null_fitted_alphabeta_"},
        {"null: the tuning model, fitted without the publisher", "null_fitted_tuning_"}};
    std::string out =
        markdown_head({"%", "inside < 64 KiB", "– 16 MiB", "above", "between < 64 KiB", "– 16 MiB", "above"});
    for (const auto& [title, name] : lines) {
        std::vector<std::string> cells = {title};
        for (const std::string_view part : all_parts) {
            for (const Regime regime : all_regimes) {
                const std::string prefix = fmt::format("nccl_{}_{}{}", part, name, to_string(regime));
                const auto median = value_of(figures, prefix + "_median_pct");
                cells.push_back(median ? fmt::format("{:.1f} / {:.1f} / {:.1f}", *median,
                                                     value_of(figures, prefix + "_p90_pct").value(),
                                                     value_of(figures, prefix + "_pooled_p90_pct").value())
                                       : "–");
            }
        }
        out += markdown_row(cells);
    }
    return out;
}

std::string sites_table(const std::vector<ComparedRow>& rows, std::string_view part) {
    const auto ours = site_medians(rows, Forecast::ours, part);
    std::vector<std::map<std::string, RegimeMedians>> columns = {ours};
    for (const Forecast which :
         {Forecast::left_out, Forecast::publisher_out, Forecast::fitted_alphabeta, Forecast::fitted_tuning}) {
        columns.push_back(site_medians(rows, which, part));
    }
    std::map<std::string, std::set<std::string>> groups;
    std::map<std::string, std::size_t> counted;
    for (const ComparedRow& row : rows) {
        if (row.counted() && row.part == part) {
            const bool alone = row[Forecast::publisher_out] > 0 && !row.publisher_sibling;
            groups[row.site].insert(row.group.words() + (alone ? " (no sibling)" : ""));
            ++counted[row.site];
        }
    }
    std::string out = markdown_head({"site", "systems", "rows", "in the fit", "without the site",
                                     "without the publisher", "alpha–beta, fitted", "tuning model, fitted"});
    for (const auto& [site, unused] : ours) {
        std::vector<std::string> cells = {site, fmt::format("{}", fmt::join(groups[site], "; ")),
                                          fmt::format("{}", counted[site])};
        for (const auto& medians : columns) { cells.push_back(medians_cell(medians, site)); }
        out += markdown_row(cells);
    }
    return out;
}

// Which fabrics between nodes were in the fit, so that readers see which were not.
std::string known_fabrics(const std::vector<ComparedRow>& rows) {
    std::map<std::string, std::set<std::string>> healthy;
    std::set<std::string> degraded;
    for (const ComparedRow& row : rows) {
        if (row.part == "between") {
            (row.counted() ? healthy[row.group.fabric] : degraded).insert(row.counted() ? row.site : row.group.fabric);
        }
    }
    std::vector<std::string> list;
    for (const auto& [fabric, sites] : healthy) {
        list.push_back(fmt::format("{} ({})", fabric, fmt::join(sites, ", ")));
    }
    std::erase_if(degraded, [&](const std::string& fabric) { return healthy.contains(fabric); });
    std::string out = fmt::format("Healthy systems between nodes in the fit, by fabric: {}.", fmt::join(list, ", "));
    if (!degraded.empty()) {
        out += fmt::format(
            " Of {} only degraded systems were measured: no constant was fitted to them, and forecasts there rest on "
            "the transport's published figures.",
            fmt::join(degraded, ", "));
    }
    return out + "\n";
}

// Healthy curves whose median error is above twice the target in some regime, worst first.
std::string misses(const std::vector<ComparedRow>& rows) {
    std::map<std::string, std::string> sites;
    for (const ComparedRow& row : rows) { sites[row.table] = row.site; }
    std::map<std::string, std::pair<double, std::string>> found;  // by table: how far above, and in which regimes
    for (const Regime regime : all_regimes) {
        for (const auto& [table, errors] : errors_by(&ComparedRow::table, rows, {.regime = regime})) {
            const double target = targets[index_of(regime)];
            if (errors.median > 2 * target) {
                auto& [worst, words] = found[table];
                worst = std::max(worst, errors.median / target);
                words += fmt::format("{}{} {:.0f} % ({:+.0f})", words.empty() ? "" : ", ", to_string(regime),
                                     100 * errors.median, 100 * errors.bias);
            }
        }
    }
    std::vector<std::pair<double, std::string>> lines;
    for (const auto& [table, miss] : found) {
        lines.emplace_back(-miss.first, markdown_row({sites[table], table, miss.second}));
    }
    std::ranges::sort(lines);
    std::string out = markdown_head({"site", "dataset", "median error, % (median signed)"});
    for (const auto& [rank, line] : lines) { out += line; }
    return lines.empty() ? "None.\n" : out;
}

// Sites above the target in some regime, and what is known about the reason.
std::string reasons(const std::vector<ComparedRow>& rows, const KnownMisses& known) {
    std::string out;
    for (const auto& [site, medians] : site_medians(rows, Forecast::ours)) {
        std::vector<std::string> words;
        for (const Regime regime : all_regimes) {
            if (const auto& median = medians[index_of(regime)]; median && *median > targets[index_of(regime)]) {
                words.push_back(fmt::format("{} {:.0f} %", to_string(regime), 100 * *median));
            }
        }
        if (!words.empty()) {
            const auto reason = known.find(site);
            out += fmt::format("- **{}** ({}): {}\n", site, fmt::join(words, ", "),
                               reason == known.end() ? "not looked into." : reason->second);
        }
    }
    return out.empty() ? "No site is above its target.\n" : out;
}

std::string unhealthy_table(const std::vector<ComparedRow>& rows, const Collection& collection) {
    const auto medians = regime_medians(&ComparedRow::table, rows, {.everything = true});
    std::string out = markdown_head({"dataset", "error % < 64 KiB · mid · large", "cause"});
    for (const CollectedCurve& curve : collection.curves) {
        if (!curve.cause.empty()) {
            out += markdown_row({curve.comparison.id, medians_cell(medians, curve.comparison.id), curve.cause});
        }
    }
    return out;
}

std::string skipped_list(const Collection& collection) {
    std::string out;
    for (const SkippedFile& file : collection.skipped) {
        out += fmt::format("- {}: {}\n", std::filesystem::path(file.file).filename().string(), file.reason);
    }
    return out.empty() ? "None.\n" : out;
}

// The first lines of the table in docs/deviations.md.
constexpr std::string_view deviations_head = "| curves | where | median error, % | reason |\n|---|---|---|---|\n";

constexpr const char* stale_words =
    "**The fits without each site are of an earlier catalogue or of other data: what rests on them is left empty "
    "until\n`./dev accuracy --loso` is run.**\n\n";

// One line for each published figure. Ours: forecasts of fits without their publisher, by the same statistic.
std::string peers_table(const std::vector<PeerFigure>& peers, const std::vector<ComparedRow>& rows) {
    std::string table = "| simulator | what | its error, % | ours, % |\n|---|---|---|---|\n";
    for (const PeerFigure& peer : peers) {
        table += fmt::format("| [{}]({}) | {} | {:.1f} | {} |\n", peer.peer, peer.source, peer.what, peer.error_pct,
                             geometric_mean(rows, peer.tables));
    }
    return table;
}

}  // namespace

std::string accuracy_page(const std::vector<ComparedRow>& rows, const Collection& collection, const KnownMisses& known,
                          const std::vector<PeerFigure>& peers, const std::vector<NamedFigure>& of_fits) {
    std::vector<NamedFigure> figures = accuracy_figures(rows);
    figures.insert(figures.end(), of_fits.begin(), of_fits.end());
    std::string lines;
    for (const NamedFigure& figure : figures) { lines += figure_line(figure) + "\n"; }
    const bool stale = std::ranges::none_of(rows, [](const ComparedRow& row) { return row[Forecast::left_out] > 0; });
    return filled_page("accuracy.md", {{"planner_table", planner_table(figures)},
                                       {"figures_table", figures_table(figures)},
                                       {"stale", stale ? stale_words : ""},
                                       {"known_fabrics", known_fabrics(rows)},
                                       {"inside", sites_table(rows, "inside")},
                                       {"between", sites_table(rows, "between")},
                                       {"pilots", pilots_table(figures)},
                                       {"peers", peers_table(peers, rows)},
                                       {"null_better", null_better_table(rows)},
                                       {"misses", misses(rows)},
                                       {"reasons", reasons(rows, known)},
                                       {"unhealthy", unhealthy_table(rows, collection)},
                                       {"skipped", skipped_list(collection)},
                                       {"figures", lines}});
}

std::vector<PeerFigure> read_peers(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"peers"});
    std::vector<PeerFigure> peers;
    for (const yaml::Node& entry : root.required("peers").items()) {
        entry.allow({"peer", "what", "error_pct", "tables", "source"});
        peers.push_back({entry.required("peer").as_string(), entry.required("what").as_string(),
                         entry.required("source").as_string(), entry.required("error_pct").as_double(),
                         entry.required("tables").as_string()});
    }
    return peers;
}

double error_of(const Deviation& deviation, const std::vector<ComparedRow>& rows) {
    std::vector<ComparedRow> matching;
    std::ranges::copy_if(rows, std::back_inserter(matching), [&](const ComparedRow& row) {
        return row.nodes >= deviation.nodes_from && regime_of(row.size) == deviation.regime &&
               glob_matches(deviation.match, row.table);
    });
    return 100 * errors_of(matching, {.everything = true}).median;
}

std::string with_deviations(const std::string& page, const std::vector<Deviation>& deviations,
                            const std::vector<ComparedRow>& rows) {
    const std::size_t table = page.find(deviations_head);
    if (table == std::string::npos) {
        throw IoError("docs/deviations.md: there is no table of curves (its first line: " +
                      std::string(deviations_head.substr(0, deviations_head.find('\n'))) + ")");
    }
    const std::size_t first = table + deviations_head.size();
    std::string out = page.substr(0, first);
    for (const Deviation& deviation : deviations) {
        const std::string nodes = deviation.nodes_from > 1 ? fmt::format(", from {} nodes", deviation.nodes_from) : "";
        out += fmt::format("| `{}`{} | {} | {:.0f} | {} |\n", deviation.match, nodes, sizes_of(deviation.regime),
                           error_of(deviation, rows), deviation.reason);
    }
    return out + page.substr(std::min(page.find("\n\n", first - 1), page.size() - 1) + 1);
}

}  // namespace fabricast::inline validate_accuracy
