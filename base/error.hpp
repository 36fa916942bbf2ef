#pragma once
// The base of all errors: a message, the location in the user's file that it is about, and the program's exit code; and
// the format of messages about the user's mistakes.

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast::inline base {

// Scripts rely on these values.
enum class ExitCode : int {
    ok = 0,              // the output is complete
    internal_or_io = 1,  // a fault of the program, or of the disk
    bad_input = 2,       // no partial output was written
    cannot_end = 3,      // deadlock, unreachable devices
    missing_here = 4,    // something is missing here: a GPU, root rights, a library that the build lacks
    assert_failed = 5,   // an `assert` of the scenario
    interrupted = 130,   // Ctrl-C; finished rows were kept
};

// A location in a text file; lines and columns count from 1. Printed `file:line:column`.
struct SourceLocation {
    std::shared_ptr<const std::string> file;  // as the user named it; shared by all locations in one file
    int line = 1;
    int column = 1;
};

std::string to_string(const SourceLocation& place);

// `text` with its control characters as \xNN.
std::string on_one_line(std::string_view text);

// what() is `file:line:column: message`, or only the message if it is about no place in a file: one line, whatever of
// the user's file it quotes.
struct Error : std::runtime_error {
    Error(ExitCode code, const std::string& text)
        : std::runtime_error(on_one_line(text)), exit_code(code), message(what()) {}
    Error(ExitCode code, const SourceLocation& where, const std::string& text)
        : std::runtime_error(on_one_line(to_string(where) + ": " + text)),
          exit_code(code),
          message(on_one_line(text)),
          place(where) {}
    ExitCode exit_code;
    std::string message;
    std::optional<SourceLocation> place;
};

// What an error derives from; the one line that a new error needs is
//     struct TooHot : ErrorWith<ExitCode::cannot_end> { using ErrorWith::ErrorWith; };
template <ExitCode code> struct ErrorWith : Error {
    explicit ErrorWith(const std::string& text) : Error(code, text) {}
    ErrorWith(const SourceLocation& where, const std::string& text) : Error(code, where, text) {}
    template <class First, class... Rest>
    explicit ErrorWith(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
        : Error(code, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

// Prints the message of `error` on standard error, after the program's name if it has no place, and returns the exit
// code: that of an Error, and internal_or_io for every other exception. The only way from exceptions to exit codes.
ExitCode report_error(std::string_view program, const std::exception& error);

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
