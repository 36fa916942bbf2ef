#pragma once
// Compares every measurement of kind p2p, rdma and other with its forecast: the figures and the page about transfers.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/score/compared_row.hpp"
#include "validate/score/page.hpp"
#include "validate/transfers/transfer_compare.hpp"

namespace fabricast::inline validate_transfers {

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

// A file is a table, what it names as its source a site; its parts are "p2p_large" (messages of 1 MiB and more),
// "p2p_small", "p2p_latency" (the latency matrices) and so on. Rows that `without` were derived from are left out.
std::vector<ComparedRow> transfer_rows(const TransferAccuracy& accuracy, const std::vector<DrawnFrom>& without = {});

// Median over files of the median absolute error of time of each file, in percent, so that a file with a long table
// counts once. Then, as `_loso_`, the median over sites, without the rows that constants were derived from: no forecast
// among them has seen its site.
std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy);

std::string transfer_page(const TransferAccuracy& accuracy);
// One line for each file and part, with a hash that changes with any forecast; one line for each row.
std::string transfer_files_csv(const TransferAccuracy& accuracy);
std::string transfer_rows_csv(const TransferAccuracy& accuracy);

}  // namespace fabricast::inline validate_transfers
