#pragma once
// How far two parts of the catalogue tell of each other: what a figure of one may be where only the other has data.
//
// The logarithm of a figure is taken as a sum of effects: of the GPU generation, of the NCCL era, of what joins the
// GPUs, and the part's own; of transports, of the network's family, of whether the NIC reaches GPU memory, and its own.
// Two parts that share an effect share its variance, so their correlation is the share of what they have in common. A
// figure without data then takes what its kin say, era against era and generation against generation, and one with
// little data leans on it: a Gaussian prior over all parts at once (kriging), whose single parts have the same spread
// as without kin.

#include <string_view>

#include "models/catalog.hpp"

namespace fabricast {

// Correlation of ln(figure) between two parts, 0 to 1; 1 for a part with itself. Parts of different kinds, launches and
// what NCCL adds on any network have no kin.
double part_similarity(const Part& a, const Part& b);

// Whether the figure is only there because its kin may tell of it: estimated, by its source.
bool told_by_kin(const Figure& figure);
inline constexpr std::string_view kin_source = "no data of this combination: what its kin tell (kinship.hpp)";

}  // namespace fabricast
