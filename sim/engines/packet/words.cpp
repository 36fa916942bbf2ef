#include <array>
#include <string_view>

#include "sim/engines/packet/options.hpp"
#include "sim/pick_word.hpp"

namespace fabricast {

std::string_view word(FlowControl value) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "pfc", "credits", "lossless", "lossy"};
    return pick_word(words, value);
}
std::string_view word(CongestionControl value) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "none", "dcqcn", "timely", "infiniband"};
    return pick_word(words, value);
}
std::string_view word(PacketRouting value) {
    static constexpr std::array<std::string_view, 4> words = {"ecmp", "flowlet", "adaptive", "spray"};
    return pick_word(words, value);
}
std::string_view word(LossRecovery value) {
    static constexpr std::array<std::string_view, 2> words = {"go-back-n", "selective-repeat"};
    return pick_word(words, value);
}
std::string_view word(LaneChoice value) {
    static constexpr std::array<std::string_view, 2> words = {"level", "hop"};
    return pick_word(words, value);
}

}  // namespace fabricast
