#pragma once
// What a log of nccl-tests tells of one run, whichever way it was written: text and JSON both fill this.

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "validate/import/log_format.hpp"

namespace fabricast {

struct NcclRow {
    std::int64_t size = 0, count = 0;
    std::vector<std::string> cells;  // time, algbw, busbw, and the three again in place
    SourceLocation place;
};

struct NcclRun {
    std::string collective;  // "all_reduce"; empty: not said
    std::string dtype, redop;
    std::string gpu;
    std::set<std::string> hosts;
    std::uint32_t ranks = 0;
    std::string nccl;                                                    // "2.28.7"
    std::string header;                                                  // the line of options
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();  // that the GPUs' memory holds
    std::string env;                                                     // NCCL_* of the run's environment
    std::string tool = "nccl-tests";
    std::string date;
    std::vector<NcclRow> rows;
    bool in_place = false;  // rows have the second three cells
    SourceLocation place;
};

// "all_reduce_perf", "AllReduce", "alltoall" -> "all_reduce", "all_to_all"; "" where it is none of nccl-tests'.
std::string nccl_collective(std::string_view name);

// 22807 -> "2.28.7", 2804 -> "2.8.4": ncclGetVersion's code, which gained two digits with 2.9.
std::string nccl_version_of_code(std::int64_t code);

// How many rows the options ask for, up to `most_bytes`; 0 where they do not say.
std::size_t rows_asked(std::string_view header, std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

// The run as a measurement whose id is its collective. Sizes of old versions, which count one rank's part of an
// all-gather or reduce-scatter, become the whole's, and a note says so. Throws where the collective is neither said nor
// to be told from the file's name.
Measurement measurement_of(const NcclRun& run, const LogText& log, const Statements& said);

}  // namespace fabricast
