#include "validate/accuracy/deviations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline validate_accuracy {

constexpr std::string_view head = "| curves | where | median error, % | reason |\n|---|---|---|---|\n";

std::vector<Deviation> read_deviations(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"deviations"});
    std::vector<Deviation> deviations;
    for (const yaml::Node& entry : root.required("deviations").items()) {
        entry.allow({"match", "nodes_from", "regime", "at_least_pct", "reason"});
        deviations.push_back({entry.required("match").as_string(),
                              static_cast<std::uint32_t>(entry.required("nodes_from").as_int(1, 1 << 20)),
                              static_cast<Regime>(entry.required("regime").as_enum({"small", "mid", "large"})),
                              entry.required("at_least_pct").as_double(), entry.required("reason").as_string()});
    }
    return deviations;
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
    const std::size_t table = page.find(head);
    if (table == std::string::npos) {
        throw IoError("docs/deviations.md: there is no table of curves (its first line: " +
                      std::string(head.substr(0, head.find('\n'))) + ")");
    }
    const std::size_t first = table + head.size();
    std::string out = page.substr(0, first);
    for (const Deviation& deviation : deviations) {
        const std::string nodes = deviation.nodes_from > 1 ? fmt::format(", from {} nodes", deviation.nodes_from) : "";
        out += fmt::format("| `{}`{} | {} | {:.0f} | {} |\n", deviation.match, nodes, sizes_of(deviation.regime),
                           error_of(deviation, rows), deviation.reason);
    }
    return out + page.substr(std::min(page.find("\n\n", first - 1), page.size() - 1) + 1);
}

}  // namespace fabricast::inline validate_accuracy
