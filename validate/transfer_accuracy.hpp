#pragma once
// Every measurement of kind p2p, rdma and other through the compare path: the figures and the page of transfers.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/training_accuracy.hpp"
#include "validate/transfer_compare.hpp"

namespace fabricast {

struct TransferAccuracy {
    std::vector<TransferComparison> files;                     // by id
    std::vector<std::pair<std::string, std::string>> refused;  // id and why
};

// Below `measurements`: p2p, rdma, other. Throws IoError.
TransferAccuracy transfer_accuracy(const std::filesystem::path& measurements, const Catalog& catalog);

// Median over files of each file's median absolute error of time, in percent: a file with a long table counts once.
// Large: messages of 1 MiB and more; p2p_latency: matrices of latencies.
std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy);

std::string transfer_page(const TransferAccuracy& accuracy);
std::string transfer_csv(const TransferAccuracy& accuracy);

}  // namespace fabricast
