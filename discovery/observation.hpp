#pragma once
// What one file says: devices inside a node, devices of the fabric, cables, groups. Every reader makes these, and
// site/site.hpp joins those of several files. Each carries the line that says it, and how far it may be believed.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"
#include "base/error.hpp"

namespace fabricast::inline discovery {

// fact: a program read it from the hardware. hint: somebody wrote it, to steer a library or as a plan. guess: it
// follows from something else, or from what is usual.
enum class Trust : std::uint8_t { fact, hint, guess };
inline std::string_view to_string(Trust trust) {
    constexpr std::array<std::string_view, 3> words = {"fact", "hint", "guess"};
    return enum_name(words, trust);
}

enum class PciKind : std::uint8_t { bridge, gpu, nic, nvswitch, other };

enum class NicLayer : std::uint8_t { unknown, ethernet, infiniband };

struct PciLink {
    double gigatransfers = 0;  // per second and lane; 0: not stated
    int width = 0;             // lanes; 0: not stated
    bool operator==(const PciLink&) const = default;
    bool known() const { return gigatransfers > 0 && width > 0; }
    double rate() const { return gigatransfers * width; }
};

struct PciSeen {
    std::string bus;     // as normal_bus() writes it
    std::string parent;  // bus id of the bridge above; empty: directly below a CPU
    int numa = -1;
    PciKind kind = PciKind::other;
    std::uint32_t vendor = 0, device = 0;
    NicLayer layer = NicLayer::unknown;  // of a NIC
    std::string word;                    // a node's word for other devices: "nvme", "capture", "cxl"
    PciLink link;                        // as it runs
    PciLink capable;                     // as it could run, where that is stated
    SourceLocation at;
};

struct NvlinkSeen {
    std::string target;  // bus id of a GPU; "nvswitch", "cpu"
    int count = 0;
    std::string hub{};  // bus id of the NVSwitch; empty: not stated
};

// What GPUs and NICs have in common.
struct EndSeen {
    int index = -1;
    std::string bus;
    int numa = -1;
    bool gpu_direct = true;  // false: the file says that it has no GPUDirect RDMA
    SourceLocation at;
};

struct GpuSeen : EndSeen {
    int sm = 0;         // compute capability times ten; 0: not stated
    std::string model;  // "NVIDIA A100-SXM4-80GB"
    bool amd = false;
    std::string gfx;  // "gfx942" of an AMD GPU; empty: not stated
    bool c2c = false;
    bool nvlinks_stated = false;  // false: the file does not speak of NVLinks at all
    std::vector<NvlinkSeen> nvlinks;
    int inactive = 0;  // NVLinks that are there and down

