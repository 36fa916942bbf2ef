#include "base/json.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"

namespace fabricast::inline base {

namespace {

constexpr int max_json_depth = 256;  // copying and writing a value calls itself for each level

SourceLocation place_of_byte(std::string_view text, std::size_t offset, const std::string& file) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t last_break = before.rfind('\n');
    const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
    return {std::make_shared<const std::string>(file),
            static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(before.size() - line_start) + 1};
}

// Where brackets nest deeper than max_json_depth, or npos. Quotes are told from those within texts as JSON does.
std::size_t too_deep_at(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '\\') { ++at; }
        if (c == '"') { quoted = !quoted; }
        if (quoted) { continue; }
        if (c == '[' || c == '{') { ++depth; }
        if (c == ']' || c == '}') { --depth; }
        if (depth > max_json_depth) { return at; }
    }
    return std::string_view::npos;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
    if (const std::size_t at = too_deep_at(text); at != std::string_view::npos) {
        throw InputError(place_of_byte(text, at, file), fmt::format("JSON nested deeper than {}", max_json_depth));
    }
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const nlohmann::json::parse_error& error) {
        // nlohmann counts bytes from 1.
        throw InputError(place_of_byte(text, error.byte == 0 ? 0 : error.byte - 1, file),
                         std::string("not JSON (") + error.what() + ")");
    } catch (const nlohmann::json::out_of_range& error) {  // says which number, but not where
        const std::string_view message = error.what();
        const std::size_t quote = std::min(message.find('\''), message.size() - 1);
        const std::size_t at = text.find(message.substr(quote + 1, message.rfind('\'') - quote - 1));
        throw InputError(place_of_byte(text, at, file), std::string("not JSON (") + error.what() + ")");
    }
}

}  // namespace fabricast::inline base
