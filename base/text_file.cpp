#include "base/text_file.hpp"

#include <unistd.h>

#include <fstream>
#include <memory>
#include <system_error>

#include "base/input_error.hpp"

namespace fabricast {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
    throw InputError({std::make_shared<const std::string>(path.string())}, message);
}

// Length of the UTF-8 sequence at `at`; 0 if it is broken, overlong or a surrogate (RFC 3629, section 4).
std::size_t utf8_sequence(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(at);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return tail(at + 1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool overlong = lead == 0xE0 && byte(at + 1) < 0xA0;
        const bool surrogate = lead == 0xED && byte(at + 1) > 0x9F;
        return !overlong && !surrogate && tail(at + 1) && tail(at + 2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool overlong = lead == 0xF0 && byte(at + 1) < 0x90;
        const bool beyond = lead == 0xF4 && byte(at + 1) > 0x8F;
        return !overlong && !beyond && tail(at + 1) && tail(at + 2) && tail(at + 3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string read_text(const std::filesystem::path& path, std::size_t max_bytes) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error || !std::filesystem::exists(status)) {
        refuse(path, "cannot be read (no such file)");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse(path, "cannot be read (found a folder or a device; accepted: a plain text file)");
    }
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > max_bytes) {
        refuse(path,
               error_message("too large", std::to_string(size) + " bytes", "at most " + std::to_string(max_bytes)));
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (error || stream.bad() || (!stream && !stream.eof())) {
        refuse(path, "cannot be read (permission or device error)");
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

std::size_t first_non_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
        const std::size_t length = control ? 0 : utf8_sequence(text, at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return std::string_view::npos;
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
    std::error_code error;
    // A rename would replace a device or a pipe, or a link such as /dev/stdout, by a plain file.
    const bool special = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
    if (special || std::filesystem::is_symlink(path, error)) {
        std::ofstream stream(path, std::ios::binary);
        stream << text << std::flush;
        if (!stream) {
            throw IoError(path.string() + ": cannot be written");
        }
        return;
    }
    const std::filesystem::path temporary = path.string() + "." + std::to_string(::getpid()) + ".tmp";
    {
        std::ofstream stream(temporary, std::ios::binary);
        stream << text << std::flush;
        if (!stream) {
            std::filesystem::remove(temporary, error);
            throw IoError(path.string() + ": cannot be written");
        }
    }
    std::filesystem::rename(temporary, path, error);
    if (error) {
        const std::string reason = error.message();
        std::filesystem::remove(temporary, error);
        throw IoError(path.string() + ": cannot be written (" + reason + ")");
    }
}

}  // namespace fabricast
