#include "validate/import/printed_unit.hpp"

#include <utility>

namespace fabricast::inline validate_import {

PrintedUnit printed_unit(std::string_view name) {
    // perftest's MB are of 2^20 bytes, OSU's of 10^6.
    static constexpr std::pair<std::string_view, double> rates[] = {
        {"GBps", 1e9},     {"GB/s", 1e9},           {"GiBps", 0x1p30}, {"GiB/s", 0x1p30}, {"MiBps", 0x1p20},
        {"MiB/s", 0x1p20}, {"bw_avg_MBps", 0x1p20}, {"MBps", 1e6},     {"Gbps", 1.25e8},  {"Gb/s", 1.25e8}};
    for (const auto& [word, si] : rates) {
        if (name.ends_with(word)) { return {si, false}; }
    }
    return name.ends_with("us") ? PrintedUnit{1e-6, true} : PrintedUnit{};
}

}  // namespace fabricast::inline validate_import
