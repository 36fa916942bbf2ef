#pragma once
// Large JSON files, piece by piece: the elements of long lists come one at a time, so memory does not grow with the
// file. NaN and Infinity, which profilers write although JSON does not have them, are accepted and read as "" and null.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/gzip.hpp"
#include "base/json.hpp"

namespace fabricast::inline base {

// Which members of the root object to read. If the root itself is a list, it counts as the first of `lists`.
struct JsonSelection {
    std::vector<std::string> lists;    // read element by element
    std::vector<std::string> members;  // read whole
};

// An element of a list, or a whole member (then `index` is 0).
struct JsonPiece {
    std::string_view member;
    std::size_t index = 0;
    const Json& value;
    const std::function<SourceLocation()>& place;  // the location in the (unpacked) text where the piece ends
};

// Calls `take` for each piece as it is read, and at times `progress` with the share that has been read; exceptions from
// either propagate. Throws InputError at the byte if the text is not JSON, one piece is too large (1,000,000 values, 16
// MiB of text), a value or the blanks before it are longer than 16 MiB, or values are nested too deeply.
void stream_json(InputFile& file, const JsonSelection& selection, const std::function<void(const JsonPiece&)>& take,
                 const std::function<void(double)>& progress = {});

}  // namespace fabricast::inline base
