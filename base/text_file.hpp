#pragma once
// Reads a whole text file of limited size; writes a file that is either complete or absent.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace fabricast::inline base {

// The machine's failure, not the user's: a full disk, a folder that does not exist (exit code 1).
struct IoError : ErrorWith<ExitCode::internal_or_io> {
    using ErrorWith::ErrorWith;
};

// Throws InputError at 1:1 of the file.
[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& message);

// Bytes of a file. Throws InputError if it is missing or not a plain one, naming what is `accepted`.
std::uintmax_t plain_file_size(const std::filesystem::path& path, std::string_view accepted);

// Throws InputError at 1:1 if the file is missing, is not a plain file, cannot be read, or is larger than `max_bytes`.
std::string read_text(const std::filesystem::path& path, std::size_t max_bytes);

// The byte offset of the first byte that is not text (NUL or another control character, broken UTF-8), or npos.
std::size_t first_non_text(std::string_view text);

// A new file next to `path` under a name that no other file has, so that nobody can have put a link there. It takes the
// place of `path` once it is on the disk, or is removed. Each throws IoError, which names `path` and the reason.
class NewFile {
public:
    explicit NewFile(std::filesystem::path path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::filesystem::path& temporary() const { return temporary_; }
    void write(std::string_view text);
    void publish();

private:
    std::filesystem::path path_, temporary_;
    int file_ = -1;
    bool published_ = false;
};

// A reader never sees half a file: a NewFile takes the place of `path`. Devices, pipes and symbolic links are written
// to directly. Throws IoError.
void write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace fabricast::inline base
