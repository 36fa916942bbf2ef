// What public files taught the readers: forms of iblinkinfo, neighbours of LLDP, databases of SONiC, names of lspci.

#include <algorithm>

#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::testing;

namespace {

struct Counts {
    std::size_t hosts = 0, switches = 0, adapters = 0, cables = 0;
    bool operator==(const Counts&) const = default;
};

Counts counts_of(const Site& site) {
    const auto adapters = static_cast<std::size_t>(std::ranges::count_if(site.devices, &SiteDevice::adapter));
    return {site.hosts.size(), site.devices.size() - adapters, adapters, site.cables.size()};
}

// Two hosts named without a word for their adapters, one of them with two ports, at one switch.
const std::string headings = R"(CA: node1:
      0x0000000000100004      5    1[  ] ==( 4X        10.0 Gbps (FDR10) Active/  LinkUp)==>       3    1[  ] "sw" ( )
      0x0000000000100005      4    2[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>       3    2[  ] "sw" ( )
CA: node2:
      0x0000000000100009      6    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       3    3[  ] "sw" ( )
Switch: 0x0000000000200001 sw:
           3    1[  ] ==( 4X        10.0 Gbps (FDR10) Active/  LinkUp)==>       5    1[  ] "node1" ( )
           3    2[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>       4    2[  ] "node1" (Could be 10.0 Gbps)
           3    3[  ] ==( 4X        106.25 Gbps Active/  LinkUp) (HOQ:18 VL_Stall:7)==>       6    1[  ] "node2" ( )
           3    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           3    5[  ] ==( 4X           2.5 Gbps   Init/  LinkUp)==>      "Port not available"
)";

}  // namespace

TEST_CASE("iblinkinfo with and without headings is one fabric") {
    const Site whole = site_of({{"links.txt", headings}});
    CHECK(counts_of(whole) == Counts{2, 1, 2, 3});
    std::vector<std::int64_t> rates;
    for (const SiteCable& cable : whole.cables) { rates.push_back(cable.megabits); }
    std::ranges::sort(rates);
    CHECK(rates == std::vector<std::int64_t>{8'000, 40'000, 400'000});  // SDR, FDR10, NDR
    // --switches-only: what no line is about is a host, for a switch has one lid for all its ports.
    const std::string switches = headings.substr(headings.find("Switch:"));
    CHECK(counts_of(site_of({{"links.txt", switches}})) == Counts{2, 1, 3, 3});
    const Site lines = site_of(
        {{"links.txt",
          R"(0x0000000000100004 "                   node1"      5    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0000000000200001      3    1[  ] "sw" ( )
0x0000000000100009 "                   node2"      6    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0000000000200001      3    3[  ] "sw" ( )
0x0000000000200001 "                      sw"      3    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0000000000100004      5    1[  ] "node1" ( )
0x0000000000200001 "                      sw"      3    3[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>  0x0000000000100009      6    1[  ] "node2" ( )
)"}});
    CHECK(counts_of(lines) == Counts{2, 1, 2, 2});
}

TEST_CASE("a neighbour's system and capabilities tell a switch from a host") {
    const auto neighbour = [](const std::string& port, const std::string& name, const std::string& far,
                              const std::string& system) {
        return "{\"" + port + R"(": {"chassis": {")" + name +
               R"(": {"id": {"type": "mac", "value": "00:11:22:33:44:55"}, "descr": ")" + system +
               R"(", "capability": [{"type": "Bridge", "enabled": true}, {"type": "Router", "enabled": true}]}}, "port": {"id": {"type": "ifname", "value": ")" +
               far + R"("}, "descr": ")" + far + "\"}}}";
    };
    const std::string nexus = "Cisco Nexus Operating System (NX-OS) Software";
    const std::string host = R"({"lldp": {"interface": [)" + neighbour("ens1np0", "n9k-1", "Eth1/1", nexus) + "," +
                             neighbour("eno1", "qfx-mgmt", "ge-0/0/1", "Juniper Networks") + "]}}";
    const Site below = site_of({{"gpu01.json", host}});
    CHECK(counts_of(below) == Counts{1, 1, 1, 1});
    CHECK(below.dropped.at("cable of a management network") == 1);
    const std::string leaf = R"({"lldp": {"interface": [)" +
                             neighbour("swp1", "dgx-01", "0", "Ubuntu 22.04.4 LTS Linux 5.15.0") + "," +
                             neighbour("swp2", "spine01", "1", "Cumulus Linux version 5.4.0") + "]}}";
    CHECK(counts_of(site_of({{"leaf01.json", leaf}})) == Counts{1, 2, 1, 2});
    // Nothing is said of this neighbour; what is at a host's port is a switch. Its own number of a port says nothing.
    const std::string key_values =
        "lldp.enp1s0f0.chassis.name=s120\nlldp.enp1s0f0.port.local=512\n"
        "lldp.enp1s0f0.port.descr=xe-0/0/1\n";
    const Site bare = site_of({{"host7.txt", key_values}});
    CHECK(counts_of(bare) == Counts{1, 1, 1, 1});
    CHECK(cable_text(bare, bare.cables.front()).find("xe-0/0/1") != std::string::npos);
}

TEST_CASE("SONiC's database is read as it dumps itself, and without its own name") {
    const Site dumped =
        site_of({{"db.json", R"({"DEVICE_METADATA|localhost": {"type": "hash", "value": {"hostname": "leaf1"}},
        "DEVICE_NEIGHBOR|Ethernet0": {"type": "hash", "value": {"name": "spine1", "port": "Ethernet1"}},
        "PORT|Ethernet0": {"type": "hash", "value": {"speed": "100000"}}})"}});
    CHECK(counts_of(dumped) == Counts{0, 2, 0, 1});
    CHECK(dumped.cables.front().megabits == 100'000);
    const Site unnamed =
        site_of({{"leaf2.json", R"({"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "spine1", "port": "Ethernet2"}}})"}});
    CHECK(counts_of(unnamed) == Counts{0, 2, 0, 1});
    CHECK(unnamed.notes.size() == 1);
    CHECK_THROWS_AS(site_of({{"serial.csv", "StartDevice,StartPort,EndDevice,EndPort,BaudRate\na,1,b,1,9600\n"}}),
                    InputError);
}

TEST_CASE("a plan that gives a switch's port to two cables contradicts itself, a host's port may fan out") {
    const std::string heading = "StartDevice,StartPort,EndDevice,EndPort\n";
    const Site twice = site_of({{"plan.csv", heading + "leaf1,1,spine1,1\nleaf1,2,spine1,1\n"}});
    CHECK(twice.cables.size() == 2);
    REQUIRE(twice.findings.size() == 1);
    CHECK(twice.findings.front().message.find("spine1:1 has two cables") != std::string::npos);
    const Site bond = site_of({{"plan.csv", heading + "server1,eth0,leaf1,Ethernet0\nserver1,eth0,leaf1,Ethernet4\n"}});
    CHECK(bond.cables.size() == 2);
    CHECK(bond.findings.empty());
}

TEST_CASE("lspci's names tell the fabric's adapters from a few others") {
    std::string text;
    for (int i = 0; i < 3; ++i) {
        const std::string bus = std::to_string(10 + i) + ":00.0 ";
        text += bus +
                (i < 2 ? "Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
                       : "Ethernet controller: Mellanox Technologies MT2892 Family [ConnectX-6 Dx]\n") +
                "\t\tLnkSta:\tSpeed " + (i < 2 ? "32" : "16") + "GT/s (ok), Width x16 (ok)\n";
        text += std::to_string(20 + i) + ":00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB]\n";
    }
    text += "30:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n";
    Site site = site_of({{"lspci.txt", text}});
    const Description made = describe(site, catalogue(), {});
    REQUIRE(made.shape.has_value());
    CHECK(made.shape->nics == 3);
    CHECK(made.shape->nic.name == "connectx-7");
    CHECK(check(site, made, catalogue(), {}).empty());
}

// As clouds write them: slots alone, without a GPU's model or its NVLinks.
TEST_CASE("a file that steers NCCL by slots alone is of the time of its slots") {
    for (const auto& [speed, gpu, nic] :
         {std::tuple{"16", "a100-sxm4-80", "connectx-6"}, {"32", "h100-sxm", "connectx-7"}}) {
        std::string text = "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\">";
        for (int i = 0; i < 8; ++i) {
            for (const char* device : {"0x030200", "0x020700"}) {
                text += "<pci busid=\"000" + std::to_string(i) + (device[3] == '3' ? ":00:00.0" : ":01:00.0") +
                        "\" class=\"" + device + "\" link_speed=\"" + speed + ".0 GT/s PCIe\" link_width=\"16\"/>";
            }
        }
        Site site = site_of({{"topo.xml", text + "</cpu></system>"}});
        const Description made = describe(site, catalogue(), {});
        REQUIRE(made.shape.has_value());
        CHECK(made.shape->gpu.name == gpu);
        CHECK(made.shape->nic.name == nic);
        CHECK(made.asked.size() == 3);  // GPU, CPU and adapter
    }
}

TEST_CASE("a matrix in which one GPU has no NVLink contradicts a dump in which it has, and its file names the host") {
    std::string xml = "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\">";
    for (int i = 0; i < 4; ++i) {
        xml += "<pci busid=\"0000:0" + std::to_string(i) +
               ":00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" "
               "link_width=\"16\"><gpu dev=\"" +
               std::to_string(i) +
               "\" sm=\"90\"><nvlink target=\"0000:07:00.0\" count=\"18\" "
               "tclass=\"0x068000\"/></gpu></pci>";
    }
    xml += "</cpu></system>";
    const auto matrix = [](int odd) {
        std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\n";
        for (int i = 0; i < 4; ++i) {
            text += "GPU" + std::to_string(i);
            for (int k = 0; k < 4; ++k) { text += i == k ? "\tX" : i == odd || k == odd ? "\tNODE" : "\tNV18"; }
            text += "\n";
        }
        return text;
    };
    const std::vector<Finding> two = findings_of({{"topo.xml", xml}, {"smi.txt", matrix(3)}});
    CHECK(std::ranges::any_of(two, [](const Finding& finding) {
        return finding.check == "contradiction" &&
               finding.message.find("18 NVLinks here, 0 there") != std::string::npos;
    }));
    const std::vector<Finding> hosts =
        findings_of({{"a/gpu-07.txt", matrix(9)}, {"a/gpu-08.txt", matrix(3)}, {"a/gpu-09.txt", matrix(9)}});
    REQUIRE(hosts.size() == 1);
    CHECK(hosts.front().device == "gpu-08.gpu3");
    CHECK(findings_of({{"topo.xml", xml}, {"smi.txt", matrix(9)}}).empty());
}
