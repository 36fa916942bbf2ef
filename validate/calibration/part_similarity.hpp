#pragma once
// How similar two parts of the catalogue are: how much the value of a figure in one part says about the same figure in
// the other.
//
// The logarithm of a figure is modelled as a sum of random effects. For kernels: GPU generation, NCCL era, the link
// between the GPUs, and the part itself. For transports: network family, whether the NIC reaches GPU memory, whose code
// posts the messages, and the part itself. Two parts that share an effect share its variance, so their correlation is
// the share of the variance that they have in common. A figure without data is predicted from similar parts, and a
// figure with few data is pulled towards them. This is a Gaussian prior over all parts at once (kriging). What all
// kernel parts have in common is a further effect of wide spread (FitFamily::common): the data tell the mean,
// priors.yaml how far parts lie from it.

#include <string_view>

#include "models/catalog.hpp"

namespace fabricast::inline calibration {

// Correlation of ln(figure) between two parts, 0 to 1; 1 for a part with itself. It is 0 between parts of different
// kinds, between launch parts, and for the part with the costs that NCCL adds on every network.
double part_similarity(const Part& a, const Part& b);

// Whether the value of the figure was only predicted from similar parts: it is estimated, and its source says so.
bool told_by_kin(const Figure& figure);
inline constexpr std::string_view kin_source = "no data of this combination: what its kin tell (part_similarity.hpp)";

}  // namespace fabricast::inline calibration
