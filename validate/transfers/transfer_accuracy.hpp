#pragma once
// Every measurement of kind p2p, rdma and other through the compare path: the figures and the page of transfers.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/score/named_figure.hpp"
#include "validate/transfers/transfer_compare.hpp"

namespace fabricast {

// Rows that a constant of the catalogue was drawn from, and which therefore prove less (measurements/drawn.yaml).
struct DrawnFrom {
    enum class Sizes : std::uint8_t { small, large, all };
    std::string constant, dataset, transport;  // how the id starts; empty transport: any
    Sizes sizes = Sizes::all;
};

struct TransferAccuracy {
    std::vector<TransferComparison> files;                     // by id
    std::vector<std::pair<std::string, std::string>> refused;  // id and why
    std::vector<DrawnFrom> drawn;
};

// Below `measurements`: p2p, rdma, other. Throws IoError.
TransferAccuracy transfer_accuracy(const std::filesystem::path& measurements, const Catalog& catalog);

// Median over files of each file's median absolute error of time, in percent: a file with a long table counts once.
// Large: messages of 1 MiB and more; p2p_latency: matrices of latencies.
std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy);
// The same without the rows that constants were drawn from; `_undrawn` in their names.
std::vector<NamedFigure> undrawn_figures(const TransferAccuracy& accuracy);

std::string transfer_page(const TransferAccuracy& accuracy);
std::string transfer_csv(const TransferAccuracy& accuracy);

}  // namespace fabricast
