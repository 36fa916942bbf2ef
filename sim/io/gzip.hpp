#pragma once
// A file read once from front to back, unpacked on the way where it is gzip: the one door to Boost.Iostreams.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace fabricast {

class InputFile {
public:
    // Throws ScenarioError where there is no such file or it is no plain one.
    explicit InputFile(std::filesystem::path path);
    ~InputFile();
    InputFile(InputFile&&) noexcept;
    InputFile& operator=(InputFile&&) noexcept;

    // Up to `size` unpacked bytes; 0 at the end. Throws ScenarioError with the byte where packed data are damaged.
    std::size_t read(char* into, std::size_t size);

    const std::filesystem::path& path() const;
    bool packed() const;             // the file is gzip
    std::uint64_t position() const;  // unpacked bytes given out so far
    double share() const;            // of the file on disk that has been read, 0..1

private:
    struct Source;
    std::unique_ptr<Source> source_;
};

// The rest of the file as one text. Throws ScenarioError when it holds more than `max_bytes`.
std::string read_rest(InputFile& file, std::size_t max_bytes);

}  // namespace fabricast
