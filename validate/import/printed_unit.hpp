#pragma once
// The units in which tools print rates and times, as they end the name of a column ("bw_avg_Gbps", "GB/s").

#include <string_view>

namespace fabricast::inline validate_import {

struct PrintedUnit {
    double si = 0;  // bytes per second, or seconds; 0 where the name ends in no unit that is known
    bool time = false;
};

PrintedUnit printed_unit(std::string_view name);

}  // namespace fabricast::inline validate_import
