#include "validate/accuracy/nulls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/percentile.hpp"
#include "validate/accuracy/collect.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

// How many nulls have the larger median over the sites of these cells, each over the sites where it forecasts.
int beaten(const std::vector<NullCell>& cells, Regime regime) {
    int count = 0;
    for (std::size_t null = 0; null < null_models.size(); ++null) {
        std::vector<double> ours, theirs;
        for (const NullCell& cell : cells) {
            if (cell.regime == regime && cell.theirs[null]) {
                ours.push_back(cell.ours);
                theirs.push_back(*cell.theirs[null]);
            }
        }
        count += percentile(ours, 50) < percentile(theirs, 50) ? 1 : 0;
    }
    return count;
}

// In how many of the cells where it forecasts the null is beaten.
struct Beaten {
    std::size_t cells = 0, of = 0;
    double pct() const { return of == 0 ? 100 : 100 * static_cast<double>(cells) / static_cast<double>(of); }
};

Beaten beaten_by_itself(const std::vector<NullCell>& cells, std::size_t null) {
    Beaten out;
    for (const NullCell& cell : cells) {
        out.of += cell.theirs[null] ? 1 : 0;
        out.cells += cell.theirs[null] && cell.ours <= *cell.theirs[null] ? 1 : 0;
    }
    return out;
}

}  // namespace

std::optional<std::size_t> NullCell::better() const {
    double best = ours;
    std::optional<std::size_t> found;
    for (std::size_t null = 0; null < theirs.size(); ++null) {
        if (theirs[null] && *theirs[null] < best) {
            best = *theirs[null];
            found = null;
        }
    }
    return found;
}

std::vector<NullCell> null_cells(const std::vector<ComparedRow>& rows) {
    std::vector<NullCell> cells;
    for (const std::string_view part : all_parts) {
        const auto before = static_cast<std::ptrdiff_t>(cells.size());
        for (const Regime regime : all_regimes) {
            const auto sites = [&](Forecast which) {
                return errors_by(&ComparedRow::site, rows, {.which = which, .regime = regime, .part = part});
            };
            std::array<GroupErrors, null_models.size()> theirs;
            for (std::size_t n = 0; n < theirs.size(); ++n) { theirs[n] = sites(null_models[n].first); }
            for (const auto& [site, ours] : sites(Forecast::publisher_out)) {
                NullCell& cell = cells.emplace_back(NullCell{site, part, regime, ours.median, {}});
                for (std::size_t n = 0; n < theirs.size(); ++n) {
                    if (const auto found = theirs[n].find(site); found != theirs[n].end()) {
                        cell.theirs[n] = found->second.median;
                    }
                }
            }
        }
        std::ranges::stable_sort(cells.begin() + before, cells.end(), {}, &NullCell::site);
    }
    return cells;
}

std::vector<NamedFigure> null_figures(const std::vector<ComparedRow>& rows) {
    std::vector<NamedFigure> figures;
    for (const bool every_site : {false, true}) {
        for (const std::string_view part : all_parts) {
            std::vector<ComparedRow> chosen;
            std::ranges::copy_if(rows, std::back_inserter(chosen), [&](const ComparedRow& row) {
                return row.part == part && (every_site || row.publisher_sibling);
            });
            const std::vector<NullCell> cells = null_cells(chosen);
            if (cells.empty()) { continue; }
            const std::string prefix = fmt::format("nulls_beaten_{}{}_", part, every_site ? "_every_site" : "");
            const auto all = static_cast<double>(cells.size());
            const auto ahead =
                static_cast<double>(std::ranges::count_if(cells, [](const NullCell& c) { return !c.better(); }));
            figures.push_back({prefix + "cells_pct", 100 * ahead / all});
            figures.push_back({prefix + "cells", all, "cells"});
            double least = 100;
            for (std::size_t n = 0; n < null_models.size(); ++n) {
                least = std::min(least, beaten_by_itself(cells, n).pct());
            }
            figures.push_back({prefix + "each_cells_pct", least});  // of the null that is beaten least often
            for (const Regime regime : all_regimes) {
                figures.push_back({prefix + std::string(to_string(regime)), static_cast<double>(beaten(cells, regime)),
                                   fmt::format("of {}", null_models.size())});
            }
        }
    }
    return figures;
}

std::string null_better_table(const std::vector<ComparedRow>& rows) {
    std::string table = markdown_head({"site", "part", "sizes", "fabricast, without the publisher", "best null"});
    const std::vector<NullCell> cells = null_cells(rows);
    std::size_t worse = 0;
    for (const NullCell& cell : cells) {
        if (const auto null = cell.better()) {
            ++worse;
            table += markdown_row(
                {cell.site, std::string(cell.part), std::string(to_string(cell.regime)), percent_cell(cell.ours),
                 fmt::format("{} ({})", percent_cell(*cell.theirs[*null]), null_models[*null].second)});
        }
    }
    std::vector<std::string> each;
    for (std::size_t n = 0; n < null_models.size(); ++n) {
        const Beaten null = beaten_by_itself(cells, n);
        each.push_back(fmt::format("{} in {} of {}", null_models[n].second, null.cells, null.of));
    }
    return fmt::format(
               "{} of {} cells of a site, a part and a regime. The best of four nulls is chosen after the fact, "
               "which favours them. Each by itself is beaten: {}.\n\n",
               worse, cells.size(), fmt::join(each, "; ")) +
           table;
}

}  // namespace fabricast::inline validate_accuracy
