#pragma once
// What can be told of this machine without a device's library: processor, kernel, NUMA nodes, the date.

#include <cstdint>
#include <string>

namespace probe {

std::string cpu_name();     // "model name" of /proc/cpuinfo, with the number of processors
std::string kernel_name();  // "Linux 6.1.0 x86_64"
std::uint64_t numa_nodes();
std::string utc_now();  // "2026-11-21T16:45:00Z"

// The NUMA node of a device by its folder in sysfs; -1 where it is not told.
int numa_node(const std::string& folder);
// The same by a PCI bus id ("0000:3b:00.0").
int numa_node_of_pci(std::string bus_id);

// The first line of a small file, or "".
std::string first_line(const std::string& path);

}  // namespace probe
