#pragma once
// Trace files in, a Recording out. One small pair of files a format; this is the list of them.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/gzip.hpp"
#include "sim/workloads/import/recording.hpp"

namespace fabricast {

enum class TraceFormat : std::uint8_t { automatic, kineto, chakra, pytorch_et, nccl_log, goal, msccl, recording };
inline constexpr std::array<TraceFormat, 8> every_trace_format = {
    TraceFormat::automatic, TraceFormat::kineto, TraceFormat::chakra, TraceFormat::pytorch_et,
    TraceFormat::nccl_log,  TraceFormat::goal,   TraceFormat::msccl,  TraceFormat::recording};
std::string_view word(TraceFormat);  // "auto", "kineto", "pytorch-et", ...

// What to read.
struct ImportRequest {
    // A file, or several: a `*` in its name stands for any text, as in `trace.*.et`; a folder holds one file a rank.
    std::filesystem::path path;
    TraceFormat format = TraceFormat::automatic;
    Bytes size;  // of the call that an MSCCL algorithm makes, nccl-tests' size; 0: the largest that the file is for
};

using ReadProgress = std::function<void(double)>;  // gets the share that has been read, 0..1

// Throws ScenarioError at what cannot be read or is no such trace; what `progress` throws comes out.
Recording import_trace(const ImportRequest& request, const ReadProgress& progress = {});

// "Chakra execution trace of one rank": for lists of formats.
std::string_view meaning(TraceFormat);

// What the beginning of a text tells; nullopt: nothing.
std::optional<TraceFormat> format_of_text(std::string_view beginning);
// As above, also by the file's name, and where only long metadata can stand in front of what tells.
std::optional<TraceFormat> format_of_start(std::string_view beginning, const std::filesystem::path& file);
// What the beginning of a file, unpacked, and its name tell; throws ScenarioError naming the formats where it tells
// nothing.
TraceFormat guess_format(const std::filesystem::path& file);

// The files that `path` stands for, ordered by the numbers in their names. Throws ScenarioError where there are none.
std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path);

// The rank in a file's name: "trace.12.et", "rank3.json.gz", "rank-3_trace.json"; nullopt without a number.
std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file);

// --- one importer a format ---------------------------------------------------------------------------------------
// Each adds what one file holds.

// PyTorch profiler (Chrome trace) of one rank.
void import_kineto(InputFile& file, Recording& recording, const ReadProgress& progress);
// Chakra execution trace of one rank (protobuf).
void import_chakra(InputFile& file, Recording& recording, const ReadProgress& progress);
// PyTorch ExecutionTraceObserver of one rank: operators without times.
void import_pytorch_et(InputFile& file, Recording& recording, const ReadProgress& progress);
// NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,COLL: of one rank or of many together.
void import_nccl_log(InputFile& file, Recording& recording, const ReadProgress& progress);
// GOAL of LogGOPSim, text: all ranks.
void import_goal(InputFile& file, Recording& recording, const ReadProgress& progress);
// An MSCCL algorithm: one call.
void import_msccl(InputFile& file, Recording& recording, Bytes size);
// Our own YAML; docs/traces.md.
void import_recording(InputFile& file, Recording& recording);

// --- what importers share ----------------------------------------------------------------------------------------

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
