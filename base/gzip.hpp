#pragma once
// A file read once from front to back, decompressed on the way if it is gzip. A tar archive reads as its files, one
// after the other. Only this module uses Boost.Iostreams.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace fabricast::inline base {

class InputFile {
public:
    // Throws InputError if the file does not exist, is not a plain file, or its first bytes are damaged.
    explicit InputFile(std::filesystem::path path);
    ~InputFile();

    // In an archive: moves to the start of its next file, false after the last one. A new InputFile starts at the first
    // file. Always false for a file that is not an archive.
    bool next_member();

    // Reads up to `size` unpacked bytes; 0 at the end of the file, or of the current file in an archive. Throws
    // InputError, with the byte, if packed data are damaged, and if they unpack to more than 64 MiB and more than 256
    // times the size of the file on disk.
    std::size_t read(char* into, std::size_t size);

    const std::filesystem::path& path() const;  // for a file in an archive: the archive's path / the name inside
    double share() const;                       // share of the file on disk that has been read, 0..1

private:
    struct Source;
    std::unique_ptr<Source> source_;
};

// The next bytes of the file, at most `bytes` of them.
std::string read_start(InputFile& file, std::size_t bytes);

// The rest of the file as one text. Throws InputError if it is longer than `max_bytes`.
std::string read_rest(InputFile& file, std::size_t max_bytes);

}  // namespace fabricast::inline base