    // Behind NVSwitches each cell of a GPU matrix already counts all links of the GPU: then its largest cell is the
    // count.
    int nvlink_count() const;
};

struct NicSeen : EndSeen {
    std::string name;           // "mlx5_0"
    std::int64_t megabits = 0;  // per second, of all ports; 0: not stated
    int ports = 1;
    std::vector<std::string> guids;  // as normal_guid() writes them
};

// Adds a GPU or a NIC: with its place in a file if no slot is known, or with its PCI slot.
template <class End> End& add_end(std::vector<End>& ends, int index, const SourceLocation& at) {
    End& end = ends.emplace_back();
    end.index = index;
    end.at = at;
    return end;
}
template <class End> End& add_end(std::vector<End>& ends, int index, const PciSeen& slot) {
    End& end = add_end(ends, index, slot.at);
    end.bus = slot.bus;
    end.numa = slot.numa;
    return end;
}
// Adds `count` GPUs or NICs of which nothing but their number is known.
template <class End> void add_counted(std::vector<End>& ends, std::size_t count, const SourceLocation& at) {
    for (std::size_t i = 0; i < count; ++i) { add_end(ends, static_cast<int>(i), at); }
}

struct CpuSeen {
    int numa = 0;
    std::string arch, vendor;
    int family = 0, model = 0;
    SourceLocation at;
    int host = 0;  // of an NVLink domain of several hosts
};

// How far two devices are from each other, in nvidia-smi's words: X, NV18, PIX, PXB, PHB, NODE, SYS.
struct PairSeen {
    std::string a, b;  // "gpu0", "nic3"
    std::string word;
    SourceLocation at;
};

struct NodeSeen {
    std::string host;  // empty: the file does not say
    Trust trust = Trust::fact;
    std::vector<CpuSeen> cpus;
    std::vector<PciSeen> pci;
    std::vector<GpuSeen> gpus;
    std::vector<NicSeen> nics;
    std::vector<PairSeen> pairs;
    SourceLocation at;
};

// The bus ids of the bridges above a device, the nearest first. `pci_at`: the device of a bus id; null: unknown.
template <class PciAt> std::vector<std::string> bridges_above(const std::string& bus, const PciAt& pci_at) {
    constexpr std::size_t deepest = 64;  // a file may go round in a circle
    std::vector<std::string> above;
    for (const PciSeen* at = pci_at(bus); at != nullptr && !at->parent.empty() && above.size() < deepest;
         at = pci_at(at->parent)) {
        above.push_back(at->parent);
    }
    return above;
}

enum class Role : std::uint8_t { unknown, host, fabric_switch };

// A switch, or one adapter of a host.
struct DeviceSeen {
    std::string key;  // unique among all files: "guid" in hexadecimal, or a name
    Role role = Role::unknown;
    SourceLocation at;
    std::string name{};      // host or switch; the key if it has no name
    std::string nic{};       // of a host: "mlx5_5", "HCA-1"; empty: each port is an adapter
    int ports = 0;           // of a switch; 0: not stated
    std::uint32_t part = 0;  // the vendor's number of the device
    std::string group{};     // guid of the system that it is a part of
};

struct CableEnd {
    std::string device;  // key
    std::string port;    // empty: not stated
};

struct CableSeen {
    CableEnd a, b;
    std::int64_t megabits = 0;  // per second; 0: not stated
    std::string technology;     // "4xNDR"
    SourceLocation at;
};

// Slurm's switches and blocks, topograph's: who is below or in which, without cables.
struct GroupSeen {
    std::string name;
    SourceLocation at;
    bool block = false;  // an NVLink domain
    std::vector<std::string> hosts{}, groups{};
};

struct Observations {
    std::string_view format;
    std::string file;
    bool plan = false;        // what was intended; the rest is what was found
    bool one_domain = false;  // its nodes are the hosts of one NVLink domain
    std::vector<NodeSeen> nodes;
    std::vector<DeviceSeen> devices;
    std::vector<CableSeen> cables;
    std::vector<GroupSeen> groups;
    std::map<std::string, std::string> hosts_of;   // host by GUID or MAC
    std::map<std::string, std::uint64_t> dropped;  // what was left out, counted by its kind
    std::vector<std::string> notes;

    bool empty() const;
};

// "00000000:1B:00.0" and "1b:00.0" -> "0000:1b:00.0". Empty if it is not a bus id.
std::string normal_bus(std::string_view text);
// Hexadecimal digits in lower case without 0x, separators and zeros at the front. Empty if it is none, or zero.
std::string normal_guid(std::string_view text);
// The MAC address in a GUID, as normal_guid() writes it: adapters put ff:fe or 03:00 into its middle. Empty if it has
// none.
std::string mac_of_guid(std::string_view guid);
// "A08-p1-dgx.local" -> "a08-p1-dgx": names of one host in several files.
std::string host_name(std::string_view text);
// "MF0;ibsw1:MQM9700/U1" -> "ibsw1"; a unit of a director keeps its place: "core:MCS8500/L16/U2" -> "core/l16/u2".
std::string switch_name(std::string_view text);
// "4xNDR", "4x NDR" -> 400,000 Mb/s; 0 if it is not a known rate. SDR to XDR by lane, as the InfiniBand standard has
// them.
std::int64_t infiniband_megabits(std::string_view technology);
// "32.0 GT/s PCIe" -> 32; 0 if it says nothing.
double gigatransfers(std::string_view text);
// "400000", "400G", "400 Gbps", "400GbE", "25 Gb/s" -> Mb/s; 0 if it says nothing.
std::int64_t megabits_of(std::string_view text);
// Whether a port of this name belongs to a switch ("swp51", "Ethernet48", "17", "Port 3"), as far as names tell.
bool names_switch_port(std::string_view port);
bool names_host_port(std::string_view port);
// What a node template calls a device, and its PCI class with subclass and programming interface. An adapter's tells
// what it speaks.
inline constexpr std::pair<std::string_view, std::uint32_t> pci_words[] = {{"gpu", 0x030200},  {"switch", 0x060400},
                                                                           {"nvme", 0x010802}, {"capture", 0x040000},
                                                                           {"cxl", 0x050210},  {"nvswitch", 0x068000}};
// PCI base class and subclass, "0x030200" -> gpu.
PciKind pci_kind(std::uint32_t class_code);
// The same, and for a NIC whether it is Ethernet or InfiniBand.
void read_class(std::uint32_t class_code, PciSeen& pci);

}  // namespace fabricast::inline discovery
