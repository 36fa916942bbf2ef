#pragma once
// Square tables of devices by devices, as nvbandwidth and the CUDA samples print them.

#include "validate/import/log_format.hpp"

namespace fabricast {

// Reads the matrix whose header (the column numbers) is line `at`, and moves `at` past its last row. Rows must be
// numbered 0, 1, 2 ... and be as wide as the header. The result has only columns ("src_gpu", "dst0_GBps", ...) and
// rows; N/A becomes an empty cell. Throws InputError.
Measurement read_matrix(const LogText& log, std::size_t& at, std::string_view unit);

}  // namespace fabricast
