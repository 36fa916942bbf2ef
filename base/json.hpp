#pragma once
// JSON values with keys in the order written (nlohmann), read with a size limit and with locations in errors.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace fabricast {

using Json = nlohmann::ordered_json;

// Throws InputError with the line and column of the offending byte. `file` is only the name shown in errors.
Json parse_json(std::string_view text, const std::string& file);

// Reads a file of at most `max_bytes`. Throws InputError.
Json read_json(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{256} << 20U);

}  // namespace fabricast
