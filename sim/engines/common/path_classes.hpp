#pragma once
// The distinct paths of a schedule's messages: each pair of path and rate cap once, however many connections use it.

#include <cstdint>
#include <span>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline engine_common {

class PathClasses {
public:
    // `most`: an upper bound on the number of calls of class_of.
    PathClasses(const Fabric& fabric, std::size_t most);

    struct Found {
        std::uint32_t cls;
        Duration latency;  // of the path
    };
    // Throws Unreachable.
    Found class_of(const PathQuery& query, double rate_cap);

    std::size_t size() const { return end_.size(); }
    std::span<const LinkId> path(std::size_t cls) const { return {links_.data() + begin(cls), end_[cls] - begin(cls)}; }
    double rate_cap(std::size_t cls) const { return cap_[cls]; }

private:
    std::size_t begin(std::size_t cls) const { return cls == 0 ? 0 : end_[cls - 1]; }

    const Fabric& fabric_;
    std::vector<LinkId> links_;
    std::vector<std::size_t> end_;
    std::vector<double> cap_;
    std::vector<std::uint32_t> slots_;  // open addressing: an all-to-all of 1,024 ranks has a million distinct paths
    Path path_;
};

}  // namespace fabricast::inline engine_common
