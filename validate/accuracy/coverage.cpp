#include "validate/accuracy/coverage.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/percentile.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

// A table and a doubling of size in it. A sweep in equal steps has hundreds of rows in its last doubling, which tell of
// that table no more than the one row of a sweep by doublings.
using Doubling = std::pair<std::string, int>;
Doubling doubling_of(const ComparedRow& row) {
    return {row.table, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(row.size.count)))};
}

}  // namespace

Coverage coverage_of(const std::vector<JudgedInterval>& judged, const Selection& selection) {
    struct OfSite {
        double inside = 0, weight = 0;
        std::vector<double> widths, factors;
    };
    std::map<Doubling, double> rows_of;
    for (const auto& [row, range] : judged) { rows_of[doubling_of(*row)] += selects(selection, *row) ? 1 : 0; }
    std::map<std::string, OfSite> sites;
    for (const auto& [row, range] : judged) {
        if (!selects(selection, *row)) { continue; }
        OfSite& site = sites[row->site];
        const double weight = 1 / rows_of.at(doubling_of(*row));
        site.weight += weight;
        site.inside += range.holds(row->measured / (*row)[selection.which]) ? weight : 0;
        site.widths.push_back(range.high80 - range.low80);
        site.factors.push_back(range.high80 / range.low80);
    }
    Coverage result;
    std::vector<double> widths, factors;
    double inside = 0, count = 0;
    for (const auto& [name, site] : sites) {
        result.sites += site.inside / site.weight / static_cast<double>(sites.size());
        inside += site.inside;
        count += site.weight;
        widths.push_back(*percentile(site.widths, 50));
        factors.push_back(*percentile(site.factors, 50));
    }
    result.rows = count > 0 ? inside / count : 0;
    result.width = percentile(widths, 50).value_or(0);
    result.factor = percentile(factors, 50).value_or(1);
    return result;
}

}  // namespace fabricast::inline validate_accuracy
