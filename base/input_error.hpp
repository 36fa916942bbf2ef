#pragma once
// A location in a text file, and the error that points to it.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// A location in a text file; lines and columns count from 1. Printed `file:line:column`.
struct SourceLocation {
    std::shared_ptr<const std::string> file;  // as the user named it; shared by all locations in one file
    int line = 1;
    int column = 1;
};

std::string to_string(const SourceLocation& place);

// The user's mistake in an input text. what() is `file:line:column: message`.
struct InputError : std::runtime_error {
    InputError(const SourceLocation& where, const std::string& message)
        : std::runtime_error(to_string(where) + ": " + message), place(where), message(message) {}
    SourceLocation place;
    std::string message;
};

// "what (found X; accepted: A, B; nearest: 'A')": the format of every such message. Empty parts are left out.
std::string error_message(std::string_view what, std::string_view found, std::string_view accepted,
                          std::string_view nearest = {});

// `text` in quotes, on one line: control characters escaped, long texts truncated.
std::string shown(std::string_view text);

// "a, b, c".
std::string joined(const std::vector<std::string>& words);

}  // namespace fabricast
