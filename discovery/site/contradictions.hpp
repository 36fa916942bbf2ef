#pragma once
// What files of different kinds say of one fact and differ in: an adapter's rate inside its host and on its cable, the
// switch above a host in a scheduler's tree and by cables. Of two files about one host node_merge.hpp compares all.

#include "discovery/site/site.hpp"

namespace fabricast::inline site {

// By the adapter's name or GUID, of every host.
void check_adapter_rates(Site& site);

// A switch of the tree that cables know too has the hosts that the tree names below it.
void check_group(Site& site, const GroupSeen& group);

}  // namespace fabricast::inline site
