#pragma once
// Which series a transport's probe runs, from its options, and the walk over them.

#include <string>
#include <vector>

#include "core/command.hpp"
#include "core/exchange.hpp"

namespace probe {

// --peer, --listen, --port, --address, --operations, --measures, --directions, --memory, --gpu, --window and the common
// ones, with this transport's own between.
std::vector<OptionSpec> pair_options(const std::string& peer_default, std::vector<OptionSpec> own);

// What --operations, --measures and --directions ask for. Latency has no "both".
std::vector<Series> series_of(const Options& options);

// One round over every series and size with a connected link; every second round walks the sizes down. `labels` stand
// before operation, measure and direction.
void run_round(Leader& leader, Recorder& recorder, const Options& options, int round,
               const std::vector<std::string>& labels);

// Bytes of arena that the sizes of the options ask for.
std::size_t arena_bytes_for(const Options& options);

}  // namespace probe
