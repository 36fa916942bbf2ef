#pragma once
// One format of trace files: how to know it by sight, and how to read it. What importers share stands here too.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// Those of formats/; automatic: what a file looks like.
enum class TraceFormat : std::uint8_t {
    automatic,
#define FABRICAST_TRACE_FORMAT(name) name,
#include "trace_formats.inc"
#undef FABRICAST_TRACE_FORMAT
};
const std::vector<TraceFormat>& every_trace_format();  // automatic first
std::string_view to_string(TraceFormat);               // "auto", "kineto", "pytorch-et", ...
// "Chakra execution trace of one rank": for lists of formats.
std::string_view meaning(TraceFormat);

using ReadProgress = std::function<void(double)>;  // gets the share that has been read, 0..1

// What the beginning of a file tells.
struct TraceStart {
    std::string_view text;  // unpacked
    char first = '\0';      // behind blanks
    bool json = false;

    bool holds(std::string_view part) const { return text.find(part) != std::string_view::npos; }
};

// A row of the table of formats.
struct TraceFormatRow {
    std::string_view name;  // as typed: "pytorch-et"
    std::string_view meaning;
    bool certain;  // its marks are words; else it is held against a file that no other fits
    bool (*fits)(const TraceStart& start);
    // Adds what one file holds. `size` is of the call that an MSCCL algorithm makes.
    void (*read)(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes size);
};
const TraceFormatRow& row_of(TraceFormat format);  // automatic has none

// The rank in a file's name: "trace.12.et", "rank3.json.gz", "rank-3_trace.json"; nullopt without a number.
std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file);

// The group with this name and these ranks, added where it is new.
std::uint32_t group_number(Recording& recording, const CommGroup& group);

// The lines of a text file one by one, each with its number; a line of more than 1 MiB is refused.
void for_each_line(InputFile& file, const ReadProgress& progress,
                   const std::function<void(std::string_view line, int number)>& take);

// Records in any order, as graphs give them: `after[i]` are the records that record i waits for, later ones too. They
// are added in an order that respects this, and otherwise as they stand; the result says where each one went. Where
// they wait for each other in a circle, returns one of the circle instead and adds nothing.
struct Sorted {
    std::vector<std::uint32_t> place;
    std::optional<std::uint32_t> in_circle;
};
Sorted add_sorted(RankRecording& rank, const std::vector<Record>& records,
                  const std::vector<std::vector<std::uint32_t>>& after);

// The rank that a file stands for when it does not say: the number in its name, else how many ranks came before.
std::uint32_t rank_of_file(const Recording& recording, const InputFile& file);

}  // namespace fabricast
