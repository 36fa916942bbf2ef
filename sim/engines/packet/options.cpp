#include "sim/engines/packet/options.hpp"

#include <array>
#include <string_view>

#include "base/enum_name.hpp"

namespace fabricast {

std::string_view to_string(FlowControl value) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "pfc", "credits", "lossless", "lossy"};
    return enum_name(words, value);
}
std::string_view to_string(CongestionControl value) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "none", "dcqcn", "timely", "infiniband"};
    return enum_name(words, value);
}
std::string_view to_string(PacketRouting value) {
    static constexpr std::array<std::string_view, 4> words = {"ecmp", "flowlet", "adaptive", "spray"};
    return enum_name(words, value);
}
std::string_view to_string(LossRecovery value) {
    static constexpr std::array<std::string_view, 2> words = {"go-back-n", "selective-repeat"};
    return enum_name(words, value);
}
std::string_view to_string(LaneChoice value) {
    static constexpr std::array<std::string_view, 2> words = {"level", "hop"};
    return enum_name(words, value);
}

}  // namespace fabricast
