#include "sim/plan/collectives/nccl/names.hpp"

#include <charconv>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::nccl {

std::string_view to_string(Algo algo) {
    constexpr std::array<std::string_view, algo_count> words{
        "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
    return words[index(algo)];
}

std::string_view to_string(Proto proto) {
    constexpr std::array<std::string_view, proto_count> words{"LL", "LL128", "Simple"};
    return words[index(proto)];
}

Algorithm scenario_algorithm(Algo algo) {
    switch (algo) {
        case Algo::tree:
            return Algorithm::tree;
        case Algo::ring:
            return Algorithm::ring;
        case Algo::collnet_direct:
        case Algo::collnet_chain:
            return Algorithm::collnet;
        case Algo::nvls:
            return Algorithm::nvls;
        case Algo::nvls_tree:
            return Algorithm::nvls_tree;
        case Algo::pat:
            return Algorithm::pat;
    }
    return Algorithm::ring;
}

Protocol scenario_protocol(Proto proto) {
    constexpr std::array<Protocol, proto_count> same{Protocol::ll, Protocol::ll128, Protocol::simple};
    return same[index(proto)];
}

Version parse_version(std::string_view text) {
    Version version{0, 0, 0};
    const char* at = text.data();
    const char* const end = at + text.size();
    int parts = 0;
    for (int* number : {&version.major, &version.minor, &version.patch}) {
        const auto [next, error] = std::from_chars(at, end, *number);
        if (error != std::errc{}) {
            break;
        }
        ++parts;
        at = next;
        if (at == end || *at != '.') {
            break;
        }
        ++at;
    }
    if (parts < 2 || at != end) {
        throw PlanError("'" + std::string(text) + "' is not an NCCL version; write it like 2.27 or 2.27.3");
    }
    return version;
}

}  // namespace fabricast::nccl
