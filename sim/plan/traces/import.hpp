#pragma once
// Trace files in, a Recording out. Each format is a file of formats/, listed in CMakeLists.txt.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/traces/trace_format.hpp"

namespace fabricast {

// What to read.
struct ImportRequest {
    // A file, or several: a `*` in its name stands for any text, as in `trace.*.et`; a folder holds one file a rank.
    std::filesystem::path path;
    TraceFormat format = TraceFormat::automatic;
    Bytes size;  // of the call that an MSCCL algorithm makes, nccl-tests' size; 0: the largest that the file is for
};

// Throws InputError at what cannot be read or is no such trace; what `progress` throws comes out.
Recording import_trace(const ImportRequest& request, const ReadProgress& progress = {});

// What the beginning of a text tells; nullopt: nothing.
std::optional<TraceFormat> format_of_text(std::string_view beginning);
// As above, also by the file's name, and where only long metadata can stand in front of what tells.
std::optional<TraceFormat> format_of_start(std::string_view beginning, const std::filesystem::path& file);
// What the beginning of a file, unpacked, and its name tell; throws InputError naming the formats where it tells
// nothing.
TraceFormat guess_format(const std::filesystem::path& file);

// The files that `path` stands for, ordered by the numbers in their names. Throws InputError where there are none.
std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path);

}  // namespace fabricast
