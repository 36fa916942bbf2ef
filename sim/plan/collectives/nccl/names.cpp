#include "sim/plan/collectives/nccl/names.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives::nccl {

Version parse_version(std::string_view text) {
    Version version{0, 0, 0};
    const char* at = text.data();
    const char* const end = at + text.size();
    int parts = 0;
    for (int* number : {&version.major, &version.minor, &version.patch}) {
        const auto [next, error] = std::from_chars(at, end, *number);
        if (error != std::errc{} || *number < 0) { break; }
        ++parts;
        at = next;
        if (at == end || *at != '.') { break; }
        ++at;
    }
    if (parts < 2 || at != end) {
        throw PlanError(fmt::format("'{}' is not an NCCL version; write it like 2.27 or 2.27.3", text), "library.nccl");
    }
    return version;
}

}  // namespace fabricast::inline collectives::nccl
