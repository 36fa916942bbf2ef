#pragma once
// Small files for tests: written into a folder of their own that goes away, packed without a packer, damaged on
// purpose.

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast::test {

class TempFolder {
public:
    TempFolder() {
        static std::atomic<int> next{0};
        path_ = std::filesystem::temp_directory_path() /
                ("fabricast-test-" + std::to_string(::getpid()) + "-" + std::to_string(next++));
        std::filesystem::create_directories(path_);
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::filesystem::path write(const std::string& name, std::string_view content) const {
        const std::filesystem::path file = path_ / name;
        std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
        return file;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string read_whole(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A tar archive of plain files (POSIX.1-2017, pax: ustar).
inline std::string tar_member(const std::string& name, char type, const std::string& body) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    const auto octal = [](std::size_t value, std::size_t digits) {
        std::string text(digits, '0');
        for (std::size_t i = digits; i-- > 0; value /= 8) { text[i] = static_cast<char>('0' + value % 8); }
        return text;
    };
    put(0, name);
    put(124, octal(body.size(), 11));
    put(148, std::string(8, ' '));
    put(156, std::string(1, type));
    put(257, std::string("ustar\0", 6) + "00");
    std::size_t sum = 0;
    for (const char c : header) { sum += static_cast<unsigned char>(c); }
    put(148, octal(sum, 6) + std::string("\0 ", 2));
    return header + body + std::string((512 - body.size() % 512) % 512, '\0');
}

// A name of more than 100 characters stands in a member of its own before its file, as GNU tar writes it.
inline std::string archived(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string out;
    for (const auto& [name, body] : files) {
        if (name.size() > 100) { out += tar_member("././@LongLink", 'L', name + '\0'); }
        out += tar_member(name.substr(0, 100), '0', body);
    }
    return out + std::string(1024, '\0');
}

// gzip with stored blocks only (RFC 1951, 3.2.4; RFC 1952).
inline std::string gzipped(std::string_view text) {
    std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    std::uint32_t crc = 0xffffffffU;
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) { crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U); }
    }
    const auto little = [&](std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) { out.push_back(static_cast<char>((value >> (8 * i)) & 0xffU)); }
    };
    std::size_t at = 0;
    do {
        const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size() - at, 65535));
        out.push_back(at + size == text.size() ? '\1' : '\0');
        little(size, 2);
        little(~size & 0xffffU, 2);
        out.append(text.substr(at, size));
        at += size;
    } while (at < text.size());
    little(~crc, 4);
    little(static_cast<std::uint32_t>(text.size()), 4);
    return out;
}

// Real traces beside the sources; empty where they are not.
inline std::filesystem::path samples() {
    const std::filesystem::path folder = std::filesystem::path(FABRICAST_SOURCE_DIR) / "../shared/samples";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace fabricast::test
