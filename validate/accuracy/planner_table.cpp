#include "validate/accuracy/planner_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "validate/score/compared_row.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

std::optional<double> value_of(const std::vector<NamedFigure>& figures, const std::string& name) {
    const auto found = std::ranges::find(figures, name, &NamedFigure::name);
    return found == figures.end() ? std::nullopt : std::optional(found->value);
}

// "6.1", or a dash where there is no such figure.
std::string cell(const std::vector<NamedFigure>& figures, const std::string& name) {
    const std::optional<double> value = value_of(figures, name);
    return value ? fmt::format("{:.1f}", *value) : "–";
}

// One cell for each regime, of figures whose names differ in it.
std::vector<std::string> cells(const std::vector<NamedFigure>& figures, const std::string& prefix, const char* end) {
    std::vector<std::string> list;
    for (const Regime regime : all_regimes) {
        list.push_back(cell(figures, fmt::format("{}{}{}", prefix, to_string(regime), end)));
    }
    return list;
}

}  // namespace

std::vector<NamedFigure> headline_figures(const std::vector<NamedFigure>& figures) {
    constexpr std::pair<const char*, const char*> names[] = {{"inside_loso", "nccl_inside_loso"},
                                                             {"between_loso", "nccl_between_loso"},
                                                             {"unseen", "nccl_loso_without_sibling"},
                                                             {"gpu_out", "nccl_inside_gpu_out"}};
    std::vector<NamedFigure> headlines;
    for (const auto& [name, same] : names) {
        for (const Regime regime : all_regimes) {
            const std::string end = fmt::format("_{}_median_pct", to_string(regime));
            if (const auto value = value_of(figures, same + end)) { headlines.push_back({name + end, *value}); }
        }
    }
    return headlines;
}

std::string planner_table(const std::vector<NamedFigure>& figures) {
    struct Line {
        const char *title, *error, *interval;
    };
    constexpr Line lines[] = {
        {"inside a node, parts that others measured", "inside_loso_", "interval80_inside_sibling_"},
        {"between nodes, parts that others measured", "between_loso_", "interval80_between_sibling_"},
        {"between nodes, after a pilot of your own", "pilot_", "pilot_"},
        {"parts that nobody measured", "unseen_", "interval80_unseen_"},
        {"— of these inside a node", "nccl_inside_loso_without_sibling_", nullptr},
        {"— of these between nodes", "nccl_between_loso_without_sibling_", nullptr}};
    std::string out = markdown_head({"how far off", "error < 64 KiB, %", "– 16 MiB", "above",
                                     "80 % interval, high / low < 64 KiB", "– 16 MiB", "above"});
    for (const Line& line : lines) {
        std::vector<std::string> row = {line.title};
        for (std::string& error : cells(figures, line.error, "_median_pct")) { row.push_back(std::move(error)); }
        for (const std::string& factor : cells(figures, line.interval == nullptr ? "" : line.interval, "_factor")) {
            row.push_back(factor);
        }
        out += markdown_row(row);
    }
    return out;
}

std::string pilots_table(const std::vector<NamedFigure>& figures) {
    std::set<std::string> sites;  // of "pilot_site_<site>_<regime>_pct"
    constexpr std::string_view begin = "pilot_site_";
    for (const NamedFigure& figure : figures) {
        if (figure.name.starts_with(begin)) {
            sites.insert(figure.name.substr(begin.size(), figure.name.find('_', begin.size()) - begin.size()));
        }
    }
    std::string out = markdown_head({"site", "without a pilot", "after it"});
    for (const std::string& site : sites) {
        const std::string prefix = fmt::format("{}{}_", begin, site);
        out += markdown_row({site, fmt::format("{}", fmt::join(cells(figures, prefix, "_before_pct"), " · ")),
                             fmt::format("{}", fmt::join(cells(figures, prefix, "_pct"), " · "))});
    }
    return sites.empty() ? "None was made with this catalogue and these data: `./dev accuracy --loso`.\n" : out;
}

}  // namespace fabricast::inline validate_accuracy
