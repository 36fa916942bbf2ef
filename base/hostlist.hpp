#pragma once
// Lists of hosts as Slurm writes them: "n[1-3,7],m1".

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base {

// "n[001-003,7],m1" -> n001 n002 n003 n7 m1. Throws InputError at `place` if a range is malformed.
std::vector<std::string> hostlist(std::string_view text, const SourceLocation& place);

// The host lists of one file. A line of a few bytes may stand for as many names as a list is allowed to have, so that
// limit holds for all lines together.
class Hostlists {
public:
    // As above; throws InputError at `place` too if the file lists too many names.
    std::vector<std::string> names(std::string_view text, const SourceLocation& place);

private:
    std::size_t listed_ = 0;
};

// The shortest list of these names in this order.
std::string hostlist_text(const std::vector<std::string>& names);

}  // namespace fabricast::inline base
