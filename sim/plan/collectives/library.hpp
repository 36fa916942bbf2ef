#pragma once
// The communication library that runs a job's collectives, and how its ranks are launched.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/enum_name.hpp"

namespace fabricast::inline collectives {

enum class LaunchMode : std::uint8_t {
    process,    // one process per GPU
    thread,     // one thread for all GPUs of a node (-g N)
    threads,    // one process, one thread per GPU (-t N)
    framework,  // a framework's loop
};
inline constexpr std::array<std::string_view, 4> launch_mode_names = {"process", "thread", "threads", "framework"};
inline std::string_view to_string(LaunchMode mode) { return enum_name(launch_mode_names, mode); }

struct LibrarySpec {
    std::string nccl = "2.27";
    std::string network_plugin;              // empty: the usual one for the fabric's link
    std::map<std::string, std::string> env;  // NCCL_ALGO, NCCL_PROTO, NCCL_NVLS_ENABLE ...
};

struct LaunchSpec {
    LaunchMode mode = LaunchMode::process;
    int iterations = 20;
};

}  // namespace fabricast::inline collectives
