#include "base/text_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

namespace fabricast::inline base {

namespace {

constexpr const char* unreadable = "cannot be read (permission or device error)";

// The UTF-8 sequence's length at the start of `text`; 0 if it is broken, overlong or a surrogate (RFC 3629, section 4).
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

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
    throw IoError(path.string() + ": cannot be written (" + std::strerror(errno) + ")");
}

// False with errno.
bool write_whole(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno != EINTR) { return false; }
        text.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
    return true;
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
        refuse_file(path, fmt::format("cannot be read (found {}; accepted: {})",
                                      std::filesystem::is_fifo(status)
                                          ? "a pipe, which can be read only once: write it to a file first"
                                          : "a folder or a device",
                                      accepted));
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
    std::string text(static_cast<std::size_t>(size), '\0');
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::size_t done = 0;
    ssize_t n = file < 0 ? -1 : 1;
    while (n > 0 && done < text.size()) {
        n = ::read(file, text.data() + done, text.size() - done);
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    if (file >= 0) { ::close(file); }
    if (n < 0) { refuse_file(path, unreadable); }
    text.resize(done);
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

NewFile::NewFile(std::filesystem::path path) : path_(std::move(path)) {
    std::random_device random;
    while (file_ < 0) {
        temporary_ = fmt::format("{}.{:08x}.tmp", path_.string(), random());
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0 && errno != EEXIST) { cannot_write(path_); }
    }
}

NewFile::~NewFile() {
    ::close(file_);
    if (!published_) { ::unlink(temporary_.c_str()); }
}

void NewFile::write(std::string_view text) {
    if (!write_whole(file_, text)) { cannot_write(path_); }
}

void NewFile::publish() {
    // Some file systems have no fsync, which is not a fault of the file.
    if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) { cannot_write(path_); }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) { cannot_write(path_); }
    published_ = true;
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
    // A rename would replace a device or a pipe, or a link such as /dev/stdout, by a plain file.
    std::error_code error;
    const bool special = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
    if (!special && !std::filesystem::is_symlink(path, error)) {
        NewFile file(path);
        file.write(text);
        file.publish();
        return;
    }
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool written = file >= 0 && write_whole(file, text);
    const int reason = errno;
    if (file >= 0) { ::close(file); }
    errno = reason;
    if (!written) { cannot_write(path); }
}

}  // namespace fabricast::inline base
