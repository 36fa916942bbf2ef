#pragma once
// NCCL's own terms: its algorithms and protocols in the numbering that its logs print, and its versions.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/plan/collectives/collective.hpp"

namespace fabricast::nccl {

enum class Algo : std::uint8_t { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat };
enum class Proto : std::uint8_t { ll, ll128, simple };
inline constexpr std::size_t algo_count = 7;
inline constexpr std::size_t proto_count = 3;
inline constexpr std::array<Algo, algo_count> every_algo{
    Algo::tree, Algo::ring, Algo::collnet_direct, Algo::collnet_chain, Algo::nvls, Algo::nvls_tree, Algo::pat};
inline constexpr std::array<Proto, proto_count> every_proto{Proto::ll, Proto::ll128, Proto::simple};

constexpr std::size_t index(Algo algo) { return static_cast<std::size_t>(algo); }
constexpr std::size_t index(Proto proto) { return static_cast<std::size_t>(proto); }

// "Ring", "CollNetDirect", "LL128": as NCCL_ALGO and NCCL_PROTO spell them; readers accept any case.
std::string_view to_string(Algo algo);
std::string_view to_string(Proto proto);

Algorithm scenario_algorithm(Algo algo);  // both CollNet algorithms are `collnet`
Protocol scenario_protocol(Proto proto);

// "2.27" or "2.27.3".
struct Version {
    int major = 2, minor = 27, patch = 0;
    constexpr auto operator<=>(const Version&) const = default;
};

// Throws PlanError if the text is not a version.
Version parse_version(std::string_view text);

constexpr bool at_least(const Version& version, int minor) { return version >= Version{2, minor, 0}; }

}  // namespace fabricast::nccl
