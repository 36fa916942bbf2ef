#pragma once
// How much memory this process may use.

#include <filesystem>

namespace fabricast::inline base {

// Bytes that this process may use: the machine's memory, or less if `ulimit -v` or a container limits it.
double memory_here();

// Bytes: the lowest memory limit of this process's control groups, version 1 or 2; infinite if none is set. `root` is
// the directory that contains proc and sys.
double cgroup_limit(const std::filesystem::path& root);

}  // namespace fabricast::inline base
