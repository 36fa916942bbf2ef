#include "sim/plan/collectives/collective.hpp"

#include <array>

#include "base/enum_name.hpp"

namespace fabricast {

std::string_view to_string(Collective c) {
    static constexpr std::array<std::string_view, 10> words = {
        "all_reduce", "all_gather",   "reduce_scatter", "broadcast", "reduce",
        "all_to_all", "all_to_all_v", "sendrecv",       "gather",    "scatter"};
    return enum_name(words, c);
}

std::string_view to_string(Algorithm a) {
    static constexpr std::array<std::string_view, 11> words = {
        "auto",     "ring",   "tree",        "nvls", "nvls-tree", "collnet", "pat", "recursive-doubling",
        "pairwise", "direct", "hierarchical"};
    return enum_name(words, a);
}

std::string_view to_string(Protocol p) {
    static constexpr std::array<std::string_view, 4> words = {"auto", "ll", "ll128", "simple"};
    return enum_name(words, p);
}

std::string_view to_string(DataType d) {
    static constexpr std::array<std::string_view, 11> words = {
        "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "float8"};
    return enum_name(words, d);
}

std::int64_t size_of(DataType d) {
    static constexpr std::array<std::int64_t, 11> sizes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1};
    return sizes.at(static_cast<std::size_t>(d));
}

double busbw_factor(Collective collective, std::uint32_t ranks) {
    const double n = ranks;
    switch (collective) {
        case Collective::all_reduce:
            return 2 * (n - 1) / n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
        case Collective::all_to_all_v:
        case Collective::gather:
        case Collective::scatter:
            return (n - 1) / n;
        case Collective::broadcast:
        case Collective::reduce:
        case Collective::sendrecv:
            return 1;
    }
    return 1;
}

}  // namespace fabricast
