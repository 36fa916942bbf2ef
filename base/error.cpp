#include "base/error.hpp"

#include <fmt/core.h>

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

}  // namespace fabricast::inline base
