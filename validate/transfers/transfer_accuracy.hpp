#pragma once
// Compares every measurement of kind p2p, rdma and other with its forecast: the figures and the page about transfers.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/score/named_figure.hpp"
#include "validate/transfers/transfer_compare.hpp"

namespace fabricast {

// Rows that a constant of the catalogue was derived from, so they are weaker evidence (measurements/drawn.yaml).
struct DrawnFrom {
    enum class Sizes : std::uint8_t { small, large, all };
    std::string constant, dataset, transport;  // prefix of the dataset id; empty transport: any
    Sizes sizes = Sizes::all;
};

struct TransferAccuracy {
    std::vector<TransferComparison> files;                     // by id
    std::vector<std::pair<std::string, std::string>> refused;  // id and why
    std::vector<DrawnFrom> drawn;
};

// Reads the folders p2p, rdma and other of `measurements`. Throws IoError.
TransferAccuracy transfer_accuracy(const std::filesystem::path& measurements, const Catalog& catalog);

// Median over files of the median absolute error of time of each file, in percent, so that a file with a long table
// counts once. Large means messages of 1 MiB and more; p2p_latency covers the latency matrices.
std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy);
// The same without the rows that constants were derived from; the names contain `_undrawn`.
std::vector<NamedFigure> undrawn_figures(const TransferAccuracy& accuracy);

std::string transfer_page(const TransferAccuracy& accuracy);
std::string transfer_csv(const TransferAccuracy& accuracy);

}  // namespace fabricast
