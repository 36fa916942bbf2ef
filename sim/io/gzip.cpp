#include "sim/io/gzip.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <fstream>
#include <system_error>
#include <utility>

#include "sim/io/place.hpp"

namespace fabricast {

namespace {

namespace io = boost::iostreams;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
    throw ScenarioError({std::make_shared<const std::string>(path.string())}, message);
}

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
    std::filesystem::path path;
    std::ifstream file;
    std::uint64_t size = 0;
    std::uint64_t position = 0;
    bool packed = false;
    bool ended = false;
    io::filtering_streambuf<io::input> stream;
};

InputFile::InputFile(std::filesystem::path path) : source_(std::make_unique<Source>()) {
    Source& s = *source_;
    s.path = std::move(path);
    std::error_code error;
    const auto status = std::filesystem::status(s.path, error);
    if (error || !std::filesystem::exists(status)) {
        refuse(s.path, "cannot be read (no such file)");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse(s.path, "cannot be read (found a folder or a device; accepted: a plain file)");
    }
    s.size = std::filesystem::file_size(s.path, error);
    s.file.open(s.path, std::ios::binary);
    if (error || !s.file) {
        refuse(s.path, "cannot be read (permission or device error)");
    }
    s.packed = starts_as_gzip(s.file);
    if (s.packed) {
        s.stream.push(io::gzip_decompressor());
    }
    s.stream.push(s.file);
}

InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;

std::size_t InputFile::read(char* into, std::size_t size) {
    Source& s = *source_;
    if (s.ended || size == 0) {
        return 0;
    }
    std::streamsize got = 0;
    try {
        got = s.stream.sgetn(into, static_cast<std::streamsize>(size));
    } catch (const std::ios_base::failure& damage) {  // gzip_error: a bad header, block, checksum or end
        refuse(s.path, "damaged gzip data after byte " + std::to_string(s.position) + " of the unpacked text");
    }
    if (s.file.bad()) {
        refuse(s.path, "cannot be read on after byte " + std::to_string(s.position));
    }
    s.ended = got <= 0;
    s.position += static_cast<std::uint64_t>(std::max<std::streamsize>(got, 0));
    return static_cast<std::size_t>(std::max<std::streamsize>(got, 0));
}

const std::filesystem::path& InputFile::path() const { return source_->path; }
bool InputFile::packed() const { return source_->packed; }
std::uint64_t InputFile::position() const { return source_->position; }

double InputFile::share() const {
    const std::streamoff at = source_->ended ? -1 : static_cast<std::streamoff>(source_->file.tellg());
    if (at < 0 || source_->size == 0) {
        return 1;
    }
    return std::min(1.0, static_cast<double>(at) / static_cast<double>(source_->size));
}

std::string read_rest(InputFile& file, std::size_t max_bytes) {
    std::string text;
    std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    for (std::size_t got = file.read(block.data(), block.size()); got > 0;
         got = file.read(block.data(), block.size())) {
        if (text.size() + got > max_bytes) {
            refuse(file.path(), complaint("too large", "more than " + std::to_string(max_bytes) + " bytes",
                                          "at most " + std::to_string(max_bytes)));
        }
        text.append(block.data(), got);
    }
    return text;
}

}  // namespace fabricast
