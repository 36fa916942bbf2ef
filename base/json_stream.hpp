#pragma once
// Large JSON files piece by piece: the elements of long lists come one at a time, so memory does not grow with the
// file. NaN and Infinity, which profilers write and JSON has not, are borne: as "" and null.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.hpp"
#include "base/input_error.hpp"
#include "base/json.hpp"

namespace fabricast {

// Asks for members of the root object. A root that is a list itself counts as the first of `lists`.
struct JsonSelection {
    std::vector<std::string> lists;    // element by element
    std::vector<std::string> members;  // whole
};

// One piece: an element of a list, or a whole member (then `index` is 0).
struct JsonPiece {
    std::string_view member;
    std::size_t index = 0;
    const Json& value;
    const std::function<SourceLocation()>& place;  // where the piece ends in the (unpacked) text
};

// Calls `take` for each piece as it comes and `progress` with the share of the file now and then; what they throw
// comes out. Throws InputError at the byte that is no JSON, or where one piece is too large (1,000,000
// values, 16 MiB of text), a value or a gap longer than 16 MiB, or nested too deep.
void stream_json(InputFile& file, const JsonSelection& wishes, const std::function<void(const JsonPiece&)>& take,
                 const std::function<void(double)>& progress = {});

}  // namespace fabricast
