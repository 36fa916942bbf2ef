#include "base/json.hpp"

#include <algorithm>

#include "base/input_error.hpp"

namespace fabricast::inline base {

namespace {

SourceLocation place_of_byte(std::string_view text, std::size_t offset, const std::string& file) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t last_break = before.rfind('\n');
    const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
    return {std::make_shared<const std::string>(file),
            static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(before.size() - line_start) + 1};
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const nlohmann::json::parse_error& error) {
        // nlohmann counts bytes from 1.
        throw InputError(place_of_byte(text, error.byte == 0 ? 0 : error.byte - 1, file),
                         std::string("not JSON (") + error.what() + ")");
    }
}

}  // namespace fabricast::inline base
