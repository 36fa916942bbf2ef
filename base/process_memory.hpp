#pragma once
// How much memory this process may take.

#include <filesystem>

namespace fabricast {

// Bytes that this process may take: the machine's memory, or less where the user (`ulimit -v`) or a container has set a
// limit.
double memory_here();

// The least that a control group of this process allows, of version 2 or 1; infinite where none does. `root` holds
// proc and sys.
double cgroup_limit(const std::filesystem::path& root);

}  // namespace fabricast
