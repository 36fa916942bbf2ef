#include "sim/plan/collectives/library.hpp"

#include <array>

#include "base/enum_name.hpp"

namespace fabricast {

std::string_view to_string(LaunchMode m) {
    static constexpr std::array<std::string_view, 4> words = {"process", "thread", "threads", "framework"};
    return enum_name(words, m);
}

}  // namespace fabricast
