#pragma once
// What the command line of `fabricast sweep` asks for.

#include <cstddef>
#include <filesystem>
#include <optional>

#include "cli/options.hpp"
#include "sim/run/sweep/journal.hpp"

namespace fabricast::cli {

struct SweepRequest {
    std::filesystem::path out;  // if empty, the table is printed, or CSV if `to_stdout`
    bool to_stdout = false;
    std::filesystem::path html;  // if empty, no page is written
    bool resume = false, merge = false, quiet = false, progress = true;
    std::optional<Shard> shard;
    std::size_t threads = 1;
};

Options sweep_options();

// Throws UsageError; MissingCharts if the page asked for cannot be drawn.
SweepRequest sweep_request(const po::variables_map& values);

// Fails before a long run, not after it, if the result could not be written to `out`, which may be empty.
void check_out(const std::filesystem::path& out);

}  // namespace fabricast::cli
