#pragma once
// Reads trace files into a Recording. Each format is a file in formats/, listed in CMakeLists.txt.

#include <filesystem>
#include <string_view>
#include <vector>

#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

// What to import.
struct ImportRequest {
    // A file, or several: a `*` in the name matches any text, as in `trace.*.et`; a folder contains one file per rank.
    std::filesystem::path path;
    const TraceFormat* format = nullptr;  // nullptr: recognized from the file
    Bytes size;  // nccl-tests' size of an MSCCL algorithm's call; 0: the largest size that the file is for
    TraceFormats formats = trace_formats();
};

// Throws InputError if a file cannot be read or is not such a trace, and whatever `progress` throws.
Recording import_trace(const ImportRequest& request, const ReadProgress& progress = {});

// The format, from the beginning of an (unpacked) file and its name, which may be empty; also recognizes JSON whose
// long metadata fill the beginning. nullptr: no format fits.
const TraceFormat* format_of_start(std::string_view beginning, const std::filesystem::path& file,
                                   TraceFormats formats = trace_formats());
// As above, of a file; throws InputError that lists the formats if none fits.
const TraceFormat& guess_format(const std::filesystem::path& file, TraceFormats formats = trace_formats());

// The files that `path` matches, ordered by the numbers in their names. Throws InputError if there are none.
std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path);

}  // namespace fabricast::inline traces
