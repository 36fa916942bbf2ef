#pragma once
// Parses XML into a plain tree of elements, each with its location in the text.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base::xml {

inline constexpr std::size_t max_file_bytes = std::size_t{256} << 20U;
inline constexpr std::size_t max_elements = 4'000'000;
inline constexpr int max_depth = 64;

struct Element {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;  // in the order written
    std::vector<Element> children;                                // elements only
    std::string text;                                             // directly in it; of several pieces the first
    SourceLocation place;

    // The attribute, or nullptr.
    const std::string* get(std::string_view attribute) const;
    // The attribute, or "".
    std::string word(std::string_view attribute) const;
    // Each throws InputError at this element: if the attribute is missing, or is not a whole number in [low, high].
    const std::string& required(std::string_view attribute) const;
    std::int64_t whole(std::string_view attribute, std::int64_t low, std::int64_t high) const;
    // Like whole(), but returns `fallback` if the attribute is missing or empty.
    std::int64_t whole_or(std::string_view attribute, std::int64_t fallback, std::int64_t low, std::int64_t high) const;

    [[noreturn]] void fail(const std::string& message) const;
};

// The root element. Throws InputError at the line of the first error. `file` is only the name shown in errors.
Element parse(std::string_view text, const std::string& file);

}  // namespace fabricast::inline base::xml
