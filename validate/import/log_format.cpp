#include "validate/import/log_format.hpp"

namespace fabricast {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

}  // namespace fabricast
