#include "validate/accuracy/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/yaml.hpp"

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

}  // namespace

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

std::string peers_table(const std::vector<PeerFigure>& peers, const std::vector<ComparedRow>& rows) {
    std::string table = "| simulator | what | its error, % | ours, % |\n|---|---|---|---|\n";
    for (const PeerFigure& peer : peers) {
        table += fmt::format("| [{}]({}) | {} | {:.1f} | {} |\n", peer.peer, peer.source, peer.what, peer.error_pct,
                             geometric_mean(rows, peer.tables));
    }
    return table;
}

}  // namespace fabricast::inline validate_accuracy
