#pragma once
// The user's mistake in an input text, and the format of its messages.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base {

// The user's mistake in an input text; it always has a place.
struct InputError : Error {
    InputError(const SourceLocation& where, const std::string& text) : Error(ExitCode::bad_input, where, text) {}
    // About a file as a whole, at 1:1.
    InputError(const std::string& file, const std::string& text)
        : InputError(SourceLocation{std::make_shared<const std::string>(file)}, text) {}
};

// "what (found X; accepted: A, B; nearest: 'A')": the format of every such message. Empty parts are left out.
std::string error_message(std::string_view what, std::string_view found, std::string_view accepted,
                          std::string_view nearest = {});

// `text` in quotes, on one line: control characters escaped, long texts truncated.
std::string shown(std::string_view text);

// "a, b, c".
std::string joined(const std::vector<std::string>& words);

}  // namespace fabricast::inline base
