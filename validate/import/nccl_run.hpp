#pragma once
// What an nccl-tests log says about one run; the importers of both text and JSON fill it.

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "validate/import/formats.hpp"

namespace fabricast::inline validate_import {

struct NcclRow {
    std::int64_t size = 0, count = 0;
    std::vector<std::string> cells;  // time, algbw, busbw; then the same three in place
    SourceLocation place;
};

struct NcclRun {
    std::string collective;  // "all_reduce"; empty: not said
    std::string dtype, redop;
    std::string gpu;
    std::set<std::string> hosts;
    std::uint32_t ranks = 0;
    std::string nccl;                                                    // "2.28.7"
    std::string toolkit;                                                 // "ROCm 7.0.1"
    std::string header;                                                  // the line that prints the options
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();  // limit set by GPU memory
    std::string env;                                                     // NCCL_* variables of the environment
    std::string tool = "nccl-tests";
    std::string date;
    std::vector<NcclRow> rows;
    bool in_place = false;  // whether rows have the in-place cells
    SourceLocation place;
};

// "all_reduce_perf", "AllReduce", "alltoall" -> "all_reduce", "all_to_all"; "" if it is not a collective of nccl-tests.
std::string nccl_collective(std::string_view name);

// 22807 -> "2.28.7", 2804 -> "2.8.4": the code of ncclGetVersion, which gained a digit with 2.9.
std::string nccl_version_of_code(std::int64_t code);

// The number of rows that the options ask for, up to `most_bytes`; 0 if they do not say.
std::size_t rows_asked(std::string_view header, std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

// The run as a measurement whose id is its collective. Old versions print the size of one rank's part for all-gather
// and reduce-scatter; this is converted to the whole size, and a note says so. Throws if neither the log nor its file
// name states the collective, and if busbw / algbw or the options contradict the ranks.
Measurement measurement_of(const NcclRun& run, const LogText& log, const Statements& said);

}  // namespace fabricast::inline validate_import
