#pragma once
// NCCL's own terms: its protocols in the numbering that its logs print, and its versions.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/plan/collectives/collective.hpp"

namespace fabricast::inline collectives::nccl {

enum class Proto : std::uint8_t { ll, ll128, simple };
inline constexpr std::array every_proto{Proto::ll, Proto::ll128, Proto::simple};
inline constexpr std::array<std::string_view, every_proto.size()> proto_names{"LL", "LL128", "Simple"};  // NCCL_PROTO

constexpr std::size_t index(Proto proto) { return static_cast<std::size_t>(proto); }
constexpr std::string_view to_string(Proto proto) { return proto_names[index(proto)]; }
constexpr Protocol scenario_protocol(Proto proto) {
    return std::array{Protocol::ll, Protocol::ll128, Protocol::simple}[index(proto)];
}
// "ll", "ll128", "simple": as the catalogue's figures begin.
inline std::string figure_prefix(Proto proto) { return std::string(fabricast::to_string(scenario_protocol(proto))); }

// "2.27" or "2.27.3".
struct Version {
    int major = 2, minor = 27, patch = 0;
    constexpr auto operator<=>(const Version&) const = default;
};

// Throws PlanError if the text is not a version.
Version parse_version(std::string_view text);

}  // namespace fabricast::inline collectives::nccl
