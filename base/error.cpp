#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <new>

namespace fabricast::inline base {

std::string to_string(const SourceLocation& place) {
    return fmt::format("{}:{}:{}", place.file ? *place.file : "<text>", place.line, place.column);
}

ExitCode report_error(std::string_view program, const std::exception& error) {
    const auto* own = dynamic_cast<const Error*>(&error);
    if (own == nullptr || !own->place) { std::cerr << program << ": "; }
    std::cerr << (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what()) << "\n";
    return own != nullptr ? own->exit_code : ExitCode::internal_or_io;
}

std::string error_message(std::string_view what, std::string_view found, std::string_view accepted,
                          std::string_view nearest) {
    std::string inside;
    const auto append = [&](std::string_view label, std::string_view text) {
        if (!text.empty()) { inside += fmt::format("{}{}{}", inside.empty() ? "" : "; ", label, text); }
    };
    append("found ", found);
    append("accepted: ", accepted);
    append("nearest: ", nearest.empty() ? "" : "'" + std::string(nearest) + "'");
    return std::string(what) + (inside.empty() ? "" : " (" + inside + ")");
}

std::string on_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            line += fmt::format("\\x{:02x}", byte);
        } else {
            line += c;
        }
    }
    return line;
}

std::string shown(std::string_view text) {
    std::size_t end = std::min<std::size_t>(text.size(), 60);
    // Truncates between characters, never inside a UTF-8 sequence.
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) { ++end; }
    return "'" + on_one_line(text.substr(0, end)) + (end < text.size() ? "...'" : "'");
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace fabricast::inline base
