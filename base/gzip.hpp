#pragma once
// A file read once from front to back, unpacked on the way where it is gzip: the one door to Boost.Iostreams. A tar
// archive reads as its files, one behind the other.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace fabricast {

class InputFile {
public:
    // Throws InputError where there is no such file, it is no plain one, or its first bytes are damaged.
    explicit InputFile(std::filesystem::path path);
    ~InputFile();
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;

    // Of an archive: goes on to its next file, from whose beginning `read` then reads; false behind the last. A new
    // InputFile stands at the first. False for any other file.
    bool next_member();

    // Up to `size` unpacked bytes; 0 at the end, of an archive at the end of each of its files. Throws InputError
    // with the byte where packed data are damaged, and where they unpack to more than 64 MiB and 256 times the file.
    std::size_t read(char* into, std::size_t size);

    const std::filesystem::path& path() const;  // of an archive's file: the archive's, and the name inside behind it
    bool packed() const;                        // the file is gzip
    std::uint64_t position() const;  // unpacked bytes given out so far, of an archive's file from its beginning
    double share() const;            // of the file on disk that has been read, 0..1

private:
    struct Source;
    std::unique_ptr<Source> source_;
};

// The next bytes of the file, at most so many.
std::string read_start(InputFile& file, std::size_t bytes);

// The rest of the file as one text. Throws InputError when it holds more than `max_bytes`.
std::string read_rest(InputFile& file, std::size_t max_bytes);

}  // namespace fabricast
