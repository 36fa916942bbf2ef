#include "validate/accuracy/deviations.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/percentile.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "validate/accuracy/sites.hpp"

namespace fabricast {

namespace {

constexpr std::string_view head = "| curves | where | median error, % | reason |\n|---|---|---|---|\n";

}  // namespace

std::vector<Deviation> read_deviations(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"deviations"});
    std::vector<Deviation> deviations;
    for (const yaml::Node& entry : root.required("deviations").items()) {
        entry.allow({"match", "nodes_from", "regime", "at_least_pct", "reason"});
        deviations.push_back({entry.required("match").as_string(),
                              static_cast<std::uint32_t>(entry.required("nodes_from").as_int(1, 1 << 20)),
                              entry.required("regime").as_string(), entry.required("at_least_pct").as_double(),
                              entry.required("reason").as_string()});
    }
    return deviations;
}

double error_of(const Deviation& deviation, const std::vector<AccuracyRow>& rows) {
    std::vector<double> errors;
    for (const AccuracyRow& row : rows) {
        if ((row.used == "yes" || row.used == "unhealthy") && row.nodes >= deviation.nodes_from &&
            to_string(regime_of(row.size)) == deviation.regime && glob_matches(deviation.match, row.dataset)) {
            errors.push_back(std::abs(row.predicted / row.measured - 1));
        }
    }
    return 100 * percentile(errors, 50).value_or(0);
}

std::string deviation_line(const Deviation& deviation, double error) {
    const std::string_view sizes = deviation.regime == "large"   ? "16 MiB and up"
                                   : deviation.regime == "small" ? "below 64 KiB"
                                                                 : "64 KiB to 16 MiB";
    const std::string nodes = deviation.nodes_from > 1 ? fmt::format(", from {} nodes", deviation.nodes_from) : "";
    return fmt::format("| `{}`{} | {} | {:.0f} | {} |\n", deviation.match, nodes, sizes, error, deviation.reason);
}

std::string with_deviations(const std::string& page, const std::vector<Deviation>& deviations,
                            const std::vector<AccuracyRow>& rows) {
    const std::size_t table = page.find(head);
    if (table == std::string::npos) {
        throw IoError("docs/deviations.md: there is no table of curves (its first line: " +
                      std::string(head.substr(0, head.find('\n'))) + ")");
    }
    const std::size_t first = table + head.size();
    std::string out = page.substr(0, first);
    for (const Deviation& deviation : deviations) {
        out += deviation_line(deviation, error_of(deviation, rows));
    }
    return out + page.substr(std::min(page.find("\n\n", first - 1), page.size() - 1) + 1);
}

}  // namespace fabricast
