#include "base/gzip.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

namespace fabricast::inline base {

namespace {

// Headers of tar archives (POSIX.1-2017, pax: ustar interchange format). Recordings of many ranks come as such.

inline constexpr std::size_t tar_block = 512;  // bytes of a header; bodies are padded to it
using TarBlock = std::array<char, tar_block>;

struct TarHeader {
    std::string name;
    std::uint64_t size = 0;  // bytes of the body that follows the header
    char type = '0';

    bool file() const { return type == '0' || type == '\0' || type == '7'; }
    bool long_name() const { return type == 'L'; }  // GNU: the body is the next member's name
    std::uint64_t padding() const { return (tar_block - size % tar_block) % tar_block; }
};

constexpr std::size_t name_at = 0, name_length = 100, size_at = 124, size_length = 12, sum_at = 148, sum_length = 8,
                      type_at = 156, magic_at = 257, prefix_at = 345, prefix_length = 155;

// A text field ends at its first zero byte, or at its full length.
std::string_view field(const TarBlock& block, std::size_t at, std::size_t length) {
    const std::string_view whole(block.data() + at, length);
    return whole.substr(0, whole.find('\0'));
}

// Octal digits, padded with blanks; GNU writes sizes of 8 GiB and more in base 256, after a first byte of 0x80.
std::optional<std::uint64_t> number(const TarBlock& block, std::size_t at, std::size_t length) {
    if (static_cast<unsigned char>(block[at]) == 0x80U) {
        std::uint64_t value = 0;
        for (std::size_t i = at + length - 8; i < at + length; ++i) {
            value = value << 8U | static_cast<unsigned char>(block[i]);
        }
        return value;
    }
    return number_in<std::uint64_t>(trimmed(field(block, at, length), " "), 8);
}

// Sum of all bytes of the header, with the checksum field counted as blanks.
std::uint64_t checksum(const TarBlock& block) {
    std::uint64_t sum = sum_length * static_cast<std::uint64_t>(' ');
    for (std::size_t i = 0; i < block.size(); ++i) {
        sum += i >= sum_at && i < sum_at + sum_length ? 0 : static_cast<unsigned char>(block[i]);
    }
    return sum;
}

// nullopt if the block is not a header, judging by its magic and its checksum.
std::optional<TarHeader> tar_header(const TarBlock& block) {
    const bool magic = std::string_view(block.data() + magic_at, 5) == "ustar";
    const std::optional<std::uint64_t> size = number(block, size_at, size_length);
    if (!magic || !size || number(block, sum_at, sum_length) != checksum(block)) { return std::nullopt; }
    const std::string prefix(field(block, prefix_at, prefix_length));
    const bool posix = block[magic_at + 5] == '\0';  // GNU's magic has a blank there, and its headers have no prefix
    TarHeader header{std::string(field(block, name_at, name_length)), *size, block[type_at]};
    if (posix && !prefix.empty()) { header.name = prefix + "/" + header.name; }
    return header;
}

// Whether the block is all zeros; such blocks end an archive.
bool tar_end(const TarBlock& block) {
    return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
}

namespace io = boost::iostreams;

// Traces and logs shrink to a tenth, repetitive logs to a hundredth. Denser data are taken for a decompression bomb,
// once they have unpacked to more than `small_file` bytes.
constexpr std::uint64_t densest = 256;
constexpr std::uint64_t small_file = std::uint64_t{64} << 20U;

// macOS's tar adds metadata of "rank0.json" as a second file, "._rank0.json" (AppleDouble, RFC 1740).
bool is_resource_fork(const std::filesystem::path& name) { return name.filename().string().starts_with("._"); }

bool starts_as_gzip(std::ifstream& file) {
    std::array<char, 2> magic{};  // RFC 1952, 2.3.1
    file.read(magic.data(), magic.size());
    const bool gzip = file.gcount() == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
    file.clear();
    file.seekg(0);
    return gzip;
}

}  // namespace

struct InputFile::Source {
    std::filesystem::path file_path;
    std::filesystem::path path;  // of what is being read: the file itself, or a file in the archive
    std::ifstream file;
    std::uint64_t size_on_disk = 0;
    std::uint64_t position = 0;
    std::uint64_t unpacked = 0;  // bytes, over the whole file
    bool packed = false;
    bool ended = false;
    bool archive = false;
    std::uint64_t left = 0;     // unread bytes of the current file in the archive
    std::uint64_t padding = 0;  // bytes after it
    TarBlock head{};            // the last header; at first, the first block, whether it is a header or not
    std::size_t head_size = 0, head_used = 0;  // of a first block that is not a header
    io::filtering_streambuf<io::input> stream;

    // Up to `size` bytes of the unpacked file; 0 at its end.
    std::size_t unpack(char* into, std::size_t size) {
        if (head_used < head_size) {
            const std::size_t got = std::min(size, head_size - head_used);
            std::copy_n(head.data() + head_used, got, into);
            head_used += got;
            return got;
        }
        std::size_t got = 0;
        try {
            got = static_cast<std::size_t>(stream.sgetn(into, static_cast<std::streamsize>(size)));
        } catch (const std::ios_base::failure& damage) {  // gzip_error: a bad header, block, checksum or end
            refuse_file(path, "damaged gzip data after byte " + std::to_string(position) + " of the unpacked text");
        }
        if (file.bad()) { refuse_file(path, "cannot be read on after byte " + std::to_string(position)); }
        unpacked += got;
        if (packed && unpacked > small_file && unpacked / densest > size_on_disk) {
            const std::string factor = fmt::format("over {} bytes from one", unpacked / size_on_disk);
            refuse_file(file_path,
                        error_message("gzip data packed too densely", factor, fmt::format("at most {}", densest)));
        }
        return got;
    }

