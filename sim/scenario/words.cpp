#include <array>

#include "sim/pick_word.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

std::string_view word(Collective c) {
    static constexpr std::array<std::string_view, 10> words = {
        "all_reduce", "all_gather",   "reduce_scatter", "broadcast", "reduce",
        "all_to_all", "all_to_all_v", "sendrecv",       "gather",    "scatter"};
    return pick_word(words, c);
}

std::string_view word(Algorithm a) {
    static constexpr std::array<std::string_view, 11> words = {
        "auto",     "ring",   "tree",        "nvls", "nvls-tree", "collnet", "pat", "recursive-doubling",
        "pairwise", "direct", "hierarchical"};
    return pick_word(words, a);
}

std::string_view word(Protocol p) {
    static constexpr std::array<std::string_view, 4> words = {"auto", "ll", "ll128", "simple"};
    return pick_word(words, p);
}

std::string_view word(DataType d) {
    static constexpr std::array<std::string_view, 11> words = {
        "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "float8"};
    return pick_word(words, d);
}

std::string_view word(LaunchMode m) {
    static constexpr std::array<std::string_view, 4> words = {"process", "thread", "threads", "framework"};
    return pick_word(words, m);
}

std::string_view word(ScalingMode m) {
    static constexpr std::array<std::string_view, 2> words = {"weak", "strong"};
    return pick_word(words, m);
}

std::string_view word(Direction d) {
    static constexpr std::array<std::string_view, 2> words = {"one-way", "both-ways"};
    return pick_word(words, d);
}

std::string_view word(TransferOperation o) {
    static constexpr std::array<std::string_view, 2> words = {"write", "read"};
    return pick_word(words, o);
}

std::string_view word(NumaPlace p) {
    static constexpr std::array<std::string_view, 2> words = {"near", "far"};
    return pick_word(words, p);
}

std::int64_t size_of(DataType d) {
    static constexpr std::array<std::int64_t, 11> sizes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1};
    return sizes.at(static_cast<std::size_t>(d));
}

}  // namespace fabricast
