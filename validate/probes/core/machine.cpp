#include "core/machine.hpp"

#include <glob.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <fstream>
#include <thread>

namespace probe {

std::string cpu_name() {
    std::ifstream in("/proc/cpuinfo");
    std::string name = "unknown processor";
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos && colon + 2 < line.size()) {
            name = line.substr(colon + 2);
            break;
        }
    }
    return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " processors";
}

std::string kernel_name() {
    utsname name = {};
    return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release + " " + name.machine : "unknown";
}

std::uint64_t numa_nodes() {
    glob_t found = {};
    glob("/sys/devices/system/node/node[0-9]*", 0, nullptr, &found);
    const std::uint64_t nodes = found.gl_pathc;
    globfree(&found);
    return std::max<std::uint64_t>(nodes, 1);
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

int numa_node(const std::string& folder) {
    const std::string line = first_line(folder + "/numa_node");
    return line.empty() ? -1 : std::atoi(line.c_str());
}

int numa_node_of_pci(std::string bus_id) {
    for (char& c : bus_id) { c = static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
    return numa_node("/sys/bus/pci/devices/" + bus_id);
}

std::string first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

}  // namespace probe
