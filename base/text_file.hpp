#pragma once
// Reading a whole text with a limit known beforehand, and writing one that is either whole or absent.

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fabricast {

// The machine's failure, not the user's: a full disk, a folder that is not there (exit code 1).
struct IoError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws InputError at 1:1 when the file is missing, no plain file, or larger than `max_bytes`.
std::string read_text(const std::filesystem::path& path, std::size_t max_bytes);

// The byte offset of the first thing that is no text (NUL or another control character, broken UTF-8), or npos.
std::size_t first_non_text(std::string_view text);

// Writes beside `path` and renames, so that a reader never sees half a file. Throws IoError.
void write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace fabricast
