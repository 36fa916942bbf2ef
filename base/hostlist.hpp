#pragma once
// Lists of hosts as Slurm writes them: "n[1-3,7],m1".

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base {

// "n[001-003,7],m1" -> n001 n002 n003 n7 m1. Throws InputError at `place` where a range is none.
std::vector<std::string> hostlist(std::string_view text, const SourceLocation& place);

// The shortest list that says these names in this order.
std::string hostlist_text(const std::vector<std::string>& names);

}  // namespace fabricast::inline base