    // Reads a block into `head`; false at the end of the file. Throws InputError if the file ends inside a block.
    bool read_header() {
        const std::size_t got = unpack(head.data(), head.size());
        if (got > 0 && got < head.size()) { refuse_file(file_path, "the tar archive ends inside a header"); }
        return got > 0;
    }

    std::string read_body(const TarHeader& header) {
        constexpr std::uint64_t longest_name = 65536;
        if (header.size > longest_name) {
            refuse_file(file_path,
                        error_message("a damaged tar archive", fmt::format("a name of {} bytes", header.size),
                                      fmt::format("at most {}", longest_name)));
        }
        std::string body(header.size, '\0');
        unpack(body.data(), body.size());
        skip(header.padding());
        return body.substr(0, body.find('\0'));
    }

    void skip(std::uint64_t size) {
        std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): unpack() fills it
        while (size > 0) {
            const std::size_t got =
                unpack(block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, block.size())));
            if (got == 0) { refuse_file(path, "the tar archive ends inside this file"); }
            size -= got;
        }
    }

    // Starting from the header in `head`, moves to the next plain file; false at the end of the archive.
    bool enter_member() {
        std::string long_name;
        for (bool more = true; more && !tar_end(head); more = read_header()) {
            const std::optional<TarHeader> header = tar_header(head);
            if (!header) {
                refuse_file(file_path,
                            error_message("a damaged tar archive", "another header", "one whose checksum fits"));
            }
            const std::string name = long_name.empty() ? header->name : long_name;
            long_name.clear();
            if (header->file() && !is_resource_fork(name)) {
                path = file_path / name;
                left = header->size;
                padding = header->padding();
                position = 0;
                return true;
            }
            if (header->long_name()) {
                long_name = read_body(*header);
            } else {  // folders, links and pax attributes
                skip(header->size + header->padding());
            }
        }
        if (packed) { read_on_to_checksum(); }
        ended = true;
        return false;
    }

    // The archive ends before the gzip data do, which only their last bytes prove to be whole.
    void read_on_to_checksum() {
        path = file_path;
        std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): unpack() fills it
        do { position = unpacked; } while (unpack(block.data(), block.size()) > 0);
    }
};

InputFile::InputFile(std::filesystem::path path) : source_(std::make_unique<Source>()) {
    Source& s = *source_;
    s.path = std::move(path);
    s.file_path = s.path;
    s.size_on_disk = plain_file_size(s.path, "a plain file");
    s.file.open(s.path, std::ios::binary);
    if (!s.file && errno == ENOMEM) { throw std::bad_alloc(); }  // no fault of the file
    if (!s.file) { refuse_file(s.path, "cannot be read (permission or device error)"); }
    s.packed = starts_as_gzip(s.file);
    if (s.packed) { s.stream.push(io::gzip_decompressor()); }
    s.stream.push(s.file);
    const std::size_t got = s.unpack(s.head.data(), s.head.size());
    s.archive = got == s.head.size() && tar_header(s.head).has_value();
    s.head_size = s.archive ? 0 : got;
    if (s.archive && !s.enter_member()) {
        refuse_file(s.path, error_message("an empty archive", "a tar archive without a file", "one with files"));
    }
}

InputFile::~InputFile() = default;

bool InputFile::next_member() {
    Source& s = *source_;
    if (!s.archive || s.ended) { return false; }
    s.skip(s.left + s.padding);
    return s.read_header() && s.enter_member();
}

std::size_t InputFile::read(char* into, std::size_t size) {
    Source& s = *source_;
    if (s.archive) { size = static_cast<std::size_t>(std::min<std::uint64_t>(size, s.left)); }
    if (s.ended || size == 0) { return 0; }
    const std::size_t got = s.unpack(into, size);
    if (s.archive) {
        if (got == 0) { refuse_file(s.path, "the tar archive ends inside this file"); }
        s.left -= got;
    } else {
        s.ended = got == 0;
    }
    s.position += got;
    return got;
}

const std::filesystem::path& InputFile::path() const { return source_->path; }

double InputFile::share() const {
    const std::streamoff at = source_->ended ? -1 : static_cast<std::streamoff>(source_->file.tellg());
    if (at < 0 || source_->size_on_disk == 0) { return 1; }
    return std::min(1.0, static_cast<double>(at) / static_cast<double>(source_->size_on_disk));
}

std::string read_start(InputFile& file, std::size_t bytes) {
    std::string text;
    std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    std::size_t got = 1;
    while (got > 0 && text.size() < bytes) {
        got = file.read(block.data(), std::min(block.size(), bytes - text.size()));
        text.append(block.data(), got);
    }
    return text;
}

std::string read_rest(InputFile& file, std::size_t max_bytes) {
    std::string text = read_start(file, max_bytes);
    if (char more = 0; file.read(&more, 1) > 0) {
        refuse_file(file.path(), error_message("too large", "more than " + std::to_string(max_bytes) + " bytes",
                                               "at most " + std::to_string(max_bytes)));
    }
    return text;
}

}  // namespace fabricast::inline base
