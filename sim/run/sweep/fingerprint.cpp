#include "sim/run/sweep/fingerprint.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/hash.hpp"
#include "sim/scenario/keys.hpp"

namespace fabricast::inline sweep {

namespace {

namespace fs = std::filesystem;

// Two chains of the SplitMix64 finaliser over the same words, with different ways of mixing in a word.
std::array<std::uint64_t, 2> hash(std::string_view text) {
    std::array<std::uint64_t, 2> state = {mix(text.size()), mix(~text.size())};
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
        state[0] = mix(state[0] ^ word);
        state[1] = mix(state[1] + word);
    }
    return state;
}

std::string stamp_of(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    return error ? "" : fmt::format("{} {} {}\n", file.filename().string(), size, time);
}

// The names, sizes and times of a trace's files. A trace is a file, a folder, or a pattern of names in a folder.
std::string stamps_of(const fs::path& trace) {
    std::error_code error;
    if (fs::is_regular_file(trace, error)) { return stamp_of(trace); }
    std::vector<std::string> stamps;
    for (const auto& entry :
         fs::directory_iterator(fs::is_directory(trace, error) ? trace : trace.parent_path(), error)) {
        stamps.push_back(stamp_of(entry.path()));
    }
    std::ranges::sort(stamps);
    return fmt::format("{}", fmt::join(stamps, ""));
}

}  // namespace

std::string fingerprint(std::string_view text) { return fmt::format("{:016x}", fmt::join(hash(text), "")); }

std::string fingerprint(const Catalog& catalog) {
    std::string all;
    const auto add = [&](std::string_view text) { (all += text) += '\n'; };
    for (const auto& [name, part] : catalog.parts) {
        add(name);
        add(part.kind);
        for (const auto& [key, text] : part.text) {
            add(key);
            add(text);
        }
        for (const auto& [key, figure] : part.figures) {
            add(key);
            add(figure.unit);
            add(std::to_string(static_cast<int>(figure.origin)));
            std::vector<double> numbers = figure.value;
            numbers.insert(numbers.end(), {figure.low80, figure.high80});
            all.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
            for (const std::string& source : figure.source) { add(source); }  // the evidence of a row depends on it
        }
    }
    return fingerprint(all);
}

std::string fingerprint(const Scenario& scenario) {
    Scenario bare = scenario;
    bare.sweep = {};
    std::string text = to_json(bare).dump();
    if (const auto* trace = std::get_if<TraceWorkload>(&scenario.workload)) { text += '\n' + stamps_of(trace->file); }
    return fingerprint(text);
}

}  // namespace fabricast::inline sweep
