#include "base/process_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace fabricast::inline base {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The limit in bytes that the file states; infinite if it states no number ("max") or does not exist.
double granted(const std::filesystem::path& file) {
    double bytes = unlimited;
    std::ifstream stream(file);
    return stream >> bytes ? bytes : unlimited;
}

// The lowest limit of a group and of its ancestors. A container sees its own group as the root of the hierarchy,
// whatever the group is called; so the root is always read too.
double least_granted(const std::filesystem::path& hierarchy, std::filesystem::path group, const char* file) {
    double least = granted(hierarchy / file);
    for (; group.has_relative_path(); group = group.parent_path()) {
        least = std::min(least, granted(hierarchy / group.relative_path() / file));
    }
    return least;
}

}  // namespace

double cgroup_limit(const std::filesystem::path& root) {
    double least = unlimited;
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "0::/a/b" of version 2, "9:memory:/a/b" of version 1
        const std::size_t names = line.find(':');
        const std::size_t path = line.find(':', names + 1);
        if (names == std::string::npos || path == std::string::npos) { continue; }
        const std::string controllers = "," + line.substr(names + 1, path - names - 1) + ",";
        if (controllers == ",,") {
            least = std::min(least, least_granted(root / "sys/fs/cgroup", line.substr(path + 1), "memory.max"));
        } else if (controllers.find(",memory,") != std::string::npos) {
            least = std::min(
                least, least_granted(root / "sys/fs/cgroup/memory", line.substr(path + 1), "memory.limit_in_bytes"));
        }
    }
    return least;
}

double memory_here() {
    const double machine =
        static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return std::min({machine, limited ? static_cast<double>(limit.rlim_cur) : unlimited, cgroup_limit("/")});
}

}  // namespace fabricast::inline base
