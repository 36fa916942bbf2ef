#include "base/error.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

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

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string line = "'";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        // Truncates between characters, never inside a UTF-8 sequence.
        if (i >= longest && (byte & 0xC0U) != 0x80U) { return line + "...'"; }
        if (byte < 0x20 || byte == 0x7F) {
            line += fmt::format("\\x{:02x}", byte);
        } else {
            line += text[i];
        }
    }
    return line + "'";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace fabricast::inline base
