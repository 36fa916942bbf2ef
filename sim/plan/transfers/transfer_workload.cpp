#include "sim/plan/transfers/transfer_workload.hpp"

#include <array>

#include "base/enum_name.hpp"

namespace fabricast {

std::string_view to_string(Direction d) {
    static constexpr std::array<std::string_view, 2> words = {"one-way", "both-ways"};
    return enum_name(words, d);
}

std::string_view to_string(TransferOperation o) {
    static constexpr std::array<std::string_view, 2> words = {"write", "read"};
    return enum_name(words, o);
}

std::string_view to_string(NumaPlace p) {
    static constexpr std::array<std::string_view, 2> words = {"near", "far"};
    return enum_name(words, p);
}

}  // namespace fabricast
