#include "core/series.hpp"

#include <algorithm>

namespace probe {
namespace {

template <typename Word>
std::vector<Word> chosen(const std::vector<std::string>& names, std::initializer_list<Word> all) {
    std::vector<Word> found;
    for (const Word one : all) {
        if (std::find(names.begin(), names.end(), word(one)) != names.end()) { found.push_back(one); }
    }
    return found;
}

}  // namespace

std::vector<OptionSpec> pair_options(const std::string& peer_default, std::vector<OptionSpec> own) {
    std::vector<OptionSpec> options = {
        {"--peer", "PEER", peer_default, "thread (in this process), process (a second one here) or HOST", {}},
        {"--listen", "", "", "serve a probe on another host, then end", {}},
        {"--port", "PORT", "18591", "of the side channel", {}},
        {"--address", "ADDRESS", "", "where --listen listens; every address unless given", {}},
        {"--operations", "LIST", "send,put,get", "which", {"send", "put", "get"}},
        {"--measures", "LIST", "latency,rate", "which", {"latency", "rate"}},
        {"--directions", "LIST", "to,both", "which", {"to", "from", "both"}},
        {"--memory", "WHERE", "host", "on both ends", {"host", "gpu"}},
        {"--gpu", "INDEX", "0", "whose memory, with --memory gpu", {}},
        {"--window", "COUNT", "32", "messages in flight when a rate is measured, at most, and 8 MiB of them", {}},
    };
    options.insert(options.end(), own.begin(), own.end());
    const std::vector<OptionSpec> common = common_options("8:4MiB:2");
    options.insert(options.end(), common.begin(), common.end());
    return options;
}

std::vector<Series> series_of(const Options& options) {
    std::vector<Series> series;
    for (const Operation operation :
         chosen(options.words("--operations"), {Operation::send, Operation::put, Operation::get})) {
        for (const Measure measure : chosen(options.words("--measures"), {Measure::latency, Measure::rate})) {
            for (const Direction direction :
                 chosen(options.words("--directions"), {Direction::to_peer, Direction::from_peer, Direction::both})) {
                if (measure == Measure::rate || direction != Direction::both) {
                    series.push_back({operation, measure, direction});
                }
            }
        }
    }
    if (series.empty()) {
        throw UsageError("nothing to measure: a latency has no direction 'both' (accepted: to, from)");
    }
    return series;
}

void run_round(Leader& leader, Recorder& recorder, const Options& options, int round,
               const std::vector<std::string>& labels) {
    std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    if (round % 2 == 1) { std::reverse(sizes.begin(), sizes.end()); }
    const int window = static_cast<int>(options.number("--window", 1, 4096));
    std::uint64_t seed = static_cast<std::uint64_t>(round) * 1'000'000;
    for (const Series& one : series_of(options)) {
        for (const std::uint64_t size : sizes) {
            const PointResult result = measure_point(leader, one, size, window, sampling_rule(options), seed += 1000);
            Row row;
            row.labels = labels;
            row.labels.insert(row.labels.end(), {word(one.operation), word(one.measure), word(one.direction)});
            row.round = round;
            row.size_bytes = size;
            row.iterations = result.iterations;
            row.time_us = summarize(result.times_us);
            row.checked_bytes = result.checked_bytes;
            recorder.add(row);
        }
    }
}

std::size_t arena_bytes_for(const Options& options) {
    const int window = static_cast<int>(options.number("--window", 1, 4096));
    std::size_t bytes = 0;
    for (const std::uint64_t size : options.sizes("--sizes")) { bytes = std::max(bytes, arena_bytes(size, window)); }
    return bytes;
}

}  // namespace probe
