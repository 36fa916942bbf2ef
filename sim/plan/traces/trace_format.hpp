#pragma once
// One format of trace files: how to recognize it and how to read it. Also what the importers share.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/gzip.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

using ReadProgress = std::function<void(double)>;  // called with the share that has been read, 0..1

// The beginning of a file, by which its format is recognized.
struct TraceStart {
    std::string_view text;  // unpacked
    char first = '\0';      // first character that is not blank
    bool json = false;

    bool holds(std::string_view part) const { return text.find(part) != std::string_view::npos; }
};

// A format: a row of the table of formats.
struct TraceFormat {
    std::string_view name;     // as typed: "pytorch-et"
    std::string_view meaning;  // "Chakra execution trace": for lists of formats
    bool certain;              // recognized by words; false: tried only if no certain format fits
    bool (*fits)(const TraceStart& start);
    // Adds the contents of one file. `size` is that of an MSCCL algorithm's call.
    void (*read)(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes size);
    std::string_view extension = {};  // by which its files are recognized, whatever they hold
    bool long_json = false;           // any JSON is taken for it whose beginning no format knows
};
using TraceFormats = std::span<const TraceFormat* const>;
TraceFormats trace_formats();  // the formats in formats/

// nullptr: the table has no format of this name.
const TraceFormat* format_named(std::string_view name, TraceFormats formats = trace_formats());

// The rank in a file's name: "trace.12.et", "rank3.json.gz", "rank-3_trace.json"; nullopt if there is none.
std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file);

// Calls `take` with each line of a text file and its number; lines of more than 1 MiB are refused.
void for_each_line(InputFile& file, const ReadProgress& progress,
                   const std::function<void(std::string_view line, int number)>& take);

// Reads a text by a Reader of it, made of file and recording: line by line, then what it does at the end.
template <class Reader> void read_lines(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    Reader reader(file, recording);
    for_each_line(file, progress, [&](std::string_view line, int number) { reader.line(line, number); });
    reader.finish();
}

// An order in which each record comes after those that it waits for, `after[i]`; otherwise records keep their order. If
// some wait for each other in a circle, these are missing, and `in_circle` is one of them or of those behind them.
struct TopologicalOrder {
    std::vector<std::uint32_t> sorted;
    std::optional<std::uint32_t> in_circle;
};
TopologicalOrder topological_order(const std::vector<std::vector<std::uint32_t>>& after);

// Adds records that come in any order, as from graphs, in their topological order. If they wait for each other in a
// circle, adds nothing and returns one record of the circle.
std::optional<std::uint32_t> add_sorted(RankRecording& rank, const std::vector<Record>& records,
                                        const std::vector<std::vector<std::uint32_t>>& after);

// The rank of a file that does not name it: the number in the file's name, else the number of ranks read before it.
std::uint32_t rank_of_file(const Recording& recording, const InputFile& file);

}  // namespace fabricast::inline traces
