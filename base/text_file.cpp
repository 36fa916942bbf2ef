#include "base/text_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <system_error>

#include "base/input_error.hpp"

namespace fabricast::inline base {

namespace {

constexpr const char* unreadable = "cannot be read (permission or device error)";

// Length of the UTF-8 sequence at the start of `text`; 0 if it is broken, overlong or a surrogate (RFC 3629, section
// 4).
std::size_t utf8_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xC2 && lead <= 0xDF ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    const bool beyond = lead == 0xF4 && byte(1) > 0x8F;  // U+10FFFF is the last
    bool whole = !overlong && !surrogate && !beyond;
    for (std::size_t i = 1; i < length; ++i) { whole &= (byte(i) & 0xC0U) == 0x80U; }
    return whole ? length : 0;
}

}  // namespace

void refuse_file(const std::filesystem::path& path, const std::string& message) {
    throw InputError({std::make_shared<const std::string>(path.string())}, message);
}

std::uintmax_t plain_file_size(const std::filesystem::path& path, std::string_view accepted) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error || !std::filesystem::exists(status)) { refuse_file(path, "cannot be read (no such file)"); }
    if (!std::filesystem::is_regular_file(status)) {
        refuse_file(path, fmt::format("cannot be read (found a folder or a device; accepted: {})", accepted));
    }
    const auto size = std::filesystem::file_size(path, error);
    return error ? (refuse_file(path, unreadable), 0) : size;
}

std::string read_text(const std::filesystem::path& path, std::size_t max_bytes) {
    const auto size = plain_file_size(path, "a plain text file");
    if (size > max_bytes) {
        refuse_file(path,
                    error_message("too large", fmt::format("{} bytes", size), fmt::format("at most {}", max_bytes)));
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad() || (!stream && !stream.eof())) { refuse_file(path, unreadable); }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

std::size_t first_non_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
        const std::size_t length = control ? 0 : utf8_sequence(text.substr(at));
        if (length == 0) { return at; }
        at += length;
    }
    return std::string_view::npos;
}

std::filesystem::path new_file_beside(const std::filesystem::path& path) {
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const std::filesystem::path file = fmt::format("{}.{:08x}.tmp", path.string(), random());
        // O_EXCL: never a file, or a link to one, that somebody else put there.
        const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            ::close(descriptor);
            return file;
        }
        if (errno != EEXIST) { break; }
    }
    throw IoError(fmt::format("{}: cannot be written ({})", path.string(), std::strerror(errno)));
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
    std::error_code error;
    const auto write = [&](const std::filesystem::path& into) {
        std::ofstream stream(into, std::ios::binary);
        stream << text << std::flush;
        return static_cast<bool>(stream);
    };
    // A rename would replace a device or a pipe, or a link such as /dev/stdout, by a plain file.
    const bool special = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
    if (special || std::filesystem::is_symlink(path, error)) {
        if (!write(path)) { throw IoError(path.string() + ": cannot be written"); }
        return;
    }
    const std::filesystem::path temporary = new_file_beside(path);
    const bool written = write(temporary);
    if (written) { std::filesystem::rename(temporary, path, error); }
    if (!written || error) {
        const std::string reason = written ? " (" + error.message() + ")" : "";
        std::filesystem::remove(temporary, error);
        throw IoError(path.string() + ": cannot be written" + reason);
    }
}

}  // namespace fabricast::inline base
